// The kernels in plain CUDA C++, and their launches (kernels.hpp).
#include <exactdot/simt/cuda.hpp>

#include "simt/kernels.hpp"

namespace simt_test {
namespace {

__global__ void add_plainly(int* sum) {
  *sum += 1;  // race
}
__global__ void add_atomically(int* sum) { atomicAdd(sum, 1); }
__global__ void add_in_block_scope(int* sum) {
  atomicAdd_block(sum, 1);  // scope
}

__global__ void tree(const float* x, int n, float* out, bool with_barrier) {
  __shared__ float sums[64];
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < n; i += 64) sum += x[i];
  sums[threadIdx.x] = sum;
  if (with_barrier) __syncthreads();
  for (unsigned half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      sums[threadIdx.x] += sums[threadIdx.x + half];  // missing barrier
    }
    if (with_barrier) __syncthreads();
  }
  if (threadIdx.x == 0) *out = sums[0];
}

__global__ void branch(float* out) {
  __shared__ float sums[64];
  sums[threadIdx.x] = 1;
  __syncthreads();
  for (unsigned half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads();  // divergence
    }
  }
  if (threadIdx.x == 0) *out = sums[0];
}

__global__ void half_warp(float* out) {
  float x = 1;
  if (threadIdx.x < 16) {
    x += __shfl_down_sync(0xffffffffU, x, 8);  // missing lanes
  }
  __syncthreads();
  out[threadIdx.x] = x;
}

__global__ void shuffled(float* out, unsigned width) {
  float x = 1;
  for (unsigned half = width / 2; half > 0; half /= 2)
    x += __shfl_xor_sync(0xffffffffU, x, static_cast<int>(half), static_cast<int>(width));
  if (threadIdx.x == 0) *out = x;
}

__global__ void locked(int* mutex, int* sum, bool with_fences) {
  while (atomicCAS(mutex, 0, 1) != 0) {  // spin
  }
  if (with_fences) __threadfence();
  *sum += 1;  // protected
  if (with_fences) __threadfence();
  atomicExch(mutex, 0);
}

__global__ void single_pass(const float* x, int n, float* partial, unsigned* counter, float* out,
                            bool with_fences) {
  __shared__ bool last;
  float sum = 0;
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n;
       i += static_cast<int>(gridDim.x * blockDim.x))
    sum += x[i];
  for (unsigned half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffffU, sum, half);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;  // published
    if (with_fences) __threadfence();
    last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
    if (with_fences) __threadfence();
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float total = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) total += partial[i];  // read of partials
    *out = total;
  }
}

