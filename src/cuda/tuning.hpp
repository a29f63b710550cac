// How a launch is shaped, by length, type, mode and GPU. An input to speed, never to a result.
//
// Times are microseconds a call inside a replayed graph, measured on an H100 80GB HBM3 on 2026-11-21; rows for
// other GPUs than compute capability 9.0 are reasoned, not measured.
#pragma once

#include <cstddef>
#include <exactdot/options.hpp>

namespace exactdot::cuda_engine {

struct shape {
  int threads;
  int packs_at_once;              ///< 16-byte loads from each vector on their way at a time; mode exact only
  int blocks_per_multiprocessor;  ///< at most
};

// cuBLAS's plain dot in the same run: floats 2^10 2.6, 2^12 3.1, 2^14 3.3, 2^17 4.4, 2^20 6.2, 2^22 10.0,
// 2^24 48.9, 2^26 182; doubles 3.1, 3.1, 3.4, 4.7, 7.7, 27.4, 93.1, 358.
template <class T>
constexpr shape exact_shape(int /*capability*/, std::size_t n) {
  const std::size_t bytes = n * sizeof(T);
  if (bytes <= std::size_t{1} << 14) return {256, 4, 2};  // one block; 2^10 floats 2.7, 2^12 3.3; 2^10 doubles 3.6
  if (bytes <= std::size_t{1} << 18) return {128, 1, 4};  // 2^14 floats 4.3, doubles 5.0
  if (bytes <= std::size_t{1} << 22) return {256, 4, 2};  // 2^20 floats 6.5
  return {128, 4, sizeof(T) == 4 ? 5 : 4};  // 2^22 floats 10.6, doubles 29.6; 2^24 49 and 95; 2^26 181, 361
}

template <class T>
constexpr shape fast_shape(int /*capability*/, std::size_t n) {
  const std::size_t bytes = n * sizeof(T);
  if (bytes <= std::size_t{1} << 17) return {512, 0, 1};  // one block; 2^14 floats 2.7, doubles 2.9
  if (bytes <= std::size_t{1} << 20) return {64, 0, 8};   // 2^17 floats 4.3, doubles 3.7
  if (bytes <= std::size_t{1} << 22) return {128, 0, 4};  // 2^20 floats 4.7
  if (bytes <= std::size_t{1} << 24) return {256, 0, 4};  // 2^20 doubles 5.6, 2^22 floats 8.2
  return {512, 0, 1};                                     // 2^22 doubles 26.3, 2^24 floats 48.4; 2^26 180 and 356
}

}  // namespace exactdot::cuda_engine
