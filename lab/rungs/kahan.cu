// kahan: every addition hands what it lost to the next one.
//
// Before: an addition forgets the low bits of the smaller addend.
// Idea: (sum + y) - sum is what arrived of y; the rest is kept and added to the next term. W. Kahan, "Further
// remarks on reducing truncation errors", Comm. ACM 8 (1965). Products are split, so that their errors count too.
// Cost: 4 flops a term instead of 1, no more memory. The error no longer grows with n, only with sum |a b|. It
// breaks where the next term is larger than the sum: then the sum's low bits are lost, and [1, 1e9, -1e9] may give
// 0.
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

const enlist_sum<kahan> here{{.number = 17,
                              .name = "kahan",
                              .file = "kahan.cu",
                              .notice = "the error no longer grows with n, but still with the condition number",
                              .blocks = block_rule::whole_warps,
                              .grid = grid_rule::many,
                              .same_bits = determinism::fixed_grid,
                              .error = error_rule::kahan,
                              .roundings = [](const shape& s) { return 10 + combine_all_roundings(s); }}};

}  // namespace
}  // namespace exactdot::lab
