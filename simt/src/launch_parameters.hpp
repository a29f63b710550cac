// What a launch is given: the kernel with its arguments, and the sizes of grid, block and cluster.
#pragma once

#include <cstddef>
#include <exactdot/simt/vector_types.hpp>

namespace exactdot::simt {

/// A kernel call: the kernel, a function that each thread calls, and its arguments.
struct kernel_call {
  const void* kernel;
  void (*body)(void*);
  void* arguments;
  std::size_t argument_bytes;
};

struct launch_size {
  dim3 grid, block, cluster;
  std::size_t shared_bytes;  // dynamic
};

}  // namespace exactdot::simt
