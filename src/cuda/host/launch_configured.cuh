// Launches of the exact and the fast kernel with a configuration that is compiled, for launch_vectors.cu and
// launch_converted.cu.
#pragma once

#include <cuda/core/tuning.hpp>
#include <cuda/host/launch.hpp>
#include <cuda/host/launch_kernel.hpp>
#include <cuda/host/operands.hpp>
#include <cuda/shape/exact_vector.cuh>
#include <cuda/shape/fast_vector.cuh>
#include <utility>

namespace exactdot::inline v0_3::cuda {
namespace {

using namespace cuda_engine;
using storage_type = workspace::storage;

constexpr kernel_variant variant_of(const launch_config& config) {
  return {config.cluster_blocks > 0, config.claims};
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
  launch_kernel(storage, "launching the exact kernel", {blocks, threads, 0, variant.in_cluster},
                exact_kernel<T, Term, layout, threads, in_flight, sums, variant.in_cluster, variant.claims>, in,
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

/// The launchers of the rows of a table, `rows`, a function without parameters.
template <class T, class Term, input_layout layout, auto rows, std::size_t... row>
constexpr std::array<launcher, sizeof...(row)> exact_launchers(std::index_sequence<row...>) {
  return {&launch_exact<T, Term, layout, rows()[row].config.threads, rows()[row].config.in_flight,
                        rows()[row].config.sums, variant_of(rows()[row].config)>...};
}
template <class T, class Term, input_layout layout, auto rows, std::size_t... row>
constexpr std::array<launcher, sizeof...(row)> fast_launchers(std::index_sequence<row...>) {
  return {&launch_fast<T, Term, layout, rows()[row].config.threads, rows()[row].config.in_flight>...};
}

/// Launches by the row for so many bytes of an input.
template <class T, class Term, input_layout layout, auto rows>
void launch_exact_row(const storage_type& storage, std::size_t bytes, const engine::plan& plan,
                      const destination& to) {
  static constexpr auto launchers =
      exact_launchers<T, Term, layout, rows>(std::make_index_sequence<rows().size()>());
  const std::size_t row = row_for(rows(), bytes);
  launchers[row](storage, rows()[row].config, plan, to);
}
template <class T, class Term, input_layout layout, auto rows>
void launch_fast_row(const storage_type& storage, std::size_t bytes, const engine::plan& plan,
                     const destination& to) {
  static constexpr auto launchers =
      fast_launchers<T, Term, layout, rows>(std::make_index_sequence<rows().size()>());
  const std::size_t row = row_for(rows(), bytes);
  launchers[row](storage, rows()[row].config, plan, to);
}

/// f(Term{}) with the plan's term.
template <class F>
void with_term(const engine::plan& plan, F f) {
  const auto call_if = [&]<class Term>(Term term) {
    if (plan.term == core::term_index<Term>) f(term);
  };
  std::apply([&](auto... term) { (call_if(term), ...); }, core::term_types());
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda
