// The tuning table: one row per range of lengths, with the launch configuration that was fastest there. The kernels
// that are compiled are the configurations that the rows name, so no row can ask for one that does not exist.
//
// `microseconds` is the time per call inside a replayed graph at the row's longest length (where it has no limit,
// at 2^26 elements, of fast dots at 2^27), from bench/experiments/gpu_variants on an H200, 2026-11-23. Compare
// figures of one mode with each other only; docs/performance.md has those that count. 0: reasoned, not measured.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace exactdot::inline v0_3::cuda_engine {

// How the first level of mode exact adds a thread's terms (sum/bounded_sum.cuh). Above the threads, sums with
// corrections are joined with corrections.

enum class summation : int {
  plain,    ///< in doubles: few operations; for results of 24 bits, and while no sum has many terms
  grouped,  ///< the terms that are loaded together plainly, these sums with a correction: for results of 24 bits
  compensated,  ///< every term with a correction
  traced,  ///< the same, and the bound follows from the rounding errors themselves (sum/traced_sum.cuh): of lines
};

using enum summation;

template <summation kind>
inline constexpr bool has_correction = kind != summation::plain;

struct launch_config {
  int threads;
  int in_flight;                      ///< 16-byte loads of each input before the first is used
  int blocks_per_multiprocessor;      ///< at most
  summation sums = summation::plain;  ///< mode exact
  // mode exact, compute capability 9.0
  int cluster_blocks = 0;  ///< the launch is one cluster of so many blocks (sum/grid_sum.cuh); 0: it is not
  bool claims = false;     ///< blocks claim parts of the last turns (claimed_load.cuh)

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
  /// Plain sums decide results of 24 bits of up to some 2^23 terms (docs/results/levels.md has the failure rates).
  static constexpr std::array exact = {
      tuning_row{8 * kibi, {128, 4, 1}, 1.72},
      tuning_row{16 * kibi, {128, 2, 1, plain, 4}, 1.86},
      tuning_row{32 * kibi, {128, 4, 1, plain, 4}, 1.93},
      tuning_row{64 * kibi, {128, 4, 1, plain, 8}, 2.07},
      tuning_row{128 * kibi, {256, 4, 1, plain, 8}, 2.35},
      tuning_row{512 * kibi, {128, 4, 1}, 2.99},
      tuning_row{8192 * kibi, {512, 2, 1}, 5.45},
      tuning_row{16384 * kibi, {1024, 1, 1}, 7.59},
      tuning_row{131072 * kibi, {1024, 2, 1, grouped}, 33.9},
      tuning_row{unlimited, {1024, 2, 1, grouped, 0, true}, 121.0},
  };
  /// Of results of more than 24 bits.
  static constexpr std::array exact_wide = {
      tuning_row{8 * kibi, {128, 4, 1, compensated}, 0},
      tuning_row{16 * kibi, {128, 2, 1, compensated, 4}, 0},
      tuning_row{32 * kibi, {128, 4, 1, compensated, 4}, 0},
      tuning_row{64 * kibi, {128, 4, 1, compensated, 8}, 0},
      tuning_row{128 * kibi, {256, 4, 1, compensated, 8}, 0},
      tuning_row{512 * kibi, {128, 4, 1, compensated}, 0},
      tuning_row{8192 * kibi, {512, 2, 1, compensated}, 0},
      tuning_row{unlimited, {512, 8, 1, compensated}, 124.1},
  };
  static constexpr std::array fast = {
      tuning_row{4 * kibi, {32, 8, 1}, 1.33},         tuning_row{8 * kibi, {32, 16, 1}, 1.18},
      tuning_row{32 * kibi, {128, 16, 1}, 1.50},      tuning_row{64 * kibi, {256, 16, 1}, 1.84},
      tuning_row{4096 * kibi, {128, 16, 2}, 3.20},    tuning_row{32768 * kibi, {256, 8, 2}, 17.5},
      tuning_row{65536 * kibi, {256, 8, 4}, 32.0},    tuning_row{262144 * kibi, {512, 8, 8}, 120.3},
      tuning_row{1048576 * kibi, {512, 8, 4}, 470.0}, tuning_row{unlimited, {512, 8, 1}, 925.1},
  };
  /// Of terms of one input.
  static constexpr std::array exact_one_input = {
      tuning_row{8 * kibi, {128, 4, 1}, 1.63},
      tuning_row{16 * kibi, {256, 4, 1}, 1.72},
      tuning_row{32 * kibi, {128, 4, 1, plain, 4}, 1.83},
      tuning_row{64 * kibi, {128, 4, 1, plain, 8}, 1.94},
      tuning_row{256 * kibi, {256, 4, 1, plain, 8}, 2.46},
      tuning_row{512 * kibi, {256, 4, 1}, 2.82},
      tuning_row{4096 * kibi, {256, 8, 1}, 3.88},
      tuning_row{8192 * kibi, {512, 2, 1}, 4.56},
      tuning_row{32768 * kibi, {512, 4, 1}, 7.66},
      tuning_row{262144 * kibi, {1024, 4, 1, grouped}, 63.5},
      tuning_row{unlimited, {1024, 4, 1, grouped, 0, true}, 236.3},
  };
  static constexpr std::array exact_one_input_wide = {
      tuning_row{16 * kibi, {256, 4, 1, compensated}, 0},    tuning_row{32 * kibi, {128, 4, 1, compensated, 4}, 0},
      tuning_row{64 * kibi, {128, 4, 1, compensated, 8}, 0}, tuning_row{256 * kibi, {256, 4, 1, compensated, 8}, 0},
      tuning_row{512 * kibi, {256, 4, 1, compensated}, 0},   tuning_row{8192 * kibi, {512, 2, 1, compensated}, 0},
      tuning_row{unlimited, {512, 8, 1, compensated}, 66.7},
  };
  static constexpr std::array fast_one_input = {
      tuning_row{4 * kibi, {32, 8, 1}, 1.18},      tuning_row{8 * kibi, {32, 16, 1}, 1.10},
      tuning_row{16 * kibi, {128, 16, 1}, 1.20},   tuning_row{64 * kibi, {256, 16, 1}, 1.50},
      tuning_row{128 * kibi, {512, 8, 1}, 1.91},   tuning_row{4096 * kibi, {128, 16, 2}, 2.78},
      tuning_row{8192 * kibi, {256, 16, 2}, 3.15}, tuning_row{unlimited, {512, 8, 8}, 62.0},
  };
};

