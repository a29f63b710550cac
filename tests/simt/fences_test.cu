// Scope of fences: a fence releases the accesses of its thread's block and warp, not those of another block. A flag
// in shared memory synchronises within its block only.
#include "findings.hpp"

namespace {
using namespace simt_test;

/// Block 1 writes x. Block 0, unordered with it, sets a flag after a fence; block 2 waits for the flag and reads x.
__global__ void publish_write_of_another_block(int* x, int* flag, int* out) {
  const bool last_warp = threadIdx.x == (blockDim.x - 1) / 32 * 32;
  if (blockIdx.x == 1) {
    if (threadIdx.x == 0) *x = 7;  // write of another block
  } else if (blockIdx.x == 0 && last_warp) {
    for (int i = 0; i < 50; ++i) out[i] = i;  // its time exceeds the writer's
    __threadfence();
    atomicExch(flag, 1);
  } else if (blockIdx.x == 2 && threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();
    out[63] = *x;
  }
}

TEST(simt_fences, do_not_release_writes_of_another_block) {
  for (const execution model : both_models) {
    for (const unsigned threads : {1U, 8U, 32U, 40U}) {
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        gpu::stream stream({.seed = seed, .model = model});
        filled<int> x(stream, 1), flag(stream, 1), out(stream, 64);
        gpu::launch(publish_write_of_another_block, 3, threads, 0, stream, x.data(), flag.data(), out.data());
        EXPECT_TRUE(has_fault(stream, fault_kind::data_race, "global", "write of another block"))
            << threads << (model == execution::lock_step ? " threads, lock step" : " threads");
      }
    }
  }
}

/// Each block has its shared flag, at the same address in all blocks.
__global__ void publish_by_shared_flag(int* x, int* out) {
  __shared__ int flag;
  flag = 0;
  if (blockIdx.x == 0) {
    *x = 7;  // published by a shared flag
    __threadfence();
    atomicExch(&flag, 1);
  } else {
    for (int i = 0; i < 50; ++i) out[i] = i;
    atomicAdd(&flag, 0);
    __threadfence();
    out[63] = *x;
  }
}

TEST(simt_fences, do_not_synchronise_blocks_through_shared_memory) {
  for (const execution model : both_models) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      gpu::stream stream({.seed = seed, .model = model});
      filled<int> x(stream, 1), out(stream, 64);
      gpu::launch(publish_by_shared_flag, 2, 1, 0, stream, x.data(), out.data());
      EXPECT_TRUE(has_fault(stream, fault_kind::data_race, "global", "published by a shared flag")) << seed;
    }
  }
}

/// In each block thread 0 publishes a word to thread 32, by a bit of a flag in shared or global memory.
template <bool device_scope>
__global__ void publish_within_blocks(int* x, unsigned* global_flag, int* out) {
  __shared__ unsigned shared_flag;
  unsigned* const flag = global_flag == nullptr ? &shared_flag : global_flag;
  const auto fence = [] {
    if (device_scope) {
      __threadfence();
    } else {
      __threadfence_block();
    }
  };
  const unsigned bit = 1U << blockIdx.x;
  if (threadIdx.x == 0) shared_flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    x[blockIdx.x] = 7;
    fence();
    atomicOr(flag, bit);
  } else if (threadIdx.x == 32) {
    while ((atomicOr(flag, 0U) & bit) == 0) {
    }
    fence();
    out[blockIdx.x] = x[blockIdx.x];
  }
}

TEST(simt_fences, of_one_block_do_not_affect_another) {
  for (const bool shared : {true, false}) {
    expect_no_faults([shared](gpu::stream& stream) {
      for (const auto kernel : {publish_within_blocks<false>, publish_within_blocks<true>}) {
        filled<int> x(stream, 8), out(stream, 8);
        filled<unsigned> flag(stream, 1);
        gpu::launch(kernel, 8, 33, 0, stream, x.data(), shared ? nullptr : flag.data(), out.data());
        EXPECT_EQ(out[7], 7);
      }
    });
  }
}

}  // namespace
