// neumaier: the errors of all additions are kept apart and added at the end.
//
// Before: kahan loses the sum's low bits where a term is larger than the sum.
// Idea: TwoSum finds the error of an addition whichever addend is the larger (6 flops, no branch; D. E. Knuth), and
// the errors have a sum of their own. A. Neumaier, ZAMM 54 (1974); with split products: T. Ogita, S. M. Rump,
// S. Oishi, SIAM J. Sci. Comput. 26 (2005). Their Dot2 adds a product's error to the sum of errors at once (10 flops
// a pair); here it is a term like any other, with a TwoSum of its own, as in kahan.
// Cost: 16 flops a pair: the product, its error, and twice a TwoSum and an addition. As if in twice the precision:
// nearly the rounded sum up to condition 1/u, no digit left at 1/u².
#include <lab/compensated.cuh>

namespace exactdot::lab {
namespace {

struct neumaier_sum {
  template <class V>
  static constexpr V identity = V{0, 0};

  template <class T>
  static __device__ compensated<T> add(compensated<T> x, T term) {
    const T sum = x.sum + term;
    const T part = sum - x.sum;
    const T error = (x.sum - (sum - part)) + (term - part);
    return {sum, x.correction + error};
  }
  template <class T>
  static __device__ compensated<T> combine(compensated<T> x, compensated<T> y) {
    compensated<T> both = add(x, y.sum);
    both.correction += y.correction;
    return both;
  }
};

template <class T>
struct neumaier : compensated_dot<T, neumaier_sum> {};

const enlist_sum<neumaier> here{
    {.number = 17,
     .name = "neumaier",
     .file = "neumaier.cu",
     .notice = "as if in twice the precision: nearly the rounded sum up to condition 1/u, no digit left at 1/u^2",
     .blocks = block_rule::whole_warps,
     .grid = grid_rule::many,
     .same_bits = determinism::fixed_grid,
     .error = error_rule::neumaier,
     .roundings = [](const shape& s) { return 2 * chain(s) + 11 + combine_all_roundings(s); }}};

}  // namespace
}  // namespace exactdot::lab
