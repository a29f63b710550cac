// SPDX-License-Identifier: Apache-2.0
// Exact sums for kernels of one's own: order-free bits in a warp, a block, a grid and beyond (docs/block.md).
//
//   thread_sum<T>  registers      the terms of one thread, on their way to a block_sum      cuda/thread_sum.cuh
//   block_sum<T>   shared memory  of a warp, a block or a bin; any thread adds at any time  cuda/block_sum.cuh
//   words          global memory  of an accumulator<T>; any block, launch or GPU publishes exactdot/accumulator.hpp
//
// Each level passes on the exact sum; only round<R>() rounds, once. No call allocates, throws, launches or waits,
// and none needs a library: CUDA C++20 for nvcc, or for the simulator (exactdot::simt, simtcc).
// Source: integers and error-free transforms; each file names its own.
#pragma once

#include <exactdot/requirements.hpp>

#include <exactdot/cuda/thread_sum.cuh>
