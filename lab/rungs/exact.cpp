// exact: exactdot in its default mode, the real-number sum of products, rounded once.
//
// Before: every rung rounds on its way, and so depends on the order.
// Idea: a sum of integers does not. Products are exact in twice the precision, and a fixed-point number wide enough
// for all of them takes them up; the one rounding comes last.
// Cost: arithmetic that has room while memory is waited for. On the CPU's engine here.
#include <exactdot/dot.hpp>
#include <lab/host_rung.hpp>

namespace exactdot::lab {
namespace {

template <class T>
T rounded_once(const T* a, const T* b, std::size_t n) {
  return dot<T>(a, b, n);
}

const enlist_host_rung here{{.number = 20,
                             .name = "exact",
                             .file = "exact.cpp",
                             .notice = "correctly rounded, in any order",
                             .same_bits = determinism::always,
                             .error = error_rule::correctly_rounded},
                            rounded_once<float>,
                            rounded_once<double>};

}  // namespace
}  // namespace exactdot::lab
