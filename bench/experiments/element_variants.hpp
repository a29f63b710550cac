// Launch configurations of the kernels for elements that are converted, extrema and variances, as candidates of a
// measurement: element_variants.cu measures them, element_variant_kernels.cu and converted_variant_kernels.cu
// compile them.
#pragma once

#include <cuda/summation.hpp>
#include <cuda/workspace.hpp>
#include <exactdot/views.hpp>
#include <functional>
#include <string>
#include <vector>

namespace experiment {

using environment = exactdot::cuda::workspace::storage;

/// A launch configuration. `enqueue` takes the inputs, both the same if there is one, and where the result goes.
struct candidate {
  std::string launch_config;
  std::function<void(const exactdot::any_vector& a, const exactdot::any_vector& b, void* result)> enqueue;
};
using candidates = std::vector<candidate>;

/// Mode exact of converted elements, by blocks of so many threads.
template <class Carrier, class Term, int threads>
candidates converted_candidates(const environment& on);

/// max, or argmax.
candidates extremum_candidates(const environment& on, exactdot::element_type type, bool with_index);

/// Variances of T; `sums` plain, grouped (float) or compensated. Results of the type T.
template <class T>
candidates moments_candidates(const environment& on, exactdot::cuda_engine::summation sums);

}  // namespace experiment
