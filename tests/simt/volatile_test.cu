// volatile does not order: conflicting volatile accesses are races unless fences make a flag of one of them.
#include "findings.hpp"

namespace {
using namespace simt_test;

__global__ void add_to_volatile(volatile int* sum) {
  *sum = *sum + 1;  // lost updates
}
__global__ void write_and_read_once(volatile int* x, int* out) {
  if (blockIdx.x == 0) {
    *x = 7;  // unordered volatile write
  } else {
    *out = *x;
  }
}
/// The end of many old reductions: lanes of a warp, no __syncwarp.
__global__ void sum_by_volatile_lanes(int* out, bool with_syncwarp) {
  __shared__ volatile int sums[64];
  const unsigned t = threadIdx.x;
  sums[t] = 1;
  __syncthreads();
  if (t >= 32) return;
  for (unsigned half = 32; half > 0; half /= 2) {
    const int other = sums[t + half];  // volatile lanes
    if (with_syncwarp) __syncwarp();
    sums[t] = sums[t] + other;
    if (with_syncwarp) __syncwarp();
  }
  if (t == 0) *out = sums[0];
}
/// Block 0 publishes volatile data by a volatile flag.
template <bool fence_of_writer, bool fence_of_reader>
__global__ void publish_volatile(volatile int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 7;
    if (fence_of_writer) __threadfence();
    *flag = 1;
  } else if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
    if (fence_of_reader) __threadfence();
    *out = *data;  // volatile data
  }
}
/// The same by a flag of eight bytes.
template <class Flag, bool fence_of_writer>
__global__ void publish_by_a_wide_flag(int* data, volatile Flag* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 7;  // data of a wide flag
    if (fence_of_writer) __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    *out = *data;  // data of a wide flag
  }
}
/// The fence is there, but before the data.
__global__ void fence_too_early(volatile int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    __threadfence();
    *data = 7;
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    *out = *data;  // data behind the fence
  }
}
/// One thread waits for the flag, its block reads the data.
__global__ void publish_to_a_block(volatile int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 7;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
  } else {
    if (threadIdx.x == 0) {
      while (*flag == 0) {
      }
    }
    __syncthreads();
    out[threadIdx.x] = data[63 - threadIdx.x];
  }
}
/// A flag of several values: each block takes the first that it reads, and adds what the blocks before it publish.
__global__ void look_back(volatile int* state, volatile int* own, volatile int* all, int* out) {
  const int block = static_cast<int>(blockIdx.x);
  int sum = 0;
  if (block != 0) {
    own[block] = 1;
    __threadfence();
    state[block] = 1;
    for (int before = block - 1;; --before) {
      int seen = 0;
      do seen = state[before];
      while (seen == 0);
      __threadfence();
      sum += seen == 2 ? all[before] : own[before];
      if (seen == 2) break;
    }
  }
  all[block] = sum + 1;
  __threadfence();
  state[block] = 2;
  out[block] = sum;
}
/// Looks at the flag once, and goes on without the data if it is not set.
__global__ void look_once(volatile int* data, volatile int* flag, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 7;
    __threadfence();
    *flag = 1;
  } else if (*flag == 1) {
    __threadfence();
    out[blockIdx.x] = *data;
  } else {
    out[blockIdx.x] = 7;
  }
}
__global__ void set_by_all(volatile int* found) {
  if (threadIdx.x % 2 == 0) *found = 1;  // same value
}
__global__ void ping_pong(volatile int* turn, int* sum) {
  for (int i = 0; i < 4; ++i) {
    while (*turn % 2 != static_cast<int>(blockIdx.x)) {
    }
    __threadfence();
    *sum += 1;
    __threadfence();
    *turn = *turn + 1;
  }
}
__global__ void volatile_unlock(volatile int* mutex, int* sum) {
  while (atomicCAS(const_cast<int*>(mutex), 0, 1) != 0) {
  }
  __threadfence();
  *sum += 1;
  __threadfence();
  *mutex = 0;
}

