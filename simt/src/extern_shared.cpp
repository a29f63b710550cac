// The array behind `extern __shared__ T name[];`, for kernels that say so once, where only the host compiler reads
// it:
//
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
