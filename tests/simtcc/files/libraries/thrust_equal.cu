// Elements are compared, not the places of copies.
// prints: ^1 0 1 0$
#include <thrust/device_vector.h>
#include <thrust/equal.h>
#include <thrust/host_vector.h>
#include <cstdio>
int main() {
  thrust::device_vector<int> x(100, 3), y(100, 3), z = y;
  z[99] = 4;
  thrust::host_vector<int> h = x, other = z;
  printf("%d %d ", thrust::equal(x.begin(), x.end(), y.begin()), thrust::equal(x.begin(), x.end(), z.begin()));
  printf("%d %d\n", thrust::equal(h.begin(), h.end(), h.begin()), thrust::equal(h.begin(), h.end(), other.begin()));
}