/// The sum of all blocks in one launch, in the order of the CUDA C++ Programming Guide, "Memory Fence Functions":
/// partial sum, fence, counter, last block. The partial sums are volatile and the last block has no fence.
__device__ unsigned finished_blocks;
template <bool with_fence>
__global__ void sum_of_blocks(const int* x, volatile int* partial, int* out) {
  __shared__ bool is_last;
  __shared__ int block_sum;
  if (threadIdx.x == 0) block_sum = 0;
  __syncthreads();
  atomicAdd(&block_sum, x[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = block_sum;
    if (with_fence) __threadfence();
    is_last = atomicInc(&finished_blocks, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  if (threadIdx.x == 0) block_sum = 0;
  __syncthreads();
  if (threadIdx.x < gridDim.x) atomicAdd(&block_sum, partial[threadIdx.x]);  // partial sums
  __syncthreads();
  if (threadIdx.x == 0) {
    *out = block_sum;
    finished_blocks = 0;
  }
}

template <bool fence_of_writer, bool fence_of_reader>
void publish(gpu::stream& stream) {
  filled<int> data(stream, 1), flag(stream, 1), out(stream, 1);
  gpu::launch(publish_volatile<fence_of_writer, fence_of_reader>, 2, 1, 0, stream, data.data(), flag.data(),
              out.data());
}

/// The finding says that volatile does not order, and there is no other.
testing::AssertionResult explains(const gpu::stream& stream) {
  if (stream.faults().size() != 1 || !stream.faults().front().cause.starts_with("volatile does not order"))
    return testing::AssertionFailure() << faults_of(stream);
  return testing::AssertionSuccess();
}

TEST(simt_volatile, unordered_accesses_are_races) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    gpu::stream stream({.seed = seed});
    filled<int> x(stream, 1), out(stream, 1);
    gpu::launch(add_to_volatile, 2, 32, 0, stream, x.data());
    EXPECT_TRUE(has_fault(stream, fault_kind::data_race, "global", "lost updates"));
    EXPECT_TRUE(explains(stream));
    stream.clear();
    gpu::launch(write_and_read_once, 2, 1, 0, stream, x.data(), out.data());
    EXPECT_TRUE(has_fault(stream, fault_kind::data_race, "global", "unordered volatile write"));
    EXPECT_TRUE(explains(stream));
  }
}

TEST(simt_volatile, lanes_need_syncwarp) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    gpu::stream stream({.seed = seed});
    filled<int> out(stream, 1);
    gpu::launch(sum_by_volatile_lanes, 1, 64, 0, stream, out.data(), false);
    EXPECT_TRUE(has_fault(stream, fault_kind::data_race, "shared", "volatile lanes"));
  }
  gpu::stream in_step({.model = execution::lock_step});
  filled<int> out(in_step, 1);
  gpu::launch(sum_by_volatile_lanes, 1, 64, 0, in_step, out.data(), false);
  EXPECT_EQ(out[0], 64);
  EXPECT_EQ(faults_of(in_step), "");
  expect_no_faults([](gpu::stream& stream) {
    filled<int> sum(stream, 1);
    gpu::launch(sum_by_volatile_lanes, 1, 64, 0, stream, sum.data(), true);
    EXPECT_EQ(sum[0], 64);
  });
}

TEST(simt_volatile, a_flag_with_fences_is_none) {
  expect_no_faults([](gpu::stream& stream) {
    publish<true, true>(stream);
    publish<true, false>(stream);  // volatile loads follow each other in program order
    filled<int> data(stream, 64), flag(stream, 1), out(stream, 64), sum(stream, 1), turn(stream, 1),
        lock(stream, 1);
    gpu::launch(publish_to_a_block, 2, 64, 0, stream, data.data(), flag.data(), out.data());
    EXPECT_EQ(out[5], 7);
    gpu::launch(ping_pong, 2, 1, 0, stream, turn.data(), sum.data());
    EXPECT_EQ(sum[0], 8);
    gpu::launch(volatile_unlock, 8, 1, 0, stream, lock.data(), sum.data());
    EXPECT_EQ(sum[0], 16);
  });
}

