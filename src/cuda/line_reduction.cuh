// Works: what the kernels of lines compute of a line's elements. Here exact sums: of one term, or a variance, which
// has two. Extreme elements are in extremum_work.cuh, states in line_state_kernel.cuh.
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

#include <cuda/line_again.cuh>
#include <cuda/line_source.hpp>
#include <cuda/packed_sum.cuh>
#include <cuda/segment_tuning.hpp>
#include <cuda/split_lines.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Of each sum of a work; the second one of moments only.
struct line_bounds {
  error_bound of_sum, of_squares;
};

/// The destination of line i, of n elements.
__device__ __forceinline__ destination destination_of(const line_results& out, std::size_t i, std::uint64_t n) {
  destination to = destination_of(out, i);
  to.count = n;
  return to;
}

template <bool tracks_least>
__device__ __forceinline__ void store_trace(const traced_sum<tracks_least>& from, stored_trace& to) {
  to.sum = from.sum, to.correction = from.correction, to.error = from.error, to.least = 0;
  if constexpr (tracks_least) to.least = from.least;
}
template <bool tracks_least>
__device__ __forceinline__ void load_trace(const stored_trace& stored, traced_sum<tracks_least>& to) {
  const volatile stored_trace& from = stored;  // another block's
  to.sum = from.sum, to.correction = from.correction, to.error = from.error;
  if constexpr (tracks_least) to.least = from.least;
}

/// What works of exact sums have in common.
template <class T, class Term_, int sums_>
struct exact_sums {
  using carrier = T;
  using Term = Term_;  ///< for the loops
  using results = line_results;
  using request = line_request;
  template <input_layout layout>
  using source = line_source<T, layout>;
  template <input_layout layout>
  using columns = lines_of<T, layout>;
  static constexpr int sums = sums_;
  static constexpr bool stays_open = true;  ///< if the bounds do not decide
  template <input_layout layout>
  static constexpr segment_row segments = segments_of_sums<T, sums_, layout>();
  template <input_layout layout>
  static constexpr block_config split = split_config<T, sums_, Term_::inputs, layout>();

  /// The result of a line without elements, or with wrong offsets. By one thread.
  static __device__ __forceinline__ void store_none(const line_results& out, std::size_t i, bool is_valid,
                                                    const line_request& asked) {
    store_line<T>(out, i, is_valid ? asked.of_none : asked.of_bad);
  }
};

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

/// Puts the exact sum of a line's terms, or the numbers of those that are infinite or NaN, into storage.sum. By all
/// threads of a team; a barrier before and after.
template <class Team, class Line, class Storage>
__device__ __forceinline__ void sum_exactly(const core::term_info& term, const Line& line, Team team,
                                            Storage& storage) {
  for (const bool in_integers : {false, true}) {
    sum_by(in_integers, term, line, team, storage);
    const bool any_special = (storage.sum.special[0] | storage.sum.special[1] | storage.sum.special[2]) != 0;
    if (storage.sum.log2_error == 0 || any_special) return;  // nothing that counts is missing
  }
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
    if (n > asked.ddof && n < std::uint64_t{1} << 53 &&
        are_equal<correctly_rounded>(static_cast<double>(n), values, squares)) {
      return {0, true};
    }
    return core::decide_moments<correctly_rounded>(rule, static_cast<double>(n), static_cast<double>(asked.ddof),
                                                   values, squares);
  }

  static __device__ __forceinline__ unsigned choose_scaling(const total&, const line_bounds&) { return 0; }

  template <class Team, class Line>
  static __device__ __forceinline__ void again(const Line& line, Team team, unsigned, const line_bounds&,
                                               storage& storage, refined_sum*, const line_results& out,
                                               std::size_t i, std::uint64_t n, const line_request& asked) {
    moments_again<moments_of_line>(line, team, storage, destination_of(out, i, n), asked.ddof);
  }

 private:
  /// Whether the sums are known and show that all n elements are equal, so that the variance is 0: n·q = x². No
  /// bound decides that. Sums that double does not hold are not tried.
  template <class Engine>
  static __device__ bool are_equal(double n, const core::enclosure& x, const core::enclosure& q) {
    if (x.bound != 0 || q.bound != 0 || x.tail != 0 || q.tail != 0) return false;
    if (x.head == 0 && q.head == 0) return true;
    const bool in_range = fabs(x.head) > 0x1p-400 && fabs(x.head) < 0x1p400;
    const double whole = n * q.head, square = x.head * x.head;
    return in_range && whole == square && Engine::fma(n, q.head, -whole) == Engine::fma(x.head, x.head, -square);
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

/// What computes a sum of lines of a layout, and a variance.
template <class T, class Term, input_layout layout>
using sum_work =
    std::conditional_t<layout == input_layout::converted, sum_of_packs<T, Term>, sum_of_terms<T, Term>>;
template <class T, input_layout layout>
using moments_work = std::conditional_t<layout == input_layout::converted, moments_of_packs<T>, moments_of_line<T>>;

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
  } else if constexpr (layout == input_layout::converted) {
    using Term = typename Work::Term;
    typename Work::total total{};
    if (is_line) {
      with_converted_type<Term, typename Work::carrier, true>(line.a.type, [&]<class Element>(Element) {
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
