// The kernels, in plain CUDA C++. See kernels.hpp.
#include <exactdot/simt/cuda.hpp>

#include "simt/kernels.hpp"

namespace simt_test {
namespace {

namespace gpu = exactdot::gpu;

__global__ void add_plainly(int* sum) {
  *sum += 1;  // race
}
__global__ void add_atomically(int* sum) { atomicAdd(sum, 1); }
__global__ void add_in_block_scope(int* sum) {
  atomicAdd_block(sum, 1);  // scope
}

__global__ void tree(const float* x, int n, float* out, bool with_barrier) {
  __shared__ float sums[64];
  float own = 0;
  for (int i = static_cast<int>(threadIdx.x); i < n; i += 64) own += x[i];
  sums[threadIdx.x] = own;
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
  float own = 0;
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n;
       i += static_cast<int>(gridDim.x * blockDim.x))
    own += x[i];
  for (unsigned half = 16; half > 0; half /= 2) own += __shfl_down_sync(0xffffffffU, own, half);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = own;  // published
    if (with_fences) __threadfence();
    last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
    if (with_fences) __threadfence();
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float total = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) total += partial[i];  // read of others
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
__global__ void atomics(T* cell, int* failures) {
  int wrong = 0;
  const auto holds = [&](T old, T expected_old, T expected_new) {
    wrong += old != expected_old;
    wrong += *cell != expected_new;
  };
  *cell = T{5};
  holds(atomicAdd(cell, 3), T{5}, T{8});
  if constexpr (!std::is_same_v<T, double>) holds(atomicExch(cell, 6), T{8}, T{6});
  if constexpr (std::is_integral_v<T>) {
    holds(atomicMin(cell, 4), T{6}, T{4});
    holds(atomicMax(cell, 12), T{4}, T{12});
    holds(atomicAnd(cell, 10), T{12}, T{8});
    holds(atomicOr(cell, 3), T{8}, T{11});
    holds(atomicXor(cell, 1), T{11}, T{10});
    holds(atomicCAS(cell, 9, 1), T{10}, T{10});
    holds(atomicCAS(cell, 10, 1), T{10}, T{1});
  }
  if constexpr (sizeof(T) == 4 && std::is_integral_v<T>) holds(atomicSub(cell, 1), T{1}, T{0});
  if constexpr (std::is_same_v<T, unsigned>) {
    holds(atomicInc(cell, 1), 0, 1);
    holds(atomicInc(cell, 1), 1, 0);
    holds(atomicDec(cell, 7), 0, 7);
    holds(atomicDec(cell, 7), 7, 6);
    holds(atomicDec(cell, 3), 6, 3);
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

/// Runs a kernel on one zeroed cell (and more arguments) and returns the cell.
template <class T, class Launch>
T with_cell(stream& on, Launch launch) {
  gpu::buffer<T> cell(on, 1);
  cell.fill_zero();
  launch(cell.data());
  T value;
  cell.copy_to(&value, 1);
  return value;
}

}  // namespace

int count_without_atomics(stream& on, unsigned blocks, unsigned threads) {
  return with_cell<int>(on, [&](int* sum) { gpu::launch(add_plainly, blocks, threads, 0, on, sum); });
}
int count_with_atomics(stream& on, unsigned blocks, unsigned threads) {
  return with_cell<int>(on, [&](int* sum) { gpu::launch(add_atomically, blocks, threads, 0, on, sum); });
}
int count_with_block_atomics(stream& on) {
  return with_cell<int>(on, [&](int* sum) { gpu::launch(add_in_block_scope, 4, 32, 0, on, sum); });
}
float tree_sum(stream& on, const std::vector<float>& x, bool with_barrier) {
  gpu::buffer<float> from(on, x.size());
  from.copy_from(x.data(), x.size());
  return with_cell<float>(on, [&](float* out) {
    gpu::launch(tree, 1, 64, 0, on, from.data(), static_cast<int>(x.size()), out, with_barrier);
  });
}
float barrier_in_branch(stream& on) {
  return with_cell<float>(on, [&](float* out) { gpu::launch(branch, 1, 64, 0, on, out); });
}
void shuffle_in_branch(stream& on) {
  gpu::buffer<float> out(on, 32);
  gpu::launch(half_warp, 1, 32, 0, on, out.data());
}
float shuffle_sum(stream& on, unsigned width) {
  return with_cell<float>(on, [&](float* out) { gpu::launch(shuffled, 1, 32, 0, on, out, width); });
}
int locked_by_every_thread(stream& on) {
  gpu::buffer<int> mutex(on, 1);
  mutex.fill_zero();
  return with_cell<int>(on, [&](int* sum) { gpu::launch(locked, 4, 64, 0, on, mutex.data(), sum, true); });
}
int locked_without_fences(stream& on) {
  gpu::buffer<int> mutex(on, 1);
  mutex.fill_zero();
  return with_cell<int>(on, [&](int* sum) { gpu::launch(locked, 8, 1, 0, on, mutex.data(), sum, false); });
}
float last_block_adds(stream& on, const std::vector<float>& x, bool with_fences) {
  gpu::buffer<float> from(on, x.size()), partial(on, 20);
  from.copy_from(x.data(), x.size());
  gpu::buffer<unsigned> counter(on, 1);
  counter.fill_zero();
  return with_cell<float>(on, [&](float* out) {
    gpu::launch(single_pass, 20, 32, 0, on, from.data(), static_cast<int>(x.size()), partial.data(), counter.data(),
                out, with_fences);
  });
}
void write_past_the_end(stream& on) {
  gpu::buffer<float> x(on, 40);
  gpu::launch(past_the_end, 1, 1, 0, on, x.data(), 40);
}
void index_past_the_end(stream& on) {
  gpu::buffer<float> out(on, 32);
  gpu::launch(bad_index, 1, 32, 0, on, out.data(), 1);
}
void past_dynamic_shared(stream& on) {
  with_cell<float>(on, [&](float* out) { gpu::launch(past_dynamic, 1, 32, 31 * sizeof(float), on, out); });
}
void read_unwritten_shared(stream& on) {
  gpu::buffer<float> out(on, 32);
  gpu::launch(unwritten_shared, 1, 32, 0, on, out.data());
}
float read_unwritten_global(stream& on) {
  gpu::buffer<float> sum(on, 1);
  gpu::launch(unwritten_global, 1, 1, 0, on, sum.data());
  float value;
  sum.copy_to(&value, 1);
  return value;
}
float warp_neighbours(stream& on, bool with_syncwarp) {
  gpu::buffer<float> out(on, 32);
  gpu::launch(neighbours, 1, 32, 0, on, out.data(), with_syncwarp);
  float values[32], sum = 0;
  out.copy_to(values, 32);
  for (const float x : values) sum += x;
  return sum;
}
std::vector<unsigned> indices(stream& on) {
  const dim3 grid(3, 2, 2), block(4, 3, 5);
  std::vector<unsigned> result(12 * 60);
  gpu::buffer<unsigned> out(on, result.size());
  gpu::launch(number, grid, block, 0, on, out.data());
  out.copy_to(result.data(), result.size());
  return result;
}
int votes(stream& on) {
  return with_cell<int>(on, [&](int* failures) { gpu::launch(vote, 3, 64, 0, on, failures); });
}
int tour_of_atomics(stream& on) {
  const auto tour = [&]<class T>(T) {
    gpu::buffer<T> cell(on, 1);
    return with_cell<int>(on, [&](int* failures) { gpu::launch(atomics<T>, 1, 1, 0, on, cell.data(), failures); });
  };
  return tour(0) + tour(0U) + tour(0ULL) + tour(0.0F) + tour(0.0);
}
float dynamic_sum(stream& on, unsigned threads, unsigned blocks) {
  return with_cell<float>(
      on, [&](float* out) { gpu::launch(dynamic_tree, blocks, threads, threads * sizeof(float), on, out); });
}

}  // namespace simt_test
