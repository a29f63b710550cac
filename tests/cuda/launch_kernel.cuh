// Launches the exact or the fast kernel of src/cuda once.
//
// The variant of a call selects the grid, the block size and, on the simulator, the schedule.
#pragma once

#include <algorithm>
#include <cuda/exact_kernel.cuh>
#include <cuda/fast_kernel.cuh>
#include <cuda/second_level_code.cuh>
#include <cuda/tuning.hpp>

#include "cuda/backend.cuh"
#include "cuda/placed_inputs.cuh"
#include "table/engines.hpp"

namespace kernels_under_test {
namespace {

/// Everything that a launch needs.
struct launch_input {
  gpu::stream& stream;
  const placed_inputs& inputs;
  unsigned variant;
  device_state* state;
  const destination& to;
};

/// Launches 1 to 4 blocks or, in some variants, 19 or 37: more than have work, and than a warp reads messages of at
/// once. Clusters: 1 to 8 blocks.
template <class T, class Term, int threads, int packs, summation sums,
          input_layout layout = input_layout::contiguous, kernel_variant variant = kernel_variant{}>
void launch_exact(const launch_input& in) {
  const unsigned kind = in.variant / 3 % 7;
  const unsigned of_grid = kind == 6 ? (in.variant % 2 == 0 ? 19 : 37) : 1 + kind % 4;
  const unsigned blocks = variant.in_cluster ? 1 + in.variant / 8 % max_cluster_blocks : of_grid;
  const auto operands = in.inputs.template operands_of<T, Term, layout>();
  const int in_flight = layout == input_layout::converted ? in_flight_of_converted(packs) : packs;
  const sum_shape shape{operands.n, blocks, threads, in_flight, bounded_thread_sum<T, Term, sums>::accumulators,
                        variant};
  const error_bound bound = bound_of(shape, sums, core::streams_of<Term, T> == 2);
  constexpr auto kernel = exact_kernel<T, Term, layout, threads, packs, sums, variant.in_cluster>;
  gpu::launch(kernel, blocks, threads, 0, gpu::cluster_dimensions{variant.in_cluster ? blocks : 1}, in.stream,
              operands, bound, in.state, in.to);
}

template <class T, class Term>
void run_exact(const launch_input& in) {
  constexpr auto contiguous = input_layout::contiguous;
  constexpr kernel_variant clustered{true};
  if (!in.inputs.contiguous()) {
    const bool converted = in.to.words == nullptr && in.inputs.template converted<T, Term>();
    if (converted) return launch_exact<T, Term, 64, 2, compensated, input_layout::converted>(in);
    return launch_exact<T, Term, 256, 4, compensated, input_layout::any>(in);
  }
  const bool varied = in.variant % 8 >= 5 && has_variants();
  if constexpr (std::is_same_v<T, float>) {
    if (!in.to.rule.is_integer() && in.to.rule.precision() <= 24 && in.variant % 4 != 3) {
      if (varied) return launch_exact<T, Term, 128, 1, plain, contiguous, clustered>(in);
      if (in.variant % 2 == 0) return launch_exact<T, Term, 128, 4, plain>(in);
      if (in.variant % 4 == 1) return launch_exact<T, Term, 128, 2, grouped>(in);
      return launch_exact<T, Term, 256, 1, plain>(in);
    }
  }
  if (varied) return launch_exact<T, Term, 64, 2, compensated, contiguous, clustered>(in);
  if (in.variant % 3 == 0) return launch_exact<T, Term, 256, 1, compensated>(in);
  launch_exact<T, Term, 128, 4, compensated>(in);
}

template <class T, class Term, int threads, input_layout layout = input_layout::contiguous>
void launch_fast(const launch_input& in) {
  const tile_counts counts =
      count_tiles<T>(in.inputs.a.view().n, static_cast<int>(in.variant / 4 % 3), threads / 32);
  const unsigned grid = std::max(std::min(counts.nodes, 1 + in.variant % 5), 1U);
  constexpr auto kernel = fast_kernel<T, Term, layout, threads, 8>;
  gpu::launch(kernel, grid, threads, 0, in.stream, in.inputs.template operands_of<T, Term, layout>(), counts,
              &in.state->exchange, in.to);
}

template <class T, class Term>
void run_fast(const launch_input& in) {
  if (!in.inputs.contiguous()) {
    if constexpr (std::is_same_v<T, float>) {
      if (in.inputs.template converted_in_tiles<T, Term>()) {
        return launch_fast<T, Term, 128, input_layout::converted>(in);
      }
    }
    return launch_fast<T, Term, 128, input_layout::any>(in);
  }
  switch (in.variant % 3) {
    case 0:
      return launch_fast<T, Term, 64>(in);
    case 1:
      return launch_fast<T, Term, 128>(in);
    default:
      return launch_fast<T, Term, 512>(in);
  }
}

/// The kernel of the call's mode, reduction and element type.
void run_kernel(const table::call& asked, const launch_input& in) {
  std::size_t term = core::info_of(asked.what).term;
  // products of the halves of integers have two factors that differ
  if (in.inputs.has_parts() && term == core::term_index<core::square>) term = core::term_index<core::product>;
  with_carrier(in.inputs.carrier, [&]<class T>(T) {
    const auto run_term = [&]<class Term>(Term) {
      if (term != core::term_index<Term>) return;
      asked.mode == mode::exact || is_integer(asked.a.type) ? run_exact<T, Term>(in) : run_fast<T, Term>(in);
    };
    std::apply([&](auto... each) { (run_term(each), ...); }, core::term_types());
  });
}

}  // namespace
}  // namespace kernels_under_test
