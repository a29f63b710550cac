// Races between two blocks, and what orders them: fences with atomics or volatile flags, of a scope that is wide
// enough. Cells of memory: neighbours in a word do not race, and wide accesses race with narrow ones.
#include "findings.hpp"

namespace {
using namespace simt_test;

/// Block 0 hands x over to block 1 by a flag; wide: 0 no fence, 1 block, 2 device.
template <int wide, bool with_atomics>
__global__ void hand_over(int* x, int* flag, int* out) {
  const auto fence = [] {
    if (wide == 1) __threadfence_block();
    if (wide == 2) __threadfence();
  };
  if (blockIdx.x == 0) {
    *x = 7;
    fence();
    if (with_atomics) {
      atomicExch(flag, 1);
    } else {
      *static_cast<volatile int*>(flag) = 1;
    }
  } else {
    if (with_atomics) {
      while (atomicAdd(flag, 0) == 0) {
      }
    } else {
      while (*static_cast<volatile int*>(flag) == 0) {
      }
    }
    fence();
    *out = *x;  // handed over
  }
}

template <int wide, bool with_atomics>
int handed_over(stream& on) {
  filled<int> x(on, 1), flag(on, 1), out(on, 1);
  gpu::launch(hand_over<wide, with_atomics>, 2, 1, 0, on, x.data(), flag.data(), out.data());
  return out[0];
}

__global__ void plain_flag(int* x, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *x = 7;
    __threadfence();
    *flag = 1;  // plain flag
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    *out = *x;
  }
}

/// Every lane writes, lane 0 tells the other block, whose lanes read after one of them has heard.
__global__ void a_warp_publishes(int* x, int* flag, int* out) {
  if (blockIdx.x == 0) {
    x[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncwarp();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicExch(flag, 1);
    }
  } else {
    if (threadIdx.x == 0) {
      while (atomicAdd(flag, 0) == 0) {
      }
      __threadfence();
    }
    __syncwarp();
    out[threadIdx.x] = x[31 - threadIdx.x];
  }
}

__global__ void bytes(char* x) { x[threadIdx.x] = static_cast<char>(threadIdx.x); }
__global__ void same_byte(char* x) {
  x[threadIdx.x / 2] = static_cast<char>(threadIdx.x);  // same byte
}
__global__ void wide_and_narrow(float* x, float4* out) {
  if (threadIdx.x == 0) {
    *out = *reinterpret_cast<const float4*>(x);  // wide read
  } else {
    x[threadIdx.x] = 1;
  }
}
__global__ void everybody_reads(const int* x, int* out) { out[blockIdx.x * 64 + threadIdx.x] = *x; }
__global__ void one_writes(int* x, int* out) {
  if (blockIdx.x == 3 && threadIdx.x == 33) {
    *x = 1;  // one writes
  } else {
    out[blockIdx.x * 64 + threadIdx.x] = *x;
  }
}
__global__ void add_in_scope(int* shared_by_all) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd_block(&sum, 1);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd_system(shared_by_all, sum);
}
__global__ void atomic_and_plain(int* sum, int* out) {
  if (threadIdx.x == 0) {
    *out = *sum;  // plain read
  } else {
    atomicAdd(sum, 1);
  }
}

TEST(simt_order, fences_and_flags_hand_over) {
  expect_silence([](stream& on) {
    EXPECT_EQ((handed_over<2, true>(on)), 7);
    EXPECT_EQ((handed_over<2, false>(on)), 7);
  });
}

TEST(simt_order, names_a_flag_without_fences_or_with_narrow_ones) {
  for (const execution model : both_models) {
    stream on({.model = model});
    handed_over<0, true>(on);
    EXPECT_TRUE(has_fault(on, fault_kind::data_race, "global", "handed over"));
    on.clear();
    handed_over<0, false>(on);
    EXPECT_TRUE(has_fault(on, fault_kind::data_race, "global", "handed over"));
    on.clear();
    handed_over<1, true>(on);
    EXPECT_TRUE(has_fault(on, fault_kind::data_race, "global", "handed over"));
  }
}

TEST(simt_order, names_a_flag_that_is_neither_atomic_nor_volatile) {
  stream on({.step_budget = 100000});  // a compiler may read such a flag once
  filled<int> x(on, 1), flag(on, 1), out(on, 1);
  gpu::launch(plain_flag, 2, 1, 0, on, x.data(), flag.data(), out.data());
  EXPECT_TRUE(has_fault(on, fault_kind::data_race, "global", "plain flag"));
}

TEST(simt_order, a_fence_speaks_for_the_warp) {
  expect_silence([](stream& on) {
    filled<int> x(on, 32), flag(on, 1), out(on, 32);
    gpu::launch(a_warp_publishes, 2, 32, 0, on, x.data(), flag.data(), out.data());
    EXPECT_EQ(out[4], 27);
  });
}

TEST(simt_order, bytes_of_a_word_are_apart) {
  expect_silence([](stream& on) {
    filled<char> x(on, 64);
    gpu::launch(bytes, 1, 64, 0, on, x.data());
  });
  stream on;
  filled<char> x(on, 64);
  gpu::launch(same_byte, 1, 64, 0, on, x.data());
  EXPECT_TRUE(has_fault(on, fault_kind::data_race, "global", "same byte"));
}

TEST(simt_order, a_wide_read_meets_a_narrow_write) {
  for (unsigned threads : {2U, 4U}) {
    stream on;
    filled<float> x(on, 4);
    gpu::buffer<float4> out(on, 1);
    gpu::launch(wide_and_narrow, 1, threads, 0, on, x.data(), out.data());
    EXPECT_TRUE(has_fault(on, fault_kind::data_race, "global", "wide read"));
  }
}

TEST(simt_order, reads_do_not_race_and_one_write_among_them_does) {
  expect_silence([](stream& on) {
    filled<int> x(on, 1), out(on, 8 * 64);
    gpu::launch(everybody_reads, 8, 64, 0, on, x.data(), out.data());
  });
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    stream on({.seed = seed});
    filled<int> x(on, 1), out(on, 8 * 64);
    gpu::launch(one_writes, 8, 64, 0, on, x.data(), out.data());
    EXPECT_TRUE(has_fault(on, fault_kind::data_race, "global", "one writes"));
  }
}

TEST(simt_order, scopes_that_are_wide_enough_are_silent) {
  expect_silence([](stream& on) {
    filled<int> sum(on, 1);
    gpu::launch(add_in_scope, 12, 64, 0, on, sum.data());
    EXPECT_EQ(sum[0], 12 * 64);
  });
}

TEST(simt_order, names_a_plain_read_among_atomics) {
  stream on;  // in lock step the two sides of a branch come one after the other
  filled<int> sum(on, 1), out(on, 1);
  gpu::launch(atomic_and_plain, 1, 32, 0, on, sum.data(), out.data());
  EXPECT_TRUE(has_fault(on, fault_kind::data_race, "global", "plain read"));
}

}  // namespace
