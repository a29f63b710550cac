// Variants of the exact kernel that need compute capability 9.0. Kernels compiled for less ignore the variant: they
// exchange messages and load directly, with the same result.
#pragma once

namespace exactdot::cuda_engine {

struct kernel_variant {
  bool in_cluster = false;  ///< the launch is one thread block cluster (cluster_sum.cuh)
  int stages = 0;           ///< of a warp's ring, if the inputs are read by bulk copies (streamed_load.cuh); 0: not
};

inline constexpr int variant_capability = 9;       ///< its major number, at least
inline constexpr unsigned max_cluster_blocks = 8;  ///< that every such GPU can place

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr bool compiles_variants = false;
#else
inline constexpr bool compiles_variants = true;
#endif

}  // namespace exactdot::cuda_engine
