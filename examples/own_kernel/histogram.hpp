// Interface of the kernels to the host program, without CUDA or simulator headers.
#pragma once

#include <string>
#include <vector>

struct outcome {
  std::vector<unsigned> counts;       // per letter, a to z
  std::vector<std::string> findings;  // of the simulator, one line each; empty on a GPU
};

/// Counts the letters a to z of a text on the device. corrected = false: by the kernel with the data race.
outcome count_letters(const std::string& text, bool corrected);
