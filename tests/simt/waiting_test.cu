// Waits that cannot end: barriers that some threads do not reach, warp functions with missing lanes, flags that no
// thread sets. And correct kernels that resemble them.
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
__device__ __forceinline__ int synchronise(int x) {
  __syncthreads();  // inside a function
  return x;
}
__global__ void two_callers(int* out) {
  if (threadIdx.x < 32) {
    out[threadIdx.x] = synchronise(1);
  } else {
    out[threadIdx.x] = synchronise(2) + 1;
  }
}
__global__ void loops_of_barriers(int* out, bool twice) {
  for (int i = 0; i < 5; ++i) {
    synchronise(i);
    if (twice) __syncthreads();
  }
  out[threadIdx.x] = synchronise(3);
}

template <int operation>
__global__ void lanes_missing(unsigned* out) {
  unsigned x = 0;
  if (threadIdx.x < 20) {
    if (operation == 0) x = __ballot_sync(all, 1);           // ballot
    if (operation == 1) x = __reduce_add_sync(all, 1U);      // reduction
    if (operation == 2) x = __shfl_sync(all, 1U, 31);        // shuffle
    if (operation == 3) __syncwarp();                        // syncwarp
    if (operation == 4) x = __any_sync(1U << 5, 1) ? 1 : 0;  // not in the mask
  }
  __syncthreads();  // lanes from 20 on wait at this barrier
  out[threadIdx.x] = x;
}
template <int operation>
std::string name_of() {
  const char* names[] = {"ballot", "reduction", "shuffle", "syncwarp", "not in the mask"};
  return names[operation];
}
/// Lanes from 20 on exit, some of them late; masks still name them.
__global__ void lanes_that_exit(unsigned* out) {
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
  __syncwarp();  // the other lanes have exited
  out[0] += 1000;
}
__global__ void diverged_masks(unsigned* out) {
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

__global__ void wait_for_unset_flag(int* flag) {
  while (*static_cast<volatile int*>(flag) == 0) {  // unset flag
  }
}
__global__ void wait_for_the_deadline(int* flag) {
  const long long deadline = clock64() + 50000000;
  while (*static_cast<volatile int*>(flag) == 0 && clock64() < deadline) {
  }
}
__global__ void wait_for_two_flags(int* flags) {
  while (static_cast<volatile int*>(flags)[0] == 0 && static_cast<volatile int*>(flags)[1] == 0) {  // two flags
  }
}
__global__ void wait_at_a_barrier(int* flag) {
  if (threadIdx.x == 0) {
    while (*static_cast<volatile int*>(flag) == 0) {  // spins before the barrier
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
__global__ void wait_for_all_blocks(int* arrived) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < static_cast<int>(gridDim.x)) {
    }
  }
  __syncthreads();
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

/// Counts in a register.
__global__ void add_the_same_often(const int* x, int* out) {
  for (int round = 0; round < 400; ++round) out[threadIdx.x] = x[0] + x[1];
}
template <class... Parameters>
void run(gpu::stream& stream, void (*kernel)(Parameters...), unsigned threads, unsigned blocks = 1) {
  filled<std::remove_pointer_t<std::tuple_element_t<0, std::tuple<Parameters...>>>> x(stream, 64);
  gpu::launch(kernel, blocks, threads, 0, stream, x.data());
}

TEST(simt_waiting, reports_barriers_that_some_threads_do_not_reach) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model});
    run(stream, two_barriers, 64);
    EXPECT_TRUE(has_fault(stream, fault_kind::barrier_divergence, "", "first barrier"));
    stream.clear();
    run(stream, two_callers, 64);
    EXPECT_TRUE(has_fault(stream, fault_kind::barrier_divergence, "", "inside a function"));
  }
}

/// Threads return before a barrier, some after they have written, in a loop and within a function.
__global__ void exit_in_a_loop(int* out, int n) {
  for (int i = 0; i < 4; ++i) {
    if (static_cast<int>(threadIdx.x) % 4 == i) {
      out[threadIdx.x] = i;
      return;
    }
    synchronise(n);
    __syncthreads();
  }
}
/// A barrier that some threads do not reach because they run past it.
__global__ void passed_barrier(int* out) {
  for (unsigned half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      out[threadIdx.x] += 1;
      __syncthreads();  // passed by some
    }
  }
  if (threadIdx.x == 0) out[0] = 1;
}

