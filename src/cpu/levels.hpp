// The levels of a reduction on one thread: bounded sum, refined sum, exact state; and short calls, which need no
// plan.
//
// Inline: a plan takes as long as a reduction of some hundred elements (docs/experiments.md, "The plan").
#pragma once

#include <cpu/kernels.hpp>
#include <exactdot/core/exact_result.hpp>
#include <exactdot/core/finish.hpp>
#include <plan/plan.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// The words of one exact state, or of two, on the stack; only those of the layout are touched.
class state_words {
 public:
  explicit state_words(const core::state_layout& layout, int states = 1) : count_(states * layout.words()) {
    clear();
  }
  void clear() { std::fill_n(words_, count_, 0); }
  [[nodiscard]] std::int64_t* data() { return words_; }

 private:
  int count_;
  std::int64_t words_[2 * core::max_state_words];  // not initialised: a short state must not pay for a long one
};

/// What core::decide_finish needs.
struct arithmetic : core::rounding_in_integers {
  static double root(double x) { return std::sqrt(x); }
  static double fma(double x, double y, double z) { return std::fma(x, y, z); }
};

/// What a bounded sum over n elements decides.
[[gnu::noinline]] inline core::decision decide(const core::result_rule& rule, std::size_t n,
                                               const bounded_sum& sum) {
  const auto [head, tail] = core::two_sum(sum.head, sum.tail);
  const core::enclosure value{head, tail, sum.bound};
  const auto count = static_cast<double>(n);
  return sum.exponent == 0 ? core::decide_finish<arithmetic>(rule, count, value)
                           : core::decide_scaled_finish<arithmetic>(rule, count, value, sum.exponent);
}

/// result = the bits of the result for a bounded sum over n elements. False if its bound leaves them undecided.
inline bool finish_if_certain(const core::result_rule& rule, std::size_t n, const bounded_sum& sum,
                              std::uint64_t& result) {
  const bool is_plain = sum.exponent == 0 && rule.finish() == core::finish::round;
  const core::decision found =  // the frequent ones inline
      is_plain && rule.gives<double>()  ? core::decide_rounding<double>({sum.head, sum.tail, sum.bound})
      : is_plain && rule.gives<float>() ? core::decide_rounding<float>({sum.head, sum.tail, sum.bound})
                                        : decide(rule, n, sum);
  result = found.word;
  return found.certain;
}

/// Whether a bound that leaves a sum undecided is so small that the sum is most likely half way between two
/// results.
inline bool is_next_to_tie(const core::result_rule& rule, const bounded_sum& sum) {
  return sum.bound < std::abs(sum.head) * power_of_two(-rule.precision() - 12);
}

/// result = the bits of the result, if two doubles hold the sum; exact(pair) is `exact_pair` of `kernels`.
template <class Exact>
bool finish_tie(const core::result_rule& rule, std::size_t n, Exact exact, std::uint64_t& result) {
  exact_pair sum;
  if (rule.finish() == core::finish::root || !exact(sum)) return false;
  const core::decision found = core::decide_exact<arithmetic>(rule, n, sum.high, sum.low);
  result = found.word;
  return found.certain;
}

/// result = the bits of the result that a bounded sum over n elements left open. suggested_levels(exponent) and
/// refined(levels, exponent, sum) are those of `kernels`, over all elements. False if they leave it open too.
template <class Exact, class Suggest, class Refined>
[[gnu::noinline]] bool finish_open(const core::result_rule& rule, std::size_t n, const bounded_sum& sum,
                                   Exact exact, Suggest suggested_levels, Refined refined, std::uint64_t& result) {
  if (is_next_to_tie(rule, sum) && finish_tie(rule, n, exact, result)) return true;
  const int exponent = exponent_above(sum.largest) + sum.exponent;
  // 3 levels make the bound smaller by a factor of 2^55 at least; a sum that the bound hides may be tiny
  const double needed = sum.bound * power_of_two(rule.precision() + 4 - 55);
  const bool known = std::abs(sum.head + sum.tail) > std::max(needed, 2 * sum.bound);
  for (int levels = known ? 3 : suggested_levels(exponent); levels <= refined_sum::max_levels;) {
    refined_sum finer;
    if (!refined(levels, exponent, finer)) return false;
    const bounded_sum two_doubles = rounded(finer);
    if (finish_if_certain(rule, n, two_doubles, result)) return true;
    // more levels help, if there are more, unless the sum is next to a tie
    if (is_next_to_tie(rule, two_doubles) || levels == refined_sum::max_levels) return false;
    levels = refined_sum::max_levels;
  }
  return false;
}

/// result = the bits of the result, from level 1; bounded(sum) and exact(pair) are those of `kernels`. False if it
/// is left undecided.
template <class Bounded, class Exact, class Suggest, class Refined>
bool finish_within_bound(const core::result_rule& rule, std::size_t n, Bounded bounded, Exact exact,
                         Suggest suggested_levels, Refined refined, std::uint64_t& result) {
  bounded_sum sum;
  if (!bounded(sum)) return false;
  return finish_if_certain(rule, n, sum, result) ||
         finish_open(rule, n, sum, exact, suggested_levels, refined, result);
}

/// The same as finish_open for contiguous elements on one thread.
[[gnu::noinline]] inline bool finish_open_in_place(const kernels& kernels, const core::result_rule& rule,
                                                   const void* a, const void* b, std::size_t n,
                                                   const bounded_sum& sum, std::uint64_t& result) {
  return finish_open(
      rule, n, sum, [&](exact_pair& pair) { return kernels.exact_pair(a, b, n, pair); },
      [&](int exponent) { return kernels.suggested_levels(a, b, n, exponent); },
      [&](int levels, int exponent, refined_sum& finer) {
        return kernels.refined(a, b, n, levels, exponent, finer);
      },
      result);
}

/// The same as finish_within_bound for contiguous elements on one thread.
inline bool finish_in_place(const kernels& kernels, const core::result_rule& rule, const void* a, const void* b,
                            std::size_t n, std::uint64_t& result) {
  bounded_sum sum;
  if (!kernels.bounded(a, b, n, nullptr, sum)) return false;
  return finish_if_certain(rule, n, sum, result) || finish_open_in_place(kernels, rule, a, b, n, sum, result);
}

/// The exact result of a short call: n > 0 contiguous carriers in cache, one thread, no monitor; a finish of one
/// sum.
inline std::uint64_t reduce_short(const kernels& kernels, core::finish finish, element_type carrier,
                                  element_type result, const void* a, const void* b, std::size_t n) {
  const core::result_rule rule(finish, core::format_of(result));
  if (engine::bounded_sum_can_decide(carrier, result)) {
    std::uint64_t word = 0;
    if (finish_in_place(kernels, rule, a, b, n, word)) return word;
  }
  const core::state_layout layout = core::layout_of(carrier);
  state_words words(layout);
  kernels.accumulate(a, b, n, words.data());
  return core::finish_state(rule, layout, words.data(), n).word;
}

}  // namespace exactdot::inline v0_3::cpu_engine
