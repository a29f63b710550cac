// Kernels of handover.cu: a bounded sum whose blocks are handed over to a second level in eight ways.
//
// Reduced to what the hand-over needs: the messages, the decision and the deadline are those of src/cuda, the second
// level is a plain sum, which is never reached in the measurements.
#pragma once

#include <cooperative_groups.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace handover {
namespace {

namespace groups = cooperative_groups;

inline void check(cudaError_t status, std::source_location where = std::source_location::current()) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "handover: line %u: %s\n", where.line(), cudaGetErrorString(status));
  std::exit(1);
}

enum class way : int { alone, poll, every, cluster, second, dependent, tail, conditional };
constexpr const char* names[] = {"alone", "poll", "every", "cluster", "second", "dependent", "tail", "conditional"};

/// A message of 16 bytes: stored and loaded at once.
struct alignas(16) message {
  double value;
  float bound;
  unsigned flag;
};

struct workspace {
  unsigned long long ticket;
  alignas(128) unsigned decision;
  alignas(128) unsigned undecided;
  alignas(128) message value[1024];
  alignas(128) message error[1024];
};

/// s + c is the sum, m bounds the sum of magnitudes.
template <bool compensated>
struct bounded {
  double s = 0, c = 0, m = 0;
  __device__ void add(float a, float b) {
    const double x = a, y = b;
    if constexpr (compensated) {
      join_value(x * y, 0);
    } else {
      s = fma(x, y, s);
    }
    m = fma(fabs(x), fabs(y), m);
  }
  __device__ void add(double a, double b) {
    const double p = a * b;
    join_value(p, fma(a, b, -p));
    m = fma(fabs(a), fabs(b), m);
  }
  __device__ void join_value(double p, double error) {
    const double t = s + p, z = t - s;
    c += error + ((s - (t - z)) + (p - z));
    s = t;
  }
  __device__ void join(const bounded& other) {
    if constexpr (compensated) {
      join_value(other.s, other.c);
    } else {
      s += other.s;
    }
    m += other.m;
  }
};

template <bool compensated>
__device__ bounded<compensated> sum_of_warp(bounded<compensated> x) {
  auto m = __double2float_ru(x.m);
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    bounded<compensated> other;
    other.s = __shfl_down_sync(~0U, x.s, d);
    if constexpr (compensated) other.c = __shfl_down_sync(~0U, x.c, d);
    x.join(other);
    m = __fadd_ru(m, __shfl_down_sync(~0U, m, d));
  }
  x.m = m;
  return x;
}

template <int threads, bool compensated>
__device__ bounded<compensated> sum_of_block(bounded<compensated> x, bounded<compensated>* shared) {
  x = sum_of_warp(x);
  if constexpr (threads > 32) {
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < 32) {
      x = threadIdx.x < threads / 32 ? shared[threadIdx.x] : bounded<compensated>{};
      x = sum_of_warp(x);
    }
  }
  return x;
}

template <class T>
struct alignas(16) pack {
  static constexpr int count = 16 / sizeof(T);
  T element[count];
};

template <bool compensated, int in_flight, class T>
__device__ bounded<compensated> sum_of_thread(const T* a, const T* b, std::size_t n) {
  constexpr int width = pack<T>::count;
  const auto* const x = reinterpret_cast<const pack<T>*>(a);
  const auto* const y = reinterpret_cast<const pack<T>*>(b);
  const std::size_t packs = n / width, stride = std::size_t{gridDim.x} * blockDim.x;
  bounded<compensated> sum[width];
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + (in_flight - 1) * stride < packs; i += in_flight * stride) {
    pack<T> p[in_flight], q[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) p[k] = x[i + k * stride], q[k] = y[i + k * stride];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
#pragma unroll
      for (int j = 0; j < width; ++j) sum[j].add(p[k].element[j], q[k].element[j]);
    }
  }
  for (; i < packs; i += stride) {
#pragma unroll
    for (int j = 0; j < width; ++j) sum[j].add(x[i].element[j], y[i].element[j]);
  }
#pragma unroll
  for (int half = width / 2; half > 0; half /= 2) {
#pragma unroll
    for (int j = 0; j < half; ++j) sum[j].join(sum[j + half]);
  }
  return sum[0];
}