TEST(simt_volatile, a_flag_that_is_set_after_it_was_read_is_none) {
  expect_no_faults([](gpu::stream& stream) {
    filled<int> state(stream, 8), own(stream, 8), all(stream, 8), sum(stream, 8), data(stream, 1), flag(stream, 1),
        out(stream, 8);
    gpu::launch(look_back, 8, 1, 0, stream, state.data(), own.data(), all.data(), sum.data());
    EXPECT_EQ(sum[7], 7);
    gpu::launch(look_once, 8, 32, 0, stream, data.data(), flag.data(), out.data());
    EXPECT_EQ(out[7], 7);
  });
}

template <class Flag, bool fence_of_writer>
void publish_wide(gpu::stream& stream) {
  filled<int> data(stream, 1), out(stream, 1);
  filled<Flag> flag(stream, 1);
  gpu::launch(publish_by_a_wide_flag<Flag, fence_of_writer>, 2, 1, 0, stream, data.data(), flag.data(), out.data());
}

TEST(simt_volatile, a_flag_may_have_eight_bytes) {
  expect_no_faults([](gpu::stream& stream) {
    publish_wide<long long, true>(stream);
    publish_wide<double, true>(stream);
    publish_wide<short, true>(stream);
  });
  for (const execution model : both_models) {
    gpu::stream stream({.model = model});
    publish_wide<long long, false>(stream);
    EXPECT_TRUE(has_fault(stream, fault_kind::data_race, "global", "data of a wide flag"));
  }
}

TEST(simt_volatile, reports_data_whose_flag_has_no_fence) {
  const auto expect_one = [](void (*body)(gpu::stream&), const char* comment) {
    for (const execution model : both_models) {
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        gpu::stream stream({.seed = seed, .model = model});
        body(stream);
        EXPECT_TRUE(has_fault(stream, fault_kind::data_race, "global", comment)) << seed;
        EXPECT_EQ(stream.faults().size(), 1U) << faults_of(stream);  // the data, not the flag too
      }
    }
  };
  expect_one(publish<false, true>, "volatile data");
  expect_one(publish<false, false>, "volatile data");
  expect_one(
      [](gpu::stream& stream) {
        filled<int> data(stream, 1), flag(stream, 1), out(stream, 1);
        gpu::launch(fence_too_early, 2, 1, 0, stream, data.data(), flag.data(), out.data());
      },
      "data behind the fence");
}

TEST(simt_volatile, equal_values_are_a_race_too) {
  gpu::stream stream;
  filled<int> found(stream, 1);
  gpu::launch(set_by_all, 1, 8, 0, stream, found.data());
  ASSERT_TRUE(has_fault(stream, fault_kind::data_race, "global", "same value"));
  EXPECT_EQ(stream.faults().front().values, exactdot::simt::written_values::same);
}

template <bool with_fence>
int sum_in_one_launch(gpu::stream& stream) {
  const std::vector<int> ones(8 * 32, 1);
  const filled<int> x(stream, ones.size(), ones.data()), out(stream, 1);
  const gpu::buffer<int> partial(stream, 8);
  gpu::launch(sum_of_blocks<with_fence>, 8, 32, 0, stream, x.data(), partial.data(), out.data());
  return out[0];
}

TEST(simt_volatile, the_sum_of_all_blocks_is_silent_as_the_guide_prints_it) {
  expect_no_faults([](gpu::stream& stream) { EXPECT_EQ(sum_in_one_launch<true>(stream), 256); });
  for (const execution model : both_models) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      gpu::stream stream({.seed = seed, .model = model});
      sum_in_one_launch<false>(stream);
      EXPECT_TRUE(has_fault(stream, fault_kind::data_race, "global", "partial sums")) << seed;
      EXPECT_TRUE(explains(stream));
    }
  }
}

}  // namespace
