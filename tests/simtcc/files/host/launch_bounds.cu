// A launch of more threads than __launch_bounds__ of its kernel, where it stands before or after the type, of a template.
// status: 66
// prints: 7 7 1 1 7 1$
// prints: refused_launch \(block of 128 threads; the kernel's __launch_bounds__ allow 64\): launch by host code \(.*:LINE(too many)\)
#include <cstdio>
constexpr int warps = 2;
__global__ void __launch_bounds__(64) before_the_name(int* x) { x[0] = 7; }
__global__ __launch_bounds__(32 * warps, 4) void before_the_type(int* x);
__global__ __launch_bounds__(32 * warps, 4) void before_the_type(int* x) { x[1] = 7; }
template <int most>
__global__ void __launch_bounds__(most) of_a_template(int* x, int at) {
  x[at] = 7;
}
__global__ void __launch_bounds__(0) ignored(int*) {}  // as nvcc ignores it
__global__ void without(int* x) {
  if (threadIdx.x == 0) x[4] = 7;
}
int main() {
  int *x, host[6];
  cudaMalloc(&x, sizeof host);
  for (int& each : host) each = 1;
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  before_the_name<<<1, 1>>>(x);
  before_the_type<<<1, dim3(1, 1)>>>(x);
  of_a_template<256><<<1, dim3(32, 9)>>>(x, 2);
  std::fprintf(stderr, "%s\n", cudaGetErrorName(cudaGetLastError()));
  without<<<1, 1024>>>(x);
  cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
  ignored<<<1, 128>>>(x);
  for (int i = 0; i < 5; ++i) std::printf("%d ", host[i]);
  std::printf("%d\n", host[5]);
  before_the_name<<<1, 128>>>(x);  // too many
}
