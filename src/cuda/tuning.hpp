// How a launch is shaped, by length, type, mode and GPU. An input to speed, never to a result.
//
// Times are microseconds a call inside a replayed graph, from the run in which the shapes were chosen (H100 80GB
// HBM3, 2026-11-21): to be compared with each other only. docs/performance.md has the figures that count. Rows for
// other GPUs than compute capability 9.0 are reasoned, not measured.
#pragma once

#include <cstddef>

namespace exactdot::cuda_engine {

struct shape {
  int threads;
  int packs_at_once;              ///< 16-byte loads from each vector on their way at a time; mode exact only
  int blocks_per_multiprocessor;  ///< at most; mode exact: one, for as many letters as one round reads
                                  ///< (letters.cuh)
};

constexpr std::size_t kibi = 1024;

/// GPUs whose FP64 rate is a 64th of the FP32 rate: there the arithmetic decides, not memory, and half the threads
/// do as well. Reasoned, not measured. On 8.0 and 10.0, as on 9.0, it is a half or more: their rows are those
/// of 9.0.
constexpr bool has_few_fp64_units(int capability) {
  return capability == 86 || capability == 87 || capability == 89 || capability == 103 || capability >= 110;
}

// cuBLAS's plain dot in the same run: floats 2^10 2.64, 2^12 3.14, 2^14 3.37, 2^17 4.74, 2^20 6.34, 2^22 10.1,
// 2^24 49.0, 2^26 180; doubles 3.05, 3.19, 3.48, 4.83, 7.71, 27.3, 92.4, 353.
template <class T>
constexpr shape exact_shape(int capability, std::size_t n) {
  constexpr bool is_float = sizeof(T) == 4;
  const std::size_t bytes = n * sizeof(T);
  if (bytes <= 8 * kibi) return {128, 4, 1};   // one block; floats 2^10 2.29, doubles 2.73
  if (bytes <= 16 * kibi) return {256, 4, 1};  // one block; floats 2^12 2.84, doubles 2^11 3.10
  if (has_few_fp64_units(capability)) return {256, 4, 1};
  if (!is_float && bytes <= 256 * kibi) return {256, 1, 1};           // doubles 2^12 3.52, 2^14 4.02
  if (is_float && bytes <= 512 * kibi) return {256, 2, 1};            // floats 2^14 3.72, 2^17 4.28
  if (bytes <= 1024 * kibi) return {256, 4, 1};                       // floats 2^18 4.55, doubles 2^17 4.64
  if (bytes <= (is_float ? 16384 : 8192) * kibi) return {512, 2, 1};  // floats 2^20 5.87, doubles 7.42
  return is_float ? shape{512, 6, 1} : shape{512, 4, 1};  // floats 2^24 48.0, 2^26 178; doubles 92.8, 354
}

// The faster of cuBLAS and CUB in the same run: floats 2^10 1.77, 2^12 1.58, 2^14 3.14, 2^17 3.22, 2^20 4.08,
// 2^22 8.64, 2^24 47.2, 2^26 179; doubles 2.03, 3.19, 3.27, 3.43, 5.59, 25.5, 91.1, 351.
template <class T>
constexpr shape fast_shape(int /*capability*/, std::size_t n) {
  const std::size_t bytes = n * sizeof(T);
  if (bytes <= 8 * kibi) return {32, 0, 1};       // a warp; floats 2^10 1.83, doubles 1.71
  if (bytes <= 32 * kibi) return {128, 0, 1};     // one block; floats 2^12 1.81, doubles 1.99
  if (bytes <= 64 * kibi) return {256, 0, 1};     // one block; floats 2^14 2.24
  if (bytes <= 4096 * kibi) return {128, 0, 2};   // floats 2^17 2.99, 2^20 3.78; doubles 2^14 2.90, 2^17 3.31
  if (bytes <= 16384 * kibi) return {256, 0, 2};  // doubles 2^20 4.99; floats 2^22 7.16
  return {512, 0, 2};                             // doubles 2^22 25.0, floats 2^24 46.1; 2^26 176 and 352
}

}  // namespace exactdot::cuda_engine
