// The work of sums: of terms, rounded, or the root or quotient of such a sum; and of elements that are converted by
// packs. See total_of_line.cuh for what a work is.
#pragma once

#include <cuda/work/exact_sums.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// A sum of terms, rounded, or its root or quotient.
template <class T, class Term>
struct sum_of_terms : exact_sums<T, Term, 1> {
  using work_of_open_lines = sum_of_terms;
  static constexpr int terms_of_element = 1;  ///< at most, of each sum
  static constexpr bool loses_to_underflow = core::streams_of<Term, T> == 2;
  using total = line_sum<T, Term>;
  using of_thread = bounded_thread_sum<T, Term, summation::traced>;
  using storage = line_storage<T>;

  /// Calls call(term, which) for the sums of a work, whose addends are those of addends_of(line, which).
  template <class Call>
  static __device__ __forceinline__ void for_each_sum(Call call) {
    call(Term{}, 0);
  }
  template <class Line>
  static __device__ __forceinline__ const Line& addends_of(const Line& line, int) {
    return line;
  }

  static __device__ __forceinline__ void store(const total& from, stored_trace* to) { store_trace(from, *to); }
  static __device__ __forceinline__ void load(const stored_trace* from, total& to) { load_trace(*from, to); }

  /// By one thread.
  static __device__ __forceinline__ core::decision decide(const total& sum, const line_bounds& bounds,
                                                          core::result_rule rule, std::uint64_t n,
                                                          const line_request&) {
    return cuda_engine::decide<T>(sum, bounds.of_sum, rule, n);
  }
  /// For again(), by the thread that has the sum.
  static __device__ __forceinline__ unsigned choose_scaling(const total& sum, const line_bounds& bounds) {
    return static_cast<unsigned>(cuda_engine::choose_scaling<T>(sum, bounds.of_sum));
  }
  /// Stores the result of a line by more bits. By all threads of the team, with the same arguments.
  template <class Team, class Line>
  static __device__ __forceinline__ void again(const Line& line, Team team, unsigned scale,
                                               const line_bounds& bounds, storage& storage, refined_sum* of_warp,
                                               const line_results& out, std::size_t i, std::uint64_t n,
                                               const line_request&) {
    sum_line_again(core::describe_term<Term>(), line, team, static_cast<scaling>(scale), bounds.of_sum, storage,
                   of_warp, destination_of(out, i, n));
  }
};

/// The same of elements that are converted by packs, in layout `converted`.
template <class T, class Term>
struct sum_of_packs : sum_of_terms<T, Term> {
  static constexpr int terms_of_element = 2;  ///< the halves of products of 64 bits
  static constexpr bool loses_to_underflow = false;
  template <class Element>
  using of_packs = packed_term<T, Term, Element>;
};

/// What computes a sum of lines of a layout.
template <class T, class Term, input_layout layout>
using sum_work =
    std::conditional_t<layout == input_layout::converted, sum_of_packs<T, Term>, sum_of_terms<T, Term>>;

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
