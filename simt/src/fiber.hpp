// Fibers of the simulated threads: stacks and context switches, by Boost.Context.
//
// Thousands of fibers exist at once. A livelock abandons all of them without unwinding, so a fiber is only a
// context on a stack that is used again later. Cost of a switch: about 10 ns.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <vector>

namespace exactdot::simt {

using context = boost::context::detail::fcontext_t;
using fiber_transfer = boost::context::detail::transfer_t;

/// Keeps the context that a jump has left, where the one that jumped said.
inline void left_context(fiber_transfer from) { *static_cast<context*>(from.data) = from.fctx; }

/// Pool of stacks of one size, each with a guard page, for all launches.
class stack_pool {
 public:
  static constexpr std::size_t stack_bytes = std::size_t{64} << 10;
  static constexpr std::size_t guard_bytes = 4096;

  ~stack_pool();
  /// Returns the highest address of an unused stack. Throws std::bad_alloc.
  void* acquire();
  void release(void* top) { unused_.push_back(top); }

 private:
  static constexpr std::size_t stacks_per_slab = 64;
  std::vector<void*> unused_;
  std::vector<void*> slabs_;
};

}  // namespace exactdot::simt
