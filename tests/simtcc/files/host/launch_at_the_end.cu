// The destructor of a static object launches a kernel, after the stacks of threads have been used once.
// prints: ^64 threads
// prints: no findings in 2 launches
#include <cstdio>

__global__ void count(int* x) { atomicAdd(x, 1); }

struct at_end {
  int* x = nullptr;
  ~at_end() {
    int n = 0;
    cudaMemset(x, 0, sizeof(int));
    count<<<1, 64>>>(x);
    cudaMemcpy(&n, x, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d threads\n", n);
  }
};
at_end last;

int main() {
  cudaMalloc(&last.x, sizeof(int));
  cudaMemset(last.x, 0, sizeof(int));
  count<<<1, 64>>>(last.x);
}
