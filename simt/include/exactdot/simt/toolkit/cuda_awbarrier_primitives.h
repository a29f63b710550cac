// cuda_awbarrier_primitives.h for programs that simtcc compiles: mbarriers, by the names of CUDA's C interface.
#pragma once

#include <cuda_runtime.h>

#include <exactdot/simt/async_on_cpu.hpp>

using __mbarrier_t = std::uint64_t;
using __mbarrier_token_t = std::uint64_t;

constexpr std::uint32_t __mbarrier_maximum_count() { return (1U << 20) - 1; }
[[gnu::always_inline]] inline void __mbarrier_init(__mbarrier_t* bar, std::uint32_t count) {
  exactdot::simt::mbarrier_init(bar, count);
}
[[gnu::always_inline]] inline void __mbarrier_inval(__mbarrier_t* bar) { exactdot::simt::mbarrier_inval(bar); }
[[gnu::always_inline]] inline __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* bar) {
  return exactdot::simt::mbarrier_arrive(bar);
}
[[gnu::always_inline]] inline void __mbarrier_arrive_and_drop(__mbarrier_t* bar) {
  exactdot::simt::mbarrier_arrive_drop(bar);
}
[[gnu::always_inline]] inline bool __mbarrier_test_wait(__mbarrier_t* bar, __mbarrier_token_t token) {
  return exactdot::simt::mbarrier_test_wait(bar, token);
}
[[gnu::always_inline]] inline bool __mbarrier_test_wait_parity(__mbarrier_t* bar, bool parity) {
  return exactdot::simt::mbarrier_test_wait_parity(bar, parity ? 1U : 0U);
}
[[gnu::always_inline]] inline bool __mbarrier_try_wait(__mbarrier_t* bar, __mbarrier_token_t token, std::uint32_t) {
  return exactdot::simt::mbarrier_try_wait(bar, token);
}
[[gnu::always_inline]] inline bool __mbarrier_try_wait_parity(__mbarrier_t* bar, bool parity, std::uint32_t) {
  return exactdot::simt::mbarrier_try_wait_parity(bar, parity ? 1U : 0U);
}
