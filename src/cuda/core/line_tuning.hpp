// Launch configurations of many vectors. Of lines (shape/lines.cuh): one row per range of lengths, in bytes of a
// line of one input. Further below of segments, split lines and columns, and of extreme elements.
//
// Contiguous lines from 128 bytes on: the fastest of 29 configurations on an H200, 2026-11-23; the others are
// reasoned from bytes in flight.
#pragma once

#include <algorithm>
#include <array>
#include <cuda/core/destination.hpp>
#include <cuda/core/split_lines.hpp>
#include <cuda/core/tuning.hpp>

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

// Which lanes reduce a segment (shape/segments.cuh), and how long lines are split among blocks
// (shape/split_lines.cuh).
//
// Reasoned from the rows above, which were measured.

struct segment_class {
  std::uint64_t longest;  ///< elements
  int in_flight;          ///< 16-byte loads of each input before the first is used; of other layouts, elements
};
struct block_config {
  int threads, resident;
  unsigned most = max_split_blocks;  ///< blocks that share lines
};
/// How a work reduces segments.
struct segment_row {
  segment_class of_lane, of_group, of_warp;  ///< by a lane, by 8, or by a warp: all others
  std::uint64_t kept;                        ///< elements: no block shares a shorter one, to balance warps
  block_config blocks;
  int waves;  ///< of resident blocks, at most
};

/// Of sums of elements of a carrier T. Two sums of an element take twice the registers; elements of any
/// layout are loaded one by one, neighbours by neighbouring lanes.
template <class T, int sums, input_layout layout>
EXACTDOT_CORE segment_row segments_of_sums() {
  constexpr int in_flight = sums == 1 ? 4 : 2;
  constexpr block_config blocks{128, sums == 1 ? 4 : 3};
  if (layout == input_layout::any) return {{8, 4}, {256, 4}, {unlimited, 4}, 64, blocks, 4};
  if (layout == input_layout::converted) return {{64, 4}, {2 * kibi, 4}, {unlimited, 4}, 512, blocks, 4};
  return {
      {256 / sizeof(T), in_flight}, {4 * kibi / sizeof(T), in_flight}, {unlimited, 4}, kibi / sizeof(T), blocks, 4};
}
/// Of extreme elements of `bytes` bytes.
EXACTDOT_CORE segment_row segments_of_extrema(std::uint64_t bytes) {
  return {{64 / bytes, 4}, {4 * kibi / bytes, 4}, {unlimited, 4}, 4 * kibi / bytes, {128, 4}, 4};
}
/// Of states: nothing is known of a segment before the warp adds its digits.
inline constexpr segment_row segments_of_states{{unlimited, 0}, {}, {}, 256, {128, 8}, 2};

/// Of the kernel of split lines; one wave of blocks. Of floats that are not converted, whose sums have four
/// accumulators, of any layout, and with two inputs in flight three blocks spill registers: sums of floats took
/// 1.55 times reading (H100, 2026-11-25).
template <class T, int sums, int inputs, input_layout layout>
constexpr block_config split_config() {
  if (layout == input_layout::converted && sums * inputs == 1) return {256, 3};
  return sums * inputs == 1 && sizeof(T) == sizeof(double) ? block_config{256, 3} : block_config{256, 2};
}
inline constexpr block_config split_extrema{512, 1};
/// A line that several blocks have needs an accumulator of the workspace.
inline constexpr block_config split_states{512, 1, max_open_sums};
inline constexpr int split_in_flight = 4;

/// The parameters for `count` segments of a vector of n elements of `size` bytes, on so many resident warps.
constexpr split_plan plan_of_segments(std::size_t count, std::uint64_t n, std::size_t size, std::size_t warps) {
  constexpr std::uint64_t least_bytes = 8 * kibi, most_bytes = 32 * kibi;  // of a long segment, at least
  constexpr std::size_t turns = 4;  // of a warp, at least, so that their ends even out
  split_plan plan;
  plan.is_listed = true;
  const std::uint64_t of_warp = 4 * (n / warps);  // elements: four times its share
  plan.long_from = std::clamp<std::uint64_t>(of_warp, least_bytes / size, most_bytes / size);
  // the segments are disjoint, so no more are long than half of the list holds
  plan.long_from = std::max<std::uint64_t>(plan.long_from, n / (max_long_lines / 2) + 1);
  plan.unit = std::max<std::uint64_t>(256, n >> 23);  // units of all segments that a list may hold are below 2^44
  plan.of_warp = 1;
  while (plan.of_warp < 32 && count > turns * plan.of_warp * warps) plan.of_warp *= 2;
  const std::uint64_t average = (n + count - 1) / count;
  plan.most_of_warp = std::max(2 * plan.long_from, 4 * average * plan.of_warp);
  // then no kernel of long segments follows, and none may be listed: wrong offsets make segments that overlap
  if (n <= plan.long_from) plan.most_of_warp = ~std::uint64_t{0};
  return plan;
}

