// Variants of the exact kernel as candidates of a measurement: gpu_variants.cu measures them, variant_kernels.cu
// compiles them, once per element type.
#pragma once

#include <cuda/device_state.hpp>
#include <exactdot/simt/on_gpu.hpp>
#include <functional>
#include <string>
#include <vector>

namespace experiment {

/// A way to compute a dot product, with one launch configuration.
template <class T>
struct candidate {
  std::string way;  ///< "exact": the library's choice; "cublas"; "cluster"; "streamed"; "read": no arithmetic
  std::string launch_config = {};
  std::function<void(const T* a, const T* b, std::size_t n, T* result)> enqueue = {};
};

/// Clusters of 2, 4 and 8 blocks; of floats with plain sums.
template <class T>
std::vector<candidate<T>> cluster_candidates(exactdot::on_gpu::stream& stream,
                                             exactdot::cuda_engine::device_state* state);
/// Rings of several depths, as many blocks per multiprocessor as fit.
template <class T>
std::vector<candidate<T>> streamed_candidates(exactdot::on_gpu::stream& stream,
                                              exactdot::cuda_engine::device_state* state, bool compensated);

}  // namespace experiment
