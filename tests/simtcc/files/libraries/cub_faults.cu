// CUB's storage used again without a barrier, and a sum that reads beyond its input.
// status: 66
// prints: data_race in shared memory.*cub_faults\.cu:LINE(again)\)
// prints: out_of_bounds in global memory \(buffer of 256 bytes \+ 256\)
#include <cub/cub.cuh>
__global__ void twice(const int* x, int* out) {
  using BlockReduce = cub::BlockReduce<int, 64>;
  __shared__ BlockReduce::TempStorage temp;
  const int sum = BlockReduce(temp).Sum(x[threadIdx.x]);
  const int again = BlockReduce(temp).Sum(2 * x[threadIdx.x]);  // again
  if (threadIdx.x == 0) *out = sum + again;
}
int main() {
  int *x, *out;
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemset(x, 0, 64 * sizeof(int));
  twice<<<1, 64>>>(x, out);
  void* temp = nullptr;
  std::size_t bytes = 0;
  cub::DeviceReduce::Sum(temp, bytes, x, out, 65);
  cudaMalloc(&temp, bytes);
  return cub::DeviceReduce::Sum(temp, bytes, x, out, 65);
}
