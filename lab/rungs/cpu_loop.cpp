// cpu_loop: one sequential loop on the host, with a float or a double accumulator.
//
// Before: nothing; this is the baseline.
// Idea: sum += a[i] * b[i], from first to last.
// Cost: one addition at a time, each waiting for the previous one; the latency of the addition limits the speed,
// not memory. With a float accumulator the error grows with n, up to n roundings of 2^-24. With a double
// accumulator it rarely shows in a float result.
#include <lab/host_rung.hpp>
#include <lab/peers.hpp>

namespace exactdot::lab {
namespace {

template <class T>
T float_sum(const T* a, const T* b, std::size_t n) {
  return static_cast<T>(float_loop(a, b, n));
}

template <class T>
T double_sum(const T* a, const T* b, std::size_t n) {
  return static_cast<T>(double_loop(a, b, n));
}

std::uint64_t roundings_of_loop(const launch_config& config) { return config.n + 1; }

const register_host_rung float_registration{{.number = 0,
                                             .name = "cpu_loop",
                                             .file = "cpu_loop.cpp",
                                             .summary = "the baseline; its error grows with n",
                                             .same_bits = determinism::always,
                                             .error = error_rule::in_float,
                                             .roundings = roundings_of_loop},
                                            float_sum<float>,
                                            float_sum<double>};
const register_host_rung double_registration{{.number = 0,
                                              .name = "cpu_loop_double",
                                              .file = "cpu_loop.cpp",
                                              .summary = "the baseline with a double accumulator",
                                              .same_bits = determinism::always,
                                              .error = error_rule::in_double,
                                              .roundings = roundings_of_loop},
                                             double_sum<float>,
                                             double_sum<double>};

}  // namespace
}  // namespace exactdot::lab
