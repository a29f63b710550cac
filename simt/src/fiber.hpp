// Fibers of the simulated threads: stacks and context switches.
//
// Thousands of fibers exist at once. A livelock abandons all of them without unwinding, so a fiber is only a
// context on a stack that is used again later.
#pragma once

#include <cstddef>
#include <vector>

namespace exactdot::simt {

/// The stack pointer of a fiber that does not run.
using context = void*;

/// Returns the context of a new fiber, which will call start_fiber().
context make_context(void* stack_top);
void start_fiber();  // does not return

/// Goes on in another context; keeps the one that is left where `kept` says.
extern "C" void exactdot_simt_switch(context next, context* kept);

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
