// Lists of vectors of any addresses, lengths and element types, as kernels read them (shape/list_lines.cuh): each
// line, which has one result, is some stretches, whose addresses lie in a table.
//
// A stretch has a whole number of units, of which blocks share all equally (core/split_lines.hpp): places behind
// its last element are empty. So a short stretch costs a share what it costs a block, wherever in the list it is.
//
// The table lies among the partial sums of a workspace, of which lists need few: nothing is allocated. It travels
// in the parameters of a launch, so a call can be captured in a graph, and waits for nothing.
#pragma once

#include <cuda/core/lines.hpp>
#include <cuda/core/split_lines.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// How the elements of a stretch are read.
enum class list_reading : unsigned char {
  packs,     ///< 16 bytes at a time, converted in registers; plain sums
  carriers,  ///< 16 bytes at a time; traced sums
  singles,   ///< one by one: any stride and byte order; traced sums
};

/// A stretch; or what is behind the last one, of which only first_unit is meant.
struct list_entry {
  const char* data = nullptr;
  std::uint64_t n = 0;      ///< elements
  unsigned first_unit = 0;  ///< of the stretch
  int stride = 0;           ///< in bytes
  element_type type = element_type::float64;
  bool swapped = false;
  list_reading reading = list_reading::singles;
};
static_assert(sizeof(list_entry) == 32);

inline constexpr unsigned partials_of_list = 2 * max_split_blocks;  ///< of its blocks; the table follows
/// Stretches of a launch, and lines, at most.
inline constexpr unsigned max_list_entries = (max_partials - partials_of_list) * 8 / 9 - 1;

struct list_table {
  list_entry entry[max_list_entries + 1];
  unsigned first_entry[max_list_entries + 1];  ///< of each line
};
static_assert(sizeof(list_table) <= (max_partials - partials_of_list) * sizeof(stored_trace));

/// In a state in device memory.
inline list_table* list_table_of(line_state* state) {
  return reinterpret_cast<list_table*>(state->partial + partials_of_list);
}

/// Some of the table, as parameters of a launch; neighbouring ones share an entry and a line.
template <unsigned max>
struct list_chunk {
  static constexpr unsigned size = max;
  unsigned first_entry = 0, entries = 0;  ///< and one behind them
  unsigned first_line = 0, lines = 0;
  list_entry entry[max + 1];
  unsigned entry_of_line[max + 1];
  unsigned empty[max / 32 + 1] = {};  ///< a bit for each line: it has no element

  [[nodiscard]] EXACTDOT_CORE bool is_empty(unsigned line) const {
    return (empty[line / 32] >> line % 32 & 1) != 0;
  }
};
/// Parameters of a kernel take 4 KB, or 32 KB, which cost some microseconds more.
using short_list_chunk = list_chunk<100>;
using long_list_chunk = list_chunk<870>;
static_assert(sizeof(short_list_chunk) < 3950 && sizeof(long_list_chunk) < 32500);

}  // namespace exactdot::inline v0_3::cuda_engine
