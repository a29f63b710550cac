// The work of variances and their roots: two bounded sums, of x and of x^2, from one read, decided by an enclosure
// of n·Σx² - (Σx)² (core::decide_moments); a line that this leaves open by two exact states.
// Of doubles a comparison comes first, which reads the line once more: whether all are equal, as no bound tells.
#pragma once

#include <cuda/work/exact_sums.cuh>
#include <exactdot/core/moment_decision.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// The sums of x and of x^2.
template <class T>
struct moment_total {
  line_sum<T, core::value> of_values;
  line_sum<T, core::square> of_squares;

  __device__ __forceinline__ void join(const moment_total& other) {
    of_values.join(other.of_values), of_squares.join(other.of_squares);
  }
};
template <class T>
__device__ __forceinline__ void copy_sum(const moment_total<T>& from, moment_total<T>& to) {
  copy_sum(from.of_values, to.of_values), copy_sum(from.of_squares, to.of_squares);
}
template <class T, class Shuffle>
__device__ __forceinline__ moment_total<T> shuffled(const moment_total<T>& x, Shuffle shuffle) {
  return {shuffled(x.of_values, shuffle), shuffled(x.of_squares, shuffle)};
}

/// Of one team, for lines whose moments the bounds leave open.
template <class T>
struct moment_storage : line_storage<T> {
  std::int64_t state[2][core::layout_of<T>().words()];
  std::int64_t scratch[core::max_moment_limbs];
};

/// Clears the states of both sums. By `threads` threads, this one with the given index among them.
template <class T>
__device__ void clear_states(moment_storage<T>& storage, unsigned thread, unsigned threads) {
  constexpr unsigned words = core::layout_of<T>().words();
  for (unsigned i = thread; i < 2 * words; i += threads) storage.state[i / words][i % words] = 0;
}

/// Adds storage.sum, which is complete, to a state. By the lanes of one warp.
template <class T>
__device__ void add_to_state(moment_storage<T>& storage, int which) {
  destination to;
  to.words = storage.state[which];
  static_cast<void>(finish_sum(to, storage.sum, storage.carried_digit, storage.words));
}

/// The variance of the states, or its root. By one thread.
template <class T>
[[gnu::noinline]] __device__ void finish_moments(moment_storage<T>& storage, const destination& to,
                                                 std::uint64_t ddof) {
  constexpr core::state_layout layout = core::layout_of<T>();
  core::normalise(layout, storage.state[0]);
  core::normalise(layout, storage.state[1]);
  const core::outcome found =
      core::finish_moments(to.rule, layout, storage.state[0], storage.state[1], to.count, ddof, storage.scratch);
  store_anywhere(to, found.word);
}

/// Whether all elements are equal and finite: a variance of 0, which no bound decides if their squares have more
/// bits than two doubles. By all threads of a warp or a block; in all of them. Not inlined, as sum_line_again.
template <class Team, class Line>
[[gnu::noinline]] __device__ bool are_equal(Line line, Team team, moment_storage<double>& storage) {
  double lowest = HUGE_VAL, highest = -HUGE_VAL;
  const auto include = [&](double low, double high) {
    lowest = ::fmin(lowest, low), highest = ::fmax(highest, high);
  };
  for_each_pack<core::value, 1>(line, share_of_thread(team), [&](const auto& x, const auto&) {
    for (const double each : x) each - each == 0 ? include(each, each) : include(-HUGE_VAL, HUGE_VAL);
  });
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    const double low = __shfl_xor_sync(all_lanes, lowest, distance);
    include(low, __shfl_xor_sync(all_lanes, highest, distance));
  }
  if constexpr (Team::lanes > 32) {
    constexpr unsigned warps = Team::lanes / 32;
    static_assert(2 * warps <= core::max_moment_limbs);
    double* const of_warp = reinterpret_cast<double*>(storage.scratch);
    const auto thread = static_cast<unsigned>(team.first_thread());
    Team::synchronise();
    if (thread % 32 == 0) of_warp[thread / 32] = lowest, of_warp[warps + thread / 32] = highest;
    Team::synchronise();
    for (unsigned warp = 0; warp < warps; ++warp) include(of_warp[warp], of_warp[warps + warp]);
    Team::synchronise();
  }
  return lowest == highest;
}

/// The variance of a line from exact states. By all threads of a team. Not inlined, as sum_line_again.
template <class Work, class T, class Team, class Line>
[[gnu::noinline]] __device__ void moments_again(Line line, Team team, moment_storage<T>& storage,
                                                const destination& to, std::uint64_t ddof) {
  const auto thread = static_cast<unsigned>(team.first_thread());
  Team::synchronise();
  clear_states(storage, thread, Team::lanes);
  Work::for_each_sum([&]<class Term>(Term, int which) {
    sum_exactly(core::describe_term<Term>(), Work::addends_of(line, which), team, storage);
    if (thread < 32) add_to_state(storage, which);
    Team::synchronise();
  });
  if (thread == 0) finish_moments(storage, to, ddof);
  Team::synchronise();
}

