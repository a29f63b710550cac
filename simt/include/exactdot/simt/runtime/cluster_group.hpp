// cooperative_groups::cluster_group for programs that simtcc compiles: the blocks of the caller's cluster, by the
// functions of exactdot/simt/cluster.hpp.
#pragma once

#include <exactdot/simt/cluster.hpp>

namespace cooperative_groups {

class cluster_group {
 public:
  struct arrival_token {};
  [[gnu::always_inline]] static void sync() { exactdot::simt::cluster_sync(); }
  [[gnu::always_inline]] static arrival_token barrier_arrive() {
    return exactdot::simt::cluster_arrive(), arrival_token{};
  }
  [[gnu::always_inline]] static void barrier_wait(arrival_token = {}) { exactdot::simt::cluster_wait(); }
  template <class T>
  [[gnu::always_inline]] static T* map_shared_rank(T* address, int rank) {
    return exactdot::simt::map_shared_rank(address, static_cast<unsigned>(rank));
  }
  static unsigned block_rank() { return exactdot::simt::cluster_block_rank(); }
  static unsigned num_blocks() { return exactdot::simt::cluster_num_blocks(); }
  static dim3 dim_blocks() { return exactdot::simt::cluster_dimensions_of_launch(); }
  static dim3 block_index() {
    const dim3 size = dim_blocks();
    return dim3(blockIdx.x % size.x, blockIdx.y % size.y, blockIdx.z % size.z);
  }
  static unsigned thread_rank() {
    return block_rank() * blockDim.x * blockDim.y * blockDim.z + threadIdx.x +
           blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  static unsigned num_threads() { return num_blocks() * blockDim.x * blockDim.y * blockDim.z; }
  static unsigned size() { return num_threads(); }
  static dim3 dim_threads() {
    const dim3 size = dim_blocks();
    return dim3(size.x * blockDim.x, size.y * blockDim.y, size.z * blockDim.z);
  }
  static dim3 thread_index() {
    const dim3 block = block_index();
    return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
                block.z * blockDim.z + threadIdx.z);
  }
};
inline cluster_group this_cluster() { return {}; }

}  // namespace cooperative_groups