__global__ void past_the_end(float* x, int n) {
  x[n + static_cast<int>(threadIdx.x)] = 1;  // past the end
}
__global__ void bad_index(float* out, int offset) {
  __shared__ float sums[32];
  sums[threadIdx.x + static_cast<unsigned>(offset)] = 1;  // bad index
  __syncthreads();
  out[threadIdx.x] = sums[threadIdx.x];
}
__global__ void past_dynamic(float* out) {
  float* const sums = gpu::dynamic_shared<float>();
  sums[threadIdx.x] = 1;  // past dynamic
  __syncthreads();
  if (threadIdx.x == 0) *out = sums[0];
}
__global__ void unwritten_shared(float* out) {
  __shared__ float sums[32];
  if (threadIdx.x < 16) sums[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = sums[threadIdx.x];  // unwritten shared
}
__global__ void unwritten_global(float* sum) {
  atomicAdd(sum, 1.0F);  // unwritten global
}

__global__ void neighbours(float* out, bool with_syncwarp) {
  __shared__ float values[32];
  values[threadIdx.x] = static_cast<float>(threadIdx.x);
  if (with_syncwarp) __syncwarp();
  out[threadIdx.x] = values[(threadIdx.x + 1) % 32];  // neighbour
}

__global__ void number(unsigned* out) {
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned i = block * blockDim.x * blockDim.y * blockDim.z + thread;
  out[i] = i;
}

__global__ void vote(int* failures) {
  const unsigned all = 0xffffffffU, lane = threadIdx.x % 32;
  int wrong = 0;
  wrong += __ballot_sync(all, lane % 2 == 0) != 0x55555555U;
  wrong += __any_sync(all, lane == 31) == 0;
  wrong += __all_sync(all, lane < 31) != 0;
  wrong += __reduce_add_sync(all, lane) != 496;
  wrong += __reduce_max_sync(all, static_cast<int>(lane) - 40) != -9;
  wrong += __reduce_min_sync(all, lane + 3) != 3;
  wrong += __reduce_or_sync(all, 1U << lane) != all;
  wrong += __reduce_xor_sync(all, 1U << lane) != all;
  wrong += __reduce_and_sync(all, lane | 8U) != 8;
  wrong += __shfl_sync(all, lane, 5) != 5;
  wrong += __shfl_sync(all, lane, 5, 8) != lane / 8 * 8 + 5;
  wrong += __shfl_up_sync(all, lane, 1) != (lane == 0 ? 0 : lane - 1);
  wrong += __shfl_down_sync(all, lane, 2, 16) != (lane % 16 < 14 ? lane + 2 : lane);
  wrong += __shfl_xor_sync(all, static_cast<double>(lane), 3) != static_cast<double>(lane ^ 3U);
  wrong += __syncthreads_count(threadIdx.x < 10) != 10;
  wrong += __syncthreads_and(threadIdx.x < 64) == 0;
  wrong += __syncthreads_and(threadIdx.x < 63) != 0;
  wrong += __syncthreads_or(threadIdx.x == 63) == 0;
  if (wrong != 0) atomicAdd(failures, wrong);
}

template <class T>
__global__ void atomics(T* target, int* failures) {
  int wrong = 0;
  const auto holds = [&](T old, T expected_old, T expected_new) {
    wrong += old != expected_old;
    wrong += *target != expected_new;
  };
  *target = T{5};
  holds(atomicAdd(target, 3), T{5}, T{8});
  if constexpr (!std::is_same_v<T, double>) holds(atomicExch(target, 6), T{8}, T{6});
  if constexpr (std::is_integral_v<T>) {
    holds(atomicMin(target, 4), T{6}, T{4});
    holds(atomicMax(target, 12), T{4}, T{12});
    holds(atomicAnd(target, 10), T{12}, T{8});
    holds(atomicOr(target, 3), T{8}, T{11});
    holds(atomicXor(target, 1), T{11}, T{10});
    holds(atomicCAS(target, 9, 1), T{10}, T{10});
    holds(atomicCAS(target, 10, 1), T{10}, T{1});
  }
  if constexpr (sizeof(T) == 4 && std::is_integral_v<T>) holds(atomicSub(target, 1), T{1}, T{0});
  if constexpr (std::is_same_v<T, unsigned>) {
    holds(atomicInc(target, 1), 0, 1);
    holds(atomicInc(target, 1), 1, 0);
    holds(atomicDec(target, 7), 0, 7);
    holds(atomicDec(target, 7), 7, 6);
    holds(atomicDec(target, 3), 6, 3);
  }
  *failures += wrong;
}

__global__ void dynamic_tree(float* out) {
  float* const sums = gpu::dynamic_shared<float>();
  sums[threadIdx.x] = static_cast<float>(blockIdx.x + 1);
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, sums[0]);
}

/// Allocates one zeroed element, calls `launch` with its address and returns its value.
template <class T, class Launch>
T result_of(gpu::stream& stream, Launch launch) {
  gpu::buffer<T> result(stream, 1);
  result.fill_zero();
  launch(result.data());
  T value;
  result.copy_to(&value, 1);
  return value;
}

}  // namespace