/// Whether a line of `bytes` bytes of all inputs is long.
constexpr bool splits_lines(std::size_t bytes) { return bytes > std::size_t{1} << 16; }

/// Whether rows of `bytes` bytes of all inputs are split among blocks: long ones, of which whole ones would leave
/// multiprocessors idle at the end. Splitting takes as long as reading 16 MiB (H100, 2026-11-25), if packs are
/// converted 36 MiB (2026-11-27). One multiprocessor alone reads some 1.8 times its share of the memory's speed, but no
/// more than its share if it has much to do with each byte: it converts packs, or compares elements of 16 bits or fewer.
/// `spills`: blocks of whole rows of up to 512 KiB.
enum class row_reading { words, narrow_elements, packs };
constexpr bool splits_rows(std::size_t count, std::size_t bytes, int multiprocessors, bool spills, row_reading how) {
  if (!splits_lines(bytes)) return false;
  if (spills && bytes <= 512 * kibi) return true;
  const auto processors = static_cast<std::size_t>(multiprocessors);
  const std::size_t rounds = count / processors, rest = count % processors;
  const std::size_t alone = how == row_reading::words ? processors * 5 / 9 : processors;
  const std::size_t last = rest == 0 ? 0 : std::max(rest, alone);
  const auto of_line = static_cast<double>(bytes);
  const double whole = of_line * static_cast<double>(rounds * processors + last);
  return whole > of_line * static_cast<double>(count) + (how == row_reading::packs ? 0x1.2p25 : 0x1p24);
}
/// The same of variances, which otherwise have a warp each.
constexpr bool splits_moments(std::size_t count, std::size_t bytes, int multiprocessors) {
  return splits_lines(bytes) || (bytes > 8 * kibi && count < 16 * static_cast<std::size_t>(multiprocessors));
}

/// Of columns: a panel is what across() threads side by side have, `width` columns each. `blocks`: of a
/// multiprocessor, at most, that share columns.
struct panel_config {
  int log2_across, width, blocks;
  [[nodiscard]] constexpr int across() const { return 1 << log2_across; }
  [[nodiscard]] constexpr int columns() const { return width << log2_across; }
  /// Of so many columns.
  [[nodiscard]] constexpr std::size_t panels(std::size_t count) const {
    const auto of_one = static_cast<std::size_t>(columns());
    return (count + of_one - 1) / of_one;
  }
};
inline constexpr int threads_of_panels = 256, max_across = 32;
/// How many columns a thread has, and how many of their rows it loads before it uses the first: as many as
/// registers hold. Four narrow columns are as many bytes in flight as one of doubles.
struct column_config {
  int width, in_flight, resident;
};
template <int sums, int inputs, input_layout layout>
constexpr column_config columns_of_sums() {
  if (layout == input_layout::converted) return {sums == 1 ? 4 : 2, sums * inputs == 1 ? 8 : 4, 2};
  return {1, sums * inputs == 1 ? 16 : 8, 2};
}
/// Of extreme elements, in layout `contiguous` by words.
template <int bytes, input_layout layout>
constexpr column_config columns_of_extrema() {
  return {layout != input_layout::contiguous ? 1 : bytes == 8 ? 2 : 4, 8, bytes == 8 ? 3 : 4};
}
// From times of 4 to 32 threads across, with as many blocks as fit, half and twice as many, of 12 matrices from
// 2^19 x 3 to 8192 x 4096, every reduction and type (H100, 2026-11-27). These choices take 1.03 times the best.
inline constexpr std::size_t min_rows_of_block = 1024;
/// To share columns takes some 4 us, for their joins and the kernel of open lines: a quarter of what 4096 x 1000
/// doubles take. Wide panels of more rows gain more.
inline constexpr std::size_t max_rows_alone = 16384;
/// What a last block joins of others, at most: 64 columns of 2^18 floats by 132 blocks of 32 took 1.13 times as
/// long as by 66; but 2^22 rows of 8 halves need as many blocks as fit.
constexpr std::size_t max_joined_totals(std::size_t elements) {
  return std::max<std::size_t>(2112, elements / 4096);
}

