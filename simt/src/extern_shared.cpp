// The array behind `extern __shared__ T name[];`. The kernel's own name for it is given to the linker, or, where
// only the host compiler reads the source, to the declaration:
//
//   -Wl,--undefined=exactdot_dynamic_shared,--defsym=name=exactdot_dynamic_shared
//   extern __shared__ T name[] asm("exactdot_dynamic_shared");
//
// It is thread_local like every shared variable, as large as a launch may ask for. Only a program with such a
// kernel gets it: the linker takes this file from the library for that name alone.
#include "shared_memory.hpp"

extern "C" {
alignas(256) constinit thread_local unsigned char exactdot_dynamic_shared[exactdot::simt::most_dynamic_shared] = {};
}

namespace {
[[maybe_unused]] const bool known = [] {
  exactdot::simt::extern_shared = []() -> void* { return exactdot_dynamic_shared; };
  return true;
}();
}  // namespace
