// The kernels of gpu_rows.hpp for one element type, EXACTDOT_ELEMENT, and one term, EXACTDOT_TERM.
#include <cuda/batch_kernel.cuh>
#include <cuda/launch_kernel.hpp>
#include <cuda/second_level_code.cuh>
#include <utility>

#include "gpu_rows.hpp"

namespace experiment {
namespace {

using namespace exactdot;
using namespace exactdot::cuda_engine;

template <class T, class Term, std::size_t variant>
void launch(exactdot::cuda::workspace& on, unsigned blocks_per_multiprocessor, const row_problem& problem) {
  static constexpr line_config config = row_variants[variant];
  const exactdot::cuda::workspace::storage& storage = on.library_storage();
  const auto next = static_cast<std::ptrdiff_t>(problem.length);
  line_operands<T> in;
  in.first = {static_cast<const T*>(problem.a), Term::inputs == 2 ? static_cast<const T*>(problem.b) : nullptr, 1,
              1, problem.length};
  in.next_a = next, in.next_b = problem.repeats_b ? 0 : next, in.count = problem.rows;
  line_results out;
  out.first = static_cast<char*>(problem.results), out.next = sizeof(T);
  out.to.rule = {core::finish::round, core::format<T>::number};
  out.to.count = problem.length, out.to.status = storage.status;
  const error_bound bound =
      bound_of_line(problem.length, config.lanes, config.in_flight, pack<T>::count, core::streams_of<Term, T> == 2);
  const std::size_t lines = config.lines_of_block();
  const std::size_t wanted = (problem.rows + lines - 1) / lines;
  const std::size_t most = static_cast<std::size_t>(storage.multiprocessors) * blocks_per_multiprocessor;
  const auto blocks = static_cast<unsigned>(wanted < most ? wanted : most);
  constexpr auto kernel = [] {
    constexpr input_layout layout = input_layout::contiguous;
    if constexpr (config.lanes > 32) {
      return &long_line_kernel<T, Term, layout, config.threads, config.in_flight, config.resident>;
    } else {
      return &short_line_kernel<T, Term, layout, config.threads, config.lanes, config.in_flight, config.resident>;
    }
  }();
  exactdot::cuda::launch_kernel(storage, "launching a variant", {blocks, config.threads}, kernel, in, bound, out);
}

}  // namespace

template <class T, class Term>
void launch_variant(exactdot::cuda::workspace& on, std::size_t variant, unsigned blocks_per_multiprocessor,
                    const row_problem& problem) {
  [&]<std::size_t... each>(std::index_sequence<each...>) {
    static_cast<void>(
        ((each == variant && (launch<T, Term, each>(on, blocks_per_multiprocessor, problem), true)) || ...));
  }
  (std::make_index_sequence<row_variants.size()>());
}

template void launch_variant<EXACTDOT_ELEMENT, core::EXACTDOT_TERM>(exactdot::cuda::workspace&, std::size_t,
                                                                    unsigned, const row_problem&);

}  // namespace experiment
