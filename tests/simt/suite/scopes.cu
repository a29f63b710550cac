// Atomics whose scope is too small for the threads that use them.
#include "suite.hpp"

namespace {
using namespace suite;
constexpr auto race = fault_kind::data_race;

template <bool faulty>
__global__ void count(arrays m) {
  if (faulty) {
    atomicAdd_block(m.zeros, 1);  // fault: count
  } else {
    atomicAdd(m.zeros, 1);
  }
}

/// One block uses the block's scope, the others the device's: they still race.
template <bool faulty>
__global__ void mixed_scopes(arrays m) {
  if (faulty && blockIdx.x == 0) {
    atomicMax_block(m.zeros, 3);  // fault: mixed_scopes
  } else {
    atomicMax(m.zeros, static_cast<int>(threadIdx.x));  // fault: mixed_scopes
  }
}

/// A lock of block scope does not exclude other blocks.
template <bool faulty>
__global__ void lock(arrays m) {
  if (threadIdx.x != 0) return;
  if (faulty) {
    while (atomicCAS_block(m.zeros, 0, 1) != 0) {  // fault: lock
    }
  } else {
    while (atomicCAS(m.zeros, 0, 1) != 0) {
    }
  }
  __threadfence();
  m.zeros[9] += 1;  // fault: lock
  __threadfence();
  if (faulty) {
    atomicExch_block(m.zeros, 0);  // fault: lock
  } else {
    atomicExch(m.zeros, 0);
  }
}

template <bool faulty>
__global__ void bits(arrays m) {
  if (faulty) {
    atomicOr_block(m.zeros, 1 << blockIdx.x);  // fault: bits
  } else {
    atomicOr(m.zeros, 1 << blockIdx.x);
  }
}

/// A flag of block scope between blocks.
template <bool faulty>
__global__ void flag(arrays m) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    m.scratch[0] = 7;  // fault: flag
    __threadfence();
    if (faulty) {
      atomicExch_block(m.zeros, 1);  // fault: flag
    } else {
      atomicExch(m.zeros, 1);
    }
  } else {
    while (atomicAdd(m.zeros, 0) == 0) {  // fault: flag
    }
    __threadfence();
    m.out[0] = m.scratch[0];  // fault: flag
  }
}

template <bool faulty>
__global__ void decrement(arrays m) {
  auto* const places = reinterpret_cast<unsigned*>(m.zeros);
  if (faulty) {
    atomicInc_block(places, 100);  // fault: decrement
  } else {
    atomicInc(places, 100);
  }
}

template <bool faulty>
__global__ void wide(arrays m) {
  auto* const words = reinterpret_cast<unsigned long long*>(m.zeros);
  if (faulty) {
    atomicXor_block(words, 1ULL << 40);  // fault: wide
  } else {
    atomicXor(words, 1ULL << 40);
  }
}

/// Global words that only one block uses: the block's scope suffices.
__global__ void words_of_a_block(arrays m) {
  atomicAdd_block(&m.zeros[blockIdx.x], 1);
  __syncthreads();
  if (threadIdx.x == 0) m.out[blockIdx.x] = atomicAdd_block(&m.zeros[blockIdx.x], 0);
}

/// Shared words: the block's scope suffices.
__global__ void shared_words(arrays m) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd_block(&count, 1);
  __syncthreads();
  if (threadIdx.x == 0) m.out[blockIdx.x] = count;
}

/// The system's scope includes the device's.
__global__ void system_and_device(arrays m) {
  if (blockIdx.x % 2 == 0) {
    atomicAdd_system(m.zeros, 1);
  } else {
    atomicAdd(m.zeros, 1);
  }
}

const family table =
    family("scopes of atomics", __FILE__)
        .pair("count", count<true>, count<false>, race, {.grid = 4, .block = 32})
        .pair("mixed_scopes", mixed_scopes<true>, mixed_scopes<false>, race, {.grid = 4, .block = 32})
        .pair("lock", lock<true>, lock<false>, race, {.grid = 4, .block = 32})
        .pair("bits", bits<true>, bits<false>, race, {.grid = 4, .block = 1})
        .pair("flag", flag<true>, flag<false>, race, {.grid = 2, .block = 1, .result = 7})
        .pair("decrement", decrement<true>, decrement<false>, race, {.grid = 4, .block = 1})
        .pair("wide", wide<true>, wide<false>, race, {.grid = 4, .block = 1})
        .correct("words_of_a_block", words_of_a_block, {.grid = 4, .block = 40, .result = 40})
        .correct("shared_words", shared_words, {.grid = 4, .block = 40, .result = 40})
        .correct("system_and_device", system_and_device, {.grid = 4, .block = 32});

}  // namespace
