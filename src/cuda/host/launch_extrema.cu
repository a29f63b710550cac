// Launches the search for an extreme element: kernels by element size, kind of result and loads in flight.
#include <cuda/core/tuning.hpp>
#include <cuda/host/launch.hpp>
#include <cuda/host/launch_kernel.hpp>
#include <cuda/shape/extremum_vector.cuh>
#include <utility>

namespace exactdot::inline v0_3::cuda {
namespace {

using namespace cuda_engine;

constexpr const char* what = "launching the search for an extreme element";

template <int bytes, bool with_index, int in_flight, int most_threads>
void launch_packed(const workspace::storage& storage, const launch_config& config, const engine::plan& plan,
                   const rank_rule& rule, const destination& to) {
  using element = typename exactdot::detail::unsigned_of<bytes>::type;
  const packed_input<bytes> in(static_cast<const element*>(plan.a.data), plan.n);
  const unsigned blocks =
      block_count(config, storage.multiprocessors, in.packs, config.loads_of_block(), max_extremum_blocks);
  launch_kernel(storage, what, {blocks, config.threads},
                packed_extremum_kernel<bytes, with_index, in_flight, most_threads>, in, rule, storage.extremum, to);
}

using launcher = void (*)(const workspace::storage&, const launch_config&, const engine::plan&, const rank_rule&,
                          const destination&);

/// The template argument for a block of so many threads.
constexpr int most_extremum_threads(int threads) {
  return threads <= small_extremum_threads ? small_extremum_threads : max_extremum_threads;
}

/// The launchers of the rows of the tuning table.
template <int bytes, bool with_index, std::size_t... row>
constexpr std::array<launcher, sizeof...(row)> launchers_of_rows(std::index_sequence<row...>) {
  static_assert(((extremum_rows[row].config.threads <= max_extremum_threads) && ...));
  return {&launch_packed<bytes, with_index, extremum_rows[row].config.in_flight,
                         most_extremum_threads(extremum_rows[row].config.threads)>...};
}

template <int bytes>
launcher launcher_of(std::size_t row, bool with_index) {
  constexpr auto rows = std::make_index_sequence<extremum_rows.size()>();
  static constexpr auto of_index = launchers_of_rows<bytes, true>(rows);
  static constexpr auto of_element = launchers_of_rows<bytes, false>(rows);
  return with_index ? of_index[row] : of_element[row];
}

launcher launcher_of(std::size_t bytes, std::size_t row, bool with_index) {
  switch (bytes) {
    case 1:
      return launcher_of<1>(row, with_index);
    case 2:
      return launcher_of<2>(row, with_index);
    case 4:
      return launcher_of<4>(row, with_index);
    default:
      return launcher_of<8>(row, with_index);
  }
}

void launch_any(const workspace::storage& storage, const engine::plan& plan, const rank_rule& rule, bool index,
                const destination& to) {
  const any_operand x{static_cast<const char*>(plan.a.data), plan.a.stride, plan.a.type, plan.a.swapped};
  const launch_config& config = extremum_any_config;
  const unsigned blocks =
      block_count(config, storage.multiprocessors, plan.n, config.loads_of_block(), max_extremum_blocks);
  launch_kernel(storage, what, {blocks, config.threads}, extremum_kernel, x, plan.n, rule, index, storage.extremum,
                to);
}

}  // namespace

void launch_extremum(const workspace::storage& storage, const engine::plan& plan, const destination& to) {
  const bool index = gives_index(plan.what);
  const rank_rule rule = rank_rule_of(plan.a.type, selects_greatest(plan.what));
  const std::size_t bytes = size_of(plan.a.type);
  if (plan.contiguous && reinterpret_cast<std::uintptr_t>(plan.a.data) % bytes == 0) {
    const std::size_t row = row_for(extremum_rows, plan.n * bytes);
    launcher_of(bytes, row, index)(storage, extremum_rows[row].config, plan, rule, to);
  } else {
    launch_any(storage, plan, rule, index, to);
  }
}

}  // namespace exactdot::inline v0_3::cuda
