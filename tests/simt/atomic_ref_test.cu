// std::atomic_ref in kernels: loads are atomic reads, stores are atomic writes, and a spin loop on either kind of
// operation is detected.
#include <atomic>

#include "findings.hpp"

namespace {
using namespace simt_test;

/// Half of the threads read with a plain load what the others load atomically.
__global__ void load_beside_reads(int* x, int* out) {
  out[threadIdx.x] = threadIdx.x % 2 == 0 ? x[0] : std::atomic_ref<int>(x[0]).load(std::memory_order_relaxed);
}
__global__ void store_beside_loads(int* x, int* out) {
  const std::atomic_ref<int> reference(x[0]);
  if (threadIdx.x % 2 == 0) {
    reference.store(7, std::memory_order_relaxed);
  } else {
    out[threadIdx.x] = reference.load();
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

/// Block 0 publishes a word to block 1 by a store and a load between fences. Block 1 resets the flag by an
/// exchange.
__global__ void publish(int* x, int* out) {
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
void run(gpu::stream& stream, Kernel kernel, unsigned blocks, unsigned threads) {
  filled<int> x(stream, 2), out(stream, 32);
  gpu::launch(kernel, blocks, threads, 0, stream, x.data(), out.data());
}

TEST(simt_atomic_ref, loads_and_stores_are_atomic_reads_and_writes) {
  expect_no_faults([](gpu::stream& stream) {
    run(stream, load_beside_reads, 1, 32);
    run(stream, store_beside_loads, 1, 32);
    run(stream, publish, 2, 1);
  });
  // only independent threads: lock step orders the two sides of a branch
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    gpu::stream stream({.seed = seed});
    run(stream, load_beside_a_write, 1, 32);
    EXPECT_TRUE(has_fault(stream, fault_kind::data_race, "global", "plain write"));
    stream.clear();
    run(stream, store_beside_reads, 1, 32);
    EXPECT_TRUE(has_fault(stream, fault_kind::data_race, "global", "plain read"));
  }
}

TEST(simt_atomic_ref, loads_need_written_memory_and_stores_write_it) {
  gpu::stream stream;
  gpu::buffer<int> x(stream, 1);
  filled<int> out(stream, 1);
  gpu::launch(load_first, 1, 1, 0, stream, x.data(), out.data());
  EXPECT_TRUE(stream.has(fault_kind::uninitialised_global));
  stream.clear();
  gpu::launch(write_first, 1, 1, 0, stream, x.data(), out.data());
  gpu::launch(load_first, 1, 1, 0, stream, x.data(), out.data());
  EXPECT_EQ(faults_of(stream), "");
  EXPECT_EQ(out[0], 2);
}

TEST(simt_atomic_ref, endless_spin_loops_are_reported_before_the_step_budget) {
  for (const execution model : both_models) {
    for (const auto kernel : {wait<loads>, wait<exchanges>, wait<additions>, wait<swaps>}) {
      gpu::stream stream({.model = model, .step_budget = 1 << 22, .spin_budget = 10});
      run(stream, kernel, 3, 40);
      EXPECT_TRUE(stream.has(fault_kind::livelock));
      EXPECT_LT(stream.counted().steps, 1U << 20);
    }
  }
}

}  // namespace
