// exactdot/core must compile for a GPU without warnings. This file instantiates its functions in a kernel; it is
// compiled, but not run.
#include <exactdot/core/error_free.hpp>
#include <exactdot/core/finish.hpp>

using namespace exactdot::core;
template <class T, class R>
__global__ void use_core(const T* a, const T* b, int n, std::int64_t* words, R* result, T* fast) {
  for (int i = 0; i < n; ++i) add_term<T>(words, exact_addend<product>(a[i], b[i]));
  normalise(layout_of<T>(), words);
  *result = from_word<R>(finish_state({finish::round, format<R>::number}, layout_of<T>(), words).word);
  *fast = two_sum(a[0], b[0]).value;
}
template __global__ void use_core<float, double>(const float*, const float*, int, std::int64_t*, double*, float*);
template __global__ void use_core<double, float>(const double*, const double*, int, std::int64_t*, float*, double*);
