// The launches of the CUDA engine: shapes from tuning.hpp, kernels from exact_*.cu and fast.cu.
#pragma once

#include <cuda/result.hpp>
#include <cuda/workspace.hpp>

namespace exactdot::cuda {

template <class T, class Result>
void launch_exact(const workspace::memory& own, const T* a, const T* b, std::size_t n, Result result);

template <class T, class R>
void launch_fast(const workspace::memory& own, const T* a, const T* b, std::size_t n,
                 cuda_engine::rounded_result<R> result);

}  // namespace exactdot::cuda
