// What a test asks of its backend, the simulator or a GPU: schedules, the features of Hopper, inputs in its memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <cuda/core/tuning.hpp>
#include <exactdot/simt/cuda.hpp>
#include <type_traits>
#include <vector>

template <class Stream>
concept has_schedules = requires(Stream& stream) {
  stream.settings();
};

/// Selects a schedule if the backend has schedules.
template <class Stream = exactdot::gpu::stream>
void choose_schedule(Stream& stream, unsigned number) {
  if constexpr (has_schedules<Stream>) {
    stream.settings().seed = number;
    using model = std::remove_reference_t<decltype(stream.settings().model)>;
    stream.settings().model = number % 5 == 4 ? model::lock_step : model::independent;
  }
}

/// Whether variants of the exact kernel run.
inline bool has_variants() {
#if defined(__CUDACC__)
  int device = 0, major = 0;
  exactdot::on_gpu::check(cudaGetDevice(&device), "querying the current device");
  exactdot::on_gpu::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
                          "querying the compute capability");
  return major >= exactdot::cuda_engine::variant_capability;
#else
  return true;
#endif
}

/// `from`, from element `skew` on; NaN around it.
template <class T>
void copy_input(exactdot::gpu::buffer<T>& to, const std::vector<T>& from, std::size_t skew) {
  std::vector<T> all(to.size(), T(NAN));
  std::copy(from.begin(), from.end(), all.begin() + static_cast<std::ptrdiff_t>(skew));
  to.copy_from(all.data(), all.size());
}
