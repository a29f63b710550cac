// The kernels of lines of one carrier, EXACTDOT_ELEMENT, for every term and every configuration that
// line_tuning.hpp names, and the choice among them. One object per carrier.
#include <cuda/batch_kernel.cuh>
#include <cuda/launch.hpp>
#include <cuda/launch_kernel.hpp>
#include <cuda/line_tuning.hpp>
#include <utility>

namespace exactdot::cuda {
namespace {

using namespace cuda_engine;

template <class T, class Term, input_layout layout, int lanes, int threads, int in_flight, int resident>
constexpr auto kernel_of_lines() {
  if constexpr (lanes > 32) {
    return &long_line_kernel<T, Term, layout, threads, in_flight, resident>;
  } else {
    return &short_line_kernel<T, Term, layout, threads, lanes, in_flight, resident>;
  }
}

/// One launch by a row of a table, `rows`.
template <class T, class Term, input_layout layout, const auto& rows, std::size_t row>
void launch_row(const workspace::storage& storage, const line_operands<T>& in, const line_results& out) {
  constexpr line_config config = rows[row].config;
  const std::size_t lines = config.lines_of_block(), wanted = in.count / lines + (in.count % lines != 0 ? 1 : 0);
  const auto most = static_cast<std::size_t>(storage.multiprocessors * config.blocks_per_multiprocessor);
  const error_bound bound =
      bound_of_line(in.first.n, config.lanes, config.in_flight, pack<T>::count, core::streams_of<Term, T> == 2);
  launch_kernel(storage, "launching the kernel of lines",
                {static_cast<unsigned>(std::min(wanted, most)), config.threads},
                kernel_of_lines<T, Term, layout, config.lanes, config.threads, config.in_flight, config.resident>(),
                in, bound, out);
}

template <class T, class Term, input_layout layout, const auto& rows>
void launch_by_length(const workspace::storage& storage, const line_operands<T>& in, const line_results& out) {
  using launcher = void (*)(const workspace::storage&, const line_operands<T>&, const line_results&);
  static constexpr auto launchers = []<std::size_t... row>(std::index_sequence<row...>) {
    return std::array<launcher, sizeof...(row)>{&launch_row<T, Term, layout, rows, row>...};
  }
  (std::make_index_sequence<rows.size()>());
  const std::size_t bytes = in.first.n * sizeof(T);
  std::size_t row = 0;
  while (bytes > rows[row].max_bytes) ++row;
  launchers[row](storage, in, out);
}

}  // namespace

template <class T>
void launch_lines(const workspace::storage& storage, std::size_t term, const line_operands<T>& in,
                  const line_results& out) {
  const auto launch_if = [&]<class Term>(Term) {
    if (term != core::term_index<Term>) return;
    const bool contiguous =
        in.first.n <= 1 || (in.first.stride_a == 1 && (Term::inputs == 1 || in.first.stride_b == 1));
    if (contiguous) return launch_by_length<T, Term, input_layout::contiguous, line_rows>(storage, in, out);
    launch_by_length<T, Term, input_layout::strided, strided_line_rows>(storage, in, out);
  };
  std::apply([&](auto... each) { (launch_if(each), ...); }, core::term_types());
}

template void launch_lines(const workspace::storage&, std::size_t, const line_operands<EXACTDOT_ELEMENT>&,
                           const line_results&);

}  // namespace exactdot::cuda
