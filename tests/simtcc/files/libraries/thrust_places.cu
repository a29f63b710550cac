// A policy says where plain pointers are; iterators that compute their elements are where the others are.
// options: --extended-lambda
// prints: ^all hold$
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/logical.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <cstdio>
#define HOLDS(condition) \
  if (!(condition)) printf("%d: %s\n", __LINE__, #condition), failed = 1
struct element {
  const float* of;
  __device__ float operator()(int i) const { return of[i]; }
};
struct doubled {
  float* of;
  __device__ void operator()(int i) const { of[i] *= 2; }
};
struct is_above {
  const float* of;
  float bound;
  __device__ bool operator()(int i) { return of[i] > bound; }
};
int main() {
  int failed = 0;
  constexpr int n = 5;
  float *d, *e, h[n] = {1, 2, 3, 4, 5};
  cudaMalloc(&d, sizeof h);
  cudaMalloc(&e, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  thrust::copy(thrust::device, d, d + n, e);
  thrust::copy_n(thrust::cuda::par, d, 2, e);
  const thrust::counting_iterator<int> first(0);
  thrust::for_each(first, first + n, doubled{e});
  thrust::for_each_n(first, 1, doubled{e});
  HOLDS(thrust::transform_reduce(first, first + n, element{e}, 0.0f, thrust::plus<float>()) == 32);
  const auto elements = thrust::make_transform_iterator(first, element{e});
  HOLDS(thrust::reduce(elements, elements + n) == 32);
  // a predicate reads device memory too
  HOLDS(thrust::count_if(first, first + n, is_above{e, 7}) == 2);
  HOLDS(!thrust::all_of(first, first + n, is_above{e, 7}) && thrust::any_of(first, first + n, is_above{e, 7}));
  thrust::device_vector<int> places(n, -1);
  const auto end = thrust::copy_if(first, first + n, places.begin(), is_above{e, 7});
  HOLDS(end - places.begin() == 2 && places[0] == 3 && places[1] == 4);
  HOLDS(thrust::remove_if(places.begin(), end, is_above{e, 9}) - places.begin() == 1 && places[0] == 3);
  thrust::device_vector<float> v(n);
  thrust::copy(elements, elements + n, v.begin());
  HOLDS(v[0] == 4 && v[4] == 10);
  thrust::copy(thrust::make_constant_iterator(7), thrust::make_constant_iterator(7) + 1, v.begin());
  HOLDS(v[0] == 7);
  // of the host: its pointers, its policy, its iterators
  thrust::copy(h, h + 2, h + 3);
  HOLDS(h[3] == 1 && h[4] == 2);
  thrust::copy(thrust::host, h, h + 2, h + 2);
  HOLDS(h[2] == 1 && h[3] == 2);
  thrust::transform(first, first + n, h, thrust::negate<float>());
  HOLDS(h[4] == -4);
  thrust::for_each(thrust::host, first, first + n, [&](int i) { h[i] = 1; });
  thrust::host_vector<float> kept(v.begin(), v.end());
  thrust::copy(v.begin(), v.end(), kept.begin());
  HOLDS(kept[1] == 4 && h[4] == 1);
  if (!failed) printf("all hold\n");
  return failed;
}
