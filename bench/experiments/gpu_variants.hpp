// Launch configurations and variants of the library's kernels as candidates of a measurement: gpu_variants.cu
// measures them, variant_kernels.cu compiles them, once per element type and term.
#pragma once

#include <cuda/core/tuning.hpp>
#include <cuda/host/workspace.hpp>
#include <exactdot/core/term.hpp>
#include <functional>
#include <string>
#include <vector>

namespace experiment {

/// A way to compute a reduction, with one launch configuration.
template <class T>
struct candidate {
  /// "exact", "fast": the library's choice; "cublas"; "read": no arithmetic; of mode exact "direct" (plain loads),
  /// "cluster", "claims"; "fast, direct" of mode fast.
  std::string way;
  std::string launch_config = {};
  std::function<void(const T* a, const T* b, std::size_t n, T* result)> enqueue = {};
};

/// What candidates need besides the vectors: the library's own stream and memory on the device.
using environment = exactdot::cuda::workspace::storage;

/// Plain loads with several block sizes and numbers of loads in flight.
template <class T, class Term>
std::vector<candidate<T>> direct_candidates(const environment& on, exactdot::cuda_engine::summation sums);
/// Parts of the last turns claimed; of floats with grouped sums.
template <class T, class Term>
std::vector<candidate<T>> claiming_candidates(const environment& on);
/// Clusters of 2, 4 and 8 blocks; of floats with plain sums.
template <class T, class Term>
std::vector<candidate<T>> cluster_candidates(const environment& on);
/// Rings of several depths, as many blocks per multiprocessor as fit; of floats with grouped sums.
/// Mode fast.
template <class T, class Term>
std::vector<candidate<T>> fast_candidates(const environment& on);

}  // namespace experiment
