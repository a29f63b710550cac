// The kernels of one carrier, EXACTDOT_ELEMENT, for every term and every configuration that the tuning table names,
// and the choice among them. One object per carrier, because they take long to compile.
#include <cuda/exact_kernel.cuh>
#include <cuda/fast_kernel.cuh>
#include <cuda/input_choice.hpp>
#include <cuda/launch.hpp>
#include <cuda/launch_kernel.hpp>
#include <cuda/operands_of.hpp>
#include <cuda/tuning.hpp>
#include <utility>

namespace exactdot::cuda {
namespace {

using namespace cuda_engine;
using storage_type = workspace::storage;

constexpr kernel_variant variant_of(const launch_config& config) {
  return {config.cluster_blocks > 0, config.stages};
}

/// What block_count divides: elements, or packs.
template <class T, input_layout layout>
std::size_t loads_of(const operands<T, layout>& in) {
  if constexpr (layout == input_layout::converted) {
    return in.packs;
  } else {
    return in.n;
  }
}

template <class T, class Term, input_layout layout, int threads, int in_flight, summation sums,
          kernel_variant variant = kernel_variant{}>
void launch_exact(const storage_type& storage, const launch_config& config, const engine::plan& plan,
                  const destination& to) {
  constexpr bool converted = layout == input_layout::converted;
  constexpr int width = layout == input_layout::contiguous ? pack<T>::count : 1;
  const auto in = operands_of<T, Term, layout>(plan);
  const std::size_t work = loads_of(in);
  const unsigned blocks = variant.in_cluster ? static_cast<unsigned>(config.cluster_blocks)
                                             : block_count(config, storage.multiprocessors, work,
                                                           config.loads_of_block() * width, max_blocks);
  const sum_shape shape{in.n,
                        blocks,
                        threads,
                        converted ? in_flight_of_converted(in_flight) : in_flight,
                        bounded_thread_sum<T, Term, sums>::accumulators,
                        variant};
  const error_bound bound = bound_of(shape, sums, core::streams_of<Term, T> == 2);
  const std::size_t ring =
      storage.has_capability_9 ? ring_bytes<T, Term::inputs, in_flight, variant.stages>(threads) : 0;
  launch_kernel(storage, "launching the exact kernel", {blocks, threads, ring, variant.in_cluster},
                exact_kernel<T, Term, layout, threads, in_flight, sums, variant.in_cluster, variant.stages>, in,
                bound, storage.state, to);
}

template <class T, class Term, input_layout layout, int threads, int in_flight>
void launch_fast(const storage_type& storage, const launch_config& config, const engine::plan& plan,
                 const destination& to) {
  constexpr unsigned warps = threads / 32;
  const tile_counts counts = count_tiles<T>(plan.n, warps);
  const unsigned blocks = block_count(config, storage.multiprocessors, counts.nodes, 1, max_nodes);
  launch_kernel(storage, "launching the fast kernel", {blocks, threads},
                fast_kernel<T, Term, layout, threads, in_flight>, operands_of<T, Term, layout>(plan), counts,
                &storage.state->exchange, to);
}

using launcher = void (*)(const storage_type&, const launch_config&, const engine::plan&, const destination&);

/// The launchers of a term: by row of its tuning tables, and for inputs of any layout.
template <class T, class Term>
struct launchers {
  static constexpr const auto& fast_table = fast_rows<T, Term>();

  template <bool wide, std::size_t... row>
  static constexpr std::array<launcher, sizeof...(row)> exact_launchers(std::index_sequence<row...>) {
    return {&launch_exact<T, Term, input_layout::contiguous, exact_rows<T, Term, wide>()[row].config.threads,
                          exact_rows<T, Term, wide>()[row].config.in_flight,
                          exact_rows<T, Term, wide>()[row].config.sums,
                          variant_of(exact_rows<T, Term, wide>()[row].config)>...};
  }
  template <std::size_t... row>
  static constexpr std::array<launcher, sizeof...(row)> fast_launchers(std::index_sequence<row...>) {
    return {&launch_fast<T, Term, input_layout::contiguous, fast_table[row].config.threads,
                         fast_table[row].config.in_flight>...};
  }
  template <bool wide>
  static constexpr auto exact() {
    return exact_launchers<wide>(std::make_index_sequence<exact_rows<T, Term, wide>().size()>());
  }
  template <std::size_t... row>
  static constexpr std::array<launcher, sizeof...(row)> converted_launchers(std::index_sequence<row...>) {
    return {
        &launch_exact<T, Term, input_layout::converted, converted_rows<Term>()[row].config.threads,
                      converted_rows<Term>()[row].config.in_flight, converted_rows<Term>()[row].config.sums>...};
  }
  static constexpr auto converted = converted_launchers(std::make_index_sequence<converted_rows<Term>().size()>());
  static constexpr auto fast = fast_launchers(std::make_index_sequence<fast_table.size()>());
  static constexpr launcher exact_any = &launch_exact<T, Term, input_layout::any, exact_any_config.threads,
                                                      exact_any_config.in_flight, exact_any_config.sums>;
  static constexpr launcher fast_any =
      &launch_fast<T, Term, input_layout::any, fast_any_config.threads, fast_any_config.in_flight>;
};

template <class T, class Term, bool wide>
void launch_contiguous_exact(const storage_type& storage, const engine::plan& plan, const destination& to) {
  static constexpr auto launchers_of_rows = launchers<T, Term>::template exact<wide>();
  const auto& table = exact_rows<T, Term, wide>();
  const std::size_t row = row_for(table, plan.n * sizeof(T));
  launchers_of_rows[row](storage, table[row].config, plan, to);
}

template <class T, class Term>
void launch_term(const storage_type& storage, const engine::plan& plan, const destination& to) {
  using all = launchers<T, Term>;
  const bool exact = plan.mode == mode::exact;
  const input_layout layout = layout_of<T, Term>(plan, to);
  if (layout == input_layout::any) {
    if (exact) return all::exact_any(storage, exact_any_config, plan, to);
    return all::fast_any(storage, fast_any_config, plan, to);
  }
  if (layout == input_layout::converted) {
    const auto& table = converted_rows<Term>();
    const std::size_t row = row_for(table, plan.n * size_of(plan.a.type));
    return all::converted[row](storage, table[row].config, plan, to);
  }
  if (exact) {
    const bool wide = to.rule.is_integer() || to.rule.precision() > 24;
    if (wide) return launch_contiguous_exact<T, Term, true>(storage, plan, to);
    return launch_contiguous_exact<T, Term, false>(storage, plan, to);
  }
  const std::size_t row = row_for(all::fast_table, plan.n * sizeof(T));
  all::fast[row](storage, all::fast_table[row].config, plan, to);
}

}  // namespace

template <class T>
void launch(const workspace::storage& storage, const engine::plan& plan, const destination& to) {
  const auto launch_if = [&]<class Term>(Term) {
    if (plan.term == core::term_index<Term>) launch_term<T, Term>(storage, plan, to);
  };
  std::apply([&](auto... term) { (launch_if(term), ...); }, core::term_types());
}

template void launch<EXACTDOT_ELEMENT>(const workspace::storage&, const engine::plan&, const destination&);

}  // namespace exactdot::cuda
