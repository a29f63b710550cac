// What teaching code uses of Thrust, with values known beforehand.
// prints: ^all hold$
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/generate.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <cstdio>
#define HOLDS(condition) \
  if (!(condition)) printf("%d: %s\n", __LINE__, #condition), failed = 1
struct saxpy {
  float a;
  __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};
struct squared {
  __host__ __device__ float operator()(float x) const { return x * x; }
};
struct add_index {
  int* out;
  __device__ void operator()(int i) { out[i] += i; }
};
__global__ void double_all(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
int main() {
  int failed = 0;
  thrust::host_vector<int> h(5);
  thrust::sequence(h.begin(), h.end(), 10);
  thrust::device_vector<int> d = h;
  HOLDS(d.size() == 5 && d[0] == 10 && d[4] == 14);
  d[2] = 100;
  HOLDS(d[2] == 100 && thrust::reduce(d.begin(), d.end()) == 10 + 11 + 100 + 13 + 14);
  HOLDS(thrust::reduce(d.begin(), d.end(), 0, thrust::maximum<int>()) == 100);
  thrust::sort(d.begin(), d.end(), thrust::greater<int>());
  h = d;
  HOLDS(h[0] == 100 && h[1] == 14 && h[4] == 10);
  thrust::sort(d.begin(), d.end());
  thrust::copy(d.begin(), d.end(), h.begin());
  HOLDS(h[0] == 10 && h[4] == 100);
  double_all<<<1, 32>>>(thrust::raw_pointer_cast(d.data()), 5);
  HOLDS(d[4] == 200);
  thrust::device_vector<float> x(1000), y(1000, 2.0f);
  thrust::sequence(x.begin(), x.end());
  thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), saxpy{3.0f});
  HOLDS(y[0] == 2 && y[999] == 2999);
  thrust::transform(x.begin(), x.end(), x.begin(), thrust::negate<float>());
  HOLDS(x[7] == -7);
  HOLDS(thrust::transform_reduce(x.begin(), x.begin() + 4, squared(), 0.0f, thrust::plus<float>()) == 14);
  HOLDS(thrust::inner_product(x.begin(), x.begin() + 3, x.begin(), 0.0f) == 5);
  thrust::fill(d.begin(), d.end(), 7);
  HOLDS(thrust::count(d.begin(), d.end(), 7) == 5);
  thrust::for_each(thrust::device, thrust::make_counting_iterator(0), thrust::make_counting_iterator(5),
                   add_index{thrust::raw_pointer_cast(&d[0])});
  HOLDS(d[4] == 11 && *thrust::max_element(d.begin(), d.end()) == 11 && thrust::max_element(d.begin(), d.end()) - d.begin() == 4);
  thrust::inclusive_scan(d.begin(), d.end(), d.begin());
  HOLDS(d[0] == 7 && d[4] == 45);
  thrust::exclusive_scan(d.begin(), d.end(), d.begin());
  HOLDS(d[0] == 0 && d[1] == 7);
  thrust::device_vector<int> keys(3), values(3);
  keys[0] = 3, keys[1] = 1, keys[2] = 2;
  thrust::sequence(values.begin(), values.end());
  thrust::sort_by_key(keys.begin(), keys.end(), values.begin());
  HOLDS(values[0] == 1 && values[1] == 2 && values[2] == 0);
  int raw[4] = {4, 3, 2, 1}, *device;
  cudaMalloc(&device, sizeof raw);
  cudaMemcpy(device, raw, sizeof raw, cudaMemcpyHostToDevice);
  thrust::sort(thrust::device, device, device + 4);
  thrust::device_ptr<int> p = thrust::device_pointer_cast(device);
  HOLDS(p[0] == 1 && thrust::reduce(p, p + 4) == 10);
  auto first = thrust::make_transform_iterator(thrust::make_counting_iterator(1), squared());
  HOLDS(thrust::reduce(first, first + 3, 0.0f) == 14);
  thrust::generate(h.begin(), h.end(), [] { return 3; });
  HOLDS(thrust::reduce(h.begin(), h.end()) == 15);
  if (!failed) printf("all hold\n");
  return failed;
}
