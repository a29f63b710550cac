// The memory behind a workspace, and the checks that every call of the CUDA engine makes.
#pragma once

#include <cuda_runtime.h>

#include <cuda/state.hpp>
#include <exactdot/cuda.hpp>
#include <source_location>

namespace exactdot::cuda {

/// On the device, zero between launches but for the nodes.
struct device_state {
  cuda_engine::grid_sum<double> doubles;
  cuda_engine::grid_sum<float> floats;
  cuda_engine::grid_nodes<double> double_nodes;
  cuda_engine::grid_nodes<float> float_nodes;

  cuda_engine::grid_sum<float>* sum(float) { return &floats; }
  cuda_engine::grid_sum<double>* sum(double) { return &doubles; }
  cuda_engine::grid_nodes<float>* nodes(float) { return &float_nodes; }
  cuda_engine::grid_nodes<double>* nodes(double) { return &double_nodes; }
};

struct workspace::memory {
  stream_handle stream = nullptr;
  int device = 0;
  int multiprocessors = 1;
  int capability = 0;  ///< 90 for 9.0
  device_state* state = nullptr;
  double* host_result = nullptr;        ///< mapped into the device's memory
  double* host_result_there = nullptr;  ///< as the device sees it
};

/// Throws what failed, in CUDA's words and with the place of the call.
void check(cudaError_t status, const char* what, std::source_location where = std::source_location::current());

/// Throws unless the workspace's device is current and nothing failed on it before.
void require_device(const workspace::memory& own);

/// Throws unless the device can use n elements there.
void require_reachable(const void* pointer, std::size_t n, std::size_t alignment, const char* name);

}  // namespace exactdot::cuda
