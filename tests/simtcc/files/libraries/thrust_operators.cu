// Output iterators, transparent function objects, and operators of elements of vectors.
// prints: ^2 3 4 $
// prints: ^all hold$
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <vector>
#define HOLDS(condition) \
  if (!(condition)) printf("%d: %s\n", __LINE__, #condition), failed = 1
struct is_odd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
int main() {
  int failed = 0;
  thrust::device_vector<int> v(3), w(2, 9);
  thrust::sequence(v.begin(), v.end(), 2);
  thrust::copy(v.begin(), v.end(), std::ostream_iterator<int>(std::cout, " "));
  std::cout << std::endl;
  std::vector<int> plain;
  thrust::copy(v.begin(), v.end(), std::back_inserter(plain));
  thrust::copy_n(v.begin(), 1, std::back_inserter(plain));
  const std::vector<int> from = {1, 2, 3};
  thrust::copy_if(from.begin(), from.end(), std::back_inserter(plain), is_odd());
  HOLDS(plain == (std::vector<int>{2, 3, 4, 2, 1, 3}));
  HOLDS(thrust::reduce(v.begin(), v.end(), 0, thrust::maximum<>()) == 4);
  HOLDS(thrust::reduce(v.begin(), v.end(), 9, thrust::minimum<>()) == 2);
  HOLDS(thrust::square<>()(3) == 9 && thrust::identity<>()(3) == 3);
  v[1] *= 5, v[2] /= 2, v[0] <<= 3;
  HOLDS(v[0] == 16 && v[1] == 15 && v[2] == 2);
  v[0] >>= 1, v[1] %= 4, v[2] |= 5;
  HOLDS(v[0] == 8 && v[1] == 3 && v[2] == 7);
  v[0] ^= 1, v[1] &= 2, v[2] -= 1;
  HOLDS(v[0] == 9 && v[1] == 2 && v[2] == 6);
  const int before = v[0]++, after = ++v[0];
  HOLDS(before == 9 && after == 11 && v[2]-- == 6 && --v[2] == 4);
  swap(v[0], v[1]);
  HOLDS(v[0] == 2 && v[1] == 11);
  swap(v, w);
  HOLDS(v.size() == 2 && w.size() == 3);
  thrust::swap(v, w);
  HOLDS(v.size() == 3 && v.end() > v.begin() && v.end() >= v.end());
  thrust::host_vector<int> h(2, 1), g(3, 2);
  thrust::swap(h, g);
  HOLDS(h.size() == 3 && g[0] == 1);
  if (!failed) printf("all hold\n");
  return failed;
}
