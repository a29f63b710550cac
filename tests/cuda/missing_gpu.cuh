// Why this machine cannot launch kernels: empty on the simulator and where there is a GPU, else CUDA's message.
#pragma once

#include <exactdot/simt/cuda.hpp>
#include <stdexcept>
#include <string>

inline std::string missing_gpu() {
  try {
    exactdot::gpu::stream stream;
    exactdot::gpu::synchronise(stream);
    return {};
  } catch (const std::exception& failure) {
    return failure.what();
  }
}
