// Threads that spin on memory that no thread will change: a livelock within seconds, whatever they read.
#include <chrono>
#include <optional>

#include "findings.hpp"

namespace {
using namespace simt_test;

__global__ void two_in_turn(volatile int* x) {
  while (x[0] + x[1] == 0) {  // two in turn
  }
}
__global__ void four_in_turn(int* x) {
  while (atomicAdd(x, 0) + atomicAdd(x + 8, 0) + atomicAdd(x + 16, 0) + atomicAdd(x + 24, 0) == 0) {  // four
  }
}
__global__ void released(volatile int* x) {
  while (*x != 1) {  // released
  }
}
__global__ void with_a_fence(volatile int* x) {
  while (x[0] + x[1] == 0) __threadfence();  // with a fence
}
/// Thread 0 changes one of the two words late.
__global__ void one_of_two(volatile int* x, int* out) {
  if (blockIdx.x == 1) {
    for (int i = 0; i < 20000; ++i) *out = i;
    __threadfence();
    x[1] = 1;
  } else {
    while (x[0] + x[1] == 0) {
    }
    __threadfence();
    out[1 + threadIdx.x] = 1;
  }
}
__global__ void finite(volatile const int* x, int* out) {
  int sum = 0;
  for (int i = 0; i < 3000; ++i) sum += x[i % 2];
  out[threadIdx.x] = sum;
}

/// No thread is the hundredth.
__global__ void with_barriers(int* out) {
  __shared__ int rounds;
  if (threadIdx.x == 0) rounds = 0;
  __syncthreads();
  while (rounds < 100) {
    __syncthreads();
    if (threadIdx.x == 99) ++rounds;
    __syncthreads();
  }
  out[threadIdx.x] = rounds;
}
__global__ void with_votes(volatile int* x) {
  while (__any_sync(0xffffffff, *x == 0)) {
  }
}
__global__ void only_syncthreads() {
  for (;;) __syncthreads();
}
__global__ void only_votes(int* out) {
  while (__any_sync(0xffffffff, threadIdx.x > 100) == 0) __syncwarp();
  out[threadIdx.x] = 1;
}
__global__ void only_shuffles(int* out) {
  int x = 1;
  while (x != 0) x = __shfl_sync(0xffffffff, x, 0);
  out[threadIdx.x] = x;
}
__global__ void only_fences(const int* n) {
  const int go_on = *n;
  while (go_on != 0) __threadfence();  // only fences
}
__global__ void counts_fences(int* out) {
  int sum = 0;
  for (int i = 0; i < 5000; ++i) __threadfence(), sum += i & 1;
  out[threadIdx.x] = sum;
}
__global__ void counts_meetings(int how, int* out) {
  const long long deadline = clock64() + 400000;
  int sum = 0;
  for (int i = 0; i < 20000; ++i) {
    if (how == 0) __syncthreads();
    if (how == 1) sum += __shfl_sync(0xffffffff, 1, 0);
    if (how == 2 && clock64() < deadline) --i, __syncwarp();
  }
  out[threadIdx.x] = sum;
}
__global__ void count_between_barriers(volatile int* x, int* out) {
  int sum = 0;
  for (int i = 0; i < 5000; ++i) {
    sum += x[0] + 1;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
__global__ void count_for_ever(int* x) {
  for (;;) atomicAdd(x, 1), *x = *x + 1;  // for ever
}

/// comment: at the line of the loop; "" if any of its lines may be named.
void expect_livelock(void (*launch)(gpu::stream&), const std::string& comment) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model});
    const auto begin = std::chrono::steady_clock::now();
    launch(stream);
    EXPECT_TRUE(stream.has(fault_kind::livelock));
    if (!comment.empty()) {
      EXPECT_TRUE(has_fault(stream, fault_kind::livelock, "", comment));
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
    EXPECT_LT(stream.counted().steps, 20'000'000U);
  }
}

