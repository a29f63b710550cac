// The value at a result's place that its sum is added to (any_results::is_added_to): one more term.
//
// Level 1 takes it as one more row: a compensated sum adds it by TwoSum, so the bound of cpu/column_sums.hpp holds
// for n + 1 terms, ties included. It is a double; of a 64-bit integer two, which make two terms. Exact states take
// it as a term (core/addend.hpp). Cost: 8 flops a result, of what level 1 leaves open some tenths of a µs. An
// infinity or NaN makes the bound a NaN, which decides nothing.
#pragma once

#include <cmath>
#include <cpu/column_sums.hpp>
#include <exactdot/core/addend.hpp>
#include <plan/batch.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// Terms of level 1 that a value makes, at most.
inline constexpr std::size_t terms_of_addend = 2;

class addend {
 public:
  addend(const engine::batch& of, const char* at) : rule_(of.each.result), word_(of.load(at)) {}

  [[nodiscard]] std::uint64_t word() const noexcept { return word_; }
  [[nodiscard]] const core::result_rule& rule() const noexcept { return rule_; }
  [[nodiscard]] core::exact_term term() const noexcept { return core::term_of_word(rule_, word_); }
  /// The sums with the value as terms.
  [[nodiscard]] group_sums joined(const group_sums& sums) const noexcept {
    if (rule_.gives<float>()) return joined(sums, static_cast<double>(core::from_word<float>(word_)));
    if (rule_.gives<double>()) return joined(sums, core::from_word<double>(word_));
    const core::exact_term term = this->term();
    if (term.kind != core::kind::finite) return joined(sums, HUGE_VAL);
    const auto magnitude = static_cast<std::uint64_t>(term.magnitude);
    const std::uint64_t low = rule_.is_integer() ? magnitude & 0xffffffff : 0;
    const double sign = term.negative ? -1 : 1;
    const double high = sign * std::ldexp(static_cast<double>(magnitude - low), term.exponent);
    return low == 0 ? joined(sums, high) : joined(joined(sums, high), sign * static_cast<double>(low));
  }
  /// The same of a sum whose roundings are not known one by one.
  void join(bounded_sum& sum) const noexcept {
    const group_sums alone = joined({});
    const double bound = std::isfinite(alone.error) ? 0 : HUGE_VAL;  // sum + error is the value
    add(sum, bounded_sum{alone.sum, alone.error, bound, 0, std::abs(alone.sum)});
  }
  /// The result of the sum of a normalised state, which is overwritten, and the value.
  [[nodiscard]] core::outcome finish(const core::state_layout& layout, std::int64_t* words) const noexcept {
    return core::finish_with_addend(rule_, layout, words, term());
  }

 private:
  static group_sums joined(const group_sums& sums, double x) noexcept {
    const auto [sum, lost] = core::two_sum(sums.sum, x);
    return {sum, sums.error + lost, sums.magnitude + std::abs(lost),
            x == 0 ? sums.smallest : std::fmin(sums.smallest, std::abs(x))};
  }

  core::result_rule rule_;
  std::uint64_t word_;
};

/// Calls use(what is added to the result at a place), or use(null).
template <class Use>
void with_addend_at(const engine::batch& of, const char* place, Use use) noexcept {
  if (!of.adds_to_results) return use(nullptr);
  const addend old(of, place);
  use(&old);
}

}  // namespace exactdot::inline v0_3::cpu_engine