/// A stand-in for the second level: the same work per element as expansions of four components.
template <class T>
[[gnu::noinline]] __device__ void second_level(const T* a, const T* b, std::size_t n, unsigned block,
                                               unsigned blocks, double* out) {
  double sum[4] = {};
  for (std::size_t i = std::size_t{block} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{blocks} * blockDim.x) {
    double x = static_cast<double>(a[i]) * static_cast<double>(b[i]);
    for (double& component : sum) {
      const double t = component + x, z = t - component;
      x = (component - (t - z)) + (x - z);
      component = t;
    }
  }
  atomicAdd(out, sum[0] + sum[1] + sum[2] + sum[3]);
}

template <class T>
__global__ void second_kernel(const T* a, const T* b, std::size_t n, workspace* space, double* out,
                              bool programmatic) {
  if (programmatic) cudaGridDependencySynchronize();
  if (__ldcg(&space->undecided) != 0) second_level(a, b, n, blockIdx.x, gridDim.x, out + 1);
}

/// head + tail give or take bound, rounded to T; false if not certain.
template <class T>
__device__ bool round(double s, double c, double bound, T& result) {
  const double head = s + c, z = head - s, tail = (s - (head - z)) + (c - z);
  const double low = __dadd_rd(tail, -bound), high = __dadd_ru(tail, bound);
  T other;
  if constexpr (sizeof(T) == 4) {
    result = __double2float_rn(__dadd_rd(head, low)), other = __double2float_rn(__dadd_ru(head, high));
    return __float_as_uint(result) == __float_as_uint(other);
  } else {
    result = __dadd_rn(head, low), other = __dadd_rn(head, high);
    return __double_as_longlong(result) == __double_as_longlong(other);
  }
}

