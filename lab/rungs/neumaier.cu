// neumaier: the errors of all additions are summed separately and added at the end.
//
// Before: kahan loses the sum's low bits if a term is larger than the sum.
// Idea: TwoSum computes the error of an addition whichever addend is larger (6 flops, no branch; D. E. Knuth), and
// the errors have their own sum. A. Neumaier, ZAMM 54 (1974); with products split by a fused multiply-add: T.
// Ogita, S. M. Rump, S. Oishi, SIAM J. Sci. Comput. 26 (2005). Their Dot2 adds a product's error directly to the
// sum of errors (10 flops per pair). Here, as in kahan, it is a term with its own TwoSum.
// Cost: 16 flops per pair: the product, its error, and two times a TwoSum and an addition. The accuracy is that of
// twice the precision: nearly correctly rounded up to condition number 1/u, no correct digit at 1/u².
#include <lab/compensated.cuh>

namespace exactdot::lab {
namespace {

struct neumaier_sum {
  template <class V>
  static constexpr V identity = V{0, 0};

  template <class T>
  static __device__ compensated<T> add(compensated<T> x, T term) {
    const T sum = x.sum + term;
    const T added = sum - x.sum;
    const T error = (x.sum - (sum - added)) + (term - added);
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

const register_sum_rung<neumaier> registration{
    {.number = 17,
     .name = "neumaier",
     .file = "neumaier.cu",
     .summary =
         "as accurate as twice the precision: nearly correctly rounded up to condition 1/u, no digit at 1/u^2",
     .blocks = block_rule::whole_warps,
     .grid = grid_rule::many,
     .same_bits = determinism::fixed_grid,
     .error = error_rule::neumaier,
     .roundings = [](const launch_config& config) {
       return 2 * chain_length(config) + 11 + combine_all_roundings(config);
     }}};

}  // namespace
}  // namespace exactdot::lab