/// Some threads skip the barrier and write behind it.
__global__ void skipped_barrier(int* out) {
  if (threadIdx.x % 2 == 0) {
    __syncthreads();  // skipped by some
  }
  out[threadIdx.x] = 1;
}
/// Threads return behind a barrier, in the round in which they are done.
__global__ void rounds(int* out) {
  for (int i = 0;; ++i) {
    __syncthreads();
    out[threadIdx.x] = i;
    if (static_cast<int>(threadIdx.x) % 4 == i) return;
  }
}

TEST(simt_waiting, a_barrier_counts_the_threads_that_have_not_ended) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const unsigned n : {50U, 32U, 1U}) {
      gpu::stream stream({.seed = seed});
      filled<int> out(stream, 64);
      gpu::launch(early_exit, 1, 64, 0, stream, out.data(), n);
      EXPECT_EQ(out[0] + out[n - 1] + out[63], 2);
      gpu::launch(exit_in_a_loop, 1, 64, 0, stream, out.data(), 1);
      gpu::launch(rounds, 1, 64, 0, stream, out.data());
      EXPECT_EQ(faults_of(stream), "");
      gpu::launch(passed_barrier, 1, 64, 0, stream, out.data());
      EXPECT_TRUE(has_fault(stream, fault_kind::barrier_divergence, "", "passed by some"));
      stream.clear();
      gpu::launch(skipped_barrier, 1, 64, 0, stream, out.data());
      EXPECT_TRUE(has_fault(stream, fault_kind::barrier_divergence, "", "skipped by some"));
    }
  }
}

TEST(simt_waiting, in_lock_step_a_barrier_counts_all_threads) {
  gpu::stream stream({.model = execution::lock_step});
  filled<int> out(stream, 64);
  gpu::launch(early_exit, 1, 64, 0, stream, out.data(), 50U);
  EXPECT_TRUE(has_fault(stream, fault_kind::barrier_divergence, "", "early exit"));
  stream.clear();
  gpu::launch(passed_barrier, 1, 64, 0, stream, out.data());
  EXPECT_TRUE(has_fault(stream, fault_kind::barrier_divergence, "", "passed by some"));
}

TEST(simt_waiting, compiler_copies_of_a_barrier_are_one_barrier) {
  expect_no_faults([](gpu::stream& stream) {
    filled<int> out(stream, 64);
    for (bool twice : {false, true}) gpu::launch(loops_of_barriers, 1, 64, 0, stream, out.data(), twice);
    gpu::launch(early_exit, 1, 64, 0, stream, out.data(), 64U);
  });
}

template <int operation>
void expect_missing_lanes() {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model});
    run(stream, lanes_missing<operation>, 32);
    EXPECT_TRUE(has_fault(stream, fault_kind::missing_lanes, "", name_of<operation>()));
    EXPECT_LT(stream.faults().front().site.thread.x, 20U);
    EXPECT_EQ(stream.faults().front().other_site.action,
              operation == 4 ? "mask without the calling lane" : "__syncthreads");
  }
}

TEST(simt_waiting, reports_lanes_that_never_arrive) {
  expect_missing_lanes<0>();
  expect_missing_lanes<1>();
  expect_missing_lanes<2>();
  expect_missing_lanes<3>();
  expect_missing_lanes<4>();
}

TEST(simt_waiting, collectives_do_not_wait_for_exited_lanes) {
  expect_no_faults([](gpu::stream& stream) {
    filled<unsigned> out(stream, 64);
    for (unsigned threads : {32U, 24U}) {
      gpu::launch(lanes_that_exit, 1, threads, 0, stream, out.data());
      EXPECT_EQ(out[0], 1078U);
      EXPECT_EQ(out[19], 78U);
    }
  });
}

