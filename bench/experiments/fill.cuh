// Fills vectors on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace experiment {
namespace {

/// Uniform numbers in [-1, 1), or integers in [-100, 100]: no sum of them overflows.
template <class T>
__global__ void fill(T* x, std::size_t n, std::uint64_t seed) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    std::uint64_t z = (i + seed) * 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    const double uniform = static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
    x[i] = static_cast<T>(std::is_integral_v<T> ? 100 * uniform : uniform);
  }
}

}  // namespace
}  // namespace experiment
