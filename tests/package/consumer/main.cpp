// Uses the installed headers and library the way a program outside the house does.
//
// It asks for no C++ standard, no include folder and no flag: all of that must come with the package.
// Each check is an answer that a plain loop gets wrong, so the real engine must have been linked.
#include <array>
#include <cstdio>
#include <exactdot/exactdot.hpp>
#include <string>
#include <vector>

namespace {

bool lost_products_count() {
  const std::vector<double> a{1e200, 1e200, 1}, b{1e200, -1e200, 1};
  return exactdot::dot(a, b) == 1;
}

bool states_travel_as_words() {
  exactdot::accumulator<float> left, right;
  left.add(1e30f, 1e30f);
  right.add(-1e30f, 1e30f);
  right.add(3.0f);
  std::array<std::int64_t, exactdot::accumulator<float>::word_count> sum{};
  for (const auto* state : {&left, &right})
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += state->words()[i];
  return exactdot::accumulator<float>(sum).round<float>() == 3;
}

bool errors_cross_the_library() {
  const std::vector<float> a(2), b(3);
  try {
    (void)exactdot::dot(a, b);
  } catch (const exactdot::error& error) {
    return error.code() == exactdot::errc::size_mismatch;
  }
  return false;
}

/// Without the component a demanded GPU is refused for want of an engine, wherever the package was built.
bool gpu_is_demanded_in_vain() {
  const std::vector<double> x{1, 2};
  try {
    (void)exactdot::dot(x, x, {.device = exactdot::device::cuda});
  } catch (const exactdot::error& error) {
    return error.code() == exactdot::errc::no_device &&
           std::string(error.what()).find("link exactdot::cuda") != std::string::npos;
  }
  return false;
}

}  // namespace

#ifdef WITH_CUDA
bool gpu_is_asked();  // cuda.cpp
#else
bool gpu_is_asked() { return gpu_is_demanded_in_vain(); }
#endif

int main() {
  if (!lost_products_count()) return std::puts("dot is wrong"), 1;
  if (!states_travel_as_words()) return std::puts("accumulator is wrong"), 1;
  if (!errors_cross_the_library()) return std::puts("errors are wrong"), 1;
  if (!gpu_is_asked()) return std::puts("the GPU's engine is wrong"), 1;
  std::printf("exactdot %s works from its package\n", exactdot::version());
}
