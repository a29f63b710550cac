// Faults of asynchronous copies: accesses before the wait, sources written meanwhile, missing proxy fences, sizes
// and addresses, blocks that end before their copies; each with its mended form.
#include <exactdot/simt/async.hpp>

#include "findings.hpp"

namespace {
using namespace simt_test;

__device__ void wait(gpu::mbarrier* bar, unsigned parity = 0) {
  while (!gpu::mbarrier_try_wait_parity(bar, parity)) {
  }
}

/// cp.async by each thread of one word per group, two groups; then each reads its own words or a neighbour's.
struct plan {
  int groups_left = 0;
  bool waits = true, synchronises = true, neighbour = true, writes_source = false;
};
__global__ void copy_words(int* x, int* out, plan plan) {
  __shared__ int words[2][64];
  const unsigned i = threadIdx.x;
  for (unsigned group = 0; group < 2; ++group) {
    gpu::cp_async<4>(&words[group][i], x + 64 * group + i);  // copy
    gpu::cp_async_commit_group();
  }
  if (plan.writes_source) {
    x[i] = 1;  // write of the source
  }
  if (plan.waits && plan.groups_left == 0) gpu::cp_async_wait_group<0>();
  if (plan.waits && plan.groups_left == 1) gpu::cp_async_wait_group<1>();
  if (plan.synchronises) __syncthreads();
  out[i] = words[0][plan.neighbour ? i ^ 32 : i];  // read of group 0
  out[i] += words[1][i];                           // read of group 1
  gpu::cp_async_wait_all();
}

/// Bulk copies by thread 0, of 64 words.
struct bulk_plan {
  unsigned first = 0, to = 0, bytes = 256;
  bool waits = true, fills = false, fences = true, writes_source = false;
};
__global__ void copy_in_bulk(int* x, int* out, bulk_plan plan) {
  __shared__ __align__(16) int words[68];
  __shared__ gpu::mbarrier bar;
  if (plan.fills) {
    words[threadIdx.x] = 0;  // fill
    if (plan.fences) gpu::fence_proxy_async();
  }
  if (threadIdx.x == 0) {
    gpu::mbarrier_init(&bar, 1);
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    gpu::mbarrier_arrive_expect_tx(&bar, plan.bytes);
    gpu::cp_async_bulk(words + plan.to, x + plan.first, plan.bytes, &bar);  // bulk copy
  }
  if (plan.writes_source && threadIdx.x == 5) {
    x[5] = 1;  // write of the bulk source
  }
  if (plan.waits) wait(&bar);
  out[threadIdx.x] = words[threadIdx.x];  // read of the words
  wait(&bar);
}

struct back_plan {
  bool fences = true, waits_for_reads = true, waits = true, overwrites = false;
};
__global__ void copy_back(int* x, int* out, back_plan plan) {
  __shared__ __align__(16) int words[64];
  words[threadIdx.x] = static_cast<int>(threadIdx.x);  // write of the source
  if (plan.fences) gpu::fence_proxy_async();
  __syncthreads();
  if (threadIdx.x != 0) return;
  gpu::cp_async_bulk(x, words, 256);  // copy back
  gpu::cp_async_bulk_commit_group();
  if (plan.waits_for_reads) gpu::cp_async_bulk_wait_group_read<0>();
  if (plan.overwrites) words[0] = 1;  // overwrite
  if (plan.waits) gpu::cp_async_bulk_wait_group<0>();
  if (plan.waits_for_reads) out[0] = x[63];  // read of the target
}

/// Writes global memory and copies it to shared memory in one kernel.
template <bool mended>
__global__ void copy_own_writes(int* x, int* out) {
  __shared__ __align__(16) int words[64];
  __shared__ gpu::mbarrier bar;
  x[threadIdx.x] = 7;  // write of the global source
  if (mended) gpu::fence_proxy_async();
  if (threadIdx.x == 0) {
    gpu::mbarrier_init(&bar, 1);
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    gpu::mbarrier_arrive_expect_tx(&bar, 256);
    gpu::cp_async_bulk(words, x, 256, &bar);
  }
  wait(&bar);
  out[threadIdx.x] = words[63 - threadIdx.x];
}

/// The block ends without a wait for its copy.
template <bool mended>
__global__ void end_early(int* x, int* out) {
  __shared__ __align__(16) int words[64];
  __shared__ gpu::mbarrier bar;
  if (threadIdx.x == 0) {
    gpu::mbarrier_init(&bar, 1);
    gpu::fence_mbarrier_init();
    gpu::mbarrier_arrive_expect_tx(&bar, 256);
    gpu::cp_async_bulk(words, x, 256, &bar);  // not awaited
    if (mended) wait(&bar);
  }
  out[threadIdx.x] = 1;
}
template <int bytes>
__global__ void copy_from_word(int* x, int first) {
  __shared__ __align__(16) int words[4];
  gpu::cp_async<bytes>(words, x + first);  // cp.async from a word
  gpu::cp_async_wait_all();
}

/// Reads the word before the copy is awaited, after some steps.
__global__ void read_early(int* x, int* out) {
  __shared__ int word;
  word = 1;
  gpu::cp_async<4>(&word, x);
  for (int i = 0; i < 20; ++i) out[1] = i;
  out[0] = word;
  gpu::cp_async_wait_all();
}

auto run(plan plan) {
  return [=](gpu::stream& stream) {
    const filled<int> x(stream, 128), out(stream, 64);
    gpu::launch(copy_words, 1, 64, 0, stream, x.data(), out.data(), plan);
  };
}
auto run(bulk_plan plan) {
  return [=](gpu::stream& stream) {
    const filled<int> x(stream, 64), out(stream, 64);
    gpu::launch(copy_in_bulk, 1, 64, 0, stream, x.data(), out.data(), plan);
  };
}
auto run(back_plan plan) {
  return [=](gpu::stream& stream) {
    const filled<int> x(stream, 64), out(stream, 1);
    gpu::launch(copy_back, 1, 64, 0, stream, x.data(), out.data(), plan);
    EXPECT_EQ(x[63], 63);
  };
}

TEST(simt_copies, of_threads_race_until_they_are_awaited) {
  const auto race = [](plan plan, const char* comment, const char* space = "shared") {
    expect_fault_in_every_schedule(run(plan), fault_kind::data_race, space, comment);
  };
  race({.waits = false}, "read of group 0");
  race({.waits = false}, "copy");
  race({.waits = false, .neighbour = false}, "read of group 0");
  race({.synchronises = false}, "read of group 0");
  race({.groups_left = 1}, "read of group 1");
  race({.writes_source = true}, "write of the source", "global");
  expect_no_faults(run(plan{}));
  expect_no_faults(run(plan{.synchronises = false, .neighbour = false}));
}
TEST(simt_copies, in_bulk_race_until_they_are_awaited) {
  expect_fault_in_every_schedule(run(bulk_plan{.waits = false}), fault_kind::data_race, "shared",
                                 "read of the words");
  expect_fault_in_every_schedule(run(bulk_plan{.waits = false}), fault_kind::data_race, "shared", "bulk copy");
  expect_fault_in_every_schedule(run(bulk_plan{.writes_source = true}), fault_kind::data_race, "global",
                                 "write of the bulk source");
  expect_no_faults(run(bulk_plan{}));
}
template <class Kernel>
auto run(Kernel kernel) {
  return [=](gpu::stream& stream) {
    const filled<int> x(stream, 64), out(stream, 64);
    gpu::launch(kernel, 1, 64, 0, stream, x.data(), out.data());
  };
}

TEST(simt_copies, in_bulk_need_a_proxy_fence) {
  expect_fault_in_every_schedule(run(copy_own_writes<false>), fault_kind::missing_proxy_fence, "global",
                                 "write of the global source");
  expect_no_faults(run(copy_own_writes<true>));
  expect_fault_in_every_schedule(run(bulk_plan{.fills = true, .fences = false}), fault_kind::missing_proxy_fence,
                                 "shared", "fill");
  expect_no_faults(run(bulk_plan{.fills = true}));
  expect_fault_in_every_schedule(run(back_plan{.fences = false}), fault_kind::missing_proxy_fence, "shared",
                                 "copy back");
  expect_no_faults(run(back_plan{}));
}
TEST(simt_copies, to_global_memory_race_until_they_are_awaited) {
  expect_fault_in_every_schedule(run(back_plan{.waits_for_reads = false, .overwrites = true}),
                                 fault_kind::data_race, "shared", "overwrite");
  expect_no_faults(run(back_plan{.overwrites = true}));
  expect_fault_in_every_schedule(run(back_plan{.waits = false}), fault_kind::data_race, "global",
                                 "read of the target");
}
TEST(simt_copies, names_blocks_that_end_before_their_copies) {
  expect_fault_in_every_schedule(run(end_early<false>), fault_kind::absent_block, "shared", "not awaited");
  expect_no_faults(run(end_early<true>));
  expect_fault_in_every_schedule(run(back_plan{.waits_for_reads = false, .waits = false}), fault_kind::absent_block,
                                 "shared", "copy back");
}
TEST(simt_copies, names_sizes_and_addresses) {
  for (const bulk_plan bad : {bulk_plan{.bytes = 20}, bulk_plan{.first = 2, .bytes = 16}, bulk_plan{.to = 1}}) {
    expect_fault_in_every_schedule(run(bad), fault_kind::misaligned, bad.first == 2 ? "global" : "shared",
                                   "bulk copy");
  }
  expect_no_faults(run(bulk_plan{.to = 4, .bytes = 256, .fills = true}));
  expect_fault_in_every_schedule(run(bulk_plan{.first = 4}), fault_kind::out_of_bounds, "global", "bulk copy");
  expect_fault_in_every_schedule(run(bulk_plan{.to = 8}), fault_kind::out_of_bounds, "shared", "bulk copy");
  const auto launch = [](auto kernel, int first) {
    return [=](gpu::stream& stream) {
      const filled<int> x(stream, 16);
      gpu::launch(kernel, 1, 1, 0, stream, x.data(), first);
    };
  };
  expect_fault_in_every_schedule(launch(copy_from_word<16>, 2), fault_kind::misaligned, "global",
                                 "cp.async from a word");
  expect_fault_in_every_schedule(launch(copy_from_word<8>, 3), fault_kind::misaligned, "global",
                                 "cp.async from a word");
  expect_no_faults(launch(copy_from_word<16>, 4));
  expect_no_faults(launch(copy_from_word<8>, 2));
  expect_no_faults(launch(copy_from_word<4>, 3));
}
TEST(simt_copies, take_effect_at_a_step_of_the_seed) {
  int late = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    gpu::stream stream({.seed = seed});
    filled<int> x(stream, 1), out(stream, 2);
    gpu::launch(read_early, 1, 1, 0, stream, x.data(), out.data());
    EXPECT_TRUE(stream.has(fault_kind::data_race));
    late += out[0];  // the old word is 1, the copied one 0
  }
  EXPECT_GT(late, 20);
  EXPECT_LT(late, 80);
}

}  // namespace
