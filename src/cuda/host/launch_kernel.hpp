// Launches one of the library's kernels on a workspace's stream, with the attributes that the device and the
// compiled code allow: as a cluster, and before the stream's previous kernel has ended (core/kernel.cuh).
#pragma once

#include <algorithm>
#include <array>
#include <cuda/host/workspace.hpp>
#include <exactdot/simt/cuda.hpp>
#include <utility>

namespace exactdot::inline v0_3::cuda {

struct launch_shape {
  unsigned blocks;
  int threads;
  std::size_t dynamic_shared = 0;  ///< bytes
  bool in_cluster = false;         ///< all blocks are one cluster, if has_capability_9
};

/// One block for each `of_block` lines, as far as multiprocessors hold so many.
inline unsigned blocks_for(const workspace::storage& storage, std::size_t lines, std::size_t of_block,
                           int blocks_per_multiprocessor) {
  const std::size_t wanted = lines / of_block + (lines % of_block != 0 ? 1 : 0);
  const auto most = static_cast<std::size_t>(storage.multiprocessors * blocks_per_multiprocessor);
  return static_cast<unsigned>(std::min(wanted, most));
}

/// Every kernel begins with begin_kernel(). `what` is for the error.
template <class... Parameters, class... Arguments>
void launch_kernel(const workspace::storage& storage, const char* what, const launch_shape& shape,
                   void (*kernel)(Parameters...), Arguments&&... arguments) {
  std::array<cudaLaunchAttribute, 2> attributes{};
  unsigned count = 0;
  if (storage.has_capability_9) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
    if (shape.in_cluster) {
      attributes[count].id = cudaLaunchAttributeClusterDimension;
      attributes[count++].val.clusterDim = {shape.blocks, 1, 1};
    }
  }
  cudaLaunchConfig_t config{};
  config.gridDim = shape.blocks, config.blockDim = static_cast<unsigned>(shape.threads);
  config.dynamicSmemBytes = shape.dynamic_shared, config.stream = storage.stream;
  config.attrs = attributes.data(), config.numAttrs = count;
  if (shape.dynamic_shared > gpu::default_shared_bytes) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shape.dynamic_shared)),
          "raising the limit of dynamic shared memory");
  }
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(std::forward<Arguments>(arguments))...), what);
}

}  // namespace exactdot::inline v0_3::cuda
