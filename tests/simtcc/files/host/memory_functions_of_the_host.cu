// The same functions on memory that the host may use.
// prints: ^0 1000 14 0
// prints: no findings
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

struct block {
  int values[100];
  void memset(int x) { values[0] = x; }
};

#if defined(__clang__)
template <class T = float>
constexpr unsigned bits(T x) {
#else
constexpr unsigned bits(float x) {
#endif
  unsigned word = 0;
  memcpy(&word, &x, x < 0 ? 0 : sizeof word);
  return word;
}

struct own {
  static int memcpy(int x) { return x; }
  int twice(int x) { return memcpy(x) + memcpy(x); }
};
namespace mine {
int memmove(int x) { return x; }
}

__global__ void fill(int* x, int n) {
  if (threadIdx.x == 0) memset(x, 0, n * sizeof(int));
}

int main() {
  constexpr int n = 1000;
  std::vector<int> h(n), g(n, 1);
  int *managed, *pinned, *d;
  cudaMallocManaged(&managed, n * sizeof(int));
  cudaMallocHost(&pinned, n * sizeof(int));
  cudaMalloc(&d, n * sizeof(int));
  fill<<<1, 32>>>(d, n);
  cudaDeviceSynchronize();
  std::fill_n(managed, n, 1);
  std::copy(g.begin(), g.end(), pinned);
  std::memmove(h.data(), pinned, n * sizeof(int));
  std::sort(managed, managed + n);
  block a, b;
  a.memset(mine::memmove(own().twice(7)) - 7);
  b = a;
  const std::string text(std::string("a longer text than fits") + "!");
  if (bits(1.0F) != 0x3f800000) return 1;
  const int sum = std::accumulate(managed, managed + n, 0);
  std::printf("%d %d %d %d\n", memcmp(h.data(), managed, n * sizeof(int)), sum, a.values[0] + b.values[0],
              text.size() > 30);
}