TEST(simt_spinning, ends_as_a_livelock) {
  expect_livelock(
      [](gpu::stream& stream) {
        filled<int> x(stream, 32);
        gpu::launch(two_in_turn, 2, 40, 0, stream, x.data());
      },
      "two in turn");
  expect_livelock(
      [](gpu::stream& stream) {
        filled<int> x(stream, 32);
        gpu::launch(four_in_turn, 2, 2, 0, stream, x.data());
      },
      "four");
  expect_livelock(
      [](gpu::stream& stream) {
        filled<int> x(stream, 32);
        gpu::launch(with_a_fence, 1, 2, 0, stream, x.data());
      },
      "with a fence");
  expect_livelock(
      [](gpu::stream& stream) {
        filled<int> out(stream, 64);
        gpu::launch(with_barriers, 1, 64, 0, stream, out.data());
      },
      "");
  expect_livelock(
      [](gpu::stream& stream) {
        filled<int> x(stream, 1);
        gpu::launch(with_votes, 2, 64, 0, stream, x.data());
      },
      "");
}

TEST(simt_spinning, loops_that_only_meet_are_a_livelock) {
  expect_livelock([](gpu::stream& stream) { gpu::launch(only_syncthreads, 2, 64, 0, stream); }, "");
  expect_livelock(
      [](gpu::stream& stream) {
        filled<int> out(stream, 64);
        gpu::launch(only_votes, 2, 64, 0, stream, out.data());
      },
      "");
  expect_livelock(
      [](gpu::stream& stream) {
        filled<int> out(stream, 64);
        gpu::launch(only_shuffles, 2, 64, 0, stream, out.data());
      },
      "");
  expect_livelock(
      [](gpu::stream& stream) {
        const int one = 1;
        filled<int> go_on(stream, 1, &one);
        gpu::launch(only_fences, 2, 64, 0, stream, go_on.data());
      },
      "only fences");
  for (const execution model : both_models) {
    gpu::stream stream({.model = model, .spin_budget = 10, .narrow_budget = 1000});
    filled<int> out(stream, 64);
    gpu::launch(counts_fences, 1, 64, 0, stream, out.data());
    EXPECT_EQ(out[63], 2500);
    EXPECT_EQ(faults_of(stream), "");
  }
  for (int how = 0; how < 3; ++how) {
    for (const execution model : both_models) {
      gpu::stream stream({.model = model, .spin_budget = 10});
      filled<int> out(stream, 64);
      gpu::launch(counts_meetings, 1, 64, 0, stream, how, out.data());
      EXPECT_EQ(faults_of(stream), "") << how;
    }
  }
}

TEST(simt_spinning, a_loop_that_counts_between_barriers_is_none) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model, .spin_budget = 10});
    filled<int> x(stream, 1), out(stream, 64);
    gpu::launch(count_between_barriers, 1, 64, 0, stream, x.data(), out.data());
    EXPECT_EQ(out[63], 5000);
    EXPECT_EQ(faults_of(stream), "");
  }
}

TEST(simt_spinning, threads_that_change_one_word_for_ever_are_a_livelock) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model, .narrow_budget = 1000});
    filled<int> x(stream, 1);
    gpu::launch(count_for_ever, 1, 40, 0, stream, x.data());
    EXPECT_TRUE(has_fault(stream, fault_kind::livelock, "", "for ever"));
    EXPECT_LT(stream.counted().steps, 5'000'000U);
  }
}

TEST(simt_spinning, on_released_memory_is_both_faults) {
  const auto launch = [](gpu::stream& stream) {
    std::optional<filled<int>> x(std::in_place, stream, 100);
    int* const address = x->data();
    x.reset();
    gpu::launch(released, 1, 2, 0, stream, address);
  };
  expect_livelock(launch, "released");
  gpu::stream stream;
  launch(stream);
  EXPECT_TRUE(has_fault(stream, fault_kind::out_of_bounds, "global", "released"));
  EXPECT_EQ(stream.faults().size(), 2U) << faults_of(stream);
}

TEST(simt_spinning, ends_when_one_of_the_addresses_changes) {
  for (const execution model : both_models) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      gpu::stream stream({.seed = seed, .model = model});
      filled<int> x(stream, 2), out(stream, 64);
      gpu::launch(one_of_two, 2, 1, 0, stream, x.data(), out.data());
      EXPECT_EQ(out[1], 1);
      EXPECT_EQ(faults_of(stream), "");
    }
  }
}

TEST(simt_spinning, a_finite_loop_over_two_words_is_none) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model});
    filled<int> x(stream, 2), out(stream, 32);
    gpu::launch(finite, 1, 32, 0, stream, x.data(), out.data());
    EXPECT_EQ(faults_of(stream), "");
  }
}

}  // namespace
