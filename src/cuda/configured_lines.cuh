// Launches of the kernels of lines with a configuration that is compiled, for launch_lines.cu, launch_any_lines.cu
// and launch_line_moments.cu.
#pragma once

#include <cuda/batch_kernel.cuh>
#include <cuda/launch.hpp>
#include <cuda/launch_kernel.hpp>
#include <cuda/line_tuning.hpp>
#include <utility>

namespace exactdot::inline v0_3::cuda {
namespace {

using namespace cuda_engine;

template <class Work, input_layout layout, int lanes, int threads, int in_flight, int resident>
constexpr auto kernel_of_lines() {
  if constexpr (lanes > 32) {
    return &long_line_kernel<Work, layout, threads, in_flight, resident>;
  } else {
    return &short_line_kernel<Work, layout, threads, lanes, in_flight, resident>;
  }
}

/// One launch by a row of a table, `rows`.
template <class Work, input_layout layout, const auto& rows, std::size_t row>
void launch_row(const workspace::storage& storage, const lines_of<typename Work::carrier, layout>& in,
                const line_results& out, const line_request& asked) {
  constexpr line_config config = rows[row].config;
  launch_kernel(
      storage, "launching the kernel of lines",
      {blocks_for(storage, in.count, config.lines_of_block(), config.blocks_per_multiprocessor), config.threads},
      kernel_of_lines<Work, layout, config.lanes, config.threads, config.in_flight, config.resident>(), in,
      bounds_of_line<Work, layout>(in.first.n, config.lanes, config.in_flight), out, asked);
}

/// `bytes`: of a line of one input, by which the rows of the table go.
template <class Work, input_layout layout, const auto& rows>
void launch_by_length(const workspace::storage& storage, const lines_of<typename Work::carrier, layout>& in,
                      std::size_t bytes, const line_results& out, const line_request& asked) {
  using launcher = void (*)(const workspace::storage&, const lines_of<typename Work::carrier, layout>&,
                            const line_results&, const line_request&);
  static constexpr auto launchers = []<std::size_t... row>(std::index_sequence<row...>) {
    return std::array<launcher, sizeof...(row)>{&launch_row<Work, layout, rows, row>...};
  }
  (std::make_index_sequence<rows.size()>());
  std::size_t row = 0;
  while (bytes > rows[row].max_bytes) ++row;
  launchers[row](storage, in, out, asked);
}

/// f(Term{}) with the term of this index.
template <class F>
void with_term_of_lines(std::size_t term, F f) {
  const auto call_if = [&]<class Term>(Term each) {
    if (term == core::term_index<Term>) f(each);
  };
  std::apply([&](auto... each) { (call_if(each), ...); }, core::term_types());
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda
