// Launches the kernel of variances: by rows of the tuning table.
#include <cuda/core/tuning.hpp>
#include <cuda/host/launch.hpp>
#include <cuda/host/launch_kernel.hpp>
#include <cuda/host/operands.hpp>
#include <cuda/shape/moments_vector.cuh>
#include <utility>

namespace exactdot::inline v0_3::cuda {
namespace {

using namespace cuda_engine;

template <class T, input_layout layout, int threads, int in_flight, summation sums>
void launch_configured(const workspace::storage& storage, const launch_config& config, const engine::plan& plan,
                       const destination& to) {
  constexpr std::size_t width = layout == input_layout::contiguous ? pack<T>::count : 1;
  const auto in = operands_of<T, core::value, layout>(plan);
  const unsigned blocks =
      block_count(config, storage.multiprocessors, in.n, config.loads_of_block() * width, max_moments_blocks);
  const auto bound = [&]<class Term>(Term) {
    const sum_shape shape{in.n, blocks, threads, in_flight, bounded_thread_sum<T, Term, sums>::accumulators};
    return bound_of(shape, sums, core::streams_of<Term, T> == 2);
  };
  launch_kernel(storage, "launching the kernel of variances", {blocks, threads},
                moments_kernel<T, layout, threads, in_flight, sums>, in, bound(core::value{}),
                bound(core::square{}), static_cast<double>(plan.ddof), storage.moments, to);
}

using launcher = void (*)(const workspace::storage&, const launch_config&, const engine::plan&, const destination&);

template <class T, bool wide, std::size_t... row>
constexpr std::array<launcher, sizeof...(row)> launchers_of_rows(std::index_sequence<row...>) {
  return {&launch_configured<T, input_layout::contiguous, moments_rows<T, wide>()[row].config.threads,
                             moments_rows<T, wide>()[row].config.in_flight,
                             moments_rows<T, wide>()[row].config.sums>...};
}

template <class T, bool wide>
void launch_row(const workspace::storage& storage, const engine::plan& plan, const destination& to) {
  const auto& rows = moments_rows<T, wide>();
  static constexpr auto launchers = launchers_of_rows<T, wide>(std::make_index_sequence<rows.size()>());
  const std::size_t row = row_for(rows, plan.n * sizeof(T));
  launchers[row](storage, rows[row].config, plan, to);
}

}  // namespace

void launch_moments(const workspace::storage& storage, const engine::plan& plan, const destination& to) {
  with_carrier(plan.carrier, [&]<class T>(T) {
    if (!plan.contiguous) {
      return launch_configured<T, input_layout::any, exact_any_config.threads, exact_any_config.in_flight,
                               exact_any_config.sums>(storage, exact_any_config, plan, to);
    }
    if constexpr (sizeof(T) == sizeof(float)) {
      const bool wide = to.rule.precision() > 24;
      if (!wide) return launch_row<T, false>(storage, plan, to);
    }
    launch_row<T, true>(storage, plan, to);
  });
}

}  // namespace exactdot::inline v0_3::cuda
