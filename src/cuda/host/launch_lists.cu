// The launches of lists of vectors for one carrier, EXACTDOT_ELEMENT: the table, in the parameters of as few
// kernels as hold it, then the kernels of long lines. One object per carrier.
#include <cuda/host/launch_configured_lines.cuh>
#include <cuda/host/launch_lists.hpp>
#include <cuda/work/list_sum.cuh>

namespace exactdot::inline v0_3::cuda {
namespace {

/// Stores the entries and lines from `first` on.
template <class Chunk>
void launch_chunk(const workspace::storage& storage, const host_list& list, std::size_t first,
                  const line_results& out, std::uint64_t of_none) {
  const std::size_t all_entries = list.entries.size() - 1, all_lines = list.first_entry.size() - 1;
  const auto part = [&](std::size_t all) {
    return static_cast<unsigned>(first < all ? std::min<std::size_t>(all - first, Chunk::size) : 0);
  };
  Chunk chunk;
  chunk.first_entry = static_cast<unsigned>(std::min(first, all_entries)), chunk.entries = part(all_entries);
  chunk.first_line = static_cast<unsigned>(std::min(first, all_lines)), chunk.lines = part(all_lines);
  std::copy_n(list.entries.begin() + chunk.first_entry, chunk.entries + 1, chunk.entry);
  std::copy_n(list.first_entry.begin() + chunk.first_line, chunk.lines + 1, chunk.entry_of_line);
  for (unsigned i = 0; i < chunk.lines; ++i) {
    const unsigned* const line = chunk.entry_of_line + i;
    const bool is_empty = list.entries[line[0]].first_unit == list.entries[line[1]].first_unit;
    chunk.empty[i / 32] |= static_cast<unsigned>(is_empty) << i % 32;
  }
  constexpr unsigned threads = 128;
  launch_kernel(storage, "launching the kernel of a list",
                {std::max(chunk.entries, chunk.lines) / threads + 1, static_cast<int>(threads)}, list_kernel<Chunk>,
                chunk, out, of_none, list_table_of(storage.lines));
}

}  // namespace

template <class T>
void launch_list(const workspace::storage& storage, std::size_t term, const host_list& list,
                 const line_results& out, std::uint64_t of_none) {
  const std::size_t places = std::max(list.entries.size(), list.first_entry.size()) - 1;
  for (std::size_t first = 0; first < places;) {
    const bool is_short = places - first <= short_list_chunk::size;
    is_short ? launch_chunk<short_list_chunk>(storage, list, first, out, of_none)
             : launch_chunk<long_list_chunk>(storage, list, first, out, of_none);
    first += is_short ? short_list_chunk::size : long_list_chunk::size;
  }
  list_source<T> in;
  in.lines.count = list.first_entry.size() - 1, in.entries = static_cast<unsigned>(list.entries.size() - 1);
  in.unit = list.unit, in.length = list.entries.back().first_unit * list.unit, in.halves = list.halves;
  in.table = list_table_of(storage.lines);
  split_plan plan;
  plan.unit = list.unit;
  with_term_of_lines(term, [&]<class Term>(Term) {
    if constexpr (Term::inputs == 1) {
      launch_split<sum_of_list<T, Term>, input_layout::converted>(storage, in, plan, out, {});
    }
  });
}

template void launch_list<EXACTDOT_ELEMENT>(const workspace::storage&, std::size_t, const host_list&,
                                            const line_results&, std::uint64_t);

}  // namespace exactdot::inline v0_3::cuda