__device__ void store(message* to, message value) {
  __nv_atomic_store(to, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}
__device__ message load(const message* from) {
  message value;
  __nv_atomic_load(const_cast<message*>(from), &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  return value;
}

template <bool compensated>
__device__ bounded<compensated> receive(const workspace& space, unsigned block, unsigned flag, long long deadline) {
  bounded<compensated> x;
  message value = load(&space.value[block]), error{0, 0, flag};
  if constexpr (compensated) error = load(&space.error[block]);
  while (value.flag != flag || error.flag != flag) {
    value = load(&space.value[block]);
    if constexpr (compensated) error = load(&space.error[block]);
    if (clock64() > deadline) {
      x.m = INFINITY;
      return x;
    }
  }
  x.s = value.value, x.m = value.bound, x.c = error.value;
  return x;
}

template <class T, bool compensated, int threads, int in_flight, way chosen>
__global__ void __launch_bounds__(threads)
    first_kernel(const T* a, const T* b, std::size_t n, double factor, workspace* space, double* out,
                 unsigned second_blocks, cudaGraphConditionalHandle handle) {
  __shared__ bounded<compensated> shared[32];
  __shared__ unsigned long long ticket_of_block;
  __shared__ bool undecided_shared;
  const long long start = clock64();
  if constexpr (chosen == way::dependent) cudaTriggerProgrammaticLaunchCompletion();
  bounded<compensated> x = sum_of_thread<compensated, in_flight>(a, b, n);
  const auto decide = [&](const bounded<compensated>& total, bool store_result) {
    T result;
    const bool certain = round(total.s, total.c, __dmul_ru(factor, total.m), result);
    if (store_result) *reinterpret_cast<T*>(out) = result;
    return certain;
  };
  if constexpr (chosen == way::cluster) {
    __shared__ bounded<compensated> of_block[16];
    groups::cluster_group cluster = groups::this_cluster();
    const unsigned rank = cluster.block_rank();
    x = sum_of_block<threads>(x, shared);
    if (threadIdx.x < 32) {
      x.s = __shfl_sync(~0U, x.s, 0), x.c = __shfl_sync(~0U, x.c, 0), x.m = __shfl_sync(~0U, x.m, 0);
      if (threadIdx.x < cluster.num_blocks()) *cluster.map_shared_rank(&of_block[rank], threadIdx.x) = x;
    }
    cluster.sync();
    if (threadIdx.x < 32) {
      x = threadIdx.x < cluster.num_blocks() ? of_block[threadIdx.x] : bounded<compensated>{};
      x = sum_of_warp(x);
      if (threadIdx.x == 0) undecided_shared = !decide(x, rank == 0);
    }
    __syncthreads();
    if (undecided_shared) second_level(a, b, n, blockIdx.x, gridDim.x, out + 1);
    return;
  }
  unsigned long long ticket = 0;
  if (gridDim.x > 1 && threadIdx.x == 0) ticket = atomicAdd(&space->ticket, 1ULL);
  x = sum_of_block<threads>(x, shared);
  unsigned flag = 0;
  bool last = true;
  if (gridDim.x > 1) {
    if (threadIdx.x == 0) {
      asm volatile("" : "+l"(ticket));
      flag = static_cast<unsigned>(ticket >> 16) + 1;
      ticket_of_block = ticket;
      if (chosen == way::every || (ticket & 0xffff) + 1 != gridDim.x) {
        store(&space->value[blockIdx.x], {x.s, __double2float_ru(x.m), flag});
        if constexpr (compensated) store(&space->error[blockIdx.x], {x.c, 0, flag});
      }
    }
    __syncthreads();
    flag = static_cast<unsigned>(ticket_of_block >> 16) + 1;
    last = (ticket_of_block & 0xffff) + 1 == gridDim.x;
  }
  if (!last && chosen != way::every) {
    if constexpr (chosen == way::poll) {
      if (threadIdx.x == 0) {
        bool started = true;
        const long long now = clock64(), deadline = now + (now - start) + 20000;
        while ((__nv_atomic_load_n(&space->ticket, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE) & 0xffff) !=
                   gridDim.x &&
               (__nv_atomic_load_n(&space->ticket, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE) >> 16) + 1 ==
                   flag) {
          if (clock64() > deadline) {
            started = false;
            break;
          }
        }
        unsigned word = ~0U;
        if (started) {
          do {
            word = __nv_atomic_load_n(&space->decision, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
          } while (word >> 1 != (flag & 0x7fffffff));
        }
        undecided_shared = (word & 1) != 0;
      }
      __syncthreads();
      if (undecided_shared) second_level(a, b, n, blockIdx.x, gridDim.x, out + 1);
    }
    return;
  }
  if (gridDim.x > 1) {
    const long long now = clock64();
    const long long deadline = last ? ~0ULL >> 1 : now + (now - start) + 20000;
    bounded<compensated> total;
    if (gridDim.x <= 32) {
      if (threadIdx.x < gridDim.x && threadIdx.x != blockIdx.x)
        total = receive<compensated>(*space, threadIdx.x, flag, deadline);
      if (threadIdx.x < 32) {
        const unsigned own = blockIdx.x;
        const double s = __shfl_sync(~0U, x.s, 0), c = __shfl_sync(~0U, x.c, 0), m = __shfl_sync(~0U, x.m, 0);
        if (threadIdx.x == own) total.s = s, total.c = c, total.m = m;
        x = sum_of_warp(total);
      }
    } else {
      for (unsigned k = threadIdx.x; k < gridDim.x; k += threads) {
        if (k != blockIdx.x) total.join(receive<compensated>(*space, k, flag, deadline));
      }
      if (threadIdx.x == 0) total.join(x);
      __syncthreads();
      x = sum_of_block<threads>(total, shared);
    }
  }
  bool certain = true;
  if (threadIdx.x == 0) {
    if (gridDim.x > 1 && last)
      __nv_atomic_store_n(&space->ticket, static_cast<unsigned long long>(flag) << 16, __NV_ATOMIC_RELAXED,
                          __NV_THREAD_SCOPE_DEVICE);
    certain = decide(x, last);
    if constexpr (chosen == way::poll) {
      __nv_atomic_store_n(&space->decision, flag << 1 | static_cast<unsigned>(!certain), __NV_ATOMIC_RELAXED,
                          __NV_THREAD_SCOPE_DEVICE);
    }
    if constexpr (chosen == way::second || chosen == way::dependent) {
      if (!certain) space->undecided = 1;
    }
    if constexpr (chosen == way::tail) {
      if (!certain)
        second_kernel<T><<<second_blocks, threads, 0, cudaStreamTailLaunch>>>(a, b, n, space, out, false);
    }
    if constexpr (chosen == way::conditional) {
      if (!certain) cudaGraphSetConditional(handle, 1);
    }
    undecided_shared = !certain;
  }
  if constexpr (chosen == way::alone || chosen == way::poll || chosen == way::every) {
    __syncthreads();
    if (undecided_shared) {
      second_level(a, b, n, chosen == way::alone ? 0 : blockIdx.x, chosen == way::alone ? 1 : gridDim.x, out + 1);
    }
  }
}

}  // namespace
}  // namespace handover
