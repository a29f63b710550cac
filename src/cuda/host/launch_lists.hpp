// The launch of a list of vectors; see launch_lists.cu.
#pragma once

#include <cuda/core/list_table.hpp>
#include <cuda/host/workspace.hpp>
#include <vector>

namespace exactdot::inline v0_3::cuda {

/// A list for a launch: its table, whose vectors both have one more than there are stretches and lines.
struct host_list {
  std::vector<cuda_engine::list_entry> entries;
  std::vector<unsigned> first_entry;  ///< of each line
  std::uint64_t unit = 1;             ///< elements
  int halves = 0;                     ///< log2 of the most addends of an element
};
/// Sums of the lines of a list, by a term of one input; see shape/list_lines.cuh. At most max_list_entries
/// stretches and as many lines. `of_none`: the result of a line without elements.
template <class Carrier>
void launch_list(const workspace::storage& storage, std::size_t term, const host_list& list,
                 const cuda_engine::line_results& out, std::uint64_t of_none);

}  // namespace exactdot::inline v0_3::cuda
