// Launch configurations of lines (batch_kernel.cuh): one row per range of lengths, in bytes of a line of one input.
//
// Contiguous lines from 128 bytes on: the fastest of 29 configurations on an H200, 2026-11-23; the others are
// reasoned from bytes in flight.
#pragma once

#include <array>
#include <cuda/tuning.hpp>

namespace exactdot::inline v0_3::cuda_engine {

struct line_config {
  int lanes;  ///< of a line: of a warp, or all threads of a block
  int threads;
  int in_flight;  ///< 16-byte loads of each input before the first is used; of strided lines, elements
  int resident;   ///< blocks of a multiprocessor, at least: bounds the registers
  int blocks_per_multiprocessor;  ///< at most, of lines that do not all fit at once

  [[nodiscard]] constexpr std::size_t lines_of_block() const {
    return lanes > 32 ? 1 : static_cast<std::size_t>(threads / lanes);
  }
};

struct line_row {
  std::size_t max_bytes;  ///< of a line; the first row that fits counts
  line_config config;
};

inline constexpr std::array line_rows = {
    line_row{16, {1, 256, 2, 3, 16}},         line_row{64, {2, 256, 2, 3, 16}},
    line_row{128, {1, 128, 4, 4, 16}},        line_row{256, {4, 256, 1, 3, 16}},
    line_row{512, {4, 128, 2, 6, 24}},        line_row{8 * kibi, {8, 256, 4, 2, 8}},
    line_row{32 * kibi, {32, 256, 4, 2, 8}},  line_row{512 * kibi, {256, 256, 4, 3, 12}},
    line_row{unlimited, {512, 512, 4, 1, 8}},
};
/// Of strided lines.
inline constexpr std::array strided_line_rows = {
    line_row{512, {8, 256, 4, 3, 16}},
    line_row{16 * kibi, {32, 256, 4, 3, 16}},
    line_row{unlimited, {256, 256, 4, 3, 12}},
};

/// Of contiguous lines whose elements are converted in packs, by bytes of elements. Reasoned from the bytes in
/// flight of a multiprocessor, 64 KiB; one wave of blocks, so that teams take lines in turn and lanes decide one
/// each.
inline constexpr std::array packed_line_rows = {
    line_row{128, {1, 128, 4, 4, 16}},         line_row{512, {4, 256, 4, 4, 4}},
    line_row{4 * kibi, {8, 256, 4, 4, 4}},     line_row{32 * kibi, {32, 256, 4, 4, 4}},
    line_row{unlimited, {256, 256, 4, 3, 12}},
};
/// Of variances of these; the shared memory of more warps a block would not fit.
inline constexpr std::array packed_moment_rows = {
    line_row{128, {1, 128, 4, 4, 32}},
    line_row{4 * kibi, {8, 128, 4, 4, 4}},
    line_row{32 * kibi, {32, 128, 4, 4, 4}},
    line_row{unlimited, {256, 256, 4, 2, 12}},
};

/// Of lines whose elements are converted one by one, by bytes of carriers.
inline constexpr std::array any_line_rows = {
    line_row{32 * kibi, {32, 256, 4, 2, 16}},
    line_row{unlimited, {256, 256, 4, 2, 8}},
};

/// Of short columns, a thread for each. Reasoned: 16 rows of 2^21 took 6 times reading with blocks of 32 columns,
/// which end in barriers (H100, 2026-11-25).
inline constexpr std::array short_column_rows = {line_row{unlimited, {1, 256, 8, 2, 8}}};
constexpr bool are_short_columns(std::size_t count, std::size_t rows, int multiprocessors) {
  return rows <= 128 && count >= 512 * static_cast<std::size_t>(multiprocessors);
}

/// Whether lines of so many bytes of all inputs are summed one after the other by the kernels of vectors: all
/// multiprocessors read one line. A launch and its messages take as long as they read some 8 MiB; blocks that have
/// a line each leave multiprocessors idle if lines are few.
constexpr bool is_vector_by_vector(std::size_t count, std::size_t bytes, int multiprocessors) {
  constexpr std::size_t bytes_of_launch = std::size_t{1} << 23;
  const auto processors = static_cast<std::size_t>(multiprocessors);
  // one multiprocessor alone reads some 1.8 times its share of the memory's speed
  const std::size_t rounds = (count + processors - 1) / processors;
  const std::size_t of_lines = rounds * bytes / 9 * 5;  // what each multiprocessor reads, at the speed of its share
  return bytes > (std::size_t{1} << 15) && count <= processors &&
         count * ((bytes + bytes_of_launch) / processors) < of_lines;
}

}  // namespace exactdot::inline v0_3::cuda_engine
