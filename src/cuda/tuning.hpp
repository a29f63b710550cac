// The tuning table: one row per range of lengths, with the launch configuration that was fastest there. The kernels
// that are compiled are the configurations that the rows name, so no row can ask for one that does not exist.
//
// `microseconds` is the time per call inside a replayed graph at the row's longest length (at 2^26 elements where
// it has no limit), mode exact from one run on an H200 that tried 24 configurations at each length, mode fast from
// another, 2026-11-22. Compare figures of one mode with each other only; docs/performance.md has those that count.
// 0: reasoned, not measured. Rows of mode fast were chosen on an H100.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace exactdot::cuda_engine {

struct launch_config {
  int threads;
  int in_flight;                  ///< 16-byte loads of each input before the first is used
  int blocks_per_multiprocessor;  ///< at most
  bool compensated = false;       ///< mode exact: bounded sums with a correction (bounded_sum.cuh)
  // mode exact, compute capability 9.0; no row has them yet
  int cluster_blocks = 0;  ///< the launch is one cluster of so many blocks (cluster_sum.cuh); 0: it is not
  int stages = 0;          ///< of a ring that bulk copies fill (streamed_load.cuh); 0: direct loads

  /// Loads of each input that the threads of a block have in flight together.
  [[nodiscard]] constexpr std::size_t loads_of_block() const {
    return static_cast<std::size_t>(threads) * static_cast<std::size_t>(in_flight);
  }
};

struct tuning_row {
  std::size_t max_bytes;  ///< of one input; the first row that fits counts
  launch_config config;
  double microseconds;
};

constexpr std::size_t kibi = 1024, unlimited = ~std::size_t{0};

template <class Carrier>
struct tuning;

template <>
struct tuning<float> {
  /// Plain sums decide results of 24 bits of up to some 2^22 terms (docs/results/levels.md has the failure rates).
  static constexpr std::array exact = {
      tuning_row{8 * kibi, {128, 4, 1}, 2.02},         tuning_row{16 * kibi, {256, 4, 1}, 2.27},
      tuning_row{32 * kibi, {256, 8, 1}, 2.65},        tuning_row{512 * kibi, {128, 4, 1}, 3.42},
      tuning_row{1024 * kibi, {128, 8, 1}, 3.75},      tuning_row{2048 * kibi, {256, 4, 1}, 4.26},
      tuning_row{4096 * kibi, {512, 2, 1}, 4.89},      tuning_row{16384 * kibi, {1024, 1, 1}, 7.8},
      tuning_row{unlimited, {512, 8, 1, true}, 124.6},
  };
  /// Of results of more than 24 bits.
  static constexpr std::array exact_wide = {
      tuning_row{16 * kibi, {256, 4, 1, true}, 2.48},  tuning_row{256 * kibi, {256, 2, 1, true}, 3.65},
      tuning_row{2048 * kibi, {256, 4, 1, true}, 4.7}, tuning_row{8192 * kibi, {512, 2, 1, true}, 6.68},
      tuning_row{unlimited, {512, 8, 1, true}, 124.6},
  };
  static constexpr std::array fast = {
      tuning_row{4 * kibi, {32, 8, 1}, 1.64},      tuning_row{8 * kibi, {32, 16, 1}, 1.52},
      tuning_row{32 * kibi, {128, 16, 1}, 1.79},   tuning_row{64 * kibi, {256, 8, 1}, 2.13},
      tuning_row{4096 * kibi, {128, 16, 2}, 3.51}, tuning_row{16384 * kibi, {256, 8, 2}, 6.29},
      tuning_row{unlimited, {512, 8, 2}, 123},
  };
  /// Of terms of one input: not measured yet; configurations that suit two inputs of half the length.
  static constexpr std::array exact_one_input = {
      tuning_row{16 * kibi, {256, 4, 1}, 0},   tuning_row{32 * kibi, {256, 8, 1}, 0},
      tuning_row{512 * kibi, {128, 4, 1}, 0},  tuning_row{2048 * kibi, {256, 4, 1}, 0},
      tuning_row{8192 * kibi, {512, 2, 1}, 0}, tuning_row{unlimited, {512, 8, 1, true}, 0},
  };
  static constexpr std::array exact_one_input_wide = {
      tuning_row{32 * kibi, {256, 8, 1, true}, 0},
      tuning_row{512 * kibi, {256, 2, 1, true}, 0},
      tuning_row{8192 * kibi, {512, 2, 1, true}, 0},
      tuning_row{unlimited, {512, 8, 1, true}, 0},
  };
  static constexpr std::array fast_one_input = {
      tuning_row{8 * kibi, {32, 16, 1}, 0},
      tuning_row{unlimited, {256, 8, 2}, 0},
  };
};

