// The kernels of lines of one carrier, EXACTDOT_ELEMENT, for every term and every configuration that
// line_tuning.hpp names, and the choice among them. One object per carrier.
#include <cuda/configured_lines.cuh>

namespace exactdot::inline v0_3::cuda {
namespace {

template <class T, class Term, std::size_t which>
void launch_columns(const workspace::storage& storage, const line_operands<T>& in, const line_results& out) {
  constexpr column_config config = column_configs[which];
  const auto columns = static_cast<std::size_t>(config.columns);
  const error_bound bound = bound_of_line(in.first.n, config.threads / config.columns, config.in_flight,
                                          pack<T>::count, core::streams_of<Term, T> == 2);
  launch_kernel(storage, "launching the kernel of columns",
                {blocks_for(storage, in.count, columns, config.blocks_per_multiprocessor), config.threads},
                column_kernel<T, Term, config.threads, config.columns, config.in_flight, config.resident>, in,
                bound, out);
}

/// Short columns, of which there are many: a thread for each.
template <class T, class Term>
void launch_short_columns(const workspace::storage& storage, const line_operands<T>& in, const line_results& out) {
  constexpr line_config config = short_column_config;
  const error_bound bound =
      bound_of_line(in.first.n, 1, config.in_flight, pack<T>::count, core::streams_of<Term, T> == 2);
  launch_kernel(
      storage, "launching the kernel of short columns",
      {blocks_for(storage, in.count, config.lines_of_block(), config.blocks_per_multiprocessor), config.threads},
      short_line_kernel<T, Term, input_layout::strided, config.threads, 1, config.in_flight, config.resident>, in,
      bound, out);
}

template <class T, class Term>
void launch(const workspace::storage& storage, const line_operands<T>& in, const line_results& out) {
  constexpr bool two = Term::inputs == 2;
  if (in.first.n <= 1 || (in.first.stride_a == 1 && (!two || in.first.stride_b == 1))) {
    return launch_by_length<T, Term, input_layout::contiguous, line_rows>(storage, in, out);
  }
  if (in.next_a == 1 && (!two || in.next_b == 1 || in.next_b == 0)) {
    if (are_short_columns(in.count, in.first.n, storage.multiprocessors)) {
      return launch_short_columns<T, Term>(storage, in, out);
    }
    const auto enough = static_cast<std::size_t>(storage.multiprocessors * column_configs[0].columns);
    if (in.count >= enough) return launch_columns<T, Term, 0>(storage, in, out);
    return launch_columns<T, Term, 1>(storage, in, out);
  }
  launch_by_length<T, Term, input_layout::strided, strided_line_rows>(storage, in, out);
}

}  // namespace

template <class T>
void launch_lines(const workspace::storage& storage, std::size_t term, const line_operands<T>& in,
                  const line_results& out) {
  with_term_of_lines(term, [&]<class Term>(Term) { launch<T, Term>(storage, in, out); });
}

template void launch_lines(const workspace::storage&, std::size_t, const line_operands<EXACTDOT_ELEMENT>&,
                           const line_results&);

}  // namespace exactdot::inline v0_3::cuda
