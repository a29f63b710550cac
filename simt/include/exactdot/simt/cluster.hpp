// Thread block clusters: ranks, distributed shared memory and the cluster's barrier, on a GPU and on the simulator.
//
// In exactdot::gpu, with the names of CUDA and PTX. Launch by gpu::launch with a gpu::cluster_dimensions. A GPU
// needs compute capability 9.0. Semantics: PTX ISA, "barrier.cluster"; CUDA C++ Programming Guide, "Distributed
// Shared Memory".
//
//   cluster_block_rank(), cluster_num_blocks()
//   map_shared_rank(p, rank)      address of the shared variable *p in the block of this rank; that block itself
//                                 must use its own addresses
//   cluster_arrive(), cluster_arrive_relaxed(), cluster_wait(), cluster_sync()
#pragma once

#include <exactdot/simt/cuda.hpp>

#if defined(__CUDACC__) && !defined(__SIMTCC__)
#include <cuda/ptx>

namespace exactdot::on_gpu {

__device__ inline unsigned cluster_block_rank() { return ::cuda::ptx::get_sreg_cluster_ctarank(); }
__device__ inline unsigned cluster_num_blocks() { return ::cuda::ptx::get_sreg_cluster_nctarank(); }
template <class T>
__device__ T* map_shared_rank(T* address, unsigned rank) {
  return static_cast<T*>(__cluster_map_shared_rank(const_cast<std::remove_const_t<T>*>(address), rank));
}
__device__ inline void cluster_arrive() { ::cuda::ptx::barrier_cluster_arrive(::cuda::ptx::sem_release); }
__device__ inline void cluster_arrive_relaxed() { ::cuda::ptx::barrier_cluster_arrive(::cuda::ptx::sem_relaxed); }
__device__ inline void cluster_wait() { ::cuda::ptx::barrier_cluster_wait(::cuda::ptx::sem_acquire); }
__device__ inline void cluster_sync() {
  cluster_arrive();
  cluster_wait();
}

}  // namespace exactdot::on_gpu

#else

namespace exactdot::simt {

namespace detail {
void* map_shared(const void* address, unsigned rank, const void* caller);
}

unsigned cluster_block_rank();
unsigned cluster_num_blocks();
dim3 cluster_dimensions_of_launch();
template <class T>
EXACTDOT_SIMT_CALL T* map_shared_rank(T* address, unsigned rank) {
  return static_cast<T*>(detail::map_shared(address, rank, __builtin_return_address(0)));
}
#if defined(__clang__)
#pragma clang attribute push(__attribute__((nomerge)), apply_to = function)
#endif
void cluster_arrive();
void cluster_arrive_relaxed();
void cluster_wait();
void cluster_sync();
#if defined(__clang__)
#pragma clang attribute pop
#endif

}  // namespace exactdot::simt
#endif