int count_without_atomics(gpu::stream& stream, unsigned blocks, unsigned threads) {
  return result_of<int>(stream, [&](int* sum) { gpu::launch(add_plainly, blocks, threads, 0, stream, sum); });
}
int count_with_atomics(gpu::stream& stream, unsigned blocks, unsigned threads) {
  return result_of<int>(stream, [&](int* sum) { gpu::launch(add_atomically, blocks, threads, 0, stream, sum); });
}
int count_with_block_atomics(gpu::stream& stream) {
  return result_of<int>(stream, [&](int* sum) { gpu::launch(add_in_block_scope, 4, 32, 0, stream, sum); });
}
float tree_sum(gpu::stream& stream, const std::vector<float>& x, bool with_barrier) {
  gpu::buffer<float> from(stream, x.size());
  from.copy_from(x.data(), x.size());
  return result_of<float>(stream, [&](float* out) {
    gpu::launch(tree, 1, 64, 0, stream, from.data(), static_cast<int>(x.size()), out, with_barrier);
  });
}
float barrier_in_branch(gpu::stream& stream) {
  return result_of<float>(stream, [&](float* out) { gpu::launch(branch, 1, 64, 0, stream, out); });
}
void shuffle_in_branch(gpu::stream& stream) {
  gpu::buffer<float> out(stream, 32);
  gpu::launch(half_warp, 1, 32, 0, stream, out.data());
}
float shuffle_sum(gpu::stream& stream, unsigned width) {
  return result_of<float>(stream, [&](float* out) { gpu::launch(shuffled, 1, 32, 0, stream, out, width); });
}
int count_with_lock_per_thread(gpu::stream& stream) {
  gpu::buffer<int> mutex(stream, 1);
  mutex.fill_zero();
  return result_of<int>(stream, [&](int* sum) { gpu::launch(locked, 4, 64, 0, stream, mutex.data(), sum, true); });
}
int count_with_unfenced_lock(gpu::stream& stream) {
  gpu::buffer<int> mutex(stream, 1);
  mutex.fill_zero();
  return result_of<int>(stream, [&](int* sum) { gpu::launch(locked, 8, 1, 0, stream, mutex.data(), sum, false); });
}
float last_block_sum(gpu::stream& stream, const std::vector<float>& x, bool with_fences) {
  gpu::buffer<float> from(stream, x.size()), partial(stream, 20);
  from.copy_from(x.data(), x.size());
  gpu::buffer<unsigned> counter(stream, 1);
  counter.fill_zero();
  return result_of<float>(stream, [&](float* out) {
    gpu::launch(single_pass, 20, 32, 0, stream, from.data(), static_cast<int>(x.size()), partial.data(),
                counter.data(), out, with_fences);
  });
}
void write_past_the_end(gpu::stream& stream) {
  gpu::buffer<float> x(stream, 40);
  gpu::launch(past_the_end, 1, 1, 0, stream, x.data(), 40);
}
void index_past_the_end(gpu::stream& stream) {
  gpu::buffer<float> out(stream, 32);
  gpu::launch(bad_index, 1, 32, 0, stream, out.data(), 1);
}
void past_dynamic_shared(gpu::stream& stream) {
  result_of<float>(stream, [&](float* out) { gpu::launch(past_dynamic, 1, 32, 31 * sizeof(float), stream, out); });
}
void read_unwritten_shared(gpu::stream& stream) {
  gpu::buffer<float> out(stream, 32);
  gpu::launch(unwritten_shared, 1, 32, 0, stream, out.data());
}
float read_unwritten_global(gpu::stream& stream) {
  gpu::buffer<float> sum(stream, 1);
  gpu::launch(unwritten_global, 1, 1, 0, stream, sum.data());
  float value;
  sum.copy_to(&value, 1);
  return value;
}
float warp_neighbours(gpu::stream& stream, bool with_syncwarp) {
  gpu::buffer<float> out(stream, 32);
  gpu::launch(neighbours, 1, 32, 0, stream, out.data(), with_syncwarp);
  float values[32], sum = 0;
  out.copy_to(values, 32);
  for (const float x : values) sum += x;
  return sum;
}
std::vector<unsigned> indices(gpu::stream& stream) {
  const dim3 grid(3, 2, 2), block(4, 3, 5);
  std::vector<unsigned> result(12 * 60);
  gpu::buffer<unsigned> out(stream, result.size());
  gpu::launch(number, grid, block, 0, stream, out.data());
  out.copy_to(result.data(), result.size());
  return result;
}
int failed_votes(gpu::stream& stream) {
  return result_of<int>(stream, [&](int* failures) { gpu::launch(vote, 3, 64, 0, stream, failures); });
}
int failed_atomics(gpu::stream& stream) {
  const auto failures_with = [&]<class T>(T) {
    gpu::buffer<T> target(stream, 1);
    return result_of<int>(
        stream, [&](int* failures) { gpu::launch(atomics<T>, 1, 1, 0, stream, target.data(), failures); });
  };
  return failures_with(0) + failures_with(0U) + failures_with(0ULL) + failures_with(0.0F) + failures_with(0.0);
}
float dynamic_sum(gpu::stream& stream, unsigned threads, unsigned blocks) {
  return result_of<float>(stream, [&](float* out) {
    gpu::launch(dynamic_tree, blocks, threads, threads * sizeof(float), stream, out);
  });
}

}  // namespace simt_test
