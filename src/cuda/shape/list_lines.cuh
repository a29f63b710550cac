// Lines of lists: stretches of memory that follow each other in a table (core/list_table.hpp) in place of elements
// that follow each other in memory. All else of a launch is that of long lines: split_lines.cuh, open_lines.cuh.
//
//   list_source    finds the stretches of a block's piece: all lanes of a warp look at the table at once
//   list_piece     calls a function for each of its stretches
//   list_kernel    stores a part of the table, and the results of lines without elements
#pragma once

#include <cuda/core/kernel.cuh>
#include <cuda/core/list_table.hpp>
#include <cuda/work/total_of_line.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Elements of a stretch.
template <class T>
struct list_stretch : operands<T, input_layout::any> {
  list_reading reading;
};

/// Places of a line: of its stretches, in units that may be empty at their ends.
template <class T>
struct list_piece {
  static constexpr bool are_stretches = true;
  const list_entry* entry;  ///< that has the first place
  std::uint64_t unit;
  std::uint64_t first, end;  ///< places of the list

  /// Calls call(stretch) for each, which has elements.
  template <class Call>
  __device__ __forceinline__ void for_each_stretch(Call call) const {
    std::uint64_t at = first;
    for (const list_entry* each = entry; at < end; ++each) {
      const std::uint64_t begin = each[0].first_unit * unit, next = each[1].first_unit * unit;
      const std::uint64_t stop = next < end ? next : end, last = begin + each->n < stop ? begin + each->n : stop;
      if (at < last) {
        list_stretch<T> found;
        const auto skipped = static_cast<std::ptrdiff_t>(at - begin) * each->stride;
        found.a = {each->data + skipped, each->stride, each->type, each->swapped};
        found.b = found.a;
        found.log2_parts_a = is_halved(each->type) ? 1 : 0;
        found.n = static_cast<std::size_t>(last - at) << found.log2_parts_a;
        found.reading = each->reading;
        call(found);
      }
      at = stop;
    }
  }

 private:
  /// Whether an element makes two addends.
  static __device__ __forceinline__ bool is_halved(element_type type) {
    return type == element_type::int64 || type == element_type::uint64;
  }
};

/// The lines of a launch, for split_line_kernel and open_line_kernel, as line_source is.
template <class T>
struct list_source {
  static constexpr bool is_table = true;
  struct {
    std::size_t count = 0;
  } lines;
  std::uint64_t length = 0;  ///< places of all
  std::uint64_t unit = 1;
  unsigned entries = 0;
  int halves = 0;  ///< log2 of the most addends of an element
  const list_table* table = nullptr;

  [[nodiscard]] EXACTDOT_CORE int log2_parts() const { return halves; }
  /// Stretches of so many units, at most: each has one, but the first may have begun before.
  [[nodiscard]] EXACTDOT_CORE int joins_of(std::uint64_t units) const {
    return static_cast<int>(units + 1 < entries ? units + 1 : entries);
  }
  /// In the list of long lines (split_lines.cuh): all are.
  [[nodiscard]] __device__ __forceinline__ long_line listed(unsigned place) const {
    return {place, table->entry[table->first_entry[place]].first_unit};
  }
  [[nodiscard]] __device__ __forceinline__ line_span span(std::size_t i) const {
    const std::uint64_t begin = table->entry[table->first_entry[i]].first_unit * unit;
    return {begin, table->entry[table->first_entry[i + 1]].first_unit * unit - begin, true};
  }
  /// By all lanes of a warp.
  [[nodiscard]] __device__ __forceinline__ list_piece<T> piece(std::size_t i, std::uint64_t begin,
                                                               std::uint64_t first, std::uint64_t n) const {
    const std::uint64_t at = (begin + first) / unit;
    unsigned low = table->first_entry[i], end = table->first_entry[i + 1];
    while (end - low > 1) {  // each lane looks at one of 32 places
      const unsigned step = (end - low + 31) / 32, place = low + threadIdx.x % 32 * step;
      const bool is_before = place < end && table->entry[place].first_unit <= at;
      low += step * static_cast<unsigned>(__popc(__ballot_sync(all_lanes, is_before)) - 1);
      end = end < low + step ? end : low + step;
    }
    return {table->entry + low, unit, begin + first, begin + first + n};
  }
};

/// Stores a chunk of the table, and the results of its lines without elements.
template <class Chunk>
__global__ void __launch_bounds__(128)
    list_kernel(const __grid_constant__ Chunk chunk, const __grid_constant__ line_results out,
                const __grid_constant__ std::uint64_t of_none, list_table* table) {
  begin_kernel(0);
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= chunk.entries) table->entry[chunk.first_entry + i] = chunk.entry[i];
  if (i <= chunk.lines) table->first_entry[chunk.first_line + i] = chunk.entry_of_line[i];
  if (i < chunk.lines) {
    if (chunk.is_empty(i)) store_anywhere(destination_of(out, chunk.first_line + i), of_none);
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