template <>
struct tuning<double> {
  static constexpr std::array exact = {
      tuning_row{8 * kibi, {128, 4, 1, compensated}, 1.78},
      tuning_row{16 * kibi, {128, 2, 1, compensated, 4}, 1.89},
      tuning_row{32 * kibi, {128, 4, 1, compensated, 4}, 1.98},
      tuning_row{64 * kibi, {128, 4, 1, compensated, 8}, 2.17},
      tuning_row{256 * kibi, {256, 4, 1, compensated, 8}, 2.90},
      tuning_row{512 * kibi, {128, 4, 1, compensated}, 3.22},
      tuning_row{1024 * kibi, {128, 8, 1, compensated}, 3.48},
      tuning_row{2048 * kibi, {512, 4, 1, compensated}, 3.96},
      tuning_row{16384 * kibi, {512, 2, 1, compensated}, 7.81},
      tuning_row{131072 * kibi, {512, 4, 1, compensated}, 33.9},
      tuning_row{unlimited, {1024, 2, 1, compensated, 0, true}, 121.6},
  };
  static constexpr std::array fast = {
      tuning_row{8 * kibi, {32, 16, 1}, 1.25},     tuning_row{32 * kibi, {128, 16, 1}, 1.49},
      tuning_row{64 * kibi, {256, 4, 1}, 1.84},    tuning_row{128 * kibi, {512, 4, 1}, 2.51},
      tuning_row{4096 * kibi, {128, 16, 2}, 3.55}, tuning_row{32768 * kibi, {256, 8, 2}, 18.1},
      tuning_row{65536 * kibi, {256, 8, 4}, 32.8}, tuning_row{262144 * kibi, {512, 8, 8}, 120.6},
      tuning_row{unlimited, {512, 8, 1}, 480.4},
  };
  static constexpr std::array exact_one_input = {
      tuning_row{8 * kibi, {128, 4, 1, compensated}, 1.71},
      tuning_row{16 * kibi, {256, 4, 1, compensated}, 1.82},
      tuning_row{32 * kibi, {128, 4, 1, compensated, 4}, 1.91},
      tuning_row{64 * kibi, {128, 4, 1, compensated, 8}, 2.06},
      tuning_row{256 * kibi, {256, 4, 1, compensated, 8}, 2.57},
      tuning_row{1024 * kibi, {128, 8, 1, compensated}, 3.28},
      tuning_row{32768 * kibi, {512, 4, 1, compensated}, 8.12},
      tuning_row{262144 * kibi, {1024, 4, 1, compensated}, 63.9},
      tuning_row{unlimited, {1024, 4, 1, compensated, 0, true}, 237.1},
  };
  static constexpr std::array fast_one_input = {
      tuning_row{8 * kibi, {32, 16, 1}, 1.13},     tuning_row{32 * kibi, {128, 16, 1}, 1.30},
      tuning_row{64 * kibi, {256, 16, 1}, 1.56},   tuning_row{128 * kibi, {512, 4, 1}, 1.93},
      tuning_row{2048 * kibi, {128, 16, 2}, 2.82}, tuning_row{16384 * kibi, {256, 8, 2}, 4.29},
      tuning_row{unlimited, {512, 8, 8}, 61.9},
  };
};

