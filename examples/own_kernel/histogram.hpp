// What the host program sees of the kernels: no CUDA, no simulator.
#pragma once

#include <string>
#include <vector>

struct outcome {
  std::vector<unsigned> counts;       // of each letter, a to z
  std::vector<std::string> findings;  // of the simulator, one line each; none from a GPU
};

/// Counts the letters of a text on the device; with `mended` false by the kernel that has a race.
outcome count_letters(const std::string& text, bool mended);
