// Kernels that end by a trap: a failed assert, __trap, a division by zero.
#undef NDEBUG  // the assert is the fault
#include <cassert>

#include "suite.hpp"

namespace {
using namespace suite;
constexpr fault_kind trap = fault_kind::trap;

template <bool faulty>
__global__ void failed_assert(arrays m) {
  assert(m.in[threadIdx.x] < (faulty ? 20 : 32));  // fault: failed_assert
  m.out[threadIdx.x] = 1;
}

/// A bound that one thread exceeds.
template <bool faulty>
__global__ void trap_of_one_thread(arrays m) {
  if (m.in[threadIdx.x] > (faulty ? 62 : 63)) __trap();  // fault: trap_of_one_thread
  m.out[threadIdx.x] = 2;
}

/// The divisor of one thread is zero.
template <bool faulty>
__global__ void division(arrays m) {
  m.out[threadIdx.x] = 7 / (m.in[threadIdx.x] + (faulty ? 0 : 1));  // fault: division
}

const family table =
    family("traps", __FILE__)
        .pair("failed_assert", failed_assert<true>, failed_assert<false>, trap, {.block = 32, .result = 1})
        .pair("trap_of_one_thread", trap_of_one_thread<true>, trap_of_one_thread<false>, trap,
              {.block = 64, .result = 2})
        .pair("division", division<true>, division<false>, trap, {.block = 32, .result = 7});

}  // namespace
