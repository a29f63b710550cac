// 16-bit floats and intrinsics of CUDA, checked against their definitions; compiles with nvcc too.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>

__device__ void expect(int* failures, int which, bool holds) {
  if (!holds) {
    printf("%d does not hold\n", which);
    atomicAdd(failures, 1);
  }
}

/// Every half is the nearest to itself and to what lies a little beside it; the middle goes to the even one.
__global__ void conversions(int* failures) {
  const unsigned bits = blockIdx.x * blockDim.x + threadIdx.x;  // positive finite halves but the last
  const float x = __half2float(__ushort_as_half(static_cast<unsigned short>(bits)));
  const float next = __half2float(__ushort_as_half(static_cast<unsigned short>(bits + 1)));
  const double middle = 0.5 * (static_cast<double>(x) + next);
  const unsigned even = bits + (bits & 1u);
  bool holds = next > x && __half_as_ushort(__float2half(x)) == bits;
  holds = holds && __half_as_ushort(__float2half(-x)) == (bits | 0x8000u);
  holds = holds && __half_as_ushort(__double2half(middle)) == even;
  holds = holds && __half_as_ushort(__double2half(middle * (1 - 1e-9))) == bits;
  holds = holds && __half_as_ushort(__double2half(middle * (1 + 1e-9))) == bits + 1;
  if (!holds) expect(failures, static_cast<int>(bits), false);
}

__global__ void arithmetic(int* failures, __half* sum, __half2* sums, __nv_bfloat16* brain_sum) {
  const __half one = __float2half(1.0f), third = __float2half(1.0f / 3);
  const __half2 pair = __floats2half2_rn(1.5f, -2.0f);
  expect(failures, 1, __half2float(third) == 0.333251953125f);
  expect(failures, 2, __half2float(__hadd(one, third)) == 1.3330078125f);
  expect(failures, 3, __half2float(one / third) == 3.0f);
  expect(failures, 4, __half2float(__hfma(third, __float2half(3.0f), __float2half(-1.0f))) == -0.000244140625f);
  expect(failures, 5, __low2float(__hmul2(pair, pair)) == 2.25f && __high2float(__hmul2(pair, pair)) == 4.0f);
  expect(failures, 6, __half2float(__float2half(65520.0f)) > 1e30f && __half2float(__float2half(65519.0f)) == 65504.0f);
  expect(failures, 7, __hisnan(__float2half(0.0f / __half2float(__float2half(0.0f)))));
  expect(failures, 8, __hlt(third, one) && __hge(one, one) && !__heq(one, third));
  expect(failures, 9, __bfloat162float(__float2bfloat16(1.00390625f)) == 1.0f);
  expect(failures, 10, __bfloat162float(__float2bfloat16(1.01171875f)) == 1.015625f);
  expect(failures, 11, __bfloat162float(__hadd(__float2bfloat16(1.0f), __float2bfloat16(0.5f))) == 1.5f);
  expect(failures, 12, __half2float(__shfl_xor_sync(0xffffffffu, __float2half(float(threadIdx.x)), 1)) == (threadIdx.x ^ 1u));
  const __nv_bfloat16 tie = __hfma(__float2bfloat16(1.5f), __float2bfloat16(1.0078125f), __float2bfloat16(-0x1p-100f));
  expect(failures, 13, __bfloat162float(tie) == 1.5078125f);  // just below the middle of two
  atomicAdd(sum, one);
  atomicAdd(sums, pair);
  atomicAdd(brain_sum, __float2bfloat16(0.25f));
  expect(failures, 20, __saturatef(-1) == 0 && __saturatef(0.5f) == 0.5f && __saturatef(1.5f) == 1);
  expect(failures, 21, __mul24(0x1000003, -5) == -15 && __umul24(0xff000002u, 3) == 6);
  expect(failures, 22, __sad(-3, 4, 10) == 17 && __usad(1, 5, 2) == 6);
  expect(failures, 23, __dp4a(0x01ff0203, 0x02010304, 1) == 2 - 1 + 6 + 12 + 1);
  expect(failures, 24, __hadd(-3, 4) == 0 && __rhadd(3, 4) == 4 && __uhadd(~0u, ~0u) == ~0u);
  const float e = __expf(1.0f);
  expect(failures, 25, e > 2.71827f && e < 2.71829f && __fdividef(1.0f, 4.0f) == 0.25f);
}

int main() {
  int *failures, failed = -1;
  __half *sum, host_sum;
  __half2 *sums, host_sums;
  __nv_bfloat16 *brain_sum, host_brain_sum;
  cudaMalloc(&failures, sizeof(int));
  cudaMalloc(&sum, sizeof *sum);
  cudaMalloc(&sums, sizeof *sums);
  cudaMalloc(&brain_sum, sizeof *brain_sum);
  cudaMemset(failures, 0, sizeof(int));
  cudaMemset(sum, 0, sizeof *sum);
  cudaMemset(sums, 0, sizeof *sums);
  cudaMemset(brain_sum, 0, sizeof *brain_sum);
  conversions<<<61, 512>>>(failures);
  arithmetic<<<1, 32>>>(failures, sum, sums, brain_sum);
  cudaError_t error = cudaMemcpy(&failed, failures, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(&host_sum, sum, sizeof host_sum, cudaMemcpyDeviceToHost);
  cudaMemcpy(&host_sums, sums, sizeof host_sums, cudaMemcpyDeviceToHost);
  cudaMemcpy(&host_brain_sum, brain_sum, sizeof host_brain_sum, cudaMemcpyDeviceToHost);
  const bool holds = error == cudaSuccess && failed == 0 && __half2float(host_sum) == 32 && __low2float(host_sums) == 48 &&
                     __high2float(host_sums) == -64 && __bfloat162float(host_brain_sum) == 8;
  std::printf("%d failed, sums %g, %g, %g, %g\n%s\n", failed, double(__half2float(host_sum)), double(__low2float(host_sums)),
              double(__high2float(host_sums)), double(__bfloat162float(host_brain_sum)), holds ? "all hold" : "failed");
  return holds ? 0 : 1;
}