/// A variance or its root.
template <class T>
struct moments_of_line : exact_sums<T, core::value, 2> {
  using work_of_open_lines = moments_of_line;
  static constexpr int terms_of_element = 1;
  static constexpr bool loses_to_underflow = core::streams_of<core::square, T> == 2;
  using total = moment_total<T>;
  using storage = moment_storage<T>;

  struct of_thread {
    bounded_thread_sum<T, core::value, summation::traced> values;
    bounded_thread_sum<T, core::square, summation::traced> squares;

    template <int count>
    __device__ __forceinline__ void add(const T (&x)[count], const T (&)[count]) {
      values.add(x, x), squares.add(x, x);
    }
    __device__ __forceinline__ moment_total<T> total() { return {values.total(), squares.total()}; }
  };

  template <class Call>
  static __device__ __forceinline__ void for_each_sum(Call call) {
    call(core::value{}, 0);
    call(core::square{}, 1);
  }
  template <class Line>
  static __device__ __forceinline__ const Line& addends_of(const Line& line, int) {
    return line;
  }

  static __device__ __forceinline__ void store(const total& from, stored_trace* to) {
    store_trace(from.of_values, to[0]), store_trace(from.of_squares, to[1]);
  }
  static __device__ __forceinline__ void load(const stored_trace* from, total& to) {
    load_trace(from[0], to.of_values), load_trace(from[1], to.of_squares);
  }

  /// Not inlined: it is long, and the kernels call it at several places.
  [[gnu::noinline]] static __device__ core::decision decide(const total& sum, const line_bounds& bounds,
                                                            core::result_rule rule, std::uint64_t n,
                                                            const line_request& asked) {
    if (n <= asked.ddof) return {core::nan_word(rule.format()), true};
    const core::enclosure values = enclosure_of(sum.of_values, bounds.of_sum);
    if (n == 1 && fabs(values.head) < HUGE_VAL) return {0, true};
    core::enclosure squares = enclosure_of(sum.of_squares, bounds.of_squares);
    if constexpr (sizeof(T) == sizeof(double)) {
      if (sum.of_values.least == 0 && sum.of_values.error == 0 && sum.of_values.sum == 0) squares.bound = 0;
    }
    return core::decide_moments<correctly_rounded>(rule, static_cast<double>(n), static_cast<double>(asked.ddof),
                                                   values, squares);
  }

  static __device__ __forceinline__ unsigned choose_scaling(const total&, const line_bounds&) { return 0; }

  template <class Team, class Line>
  static __device__ __forceinline__ void again(const Line& line, Team team, unsigned, const line_bounds&,
                                               storage& storage, refined_sum*, const line_results& out,
                                               std::size_t i, std::uint64_t n, const line_request& asked) {
    const destination to = destination_of(out, i, n);
    if constexpr (sizeof(T) == sizeof(double)) {
      if (are_equal(line, team, storage)) {
        if (team.first_thread() == 0) store_anywhere(to, 0);
        return;
      }
    }
    moments_again<moments_of_line>(line, team, storage, to, asked.ddof);
  }
};

/// A variance or its root of elements that are converted by packs, in layout `converted`.
template <class T>
struct moments_of_packs : moments_of_line<T> {
  using Term = core::square;  ///< which types are converted
  static constexpr int terms_of_element = 2;
  static constexpr bool loses_to_underflow = false;

  /// As packed_term.
  template <class Element>
  class of_packs {
   public:
    using Term = core::square;

    template <int words>
    __device__ __forceinline__ void add_words(const unsigned (&x)[words], const unsigned (&)[words]) {
      values_.add_words(x, x), squares_.add_words(x, x);
    }
    __device__ __forceinline__ void add_element(const unsigned* x, const unsigned*, int j) {
      values_.add_element(x, x, j), squares_.add_element(x, x, j);
    }
    [[nodiscard]] __device__ __forceinline__ moment_total<T> total(const magnitude_range<Element>& range,
                                                                   const magnitude_range<Element>&, int half,
                                                                   std::uint64_t end) const {
      return {values_.total(range, range, half, end), squares_.total(range, range, half, end)};
    }

   private:
    packed_term<T, core::value, Element> values_;
    packed_term<T, core::square, Element> squares_;
  };
};

/// What computes a variance of lines of a layout.
template <class T, input_layout layout>
using moments_work = std::conditional_t<layout == input_layout::converted, moments_of_packs<T>, moments_of_line<T>>;

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
