// Special registers of PTX, for the forms of inline PTX that simtcc accepts (PTX ISA, "Special Registers").
//
// The multiprocessor of a block is its number modulo 4; clocks count steps of the simulator.
#pragma once

#include <exactdot/simt/kernel.hpp>

namespace exactdot::simt::detail {

inline unsigned special_register_laneid() { return lane(); }
inline unsigned special_register_warpid() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32;
}
inline unsigned special_register_nwarpid() { return 64; }
inline unsigned special_register_smid() {
  return (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)) % 4;
}
inline unsigned special_register_nsmid() { return 4; }
inline unsigned special_register_lanemask_eq() { return 1U << lane(); }
inline unsigned special_register_lanemask_lt() { return (1U << lane()) - 1U; }
inline unsigned special_register_lanemask_le() { return special_register_lanemask_lt() | 1U << lane(); }
inline unsigned special_register_lanemask_gt() { return ~special_register_lanemask_le(); }
inline unsigned special_register_lanemask_ge() { return ~special_register_lanemask_lt(); }
inline unsigned special_register_clock() { return static_cast<unsigned>(clock64()); }
inline unsigned long long special_register_clock64() { return static_cast<unsigned long long>(clock64()); }
inline unsigned long long special_register_globaltimer() { return special_register_clock64(); }

}  // namespace exactdot::simt::detail
