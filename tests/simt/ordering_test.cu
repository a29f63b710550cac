// Races between blocks and what orders them: fences of sufficient scope with atomic or volatile flags. Granularity
// of detection: bytes of one word do not race, wide accesses race with narrow ones.
#include "findings.hpp"

namespace {
using namespace simt_test;

/// Block 0 publishes x to block 1 by a flag. fence_scope: 0 no fence, 1 block, 2 device.
template <int fence_scope, bool with_atomics>
__global__ void publish(int* x, int* flag, int* out) {
  const auto fence = [] {
    if (fence_scope == 1) __threadfence_block();
    if (fence_scope == 2) __threadfence();
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
    *out = *x;  // published
  }
}

template <int fence_scope, bool with_atomics>
int published_value(gpu::stream& stream) {
  filled<int> x(stream, 1), flag(stream, 1), out(stream, 1);
  gpu::launch(publish<fence_scope, with_atomics>, 2, 1, 0, stream, x.data(), flag.data(), out.data());
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

/// Every lane of block 0 writes, lane 0 sets a flag. Lane 0 of block 1 waits for the flag, then all its lanes read.
__global__ void publish_from_warp(int* x, int* flag, int* out) {
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
__global__ void all_read(const int* x, int* out) { out[blockIdx.x * 64 + threadIdx.x] = *x; }
__global__ void single_write(int* x, int* out) {
  if (blockIdx.x == 3 && threadIdx.x == 33) {
    *x = 1;  // single write
  } else {
    out[blockIdx.x * 64 + threadIdx.x] = *x;
  }
}
__global__ void add_in_scope(int* total) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd_block(&sum, 1);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd_system(total, sum);
}
__global__ void atomic_and_plain(int* sum, int* out) {
  if (threadIdx.x == 0) {
    *out = *sum;  // plain read
  } else {
    atomicAdd(sum, 1);
  }
}

TEST(simt_order, fences_and_flags_synchronise) {
  expect_no_faults([](gpu::stream& stream) {
    EXPECT_EQ((published_value<2, true>(stream)), 7);
    EXPECT_EQ((published_value<2, false>(stream)), 7);
  });
}

TEST(simt_order, reports_a_flag_without_fences_or_with_fences_of_block_scope) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model});
    published_value<0, true>(stream);
    EXPECT_TRUE(has_fault(stream, fault_kind::data_race, "global", "published"));
    stream.clear();
    published_value<0, false>(stream);
    EXPECT_TRUE(has_fault(stream, fault_kind::data_race, "global", "published"));
    stream.clear();
    published_value<1, true>(stream);
    EXPECT_TRUE(has_fault(stream, fault_kind::data_race, "global", "published"));
  }
}

TEST(simt_order, reports_a_flag_that_is_neither_atomic_nor_volatile) {
  gpu::stream stream({.step_budget = 100000});  // the compiler may read a plain flag only once
  filled<int> x(stream, 1), flag(stream, 1), out(stream, 1);
  gpu::launch(plain_flag, 2, 1, 0, stream, x.data(), flag.data(), out.data());
  EXPECT_TRUE(has_fault(stream, fault_kind::data_race, "global", "plain flag"));
}

TEST(simt_order, a_fence_releases_writes_of_its_warp) {
  expect_no_faults([](gpu::stream& stream) {
    filled<int> x(stream, 32), flag(stream, 1), out(stream, 32);
    gpu::launch(publish_from_warp, 2, 32, 0, stream, x.data(), flag.data(), out.data());
    EXPECT_EQ(out[4], 27);
  });
}

TEST(simt_order, bytes_of_a_word_do_not_race) {
  expect_no_faults([](gpu::stream& stream) {
    filled<char> x(stream, 64);
    gpu::launch(bytes, 1, 64, 0, stream, x.data());
  });
  gpu::stream stream;
  filled<char> x(stream, 64);
  gpu::launch(same_byte, 1, 64, 0, stream, x.data());
  EXPECT_TRUE(has_fault(stream, fault_kind::data_race, "global", "same byte"));
}

TEST(simt_order, a_wide_read_races_with_a_narrow_write) {
  for (unsigned threads : {2U, 4U}) {
    gpu::stream stream;
    filled<float> x(stream, 4);
    gpu::buffer<float4> out(stream, 1);
    gpu::launch(wide_and_narrow, 1, threads, 0, stream, x.data(), out.data());
    EXPECT_TRUE(has_fault(stream, fault_kind::data_race, "global", "wide read"));
  }
}

TEST(simt_order, reads_do_not_race_and_one_write_among_them_does) {
  expect_no_faults([](gpu::stream& stream) {
    filled<int> x(stream, 1), out(stream, 8 * 64);
    gpu::launch(all_read, 8, 64, 0, stream, x.data(), out.data());
  });
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    gpu::stream stream({.seed = seed});
    filled<int> x(stream, 1), out(stream, 8 * 64);
    gpu::launch(single_write, 8, 64, 0, stream, x.data(), out.data());
    EXPECT_TRUE(has_fault(stream, fault_kind::data_race, "global", "single write"));
  }
}

TEST(simt_order, atomics_of_sufficient_scope_do_not_race) {
  expect_no_faults([](gpu::stream& stream) {
    filled<int> sum(stream, 1);
    gpu::launch(add_in_scope, 12, 64, 0, stream, sum.data());
    EXPECT_EQ(sum[0], 12 * 64);
  });
}

TEST(simt_order, reports_a_plain_read_beside_atomics) {
  gpu::stream stream;  // independent threads: lock step orders the two sides of a branch
  filled<int> sum(stream, 1), out(stream, 1);
  gpu::launch(atomic_and_plain, 1, 32, 0, stream, sum.data(), out.data());
  EXPECT_TRUE(has_fault(stream, fault_kind::data_race, "global", "plain read"));
}

}  // namespace