TEST(simt_waiting, diverged_parts_of_a_warp_may_use_different_masks) {
  expect_no_faults([](gpu::stream& stream) {
    filled<unsigned> out(stream, 64);
    gpu::launch(diverged_masks, 1, 32, 0, stream, out.data());
    EXPECT_EQ(out[0], 20U);
    EXPECT_EQ(out[31], 24U);
  });
}

TEST(simt_waiting, reports_endless_waits) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model, .step_budget = 200000});
    run(stream, wait_for_unset_flag, 40, 3);
    EXPECT_TRUE(has_fault(stream, fault_kind::livelock, "", "unset flag"));
    stream.clear();
    run(stream, wait_for_two_flags, 2);
    EXPECT_TRUE(has_fault(stream, fault_kind::livelock, "", "two flags"));
    stream.clear();
    run(stream, wait_at_a_barrier, 64);
    EXPECT_TRUE(has_fault(stream, fault_kind::livelock, "", "spins before the barrier"));
  }
}

TEST(simt_waiting, a_wait_with_a_deadline_ends_however_far_the_deadline_is) {
  expect_no_faults([](gpu::stream& stream) {
    const std::uint64_t before = stream.counted().steps;
    run(stream, wait_for_the_deadline, 40, 3);
    EXPECT_LT(stream.counted().steps - before, 1000000U);
  });
}

TEST(simt_waiting, reports_both_threads_of_a_lock_cycle) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model, .spin_budget = 10});
    run(stream, take_both_locks, 1, 2);
    EXPECT_TRUE(has_fault(stream, fault_kind::livelock, "", "both locks"));
    const fault& found = stream.faults().front();
    EXPECT_EQ(found.site.action + " " + found.other_site.action, "spin loop spin loop");
    EXPECT_EQ(found.site.block.x + found.other_site.block.x, 1U);
  }
}

TEST(simt_waiting, a_wait_for_another_block_ends_if_both_are_resident) {
  expect_no_faults([](gpu::stream& stream) { run(stream, wait_for_the_next_block, 1, 2); });
  gpu::stream stream({.resident_blocks = 1});
  run(stream, wait_for_the_next_block, 1, 2);
  EXPECT_TRUE(stream.has(fault_kind::livelock));
}

TEST(simt_waiting, blocks_that_wait_let_others_start) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model, .resident_blocks = 2, .max_resident_blocks = 12});
    filled<int> arrived(stream, 1), arrived_later(stream, 1);
    gpu::launch(wait_for_all_blocks, 12, 32, 0, stream, arrived.data());
    EXPECT_EQ(faults_of(stream), "");
    gpu::launch(wait_for_all_blocks, 15, 32, 0, stream, arrived_later.data());
    ASSERT_TRUE(stream.has(fault_kind::livelock));
    EXPECT_EQ(stream.faults().front().cause,
              "3 blocks have not started: 12 are resident at a time, and the next starts when one of them ends");
  }
}

TEST(simt_waiting, finite_repetition_is_no_livelock) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model});
    filled<int> x(stream, 1), out(stream, 32);
    gpu::launch(read_the_same_often, 1, 32, 0, stream, x.data(), out.data());
    EXPECT_EQ(faults_of(stream), "");
  }
}

TEST(simt_waiting, a_loop_that_counts_is_no_livelock) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model, .spin_budget = 10});
    filled<int> x(stream, 2), out(stream, 64);
    gpu::launch(add_the_same_often, 1, 64, 0, stream, x.data(), out.data());
    EXPECT_EQ(faults_of(stream), "");
  }
}

TEST(simt_waiting, many_livelocks_leave_the_simulator_usable) {
  for (int i = 0; i < 100; ++i) {
    gpu::stream stream({.spin_budget = 10});
    run(stream, wait_for_unset_flag, 1024, 4);
    ASSERT_TRUE(stream.has(fault_kind::livelock));
  }
  gpu::stream stream;
  run(stream, wait_for_the_next_block, 1, 2);
  EXPECT_EQ(faults_of(stream), "");
}

}  // namespace
