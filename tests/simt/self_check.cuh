// Kernels that check themselves: they record the lines of failed checks, which the test prints.
#pragma once

#include <string>
#include <vector>

#include "findings.hpp"

namespace simt_test {

struct failed_checks {
  int count;
  int lines[16];
};

__device__ inline void expect(failed_checks* checks, bool holds, int line = __builtin_LINE()) {
  if (holds) return;
  const int i = atomicAdd(&checks->count, 1);
  if (i < 16) checks->lines[i] = line;
}

/// Runs a kernel whose first parameter records failed checks. Returns the lines of failed checks, and the faults;
/// "" if there are none.
template <class... Parameters, class... Arguments>
std::string failures_of(gpu::stream& stream, void (*kernel)(failed_checks*, Parameters...), dim3 grid, dim3 block,
                        std::size_t shared_bytes, Arguments... arguments) {
  filled<failed_checks> result(stream, 1);
  gpu::launch(kernel, grid, block, shared_bytes, stream, result.data(), arguments...);
  const failed_checks found = result[0];
  std::string lines;
  for (int i = 0; i < std::min(found.count, 16); ++i) lines += "line " + std::to_string(found.lines[i]) + "\n";
  return lines + faults_of(stream);
}

/// Runs a kernel in both models. Expects no failed check and no fault.
template <class... Parameters, class... Arguments>
void expect_all_hold(void (*kernel)(failed_checks*, Parameters...), dim3 grid, dim3 block,
                     std::size_t shared_bytes = 0, Arguments... arguments) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model});
    EXPECT_EQ(failures_of(stream, kernel, grid, block, shared_bytes, arguments...), "");
  }
}

}  // namespace simt_test
