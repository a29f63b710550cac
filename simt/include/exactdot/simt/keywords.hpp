// CUDA's keywords for the host compiler.
//
// simtcc, which preprocesses a file before it rewrites it, needs to recognise some of them afterwards (simtcc.md);
// so in files that it compiles they become marks, which it replaces.
#pragma once

#if defined(__SIMTCC__)
#define __global__ __simtcc_global__
#define __device__ __simtcc_device__
#define __shared__ __simtcc_shared__
#define __constant__ __simtcc_constant__
#define __forceinline__ __simtcc_forceinline__
#define __noinline__ __simtcc_noinline__
#define __host__ __simtcc_host__
#define __managed__ __simtcc_managed__
#define __cluster_dims__(...) __simtcc_cluster_dims__(__VA_ARGS__)
#define __launch_bounds__(...) __simtcc_launch_bounds__(__VA_ARGS__)
#else
#define __global__ __attribute__((patchable_function_entry(1)))  // lists kernels in a section of the program
#define __device__
#if defined(__clang__)
#define __shared__ thread_local  // with constinit, Clang refuses a struct without initialisers
#else
#define __shared__ __constinit thread_local
#endif
#define __constant__ __attribute__((section("exactdot_constant")))  // kernels may only read it
#define __forceinline__ inline
#define __host__
#define __managed__
#define __launch_bounds__(...)
#endif
#define __grid_constant__
#define __maxnreg__(...)
#define __align__(n) __attribute__((aligned(n)))
