// mbarriers: initialisation, phases, arrivals and expected bytes.
#include <exactdot/simt/async.hpp>

#include "suite.hpp"

namespace {
using namespace suite;

/// Every thread arrives, then waits for the phase: a barrier of the block.
template <int fault>
__global__ void as_block_barrier(arrays m) {
  __shared__ gpu::mbarrier bar;
  __shared__ int values[64];
  if (threadIdx.x == 0) gpu::mbarrier_init(&bar, fault == 1 ? 65 : 64);
  __syncthreads();
  if (fault != 2) values[threadIdx.x] = m.in[threadIdx.x];
  const std::uint64_t state = gpu::mbarrier_arrive(&bar);
  if (fault == 2) values[threadIdx.x] = m.in[threadIdx.x];       // fault: store_after_arrival
  while (fault != 3 && !gpu::mbarrier_test_wait(&bar, state)) {  // fault: count_too_high
  }
  m.out[threadIdx.x] = values[63 - threadIdx.x];  // fault: store_after_arrival
}

/// The wait is left out.
__global__ void no_wait(arrays m) {
  __shared__ gpu::mbarrier bar;
  __shared__ int values[64];
  if (threadIdx.x == 0) gpu::mbarrier_init(&bar, 64);
  __syncthreads();
  values[threadIdx.x] = m.in[threadIdx.x];  // fault: no_wait
  gpu::mbarrier_arrive(&bar);
  m.out[threadIdx.x] = values[63 - threadIdx.x];  // fault: no_wait
}

/// The mbarrier is used before a barrier shows its initialisation.
template <bool faulty>
__global__ void early_arrival(arrays m) {
  __shared__ gpu::mbarrier bar;
  if (threadIdx.x == 0) gpu::mbarrier_init(&bar, 64);  // fault: early_arrival
  if (!faulty) __syncthreads();
  gpu::mbarrier_arrive(&bar);  // fault: early_arrival
  m.out[threadIdx.x] = 1;
}

template <bool faulty>
__global__ void never_initialised(arrays m) {
  __shared__ gpu::mbarrier bar;
  if (threadIdx.x == 0) {
    if (!faulty) gpu::mbarrier_init(&bar, 1);
    gpu::mbarrier_arrive(&bar);  // fault: never_initialised
  }
  m.out[threadIdx.x] = 1;
}

template <bool faulty>
__global__ void initialised_twice(arrays m) {
  __shared__ gpu::mbarrier bar;
  if (faulty || threadIdx.x == 0) {
    gpu::mbarrier_init(&bar, 64);  // fault: initialised_twice
  }
  __syncthreads();
  gpu::mbarrier_arrive(&bar);
  m.out[threadIdx.x] = 1;
}

/// One arrival more than the count allows in a phase.
template <bool faulty>
__global__ void too_many_arrivals(arrays m) {
  __shared__ gpu::mbarrier bar;
  if (threadIdx.x == 0) {
    gpu::mbarrier_init(&bar, faulty ? 1 : 2);
    gpu::mbarrier_expect_tx(&bar, 16);
    gpu::mbarrier_arrive(&bar);
    gpu::mbarrier_arrive(&bar);  // fault: too_many_arrivals
    __shared__ __align__(16) int words[4];
    gpu::fence_mbarrier_init();
    gpu::cp_async_bulk(words, m.in, 16, &bar);
    while (!gpu::mbarrier_try_wait_parity(&bar, 0)) {
    }
    m.out[0] = words[1];
  }
}

/// A count that an mbarrier cannot hold.
template <bool faulty>
__global__ void count_of_zero(arrays m) {
  __shared__ gpu::mbarrier bar;
  gpu::mbarrier_init(&bar, faulty ? 0 : 1);  // fault: count_of_zero
  m.out[0] = 1;
}

/// Bytes of a copy: expected are others than come.
template <int expected>
__global__ void expected_bytes(arrays m) {
  __shared__ __align__(16) int words[16];
  __shared__ gpu::mbarrier bar;
  if (threadIdx.x == 0) {
    gpu::mbarrier_init(&bar, 1);
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    gpu::mbarrier_arrive_expect_tx(&bar, expected);  // fault: more_bytes_expected
    gpu::cp_async_bulk(words, m.in, 64, &bar);       // fault: fewer_bytes_expected
  }
  while (!gpu::mbarrier_try_wait_parity(&bar, 0)) {  // fault: more_bytes_expected, fewer_bytes_expected
  }
  if (threadIdx.x < 16) m.out[threadIdx.x] = words[threadIdx.x];  // fault: fewer_bytes_expected
}

/// The wait for a phase that comes after the last.
template <bool faulty>
__global__ void phase_that_never_comes(arrays m) {
  __shared__ gpu::mbarrier bar;
  if (threadIdx.x == 0) gpu::mbarrier_init(&bar, 64);
  __syncthreads();
  gpu::mbarrier_arrive(&bar);
  while (!gpu::mbarrier_try_wait_parity(&bar, 0)) {
  }
  if (faulty) {
    while (!gpu::mbarrier_try_wait_parity(&bar, 1)) {  // fault: phase_that_never_comes
    }
  }
  m.out[threadIdx.x] = 1;
}

/// A thread leaves without its arrival.
template <bool faulty>
__global__ void missing_arrival(arrays m) {
  __shared__ gpu::mbarrier bar;
  if (threadIdx.x == 0) gpu::mbarrier_init(&bar, 64);
  __syncthreads();
  if (!faulty || threadIdx.x != 9) gpu::mbarrier_arrive(&bar);
  if (threadIdx.x == 0) {
    while (!gpu::mbarrier_try_wait_parity(&bar, 0)) {  // fault: missing_arrival
    }
  }
  m.out[threadIdx.x] = 1;
}

/// Two rounds through one buffer: the second copy overtakes the readers of the first.
template <bool faulty>
__global__ void reused_buffer(arrays m) {
  __shared__ __align__(16) int words[64];
  __shared__ gpu::mbarrier full, empty;
  if (threadIdx.x == 0) {
    gpu::mbarrier_init(&full, 1);
    gpu::mbarrier_init(&empty, 64);
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  int sum = 0;
  for (unsigned round = 0; round < 3; ++round) {
    if (threadIdx.x == 0) {
      if (!faulty) {
        while (!gpu::mbarrier_try_wait_parity(&empty, round % 2 ^ 1U)) {
        }
      }
      gpu::mbarrier_arrive_expect_tx(&full, 256);
      gpu::cp_async_bulk(words, m.in + 64 * round, 256, &full);  // fault: reused_buffer
    }
    while (!gpu::mbarrier_try_wait_parity(&full, round % 2)) {  // fault: reused_buffer
    }
    sum += words[63 - threadIdx.x];  // fault: reused_buffer
    gpu::mbarrier_arrive(&empty);
  }
  m.out[63 - threadIdx.x] = sum;
}

/// The bytes of an mbarrier are overwritten.
template <bool faulty>
__global__ void overwritten(arrays m) {
  __shared__ gpu::mbarrier bars[2];
  gpu::mbarrier_init(&bars[0], 1);
  bars[faulty ? 0 : 1] = 0;        // fault: overwritten
  gpu::mbarrier_arrive(&bars[0]);  // fault: overwritten
  m.out[0] = 1;
}

template <bool faulty>
__global__ void after_invalidation(arrays m) {
  __shared__ gpu::mbarrier bar;
  gpu::mbarrier_init(&bar, 1);
  if (faulty) gpu::mbarrier_inval(&bar);  // fault: after_invalidation
  gpu::mbarrier_arrive(&bar);             // fault: after_invalidation
  m.out[0] = 1;
}

/// A state of two phases ago.
template <bool faulty>
__global__ void old_state(arrays m) {
  __shared__ gpu::mbarrier bar;
  gpu::mbarrier_init(&bar, 1);
  const std::uint64_t state = gpu::mbarrier_arrive(&bar);
  if (faulty) gpu::mbarrier_arrive(&bar);
  while (!gpu::mbarrier_test_wait(&bar, state)) {  // fault: old_state
  }
  m.out[0] = 1;
}

/// The initialisation is not fenced for the bulk copy that signals the mbarrier.
template <bool faulty>
__global__ void unfenced_initialisation(arrays m) {
  __shared__ __align__(16) int words[16];
  __shared__ gpu::mbarrier bar;
  gpu::mbarrier_init(&bar, 1);  // fault: unfenced_initialisation
  if (!faulty) gpu::fence_mbarrier_init();
  gpu::mbarrier_arrive_expect_tx(&bar, 64);
  gpu::cp_async_bulk(words, m.in, 64, &bar);  // fault: unfenced_initialisation
  while (!gpu::mbarrier_try_wait_parity(&bar, 0)) {
  }
  m.out[0] = words[3];
}

constexpr unsigned stages = 3, tile = 64;
/// A warp that copies and two warps that sum, with a ring of stages: full and empty mbarriers.
__global__ void pipeline(arrays m) {
  __shared__ __align__(16) int buffers[stages][tile];
  __shared__ gpu::mbarrier full[stages], empty[stages];
  const unsigned consumers = blockDim.x - 32, tiles = 10;
  if (threadIdx.x == 0) {
    for (unsigned s = 0; s < stages; ++s) gpu::mbarrier_init(&full[s], 1), gpu::mbarrier_init(&empty[s], consumers);
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  int sum = 0;
  for (unsigned i = 0; i < tiles; ++i) {
    const unsigned stage = i % stages, parity = i / stages % 2;
    if (threadIdx.x == 0) {
      while (!gpu::mbarrier_try_wait_parity(&empty[stage], parity ^ 1U)) {
      }
      gpu::mbarrier_arrive_expect_tx(&full[stage], sizeof buffers[0]);
      gpu::cp_async_bulk(buffers[stage], m.in + i * tile, sizeof buffers[0], &full[stage]);
    } else if (threadIdx.x >= 32) {
      while (!gpu::mbarrier_try_wait_parity(&full[stage], parity)) {
      }
      sum += buffers[stage][threadIdx.x - 32];
      gpu::mbarrier_arrive(&empty[stage]);
    }
  }
  if (threadIdx.x >= 32) atomicAdd(m.zeros, sum);
  __syncthreads();
  if (threadIdx.x == 0) m.out[0] = atomicAdd(m.zeros, 0);
}

/// A warp produces by plain stores, another one consumes; the mbarrier's phases order them.
__global__ void producer_and_consumer(arrays m) {
  __shared__ int values[32];
  __shared__ gpu::mbarrier full, empty;
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x == 0) gpu::mbarrier_init(&full, 32), gpu::mbarrier_init(&empty, 32);
  __syncthreads();
  int sum = 0;
  for (unsigned round = 0; round < 5; ++round) {
    if (threadIdx.x < 32) {
      while (!gpu::mbarrier_try_wait_parity(&empty, round % 2 ^ 1U)) {
      }
      values[lane] = m.in[round * 32 + lane];
      gpu::mbarrier_arrive(&full);
    } else {
      while (!gpu::mbarrier_try_wait_parity(&full, round % 2)) {
      }
      sum += values[31 - lane];
      gpu::mbarrier_arrive(&empty);
    }
  }
  if (threadIdx.x == 63) m.out[0] = sum;
}

const family table =
    family("mbarriers", __FILE__)
        .pair("store_after_arrival", as_block_barrier<2>, as_block_barrier<0>, fault_kind::data_race,
              {.block = 64, .result = 63})
        .faulty("count_too_high", as_block_barrier<1>, fault_kind::mbarrier_phase, {.block = 64})
        .faulty("no_wait", no_wait, fault_kind::data_race, {.block = 64})
        .pair("early_arrival", early_arrival<true>, early_arrival<false>, fault_kind::mbarrier_uninitialised,
              {.block = 64, .result = 1})
        .pair("never_initialised", never_initialised<true>, never_initialised<false>,
              fault_kind::mbarrier_uninitialised, {.block = 32, .result = 1})
        .pair("initialised_twice", initialised_twice<true>, initialised_twice<false>,
              fault_kind::mbarrier_reinitialised, {.block = 64, .result = 1})
        .pair("too_many_arrivals", too_many_arrivals<true>, too_many_arrivals<false>, fault_kind::mbarrier_overflow,
              {.block = 1, .result = 1})
        .pair("count_of_zero", count_of_zero<true>, count_of_zero<false>, fault_kind::mbarrier_overflow,
              {.result = 1})
        .pair("more_bytes_expected", expected_bytes<80>, expected_bytes<64>, fault_kind::mbarrier_bytes,
              {.block = 32, .result = 0})
        .faulty("fewer_bytes_expected", expected_bytes<48>, fault_kind::mbarrier_bytes, {.block = 32})
        .pair("phase_that_never_comes", phase_that_never_comes<true>, phase_that_never_comes<false>,
              fault_kind::mbarrier_phase, {.block = 64, .result = 1})
        .pair("missing_arrival", missing_arrival<true>, missing_arrival<false>, fault_kind::mbarrier_phase,
              {.block = 64, .result = 1})
        .pair("reused_buffer", reused_buffer<true>, reused_buffer<false>, fault_kind::data_race,
              {.block = 64, .result = 192})
        .pair("overwritten", overwritten<true>, overwritten<false>, fault_kind::mbarrier_uninitialised,
              {.result = 1})
        .pair("after_invalidation", after_invalidation<true>, after_invalidation<false>,
              fault_kind::mbarrier_uninitialised, {.result = 1})
        .pair("old_state", old_state<true>, old_state<false>, fault_kind::mbarrier_phase, {.result = 1})
        .pair("unfenced_initialisation", unfenced_initialisation<true>, unfenced_initialisation<false>,
              fault_kind::mbarrier_uninitialised, {.result = 3})
        .correct("pipeline", pipeline, {.block = 96, .result = 640 * 639 / 2})
        .correct("producer_and_consumer", producer_and_consumer, {.block = 64, .result = 320});

}  // namespace
