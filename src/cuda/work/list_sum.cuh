// The work of sums of lists, whose stretches have elements of several types: each is read as its entry in the table
// says (core/list_table.hpp). What a bound leaves open is summed exactly at once.
//
// A thread joins the totals of its stretches, each of which counts as two terms in the bound (joins_of).
#pragma once

#include <cuda/core/list_table.hpp>
#include <cuda/shape/list_lines.cuh>
#include <cuda/work/sum.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Not inlined, so that it costs level 1 no registers. By all threads of a team.
template <class Team, class T>
[[gnu::noinline]] __device__ void sum_list_exactly(core::term_info term, list_piece<T> line, Team team,
                                                   line_storage<T>& storage, const destination& to) {
  finish_exactly(term, line, team, storage, to);
}

template <class T, class Term>
struct sum_of_list : sum_of_packs<T, Term> {
  using base = sum_of_packs<T, Term>;
  using work_of_open_lines = sum_of_list;
  using of_thread = typename base::of_thread;
  using total = typename base::total;
  static constexpr bool loses_to_underflow = sum_of_terms<T, Term>::loses_to_underflow;
  template <input_layout>
  using source = list_source<T>;
  /// Measured (H100, 2026-11-26): 146 tensors of 1.14·10^9 bfloat16 760 µs, with two blocks 768; doubles 2979, with
  /// three 3480.
  template <input_layout>
  static constexpr block_config split{256, sizeof(T) == sizeof(float) ? 3 : 2};

  /// What a thread knows of a stretch.
  template <int in_flight, class Team>
  static __device__ __forceinline__ total total_of_stretch(const list_stretch<T>& in, Team team) {
    const auto of_carriers = [&](auto for_each) {
      of_thread sums;
      for_each([&](const auto& x, const auto& y) { sums.add(x, y); });
      return sums.total();
    };
    if (in.reading == list_reading::packs) {
      total found{};
      with_converted_type<Term, T, true>(in.a.type, [&]<class Element>(Element) {
        packed_line<typename base::template of_packs<Element>, Element> sums;
        add_converted_line<Term, Element, in_flight, std::size_t>(in, team, sums);
        found = sums.total(in.n / Team::lanes + 64);  // of a lane, with single elements and its last pack
      });
      return found;
    }
    if constexpr (std::is_same_v<T, double>) {
      if (in.reading == list_reading::carriers) {
        operands<T, input_layout::strided> line;
        line.a = reinterpret_cast<const T*>(in.a.data), line.n = in.n;
        return of_carriers(
            [&](auto add) { for_each_of_contiguous_line<Term, in_flight, std::size_t>(line, team, add); });
      }
    }
    const operands<T, input_layout::any>& one_by_one = in;
    return of_carriers([&](auto add) { for_each_pack<Term, in_flight>(one_by_one, team, add); });
  }

  /// By one thread. A sum of floats overflows no double, so it tells of infinite and NaN terms. Gradients that
  /// overflow are ordinary; the exact sum of 10^9 bfloat16 terms took 28 times as long as reading them (H100,
  /// 2026-11-26).
  static __device__ __forceinline__ core::decision decide(const total& sum, const line_bounds& bounds,
                                                          core::result_rule rule, std::uint64_t n,
                                                          const line_request& asked) {
    if constexpr (std::is_same_v<T, float>) {
      constexpr double infinity = __builtin_huge_val();
      const bool plus = sum.sum == infinity, minus = sum.sum == -infinity;
      if (!(fabs(sum.sum) < infinity))
        return {core::special_word(rule.format(), !plus && !minus, plus, minus), true};
    }
    return base::decide(sum, bounds, rule, n, asked);
  }
  template <class Team>
  static __device__ __forceinline__ void again(const list_piece<T>& line, Team team, unsigned, const line_bounds&,
                                               typename base::storage& storage, refined_sum*,
                                               const line_results& out, std::size_t i, std::uint64_t n,
                                               const line_request&) {
    sum_list_exactly(core::describe_term<Term>(), line, team, storage, destination_of(out, i, n));
  }
};

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
