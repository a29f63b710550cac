// std::atomic_ref in kernels: its loads are reads and its stores are writes, all of them atomic, and a thread that
// only repeats one of them is seen to wait.
#include <atomic>

#include "findings.hpp"

namespace {
using namespace simt_test;

/// Half of the threads read plainly what the others load atomically.
__global__ void load_beside_reads(int* x, int* out) {
  out[threadIdx.x] = threadIdx.x % 2 == 0 ? x[0] : std::atomic_ref<int>(x[0]).load(std::memory_order_relaxed);
}
__global__ void store_beside_loads(int* x, int* out) {
  const std::atomic_ref<int> one(x[0]);
  if (threadIdx.x % 2 == 0) {
    one.store(7, std::memory_order_relaxed);
  } else {
    out[threadIdx.x] = one.load();
  }
}
__global__ void load_beside_a_write(int* x, int* out) {
  if (threadIdx.x == 0) {
    *x = 1;  // plain write
  } else {
    out[threadIdx.x] = std::atomic_ref<int>(*x).load();
  }
}
__global__ void store_beside_reads(int* x, int* out) {
  if (threadIdx.x == 0) {
    std::atomic_ref<int>(*x).store(1);
  } else {
    out[threadIdx.x] = *x;  // plain read
  }
}
__global__ void write_first(int* x, int*) {
  std::atomic_ref<int>(*x).store(1);
  std::atomic_ref<int>(*x).fetch_add(1);
}
__global__ void load_first(int* x, int* out) { *out = std::atomic_ref<int>(*x).load(); }

template <class Wait>
__global__ void wait(int* flag, int*) {
  while (!Wait()(std::atomic_ref<int>(*flag))) {
  }
}
using loads = decltype([](std::atomic_ref<int> flag) { return flag.load() != 0; });
using exchanges = decltype([](std::atomic_ref<int> flag) { return flag.exchange(0) != 0; });
using additions = decltype([](std::atomic_ref<int> flag) { return flag.fetch_add(0) != 0; });
using swaps = decltype([](std::atomic_ref<int> flag) {
  int expected = 1;
  return flag.compare_exchange_strong(expected, 2);
});

/// Block 0 hands a word over, by a store and a load between fences; the flag goes back by an exchange.
__global__ void hand_over(int* x, int* out) {
  const std::atomic_ref<int> flag(x[1]);
  if (blockIdx.x == 0) {
    x[0] = 7;
    __threadfence();
    flag.store(1, std::memory_order_relaxed);
    while (flag.load() == 1) {
    }
  } else {
    while (flag.load(std::memory_order_relaxed) == 0) {
    }
    __threadfence();
    *out = x[0];
    flag.exchange(2);
  }
}

template <class Kernel>
void run(stream& on, Kernel kernel, unsigned blocks, unsigned threads) {
  filled<int> x(on, 2), out(on, 32);
  gpu::launch(kernel, blocks, threads, 0, on, x.data(), out.data());
}

TEST(simt_atomic_ref, loads_and_stores_are_atomic_reads_and_writes) {
  expect_silence([](stream& on) {
    run(on, load_beside_reads, 1, 32);
    run(on, store_beside_loads, 1, 32);
    run(on, hand_over, 2, 1);
  });
  for (std::uint64_t seed = 1; seed <= 10;
       ++seed) {  // in lock step the two sides of a branch come one after the other
    stream on({.seed = seed});
    run(on, load_beside_a_write, 1, 32);
    EXPECT_TRUE(has_fault(on, fault_kind::data_race, "global", "plain write"));
    on.clear();
    run(on, store_beside_reads, 1, 32);
    EXPECT_TRUE(has_fault(on, fault_kind::data_race, "global", "plain read"));
  }
}

TEST(simt_atomic_ref, loads_read_what_must_have_been_written_and_stores_write_it) {
  stream on;
  gpu::buffer<int> x(on, 1);
  filled<int> out(on, 1);
  gpu::launch(load_first, 1, 1, 0, on, x.data(), out.data());
  EXPECT_TRUE(on.has(fault_kind::uninitialised_global));
  on.clear();
  gpu::launch(write_first, 1, 1, 0, on, x.data(), out.data());
  gpu::launch(load_first, 1, 1, 0, on, x.data(), out.data());
  EXPECT_EQ(faults_of(on), "");
  EXPECT_EQ(out[0], 2);
}

TEST(simt_atomic_ref, a_wait_by_it_for_nobody_is_named_without_using_up_the_steps) {
  for (const execution model : both_models) {
    for (const auto kernel : {wait<loads>, wait<exchanges>, wait<additions>, wait<swaps>}) {
      stream on({.model = model, .step_budget = 1 << 22, .spin_budget = 10});
      run(on, kernel, 3, 40);
      EXPECT_TRUE(on.has(fault_kind::livelock));
      EXPECT_LT(on.counted().steps, 1U << 20);
    }
  }
}

}  // namespace
