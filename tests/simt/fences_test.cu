// What a fence speaks for, and to whom: the thread's own block and warp, not a block beside it; through a shared
// flag, the block that has the flag.
#include "findings.hpp"

namespace {
using namespace simt_test;

/// Block 1 writes x; block 0, which knows nothing of it, hands a flag to block 2, which reads x.
__global__ void hand_over_another_blocks_work(int* x, int* flag, int* out) {
  const bool last_warp = threadIdx.x == (blockDim.x - 1) / 32 * 32;
  if (blockIdx.x == 1) {
    if (threadIdx.x == 0) *x = 7;  // not mine to hand over
  } else if (blockIdx.x == 0 && last_warp) {
    for (int i = 0; i < 50; ++i) out[i] = i;  // its warp is far ahead of the writer's
    __threadfence();
    atomicExch(flag, 1);
  } else if (blockIdx.x == 2 && threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();
    out[63] = *x;
  }
}

TEST(simt_fences, do_not_speak_for_the_block_beside_theirs) {
  for (const execution model : both_models) {
    for (const unsigned threads : {1U, 8U, 32U, 40U}) {
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        stream on({.seed = seed, .model = model});
        filled<int> x(on, 1), flag(on, 1), out(on, 64);
        gpu::launch(hand_over_another_blocks_work, 3, threads, 0, on, x.data(), flag.data(), out.data());
        EXPECT_TRUE(has_fault(on, fault_kind::data_race, "global", "not mine to hand over"))
            << threads << (model == execution::lock_step ? " threads, lock step" : " threads");
      }
    }
  }
}

/// Each block has a flag of its own, at one and the same address.
__global__ void hand_over_by_own_flags(int* x, int* out) {
  __shared__ int flag;
  flag = 0;
  if (blockIdx.x == 0) {
    *x = 7;  // behind another block's flag
    __threadfence();
    atomicExch(&flag, 1);
  } else {
    for (int i = 0; i < 50; ++i) out[i] = i;
    atomicAdd(&flag, 0);
    __threadfence();
    out[63] = *x;
  }
}

TEST(simt_fences, do_not_reach_another_block_through_shared_memory) {
  for (const execution model : both_models) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      stream on({.seed = seed, .model = model});
      filled<int> x(on, 1), out(on, 64);
      gpu::launch(hand_over_by_own_flags, 2, 1, 0, on, x.data(), out.data());
      EXPECT_TRUE(has_fault(on, fault_kind::data_race, "global", "behind another block's flag")) << seed;
    }
  }
}

/// In each block thread 32 takes a word from thread 0, by a bit of a flag: the block's own, or one that all have.
template <bool wide>
__global__ void hand_over_within_blocks(int* x, unsigned* flag_of_all, int* out) {
  __shared__ unsigned own;
  unsigned* const flag = flag_of_all == nullptr ? &own : flag_of_all;
  const auto fence = [] {
    if (wide) {
      __threadfence();
    } else {
      __threadfence_block();
    }
  };
  const unsigned bit = 1U << blockIdx.x;
  if (threadIdx.x == 0) own = 0;
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

TEST(simt_fences, of_one_block_are_not_undone_by_another) {
  for (const bool shared : {true, false}) {
    expect_silence([shared](stream& on) {
      for (const auto kernel : {hand_over_within_blocks<false>, hand_over_within_blocks<true>}) {
        filled<int> x(on, 8), out(on, 8);
        filled<unsigned> flag(on, 1);
        gpu::launch(kernel, 8, 33, 0, on, x.data(), shared ? nullptr : flag.data(), out.data());
        EXPECT_EQ(out[7], 7);
      }
    });
  }
}

}  // namespace
