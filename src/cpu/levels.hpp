// The levels of a reduction on one thread: bounded sum, refined sum, exact state; and short calls, which need no
// plan.
//
// Inline: a plan takes as long as a reduction of some hundred elements (docs/experiments.md, "The plan").
#pragma once

#include <core/enclosure.hpp>
#include <core/finish.hpp>
#include <cpu/environment.hpp>
#include <cpu/kernels.hpp>
#include <plan/plan.hpp>

namespace exactdot::cpu_engine {

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

/// words += the exact sum of n elements. See kernels::accumulate.
inline bool accumulate(const kernels& kernels, element_type carrier, const void* a, const void* b, std::size_t n,
                       std::int64_t* words, bool only_fast_paths) noexcept {
  if (arithmetic_is_standard()) return kernels.accumulate(a, b, n, words, only_fast_paths);
  while (n != 0) {
    const std::size_t count = std::min<std::size_t>(n, core::additions_between_normalisations);
    kernels.accumulate_integers(a, b, count, words);
    core::normalise(core::layout_of(carrier), words);
    a = static_cast<const char*>(a) + count * size_of(carrier);
    b = static_cast<const char*>(b) + count * size_of(carrier);
    n -= count;
  }
  return true;
}

inline bool bounded(const kernels& kernels, const void* a, const void* b, std::size_t n,
                    bounded_sum& sum) noexcept {
  return arithmetic_is_standard() && kernels.bounded(a, b, n, sum);
}

/// What core::decide_finish needs.
struct arithmetic : core::rounding_in_integers {
  static double root(double x) { return std::sqrt(x); }
  static double fma(double x, double y, double z) { return std::fma(x, y, z); }
};

inline core::enclosure enclosure_of(const bounded_sum& sum) {
  const auto scaled = [&](double x) { return std::ldexp(x, sum.exponent); };
  return {scaled(sum.head), scaled(sum.tail), scaled(sum.bound) + (sum.exponent == 0 ? 0 : 0x1p-1000)};
}

/// result = the bits of the result for a bounded sum over n elements. False if its bound leaves them undecided.
inline bool finish_if_certain(const core::result_rule& rule, std::size_t n, const bounded_sum& sum,
                              std::uint64_t& result) {
  if (rule.finish() != core::finish::round || rule.is_integer()) {
    const core::decision found = core::decide_finish<arithmetic>(rule, static_cast<double>(n), enclosure_of(sum));
    result = found.word;
    return found.certain;
  }
  const auto round = [&]<class R>(R value) {
    const bool certain = round_if_certain(sum, value);
    result = core::to_word(value);
    return certain;
  };
  if (rule.gives<double>()) return round(double{});
  if (rule.gives<float>()) return round(float{});
  return round_if_certain(sum, rule.format(), result);
}

/// result = the bits of the result that a bounded sum over n elements left open. `refined`: a sum with a smaller
/// bound, from levels and a bound on the addends as kernels::refined takes them. False if that leaves it open too.
template <class Refined>
bool finish_refined(const core::result_rule& rule, std::size_t n, const bounded_sum& sum, std::uint64_t& result,
                    Refined refined) {
  constexpr int most_levels = 5;
  const double largest = sum.exponent == 0 ? sum.largest : HUGE_VAL;
  // 3 levels make the bound smaller by a factor of 2^55 at least; a sum that the bound hides may be tiny
  const double needed = std::ldexp(sum.bound, rule.precision() + 4 - 55);
  const bool known = std::abs(sum.head + sum.tail) > std::max(needed, 2 * sum.bound);
  for (const int levels : {known ? 3 : 0, most_levels}) {
    expansion finer;
    if (!arithmetic_is_standard() || !refined(levels, largest, finer)) return false;
    const bounded_sum two_doubles = rounded(finer);
    if (finish_if_certain(rule, n, two_doubles, result)) return true;
    // more levels help, if there are more, unless the sum is next to a tie
    const bool is_tie = two_doubles.bound < std::ldexp(std::abs(two_doubles.head), -rule.precision() - 12);
    if (is_tie || finer.levels == most_levels) return false;
  }
  return false;
}

/// The exact result of a short call: n > 0 contiguous carriers in cache, one thread, no monitor; a finish of one
/// sum.
inline std::uint64_t reduce_short(const kernels& kernels, core::finish finish, element_type carrier,
                                  element_type result, const void* a, const void* b, std::size_t n) {
  const core::result_rule rule(finish, core::format_of(result));
  if (engine::bounded_sum_can_decide(carrier, result)) {
    bounded_sum sum;
    std::uint64_t word = 0;
    if (bounded(kernels, a, b, n, sum)) {
      if (finish_if_certain(rule, n, sum, word)) return word;
      const auto refined = [&](int levels, double largest, expansion& finer) {
        return kernels.refined(a, b, n, levels, largest, finer);
      };
      if (finish_refined(rule, n, sum, word, refined)) return word;
    }
  }
  const core::state_layout layout = core::layout_of(carrier);
  state_words words(layout);
  accumulate(kernels, carrier, a, b, n, words.data(), false);
  return core::finish_state(rule, layout, words.data(), n).word;
}

}  // namespace exactdot::cpu_engine
