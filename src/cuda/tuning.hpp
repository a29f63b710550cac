// The tuning table: one row per range of lengths, with the launch configuration that was fastest there. The kernels
// that are compiled are the configurations that the rows name, so no row can ask for one that does not exist.
//
// `microseconds` is the time per call inside a replayed graph at the row's longest length (at 2^26 elements where
// it has no limit), all from one run on an H200, 2026-11-22. Compare these with each other only;
// docs/performance.md has the figures that count. 0: reasoned, not measured. Most rows were chosen on an H100.
#pragma once

#include <array>
#include <cstddef>

namespace exactdot::cuda_engine {

struct launch_config {
  int threads;
  int in_flight;                  ///< 16-byte loads of each input before the first is used
  int blocks_per_multiprocessor;  ///< at most. Mode exact: one, because one round polls as many messages
                                  ///< (messages.cuh)
};

/// GPUs whose FP64 rate is 1/64 of the FP32 rate: there arithmetic decides, not memory. On 8.0, 9.0 and 10.0 it is
/// 1/2 or more.
constexpr bool has_few_fp64_units(int capability) {
  return capability == 86 || capability == 87 || capability == 89 || capability == 103 || capability >= 110;
}

struct tuning_row {
  std::size_t max_bytes;  ///< of one input; the first row that fits counts
  bool few_fp64_units;    ///< for such GPUs, too
  launch_config config;
  double microseconds;
};

constexpr std::size_t kibi = 1024, unlimited = ~std::size_t{0};

template <class Carrier>
struct tuning;

template <>
struct tuning<float> {
  static constexpr std::array exact = {
      tuning_row{4 * kibi, true, {128, 2, 1}, 2.16},     tuning_row{8 * kibi, true, {128, 4, 1}, 2.31},
      tuning_row{16 * kibi, true, {256, 4, 1}, 2.68},    tuning_row{512 * kibi, false, {256, 2, 1}, 3.90},
      tuning_row{1024 * kibi, false, {256, 4, 1}, 4.28}, tuning_row{16384 * kibi, false, {512, 2, 1}, 9.95},
      tuning_row{unlimited, false, {512, 6, 1}, 126},    tuning_row{unlimited, true, {256, 4, 1}, 0},
  };
  static constexpr std::array fast = {
      tuning_row{4 * kibi, true, {32, 8, 1}, 1.64},      tuning_row{8 * kibi, true, {32, 16, 1}, 1.52},
      tuning_row{32 * kibi, true, {128, 16, 1}, 1.79},   tuning_row{64 * kibi, true, {256, 8, 1}, 2.13},
      tuning_row{4096 * kibi, true, {128, 16, 2}, 3.51}, tuning_row{16384 * kibi, true, {256, 8, 2}, 6.29},
      tuning_row{unlimited, true, {512, 8, 2}, 123},
  };
  /// Of terms of one input: not measured yet; configurations that suit two inputs of half the length.
  static constexpr std::array exact_one_input = {
      tuning_row{8 * kibi, true, {128, 4, 1}, 0},
      tuning_row{512 * kibi, true, {256, 4, 1}, 0},
      tuning_row{unlimited, true, {512, 6, 1}, 0},
  };
  static constexpr std::array fast_one_input = {
      tuning_row{8 * kibi, true, {32, 16, 1}, 0},
      tuning_row{unlimited, true, {256, 8, 2}, 0},
  };
};

template <>
struct tuning<double> {
  static constexpr std::array exact = {
      tuning_row{8 * kibi, true, {128, 4, 1}, 2.60},     tuning_row{16 * kibi, true, {256, 4, 1}, 3.01},
      tuning_row{256 * kibi, false, {256, 1, 1}, 3.79},  tuning_row{1024 * kibi, false, {256, 4, 1}, 4.58},
      tuning_row{8192 * kibi, false, {512, 2, 1}, 7.36}, tuning_row{unlimited, false, {512, 4, 1}, 267},
      tuning_row{unlimited, true, {256, 4, 1}, 0},
  };
  static constexpr std::array fast = {
      tuning_row{8 * kibi, true, {32, 16, 1}, 1.58},     tuning_row{32 * kibi, true, {128, 16, 1}, 1.84},
      tuning_row{64 * kibi, true, {256, 8, 1}, 2.18},    tuning_row{4096 * kibi, true, {128, 16, 2}, 3.74},
      tuning_row{16384 * kibi, true, {256, 8, 2}, 6.40}, tuning_row{unlimited, true, {512, 8, 2}, 243},
  };
  static constexpr std::array exact_one_input = {
      tuning_row{16 * kibi, true, {128, 4, 1}, 0},
      tuning_row{1024 * kibi, true, {256, 4, 1}, 0},
      tuning_row{unlimited, true, {512, 4, 1}, 0},
  };
  static constexpr std::array fast_one_input = {
      tuning_row{16 * kibi, true, {32, 16, 1}, 0},
      tuning_row{unlimited, true, {256, 8, 2}, 0},
  };
};

/// For inputs of any layout, of every length: bound by the loads of single elements.
inline constexpr launch_config exact_any_config = {256, 4, 1}, fast_any_config = {128, 4, 2};

/// The rows of a term.
template <class T, class Term>
constexpr const auto& exact_rows() {
  if constexpr (Term::inputs == 2) {
    return tuning<T>::exact;
  } else {
    return tuning<T>::exact_one_input;
  }
}
template <class T, class Term>
constexpr const auto& fast_rows() {
  if constexpr (Term::inputs == 2) {
    return tuning<T>::fast;
  } else {
    return tuning<T>::fast_one_input;
  }
}

/// The index of the row for inputs of so many bytes.
template <std::size_t count>
constexpr std::size_t row_for(const std::array<tuning_row, count>& rows, int capability, std::size_t bytes) {
  std::size_t i = 0;
  while (bytes > rows[i].max_bytes || (has_few_fp64_units(capability) && !rows[i].few_fp64_units)) ++i;
  return i;
}

}  // namespace exactdot::cuda_engine
