// Variants of the exact kernel, all with the same results. Clusters need compute capability 9.0; kernels compiled for
// less exchange messages.
#pragma once

namespace exactdot::inline v0_3::cuda_engine {

struct kernel_variant {
  bool in_cluster = false;  ///< the launch is one thread block cluster (cluster_sum.cuh)
  bool claims = false;  ///< blocks claim parts of the last turns (claimed_load.cuh), and 1024 threads are resident
};

inline constexpr int variant_capability = 9;       ///< its major number, at least
inline constexpr unsigned max_cluster_blocks = 8;  ///< that every such GPU can place

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr bool compiles_variants = false;
#else
inline constexpr bool compiles_variants = true;
#endif

}  // namespace exactdot::inline v0_3::cuda_engine
