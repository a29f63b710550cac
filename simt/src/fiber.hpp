// Stacks and switches for the simulated threads, by Boost.Context.
//
// Thousands of fibers live at once and most runs abandon none, but a livelock abandons all: a fiber here is only a
// context on a stack that can be made anew, so that nothing has to be unwound. Cost of a switch: some 10 ns.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <vector>

namespace exactdot::simt {

using context = boost::context::detail::fcontext_t;
using transfer = boost::context::detail::transfer_t;

/// Stacks of one size with a guard page each, kept for the next launch.
class stack_pool {
 public:
  static constexpr std::size_t stack_bytes = std::size_t{64} << 10;
  static constexpr std::size_t guard_bytes = 4096;

  ~stack_pool();
  /// The highest address of an unused stack. Throws std::bad_alloc.
  void* take();
  void give_back(void* top) { unused_.push_back(top); }

 private:
  static constexpr std::size_t stacks_a_slab = 64;
  std::vector<void*> unused_;
  std::vector<void*> slabs_;
};

}  // namespace exactdot::simt
