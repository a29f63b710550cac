// The levels of a reduction on one thread: bounded sum, exact state, mode fast; and short calls, which need no
// more.
//
// Inline, because a short call takes 7 to 30 ns: a plan would take as long as a reduction of some hundred elements.
#pragma once

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
                       std::int64_t* words, bool skip_integer_path) noexcept {
  if (arithmetic_is_standard()) return kernels.accumulate(a, b, n, words, skip_integer_path);
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

/// result = the bits of the bounded sum, rounded. False if its bound leaves the rounding undecided.
inline bool round_if_certain(const core::result_rule& rule, const bounded_sum& sum, std::uint64_t& result) {
  const auto round = [&]<class R>(R value) {
    const bool certain = round_if_certain(sum, value);
    result = core::to_word(value);
    return certain;
  };
  if (rule.gives<double>()) return round(double{});
  if (rule.gives<float>()) return round(float{});
  return round_if_certain(sum, rule.format(), result);
}

/// The exact result of a short call: contiguous carriers in cache, one thread, no monitor, finish::round. n > 0.
inline std::uint64_t reduce_short(const kernels& kernels, element_type carrier, element_type result, const void* a,
                                  const void* b, std::size_t n) {
  const core::result_rule rule(core::finish::round, core::format_of(result));
  if (engine::bounded_sum_can_decide(carrier, result)) {
    bounded_sum sum;
    std::uint64_t word = 0;
    if (bounded(kernels, a, b, n, sum) && round_if_certain(rule, sum, word)) return word;
  }
  const core::state_layout layout = core::layout_of(carrier);
  state_words words(layout);
  accumulate(kernels, carrier, a, b, n, words.data(), false);
  return core::finish_state(rule, layout, words.data()).word;
}

}  // namespace exactdot::cpu_engine
