// Works: what the kernels of lines compute of a line's elements (sum.cuh, moments.cuh, integer_moments.cuh,
// extremum_work.cuh, line_states.cuh), and what shapes ask of each.
//
//   total           what a team knows of a line, or of a piece of it: {} is nothing, join(other) adds a piece.
//                   Sums have accumulators for a thread, of_thread; other works make a total by total_of()
//   finish          stores the result, if the total decides it: sums by a bound, decide(); states never
//   again           the result of a line that stays open, by all threads of a team
//   store, load     the total of a piece, for another block; add_piece of works whose totals are in shared memory
//   segments, split tuning: classes of lengths, and blocks
//
// Kernels that take a work need to know nothing else.
#pragma once

#include <cuda/work/exact_sums.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Works that add terms in accumulators of each thread, and have bounds.
template <class Work>
concept adds_terms = requires {
  typename Work::of_thread;
};

/// What a team knows of a line of `in`, in all its lanes or, of a block, in thread 0. By all threads of a warp or a
/// block; `of_warp`: of a block.
template <class Work, input_layout layout, int in_flight, class Index, class Source, class Team, class Line>
__device__ __forceinline__ typename Work::total total_of_line(const Source& in, const Line& line, bool is_line,
                                                              Team team, typename Work::total* of_warp,
                                                              const typename Work::request& asked) {
  if constexpr (!adds_terms<Work>) {
    return Work::template total_of<layout, in_flight, Index>(in, line, team, of_warp, asked);
  } else if constexpr (has_stretches<Line>) {
    typename Work::total total{};
    line.for_each_stretch(
        [&](const auto& stretch) { total.join(Work::template total_of_stretch<in_flight>(stretch, team)); });
    return sum_of_team(team, total, of_warp);
  } else if constexpr (layout == input_layout::converted) {
    using Term = typename Work::Term;
    typename Work::total total{};
    if (is_line) {
      with_converted_type<Term, typename Work::carrier, true, Work::sums == 1>(
          line.a.type, [&]<class Element>(Element) {
            packed_line<typename Work::template of_packs<Element>, Element> sums;
            add_converted_line<Term, Element, in_flight / Term::inputs, Index>(line, team, sums);
            total = sums.total(line.n / Team::lanes + 64);  // of a lane, with single elements and its last pack
          });
    }
    return sum_of_team(team, total, of_warp);
  } else {
    typename Work::of_thread sums;
    const auto add = [&](const auto& x, const auto& y) { sums.add(x, y); };
    if (!is_line) {
    } else if constexpr (layout == input_layout::contiguous) {
      for_each_of_contiguous_line<typename Work::Term, in_flight, Index>(line, team, add);
    } else {
      for_each_pack<typename Work::Term, in_flight>(line, team, add);
    }
    return sum_of_team(team, sums.total(), of_warp);
  }
}

/// What a thread knows of its share of rows `from` to before `to` of a column of `in`.
template <class Work, int in_flight, class Columns, class Share>
__device__ __forceinline__ typename Work::total total_of_rows(const Columns& in, std::size_t column,
                                                              std::size_t from, std::size_t to, Share share,
                                                              const typename Work::request& asked) {
  if constexpr (adds_terms<Work>) {
    auto rows = in.line(column);
    rows.a += static_cast<std::ptrdiff_t>(from) * rows.stride_a;
    if (rows.b != nullptr) rows.b += static_cast<std::ptrdiff_t>(from) * rows.stride_b;
    rows.n = to - from;
    typename Work::of_thread sums;
    for_each_pack<typename Work::Term, in_flight>(rows, share,
                                                  [&](const auto& x, const auto& y) { sums.add(x, y); });
    return sums.total();
  } else {
    return Work::template total_of_rows<in_flight>(in, column, from, to, share, asked);
  }
}

/// Stores the result of line i, of n elements, if its total decides it; whether it does. By one thread.
template <class Work>
__device__ __forceinline__ bool finish_line(const typename Work::total& total, const line_bounds& bounds,
                                            const typename Work::results& out, std::size_t i, std::uint64_t n,
                                            const typename Work::request& asked) {
  if constexpr (adds_terms<Work>) {
    const core::decision found = Work::decide(total, bounds, out.to.rule, n, asked);
    if (found.certain) store_line<typename Work::carrier>(out, i, found.word);
    return found.certain;
  } else {
    return Work::finish(total, out, i, asked);
  }
}

/// The bounds of a work, from bound(products_of_doubles) as if an element made one term of each sum: if it makes
/// more, every accumulator has at most so many times the terms, and the depth that the factor counts is at most so
/// many times as large.
template <class Work, class Bound>
EXACTDOT_CORE line_bounds bounds_of_work(Bound bound) {
  const auto of_terms = [&](bool products_of_doubles) -> error_bound {
    error_bound found = bound(products_of_doubles);
    found.factor *= Work::terms_of_element;
    return found;
  };
  if constexpr (Work::sums == 2) {
    return {of_terms(false), of_terms(Work::loses_to_underflow)};
  } else {
    return {of_terms(Work::loses_to_underflow), {}};
  }
}

/// Whether the loops over a layout give a thread's accumulators as many terms as bound_of_line counts.
template <class Work, input_layout layout, int in_flight>
inline constexpr bool is_bounded = layout == input_layout::contiguous || layout == input_layout::converted ||
                                   in_flight >= pack<typename Work::carrier>::count;

/// in_flight in the bounds of a layout: of `converted` lines a lane of four takes up to 8 single elements more.
template <input_layout layout>
EXACTDOT_CORE int counted_in_flight(int in_flight) {
  return layout == input_layout::converted ? in_flight + 16 : in_flight;
}

/// The bounds of a line of n addends.
template <class Work, input_layout layout = input_layout::any>
EXACTDOT_CORE line_bounds bounds_of_line(std::size_t n, int lanes, int in_flight) {
  constexpr int accumulators = 16 / sizeof(typename Work::carrier);
  return bounds_of_work<Work>([&](bool products_of_doubles) {
    return bound_of_line(n, lanes, counted_in_flight<layout>(in_flight), accumulators, products_of_doubles);
  });
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
