// Faults of mbarriers: wrong byte counts, phases and arrival counts, missing initialisation; each with its mended
// form.
#include <exactdot/simt/async.hpp>

#include "findings.hpp"

namespace {
using namespace simt_test;

/// Blocks of 64 threads: thread 0 copies 64 words to shared memory, then every thread reads one.
struct plan {
  unsigned expected_bytes = 256, copies = 1, count = 1, parity = 0;
};
__device__ void wait(gpu::mbarrier* bar, unsigned parity) {
  while (!gpu::mbarrier_try_wait_parity(bar, parity)) {  // try_wait
  }
}
__global__ void copy_words(const int* x, int* out, plan plan) {
  __shared__ __align__(16) int words[64];
  __shared__ gpu::mbarrier bar;
  if (threadIdx.x == 0) {
    gpu::mbarrier_init(&bar, plan.count);  // init
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    gpu::mbarrier_arrive_expect_tx(&bar, plan.expected_bytes);  // expect
    for (unsigned i = 0; i < plan.copies; ++i) {
      gpu::cp_async_bulk(words + i * (64 / plan.copies), x, 256 / plan.copies, &bar);  // copy
    }
  }
  wait(&bar, plan.parity);
  out[threadIdx.x] = words[threadIdx.x];  // read of the words
}

template <bool mended>
__global__ void use_before_initialisation(const int*, int* out, plan) {
  __shared__ gpu::mbarrier bar;
  if (threadIdx.x == 0) gpu::mbarrier_init(&bar, 64);
  if (mended) __syncthreads();
  gpu::mbarrier_arrive(&bar);  // before initialisation
  __syncthreads();
  out[threadIdx.x] = 1;
}
template <bool mended>
__global__ void unfenced_initialisation(const int* x, int* out, plan) {
  __shared__ __align__(16) int words[64];
  __shared__ gpu::mbarrier bar;
  if (threadIdx.x == 0) {
    gpu::mbarrier_init(&bar, 1);
    if (mended) gpu::fence_proxy_async();
    gpu::mbarrier_arrive_expect_tx(&bar, 256);
    gpu::cp_async_bulk(words, x, 256, &bar);  // unfenced
  }
  __syncthreads();
  wait(&bar, 0);
  out[threadIdx.x] = words[threadIdx.x];
}
template <bool mended>
__global__ void use_after_invalidation(const int*, int* out, plan) {
  __shared__ gpu::mbarrier bar;
  if (threadIdx.x == 0) {
    gpu::mbarrier_init(&bar, 1);
    gpu::mbarrier_inval(&bar);
    if (mended) gpu::mbarrier_init(&bar, 1);
    gpu::mbarrier_arrive(&bar);  // after invalidation
  }
  out[threadIdx.x] = 1;
}
template <bool mended>
__global__ void overwritten(const int*, int* out, plan) {
  __shared__ gpu::mbarrier storage[2];
  if (threadIdx.x == 0) {
    gpu::mbarrier_init(&storage[0], 1);
    storage[mended ? 1 : 0] = 0;
    gpu::mbarrier_arrive(&storage[0]);  // overwritten
  }
  out[threadIdx.x] = 1;
}
template <bool mended>
__global__ void initialise_again(const int*, int* out, plan) {
  __shared__ gpu::mbarrier bar;
  if (threadIdx.x == 0) {
    gpu::mbarrier_init(&bar, 1);
    gpu::mbarrier_arrive(&bar);
    if (mended) gpu::mbarrier_inval(&bar);
    gpu::mbarrier_init(&bar, 2);  // again
  }
  out[threadIdx.x] = 1;
}
template <bool mended>
__global__ void arrive_too_often(const int* x, int* out, plan) {
  __shared__ __align__(16) int words[64];
  __shared__ gpu::mbarrier bar;
  if (threadIdx.x == 0) {
    gpu::mbarrier_init(&bar, mended ? 2 : 1);
    gpu::fence_mbarrier_init();
    gpu::mbarrier_arrive_expect_tx(&bar, 256);
    gpu::mbarrier_arrive(&bar);  // too often
    gpu::cp_async_bulk(words, x, 256, &bar);
    wait(&bar, 0);
  }
  __syncthreads();
  out[threadIdx.x] = words[threadIdx.x];
}
template <unsigned bytes>
__global__ void expect_many_bytes(const int*, int* out, plan) {
  __shared__ gpu::mbarrier bar;
  if (threadIdx.x == 0) {
    gpu::mbarrier_init(&bar, 1);
    gpu::mbarrier_expect_tx(&bar, bytes);  // many bytes
  }
  out[threadIdx.x] = 1;
}
/// A state is valid in its phase and in the next.
template <bool mended>
__global__ void old_state(const int*, int* out, plan) {
  __shared__ gpu::mbarrier bar;
  if (threadIdx.x == 0) {
    gpu::mbarrier_init(&bar, 1);
    const std::uint64_t state = gpu::mbarrier_arrive(&bar);
    if (!mended) gpu::mbarrier_arrive(&bar);
    while (!gpu::mbarrier_test_wait(&bar, state)) {  // old state
    }
  }
  out[threadIdx.x] = 1;
}
/// The second wait is for the phase after the only one.
template <bool mended>
__global__ void wait_twice(const int*, int* out, plan) {
  __shared__ gpu::mbarrier bar;
  if (threadIdx.x == 0) gpu::mbarrier_init(&bar, 64);
  __syncthreads();
  gpu::mbarrier_arrive(&bar);
  wait(&bar, 0);
  while (!gpu::mbarrier_test_wait_parity(&bar, mended ? 0 : 1)) {  // phase that never completes
  }
  out[threadIdx.x] = 1;
}
/// Arrivals release, waits acquire.
template <bool mended>
__global__ void reverse(const int* x, int* out, plan) {
  __shared__ int words[64];
  __shared__ gpu::mbarrier bar;
  const unsigned i = threadIdx.x;
  if (i == 0) gpu::mbarrier_init(&bar, 64);
  __syncthreads();
  if (mended) words[i] = x[i];
  const std::uint64_t state = gpu::mbarrier_arrive(&bar);
  if (!mended) words[i] = x[i];  // after the arrival
  while (!gpu::mbarrier_try_wait(&bar, state)) {
  }
  out[63 - i] = words[63 - i];
}
/// Two rounds through one buffer: the second copy must wait until all threads have read the first.
template <bool mended>
__global__ void reuse(const int* x, int* out, plan) {
  __shared__ __align__(16) int words[64];
  __shared__ gpu::mbarrier full, empty;
  if (threadIdx.x == 0) {
    gpu::mbarrier_init(&full, 1);
    gpu::mbarrier_init(&empty, 64);
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  int sum = 0;
  for (unsigned round = 0; round < 4; ++round) {
    if (threadIdx.x == 0) {
      if (mended) wait(&empty, round % 2 ^ 1);
      gpu::mbarrier_arrive_expect_tx(&full, 256);
      gpu::cp_async_bulk(words, x, 256, &full);  // over words that others read
    }
    wait(&full, round % 2);
    sum += words[threadIdx.x];
    gpu::mbarrier_arrive(&empty);
  }
  out[threadIdx.x] = sum;
}

template <class Kernel>
auto run(Kernel kernel, plan plan = {}) {
  return [=](gpu::stream& stream) {
    const filled<int> x(stream, 64), out(stream, 64);
    gpu::launch(kernel, 1, 64, 0, stream, x.data(), out.data(), plan);
  };
}

TEST(simt_mbarrier, names_wrong_byte_counts) {
  expect_fault_in_every_schedule(run(copy_words, {.expected_bytes = 272}), fault_kind::mbarrier_bytes, "shared",
                                 "expect");
  expect_fault_in_every_schedule(run(copy_words, {.expected_bytes = 240}), fault_kind::mbarrier_bytes, "shared",
                                 "copy");
  expect_fault_in_every_schedule(run(copy_words, {.expected_bytes = 128, .copies = 2}), fault_kind::mbarrier_bytes,
                                 "shared", "copy");
  for (const unsigned copies : {1U, 2U, 4U}) expect_no_faults(run(copy_words, {.copies = copies}));
}
TEST(simt_mbarrier, names_wrong_phases) {
  int races = 0,
      hangs = 0;  // a wait for the wrong parity returns at once, or never if the phase is complete before it
  for (const execution model : both_models) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      gpu::stream stream({.seed = seed, .model = model, .spin_budget = 20});
      run(copy_words, {.parity = 1})(stream);
      const bool race = has_fault(stream, fault_kind::data_race, "shared", "read of the words");
      const bool hang = has_fault(stream, fault_kind::mbarrier_phase, "shared", "try_wait");
      EXPECT_TRUE(race || hang) << seed << "\n" << faults_of(stream);
      races += race ? 1 : 0, hangs += hang ? 1 : 0;
    }
  }
  EXPECT_GT(races, 0);
  EXPECT_GT(hangs, 0);
  expect_fault_in_every_schedule(run(wait_twice<false>), fault_kind::mbarrier_phase, "shared",
                                 "phase that never completes");
  expect_no_faults(run(wait_twice<true>));
  expect_fault_in_every_schedule(run(old_state<false>), fault_kind::mbarrier_phase, "shared", "old state");
  expect_no_faults(run(old_state<true>));
}
TEST(simt_mbarrier, names_missing_arrivals) {
  expect_fault_in_every_schedule(run(copy_words, {.count = 2}), fault_kind::mbarrier_phase, "shared", "expect");
}
TEST(simt_mbarrier, names_missing_initialisation) {
  expect_fault_in_every_schedule(run(use_before_initialisation<false>), fault_kind::mbarrier_uninitialised,
                                 "shared", "before initialisation");
  expect_no_faults(run(use_before_initialisation<true>));
  expect_fault_in_every_schedule(run(unfenced_initialisation<false>), fault_kind::mbarrier_uninitialised, "shared",
                                 "unfenced");
  expect_no_faults(run(unfenced_initialisation<true>));
  expect_fault_in_every_schedule(run(use_after_invalidation<false>), fault_kind::mbarrier_uninitialised, "shared",
                                 "after invalidation");
  expect_no_faults(run(use_after_invalidation<true>));
  expect_fault_in_every_schedule(run(overwritten<false>), fault_kind::mbarrier_uninitialised, "shared",
                                 "overwritten");
  expect_no_faults(run(overwritten<true>));
}
TEST(simt_mbarrier, names_initialisation_of_a_live_one) {
  expect_fault_in_every_schedule(run(initialise_again<false>), fault_kind::mbarrier_reinitialised, "shared",
                                 "again");
  expect_no_faults(run(initialise_again<true>));
}
TEST(simt_mbarrier, names_overflow) {
  expect_fault_in_every_schedule(run(arrive_too_often<false>), fault_kind::mbarrier_overflow, "shared",
                                 "too often");
  expect_no_faults(run(arrive_too_often<true>));
  expect_fault_in_every_schedule(run(expect_many_bytes<1U << 20>), fault_kind::mbarrier_overflow, "shared",
                                 "many bytes");
  gpu::stream stream;
  run(expect_many_bytes<(1U << 20) - 1>)(stream);
  EXPECT_FALSE(stream.has(fault_kind::mbarrier_overflow));
  EXPECT_TRUE(stream.has(fault_kind::mbarrier_bytes));  // at the end of the block
  for (const unsigned count : {0U, 1U << 20}) {
    expect_fault_in_every_schedule(run(copy_words, {.count = count}), fault_kind::mbarrier_overflow, "shared",
                                   "init");
  }
}
TEST(simt_mbarrier, orders_accesses) {
  expect_fault_in_every_schedule(run(reverse<false>), fault_kind::data_race, "shared", "after the arrival");
  expect_no_faults(run(reverse<true>));
  expect_fault_in_every_schedule(run(reuse<false>), fault_kind::data_race, "shared", "over words that others read");
  expect_no_faults(run(reuse<true>));
}

}  // namespace
