// cpu_loop: one sequential loop on the host, once with a float for the sum, once with a double.
//
// Before: nothing; this is where everybody starts.
// Idea: sum += a[i] * b[i], from first to last.
// Cost: one addition after the other, each waiting for the last; no memory is ever waited for. With a float the
// error grows with n, up to n roundings of 2^-24; with a double it rarely shows in a float.
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

std::uint64_t one_a_term(const shape& s) { return s.n + 1; }

const enlist_host_rung in_float{{.number = 0,
                                 .name = "cpu_loop",
                                 .file = "cpu_loop.cpp",
                                 .notice = "the baseline; its error grows with n",
                                 .same_bits = determinism::always,
                                 .error = error_rule::in_float,
                                 .roundings = one_a_term},
                                float_sum<float>,
                                float_sum<double>};
const enlist_host_rung in_double{{.number = 0,
                                  .name = "cpu_loop_double",
                                  .file = "cpu_loop.cpp",
                                  .notice = "the baseline with a double for the sum",
                                  .same_bits = determinism::always,
                                  .error = error_rule::in_double,
                                  .roundings = one_a_term},
                                 double_sum<float>,
                                 double_sum<double>};

}  // namespace
}  // namespace exactdot::lab
