// Threads that wait in vain: barriers that some do not reach, warp functions with lanes that are elsewhere, flags
// that nobody sets. And what must not be taken for it.
#include "findings.hpp"

namespace {
using namespace simt_test;

constexpr unsigned all = 0xffffffffU;

__global__ void early_exit(int* out, unsigned n) {
  if (threadIdx.x >= n) return;
  __syncthreads();  // early exit
  out[threadIdx.x] = 1;
}
__global__ void two_barriers(int* out) {
  if (threadIdx.x < 32) {
    __syncthreads();  // first barrier
  } else {
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}
__device__ __forceinline__ int meet(int x) {
  __syncthreads();  // inside a function
  return x;
}
__global__ void two_callers(int* out) {
  if (threadIdx.x < 32) {
    out[threadIdx.x] = meet(1);
  } else {
    out[threadIdx.x] = meet(2) + 1;
  }
}
__global__ void loops_of_barriers(int* out, bool twice) {
  for (int i = 0; i < 5; ++i) {
    meet(i);
    if (twice) __syncthreads();
  }
  out[threadIdx.x] = meet(3);
}

template <int which>
__global__ void lanes_missing(unsigned* out) {
  unsigned x = 0;
  if (threadIdx.x < 20) {
    if (which == 0) x = __ballot_sync(all, 1);           // ballot
    if (which == 1) x = __reduce_add_sync(all, 1U);      // reduction
    if (which == 2) x = __shfl_sync(all, 1U, 31);        // shuffle
    if (which == 3) __syncwarp();                        // syncwarp
    if (which == 4) x = __any_sync(1U << 5, 1) ? 1 : 0;  // not in the mask
  }
  __syncthreads();  // where the others are
  out[threadIdx.x] = x;
}
template <int which>
std::string name_of() {
  const char* names[] = {"ballot", "reduction", "shuffle", "syncwarp", "not in the mask"};
  return names[which];
}
/// Lanes from 20 on end, some of them late; a mask may go on naming them.
__global__ void lanes_that_end(unsigned* out) {
  const unsigned i = threadIdx.x;
  if (i >= 20) {
    for (unsigned j = 20; j < i; ++j) out[i] = j;
    return;
  }
  unsigned x = __ballot_sync(all, 1) == 0xfffffU ? __reduce_add_sync(all, 1U) : 0;
  x += __shfl_sync(all, i, 19);
  out[i] = x;
  __syncwarp();
  x += out[19 - i];
  __syncwarp();
  out[i] = x;
  if (i >= 1) return;
  __syncwarp();  // alone
  out[0] += 1000;
}
__global__ void parts_of_a_warp(unsigned* out) {
  const unsigned mask = threadIdx.x < 20 ? 0xfffffU : 0xfff00000U;
  unsigned x = 0;
  if (threadIdx.x < 20) {
    x = __reduce_add_sync(mask, 1U);
  } else {
    x = __reduce_add_sync(mask, 2U);
  }
  __syncwarp();
  out[threadIdx.x] = x;
}

__global__ void wait_for_nobody(int* flag) {
  while (*static_cast<volatile int*>(flag) == 0) {  // waits
  }
}
__global__ void wait_for_two(int* flags) {
  while (static_cast<volatile int*>(flags)[0] == 0 && static_cast<volatile int*>(flags)[1] == 0) {  // two flags
  }
}
__global__ void wait_at_a_barrier(int* flag) {
  if (threadIdx.x == 0) {
    while (*static_cast<volatile int*>(flag) == 0) {  // held up
    }
  }
  __syncthreads();
  *static_cast<volatile int*>(flag) = 1;
}
__global__ void wait_for_the_next_block(int* flag) {
  if (blockIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) __nanosleep(20);
  } else {
    atomicExch(flag, 1);
  }
}
__global__ void take_both_locks(int* locks) {
  int* const first = locks + blockIdx.x;
  int* const second = locks + 1 - blockIdx.x;
  while (atomicCAS(first, 0, 1) != 0) {
  }
  for (int i = 0; i < 300; ++i) __threadfence();
  while (atomicCAS(second, 0, 1) != 0) {  // both locks
  }
  atomicExch(second, 0);
  atomicExch(first, 0);
}
__global__ void read_the_same_often(const int* x, int* out) {
  int sum = 0;
  for (int i = 0; i < 5000; ++i) sum += *static_cast<const volatile int*>(x);
  out[threadIdx.x] = sum;
}

template <class... Parameters>
void run(stream& on, void (*kernel)(Parameters...), unsigned threads, unsigned blocks = 1) {
  filled<std::remove_pointer_t<std::tuple_element_t<0, std::tuple<Parameters...>>>> x(on, 64);
  gpu::launch(kernel, blocks, threads, 0, on, x.data());
}

TEST(simt_waiting, names_barriers_that_not_all_reach) {
  for (const execution model : both_models) {
    stream on({.model = model});
    filled<int> out(on, 64);
    gpu::launch(early_exit, 1, 64, 0, on, out.data(), 50U);
    EXPECT_TRUE(has_fault(on, fault_kind::barrier_divergence, "", "early exit"));
    on.clear();
    run(on, two_barriers, 64);
    EXPECT_TRUE(has_fault(on, fault_kind::barrier_divergence, "", "first barrier"));
    on.clear();
    run(on, two_callers, 64);
    EXPECT_TRUE(has_fault(on, fault_kind::barrier_divergence, "", "inside a function"));
  }
}

TEST(simt_waiting, copies_of_a_barrier_by_the_compiler_are_one) {
  expect_silence([](stream& on) {
    filled<int> out(on, 64);
    for (bool twice : {false, true}) gpu::launch(loops_of_barriers, 1, 64, 0, on, out.data(), twice);
    gpu::launch(early_exit, 1, 64, 0, on, out.data(), 64U);
  });
}

template <int which>
void expect_missing_lanes() {
  for (const execution model : both_models) {
    stream on({.model = model});
    run(on, lanes_missing<which>, 32);
    EXPECT_TRUE(has_fault(on, fault_kind::missing_lanes, "", name_of<which>()));
    EXPECT_LT(on.faults().front().here.thread.x, 20U);
    EXPECT_EQ(on.faults().front().other.what, which == 4 ? "not in its own mask" : "__syncthreads");
  }
}

TEST(simt_waiting, names_lanes_that_never_come) {
  expect_missing_lanes<0>();
  expect_missing_lanes<1>();
  expect_missing_lanes<2>();
  expect_missing_lanes<3>();
  expect_missing_lanes<4>();
}

TEST(simt_waiting, lanes_that_have_ended_are_not_waited_for) {
  expect_silence([](stream& on) {
    filled<unsigned> out(on, 64);
    for (unsigned threads : {32U, 24U}) {
      gpu::launch(lanes_that_end, 1, threads, 0, on, out.data());
      EXPECT_EQ(out[0], 1078U);
      EXPECT_EQ(out[19], 78U);
    }
  });
}

TEST(simt_waiting, parts_of_a_warp_may_go_their_own_ways) {
  expect_silence([](stream& on) {
    filled<unsigned> out(on, 64);
    gpu::launch(parts_of_a_warp, 1, 32, 0, on, out.data());
    EXPECT_EQ(out[0], 20U);
    EXPECT_EQ(out[31], 24U);
  });
}

TEST(simt_waiting, names_threads_that_wait_for_ever) {
  for (const execution model : both_models) {
    stream on({.model = model, .step_budget = 200000});
    run(on, wait_for_nobody, 40, 3);
    EXPECT_TRUE(has_fault(on, fault_kind::livelock, "", "waits"));
    on.clear();
    run(on, wait_for_two, 2);
    EXPECT_TRUE(has_fault(on, fault_kind::livelock, "", "two flags"));
    on.clear();
    run(on, wait_at_a_barrier, 64);
    EXPECT_TRUE(has_fault(on, fault_kind::livelock, "", "held up"));
  }
}

TEST(simt_waiting, names_both_that_wait_for_each_other) {
  for (const execution model : both_models) {
    stream on({.model = model, .spin_budget = 10});
    run(on, take_both_locks, 1, 2);
    EXPECT_TRUE(has_fault(on, fault_kind::livelock, "", "both locks"));
    const fault& found = on.faults().front();
    EXPECT_EQ(found.here.what + " " + found.other.what, "spins spins");
    EXPECT_EQ(found.here.block.x + found.other.block.x, 1U);
  }
}

TEST(simt_waiting, waiting_for_another_block_ends_while_both_are_resident) {
  expect_silence([](stream& on) { run(on, wait_for_the_next_block, 1, 2); });
  stream on({.resident_blocks = 1});
  run(on, wait_for_the_next_block, 1, 2);
  EXPECT_TRUE(on.has(fault_kind::livelock));
}

TEST(simt_waiting, repetition_alone_is_no_livelock) {
  for (const execution model : both_models) {
    stream on({.model = model});
    filled<int> x(on, 1), out(on, 32);
    gpu::launch(read_the_same_often, 1, 32, 0, on, x.data(), out.data());
    EXPECT_EQ(faults_of(on), "");
  }
}

TEST(simt_waiting, many_launches_given_up_leave_nothing_behind) {
  for (int i = 0; i < 100; ++i) {
    stream on({.spin_budget = 10});
    run(on, wait_for_nobody, 1024, 4);
    ASSERT_TRUE(on.has(fault_kind::livelock));
  }
  stream on;
  run(on, wait_for_the_next_block, 1, 2);
  EXPECT_EQ(faults_of(on), "");
}

}  // namespace