template <>
struct tuning<double> {
  static constexpr std::array exact = {
      tuning_row{8 * kibi, {128, 4, 1, true}, 2.08},     tuning_row{16 * kibi, {256, 4, 1, true}, 2.25},
      tuning_row{32 * kibi, {256, 8, 1, true}, 2.53},    tuning_row{256 * kibi, {256, 1, 1, true}, 3.45},
      tuning_row{512 * kibi, {256, 2, 1, true}, 3.64},   tuning_row{2048 * kibi, {256, 8, 1, true}, 4.37},
      tuning_row{16384 * kibi, {512, 2, 1, true}, 8.37}, tuning_row{unlimited, {512, 4, 1, true}, 240.8},
  };
  static constexpr std::array fast = {
      tuning_row{8 * kibi, {32, 16, 1}, 1.58},     tuning_row{32 * kibi, {128, 16, 1}, 1.84},
      tuning_row{64 * kibi, {256, 8, 1}, 2.18},    tuning_row{4096 * kibi, {128, 16, 2}, 3.74},
      tuning_row{16384 * kibi, {256, 8, 2}, 6.40}, tuning_row{unlimited, {512, 8, 2}, 243},
  };
  static constexpr std::array exact_one_input = {
      tuning_row{16 * kibi, {256, 4, 1, true}, 0},    tuning_row{32 * kibi, {256, 8, 1, true}, 0},
      tuning_row{256 * kibi, {256, 1, 1, true}, 0},   tuning_row{2048 * kibi, {256, 4, 1, true}, 0},
      tuning_row{16384 * kibi, {512, 2, 1, true}, 0}, tuning_row{unlimited, {512, 8, 1, true}, 0},
  };
  static constexpr std::array fast_one_input = {
      tuning_row{16 * kibi, {32, 16, 1}, 0},
      tuning_row{unlimited, {256, 8, 2}, 0},
  };
};

/// For inputs of any layout, of every length: bound by the loads of single elements.
inline constexpr launch_config exact_any_config = {256, 4, 2, true}, fast_any_config = {128, 4, 2};

/// Of the search for an extreme element, by bytes of the vector: not measured yet. At most 256 threads. Blocks read one
/// batch of loads each up to 2^20 floats; the last row has 96 KiB in flight per multiprocessor.
inline constexpr std::array extremum_rows = {
    tuning_row{4 * kibi, {64, 4, 1}, 0},     tuning_row{32 * kibi, {256, 8, 1}, 0},
    tuning_row{512 * kibi, {128, 4, 1}, 0},  tuning_row{2048 * kibi, {256, 4, 1}, 0},
    tuning_row{8192 * kibi, {256, 8, 1}, 0}, tuning_row{unlimited, {256, 8, 3}, 0},
};
inline constexpr launch_config extremum_any_config = {256, 1, 4};

/// How many blocks a launch gets: one for each `per_block` of all the work, at most as many as the configuration
/// and `limit` allow, at least one.
constexpr unsigned block_count(const launch_config& config, int multiprocessors, std::size_t work,
                               std::size_t per_block, std::size_t limit) {
  const auto resident =
      static_cast<std::size_t>(multiprocessors) * static_cast<std::size_t>(config.blocks_per_multiprocessor);
  const std::size_t wanted = work / per_block + (work % per_block != 0 ? 1 : 0);
  return static_cast<unsigned>(std::clamp<std::size_t>(wanted, 1, std::min(resident, limit)));
}

/// The rows of a term. `wide`: for results of more bits than plain sums of the carrier decide.
template <class T, class Term, bool wide>
constexpr const auto& exact_rows() {
  constexpr bool wider_than_float =
      sizeof(T) == sizeof(float) && wide;  // all rows of double suffice for any result
  if constexpr (Term::inputs == 2) {
    if constexpr (wider_than_float) {
      return tuning<T>::exact_wide;
    } else {
      return tuning<T>::exact;
    }
  } else {
    if constexpr (wider_than_float) {
      return tuning<T>::exact_one_input_wide;
    } else {
      return tuning<T>::exact_one_input;
    }
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
constexpr std::size_t row_for(const std::array<tuning_row, count>& rows, std::size_t bytes) {
  std::size_t i = 0;
  while (bytes > rows[i].max_bytes) ++i;
  return i;
}

}  // namespace exactdot::cuda_engine
