// Kernels that check themselves: what does not hold is written down by line, and the test shows those lines.
#pragma once

#include <string>
#include <vector>

#include "findings.hpp"

namespace simt_test {

struct broken {
  int count;
  int lines[16];
};

__device__ inline void expect(broken* to, bool holds, int line = __builtin_LINE()) {
  if (holds) return;
  const int i = atomicAdd(&to->count, 1);
  if (i < 16) to->lines[i] = line;
}

/// Runs a kernel whose first parameter is what is broken; the lines of it, "" if there are none, and the faults.
template <class... Parameters, class... Arguments>
std::string lines_broken_by(stream& on, void (*kernel)(broken*, Parameters...), dim3 grid, dim3 block,
                            std::size_t shared_bytes, Arguments... arguments) {
  filled<broken> result(on, 1);
  gpu::launch(kernel, grid, block, shared_bytes, on, result.data(), arguments...);
  const broken found = result[0];
  std::string lines;
  for (int i = 0; i < std::min(found.count, 16); ++i) lines += "line " + std::to_string(found.lines[i]) + "\n";
  return lines + faults_of(on);
}

/// Runs it in both models; nothing may be broken.
template <class... Parameters, class... Arguments>
void expect_whole(void (*kernel)(broken*, Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes = 0,
                  Arguments... arguments) {
  for (const execution model : both_models) {
    stream on({.model = model});
    EXPECT_EQ(lines_broken_by(on, kernel, grid, block, shared_bytes, arguments...), "");
  }
}

}  // namespace simt_test
