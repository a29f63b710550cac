// Not run: src/core must compile for a GPU unchanged, without a warning. Instantiates each of its parts in a
// kernel.
#include <core/error_free.hpp>
#include <core/order_v1.hpp>
#include <core/state.hpp>

using namespace exactdot::core;
template <class T, class R>
__global__ void use_core(const T* a, const T* b, int n, std::int64_t* words, R* result, T* fast) {
  for (int i = 0; i < n; ++i) add_term<T>(words, exact_product(a[i], b[i]));
  normalise(limbs_of<T>(words));
  *result = round_state<R, T>(words);
  tile_tree<T> tree;
  for (int i = 0; i < n; ++i) tree.push(two_product(a[i], b[i]).value);
  *fast = two_sum(tree.root(), T{1}).value;
}
template __global__ void use_core<float, double>(const float*, const float*, int, std::int64_t*, double*, float*);
template __global__ void use_core<double, float>(const double*, const double*, int, std::int64_t*, float*, double*);
