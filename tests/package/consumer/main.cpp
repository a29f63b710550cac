// Uses the installed headers and the library as a separate project does.
//
// The project sets no C++ standard, include folder or compile option; the package has to. A plain loop fails each
// check, so the checks pass only if the library is linked.
#include <array>
#include <cstdio>
#include <exactdot/exactdot.hpp>
#include <string>
#include <vector>

namespace {

bool dot_is_exact() {
  const std::vector<double> a{1e200, 1e200, 1}, b{1e200, -1e200, 1};
  return exactdot::dot(a, b) == 1;
}

bool states_merge_as_words() {
  exactdot::accumulator<float> left, right;
  left.add(1e30f, 1e30f);
  right.add(-1e30f, 1e30f);
  right.add(3.0f);
  std::array<std::int64_t, exactdot::accumulator<float>::word_count> sum{};
  for (const auto* state : {&left, &right})
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += state->words()[i];
  return exactdot::accumulator<float>(sum).round<float>() == 3;
}

bool errors_are_caught() {
  const std::vector<float> a(2), b(3);
  try {
    (void)exactdot::dot(a, b);
  } catch (const exactdot::error& error) {
    return error.code() == exactdot::errc::size_mismatch;
  }
  return false;
}

/// Without the component cuda, a call that requires a GPU throws because no engine is linked.
bool missing_engine_is_reported() {
  const std::vector<double> x{1, 2};
  try {
    (void)exactdot::dot(x, x, {.device = exactdot::device::cuda});
  } catch (const exactdot::error& error) {
    return error.code() == exactdot::errc::no_device &&
           std::string(error.what()).find("no CUDA engine") != std::string::npos;
  }
  return false;
}

}  // namespace

#ifdef WITH_CUDA
bool gpu_calls_work();  // cuda.cpp
#else
bool gpu_calls_work() { return missing_engine_is_reported(); }
#endif

int main() {
  if (!dot_is_exact()) return std::puts("dot is wrong"), 1;
  if (!states_merge_as_words()) return std::puts("accumulator is wrong"), 1;
  if (!errors_are_caught()) return std::puts("errors are wrong"), 1;
  if (!gpu_calls_work()) return std::puts("the CUDA engine is wrong"), 1;
  std::printf("exactdot %s works from its package\n", exactdot::version());
}
