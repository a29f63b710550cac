// What a test asks of its backend, the simulator or a GPU: schedules, and the features of Hopper.
#pragma once

#include <cuda/kernel_variant.hpp>
#include <exactdot/simt/cuda.hpp>
#include <type_traits>

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
