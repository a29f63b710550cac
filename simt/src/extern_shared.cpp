// Storage of `extern __shared__ T name[];`. The linker, or the declaration, must map the kernel's name to it:
//
//   -Wl,--undefined=exactdot_dynamic_shared,--defsym=name=exactdot_dynamic_shared
//   extern __shared__ T name[] asm("exactdot_dynamic_shared");   if only the host compiler reads the source
//
// Like every shared variable it is thread_local. Its size is the maximum of a launch. The linker takes this file
// from the library for that symbol only, so programs without such kernels do not contain it.
#include "shared_memory.hpp"

extern "C" {
alignas(256) constinit thread_local unsigned char exactdot_dynamic_shared[exactdot::simt::max_dynamic_shared] = {};
}

namespace {
[[maybe_unused]] const bool registered = [] {
  exactdot::simt::extern_shared = []() -> void* { return exactdot_dynamic_shared; };
  return true;
}();
}  // namespace