/// Whether so many panels give nearly every multiprocessor one, but none a third, so that blocks share none.
constexpr bool are_shared_by_none(std::size_t panels, int multiprocessors) {
  const auto processors = static_cast<std::size_t>(multiprocessors);
  return 10 * panels >= 9 * processors && panels <= 2 * processors;
}

/// 128 bytes of a row or 32 columns are enough, and threads that have no columns idle: 2^20 x 16 floats took 1.3
/// times as long with 8 threads across as with 4. Few rows give every multiprocessor a block by narrow panels.
/// `adds_up`: sums, whose blocks keep memory busy alone.
constexpr panel_config panel_for(const column_config& of, std::size_t count, std::size_t rows, int multiprocessors,
                                 bool adds_up) {
  panel_config found{of.width > 1 ? 3 : count < 512 ? 4 : 5, of.width, of.width > 1 ? 2 : of.resident};
  const std::size_t parts = std::max<std::size_t>(rows / min_rows_of_block, 1);
  while (found.log2_across > 2) {
    const bool are_idle = count <= static_cast<std::size_t>(found.columns());
    const bool are_few = found.panels(count) * parts < static_cast<std::size_t>(multiprocessors);
    const auto of_turn = static_cast<std::size_t>(of.in_flight * 2 * threads_of_panels >> found.log2_across);
    if (!are_idle && !(are_few && of_turn <= rows)) break;
    --found.log2_across;
  }
  if (rows >= max_rows_alone || !adds_up) return found;
  for (panel_config narrow = found; narrow.log2_across >= 2; --narrow.log2_across) {
    narrow.blocks = 1;
    if (are_shared_by_none(narrow.panels(count), multiprocessors)) found = narrow;
  }
  return found;
}

/// Blocks that share columns, if there are rows enough.
constexpr std::size_t parts_of_columns(const panel_config& config, std::size_t count, std::size_t rows,
                                       int multiprocessors, std::size_t most) {
  const auto columns = static_cast<std::size_t>(config.columns());
  const std::size_t blocks = std::min(static_cast<std::size_t>(config.blocks * multiprocessors), most),
                    parts = std::min(blocks / config.panels(count), max_joined_totals(rows * count) / columns);
  return std::clamp<std::size_t>(rows / min_rows_of_block, 1, std::max<std::size_t>(parts, 1));
}

/// Of short columns (shape/short_columns.cuh). The shared memory of more warps a block would not fit that of
/// variances.
constexpr int threads_of_short_columns(int sums) { return sums == 1 ? 256 : 128; }
constexpr bool are_short_columns(std::size_t count, std::size_t rows, bool by_words, int multiprocessors) {
  return rows <= 128 && count >= (by_words ? 1024 : 512) * static_cast<std::size_t>(multiprocessors);
}

// Launch configurations of extreme elements of lines (shape/extremum_lines.cuh): one row per range of lengths, in
// bytes of a line. Reasoned from those of exact sums (line_rows), with more threads resident, as registers
// allow.

/// Of lines whose elements follow each other, by packs of 16 bytes.
inline constexpr std::array extremum_line_rows = {
    line_row{32, {1, 256, 2, 4, 16}},          line_row{64, {2, 256, 2, 4, 16}},
    line_row{128, {2, 256, 4, 4, 16}},         line_row{256, {4, 256, 4, 4, 16}},
    line_row{8 * kibi, {8, 256, 4, 4, 16}},    line_row{32 * kibi, {32, 256, 4, 4, 16}},
    line_row{unlimited, {256, 256, 4, 4, 16}},
};

/// Of other lines; in flight are single elements.
inline constexpr std::array extremum_strided_rows = {
    line_row{512, {8, 256, 4, 4, 16}},
    line_row{16 * kibi, {32, 256, 4, 4, 16}},
    line_row{unlimited, {256, 256, 4, 4, 16}},
};

}  // namespace exactdot::inline v0_3::cuda_engine
