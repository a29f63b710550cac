// Scopes and memory orders of libcu++, and the fences that they are made of here.
//
// A release is a fence before the operation, an acquire one after it (PTX ISA, "Memory Consistency Model", release
// and acquire patterns). The simulator's fences have the scope of a block or of the device.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cuda/host_headers.hpp>

namespace cuda {

enum thread_scope {
  thread_scope_system = 0,
  thread_scope_device = 1,
  thread_scope_block = 2,
  thread_scope_thread = 10
};

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

namespace detail {

using simt_scope = exactdot::simt::detail::scope;
constexpr simt_scope to_simt(thread_scope scope) {
  return scope == thread_scope_block || scope == thread_scope_thread ? simt_scope::block
         : scope == thread_scope_device                              ? simt_scope::device
                                                                     : simt_scope::system;
}
EXACTDOT_SIMT_CALL inline void fence(thread_scope scope) {
  exactdot::simt::detail::fence(to_simt(scope), __builtin_return_address(0));
}
constexpr bool releases(memory_order order) {
  return order == memory_order_release || order == memory_order_acq_rel || order == memory_order_seq_cst;
}
constexpr bool acquires(memory_order order) {
  return order == memory_order_acquire || order == memory_order_consume || order == memory_order_acq_rel ||
         order == memory_order_seq_cst;
}

}  // namespace detail

[[gnu::always_inline]] inline void atomic_thread_fence(memory_order order,
                                                       thread_scope scope = thread_scope_system) {
  if (order != memory_order_relaxed) detail::fence(scope);
}

namespace std {
using namespace ::std;
}

}  // namespace cuda
