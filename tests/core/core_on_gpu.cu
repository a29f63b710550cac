// src/core must compile for a GPU without warnings. This file instantiates its functions in a kernel; it is
// compiled, but not run.
#include <core/error_free.hpp>
#include <core/finish.hpp>
#include <core/order_v1.hpp>

using namespace exactdot::core;
template <class T, class R>
__global__ void use_core(const T* a, const T* b, int n, std::int64_t* words, R* result, T* fast) {
  for (int i = 0; i < n; ++i) add_term<T>(words, exact_addend<product>(a[i], b[i]));
  normalise(layout_of<T>(), words);
  *result = from_word<R>(finish_state({finish::round, format<R>::number}, layout_of<T>(), words).word);
  tile_tree<T> tree;
  for (int i = 0; i < n; ++i) tree.push(a[i] * b[i]);
  *fast = two_sum(tree.root(), T{1}).value;
}
template __global__ void use_core<float, double>(const float*, const float*, int, std::int64_t*, double*, float*);
template __global__ void use_core<double, float>(const double*, const double*, int, std::int64_t*, float*, double*);