/// Of contiguous elements that are converted in registers (converted_load.cuh), by bytes: one configuration for all
/// element types, so no figures.
inline constexpr std::array exact_converted = {
    tuning_row{4 * kibi, {128, 2, 1, compensated}, 0},     tuning_row{8 * kibi, {128, 2, 1, compensated, 2}, 0},
    tuning_row{16 * kibi, {128, 2, 1, compensated, 4}, 0}, tuning_row{64 * kibi, {128, 2, 1, compensated, 8}, 0},
    tuning_row{1024 * kibi, {128, 2, 1, compensated}, 0},  tuning_row{16384 * kibi, {256, 4, 1, compensated}, 0},
    tuning_row{unlimited, {512, 8, 1, compensated}, 0},
};
inline constexpr std::array exact_converted_one_input = {
    tuning_row{8 * kibi, {128, 4, 1, compensated}, 0},     tuning_row{16 * kibi, {128, 4, 1, compensated, 2}, 0},
    tuning_row{32 * kibi, {128, 4, 1, compensated, 4}, 0}, tuning_row{128 * kibi, {128, 4, 1, compensated, 8}, 0},
    tuning_row{2048 * kibi, {128, 4, 1, compensated}, 0},  tuning_row{32768 * kibi, {512, 4, 1, compensated}, 0},
    tuning_row{unlimited, {512, 8, 1, compensated}, 0},
};

/// Mode fast of contiguous 16-bit elements, by bytes. Reasoned, not measured.
inline constexpr std::array fast_converted = {
    tuning_row{16 * kibi, {128, 16, 1}, 0},
    tuning_row{2048 * kibi, {128, 16, 2}, 0},
    tuning_row{unlimited, {256, 16, 4}, 0},
};

/// For inputs of any layout, of every length: bound by the loads of single elements.
inline constexpr launch_config exact_any_config = {256, 4, 2, compensated}, fast_any_config = {128, 4, 2};

/// Of the search for an extreme element, by bytes of the vector: for all element types, elements and indices. At
/// most 1024 threads. The fastest of all configurations in a replayed graph on an H200.
inline constexpr std::array extremum_rows = {
    tuning_row{4 * kibi, {64, 4, 1}, 0},     tuning_row{8 * kibi, {128, 4, 1}, 0},
    tuning_row{16 * kibi, {256, 4, 1}, 0},   tuning_row{32 * kibi, {256, 8, 1}, 0},
    tuning_row{128 * kibi, {256, 4, 1}, 0},  tuning_row{512 * kibi, {128, 4, 1}, 0},
    tuning_row{1024 * kibi, {256, 4, 1}, 0}, tuning_row{2048 * kibi, {128, 8, 1}, 0},
    tuning_row{4096 * kibi, {256, 8, 1}, 0}, tuning_row{unlimited, {1024, 4, 1}, 0},
};
inline constexpr launch_config extremum_any_config = {256, 1, 4};

/// Of variances, by bytes. The time is that of the kernel alone.
template <class T>
struct moments_tuning;

template <>
struct moments_tuning<float> {
  static constexpr std::array plain_sums = {
      tuning_row{1024 * kibi, {256, 2, 1}, 4.65},         tuning_row{4096 * kibi, {512, 4, 1}, 5.38},
      tuning_row{16384 * kibi, {256, 4, 1}, 7.84},        tuning_row{65536 * kibi, {512, 8, 1}, 22.1},
      tuning_row{unlimited, {1024, 4, 1, grouped}, 68.4},
  };
  static constexpr std::array compensated_sums = {
      tuning_row{1024 * kibi, {256, 2, 1, compensated}, 0},
      tuning_row{unlimited, {512, 4, 1, compensated}, 0},
  };
};

template <>
struct moments_tuning<double> {
  static constexpr std::array compensated_sums = {
      tuning_row{1024 * kibi, {256, 2, 1, compensated}, 5.29},
      tuning_row{4096 * kibi, {512, 4, 1, compensated}, 6.58},
      tuning_row{16384 * kibi, {512, 4, 1, compensated}, 10.2},
      tuning_row{65536 * kibi, {1024, 2, 1, compensated}, 24.6},
      tuning_row{unlimited, {512, 8, 1, compensated}, 72.0},
  };
};

/// `wide`: for results of more bits than plain sums of the carrier decide.
template <class T, bool wide>
constexpr const auto& moments_rows() {
  if constexpr (wide) {
    return moments_tuning<T>::compensated_sums;
  } else {
    return moments_tuning<T>::plain_sums;
  }
}

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
template <class Term>
constexpr const auto& converted_rows() {
  if constexpr (Term::inputs == 2) {
    return exact_converted;
  } else {
    return exact_converted_one_input;
  }
}
constexpr const auto& fast_converted_rows() { return fast_converted; }
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

// Variants of the exact kernel, all with the same results. Clusters need compute capability 9.0; kernels compiled
// for less exchange messages.

struct kernel_variant {
  bool in_cluster = false;  ///< the launch is one thread block cluster (sum/grid_sum.cuh)
  bool claims = false;  ///< blocks claim parts of the last turns (claimed_load.cuh), and 1024 threads are resident
};

inline constexpr int variant_capability = 9;       ///< its major number, at least
inline constexpr unsigned max_cluster_blocks = 8;  ///< that every such GPU can place

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr bool compiles_variants = false;
#else
inline constexpr bool compiles_variants = true;
#endif

}  // namespace exactdot::inline v0_3::cuda_engine
