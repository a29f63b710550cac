// kahan: each addition passes its rounding error on to the next one.
//
// Before: an addition discards the low bits of the smaller addend.
// Idea: (sum + y) - sum is the part of y that was added; the rest is kept and added to the next term. W. Kahan,
// "Further remarks on reducing truncation errors", Comm. ACM 8 (1965). The errors of the products are terms as
// well.
// Cost: 4 flops per term instead of 1, no more memory traffic. The error grows with sum |a b|, no longer with n.
// The method fails if the next term is larger than the sum: the sum's low bits are lost, and [1, 1e9, -1e9] may
// give 0.
#include <lab/compensated.cuh>

namespace exactdot::lab {
namespace {

struct kahan_sum {
  template <class V>
  static constexpr V identity = V{0, 0};

  template <class T>
  static __device__ compensated<T> add(compensated<T> x, T term) {
    const T y = term + x.correction;
    const T sum = x.sum + y;
    return {sum, y - (sum - x.sum)};
  }
  template <class T>
  static __device__ compensated<T> combine(compensated<T> x, compensated<T> y) {
    return add(add(x, y.correction), y.sum);
  }
};

template <class T>
struct kahan : compensated_dot<T, kahan_sum> {};

const register_sum_rung<kahan> registration{
    {.number = 17,
     .name = "kahan",
     .file = "kahan.cu",
     .summary = "the error no longer grows with n, but still with the condition number",
     .blocks = block_rule::whole_warps,
     .grid = grid_rule::many,
     .same_bits = determinism::fixed_grid,
     .error = error_rule::kahan,
     .roundings = [](const launch_config& config) { return 10 + combine_all_roundings(config); }}};

}  // namespace
}  // namespace exactdot::lab
