// Implementation of ratio_sums.hpp.
#include <cpu/exact_number.hpp>
#include <cpu/levels.hpp>
#include <cpu/ratio_sums.hpp>
#include <exactdot/core/quotient.hpp>
#include <exactdot/core/ratio.hpp>
#include <exactdot/core/state_enclosure.hpp>
#include <optional>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

using bounded_number = core::enclosed<arithmetic>;
using words_of_sums = std::span<std::int64_t* const, ratio_sum_count>;

/// n − ddof where it is a divisor, else 1.
std::size_t degrees_of(const ratio_rule& rule, std::size_t n) {
  return has_ddof(rule.what) ? n - static_cast<std::size_t>(rule.ddof) : 1;
}

/// The sums as numbers: number(i) of each.
template <class Number, class Make>
core::ratio_sums<Number> numbers_of(const ratio_rule& rule, std::size_t n, const Make& number) {
  return {Number::of_count(n), Number::of_count(degrees_of(rule, n)),
          number(sum_of_x),    number(sum_of_y),
          number(sum_of_xy),   number(sum_of_xx),
          number(sum_of_yy)};
}

core::decision decide(const ratio_rule& rule, const core::ratio_sums<bounded_number>& sums) {
  return core::decide_ratio(rule.to, core::info_of(rule.what), sums);
}

/// Whether formulas hold: the divisor n − ddof is above 0, and n is a double.
bool has_formula(const ratio_rule& rule, std::size_t n) {
  constexpr std::size_t max_count = std::size_t{1} << 53;
  return n < max_count && (!has_ddof(rule.what) || n > static_cast<std::size_t>(rule.ddof));
}

/// Σ xᵢyᵢ/Σ yᵢ by the rules of IEEE 754, but NaN where the weights have no sum or the sum 0.
std::uint64_t special_mean(core::number_format to, const core::state_layout& layout, words_of_sums words) {
  if (core::class_of(layout, words[sum_of_y]).zero) return core::nan_word(to);
  return core::round_quotient(to, core::quotient_of(layout, words[sum_of_xy], layout, words[sum_of_y]));
}

/// The result if an element is NaN or infinite: NaN, except of means, and of a distance +∞ if only one of the
/// vectors has infinities.
std::optional<std::uint64_t> special_result(const ratio_rule& rule, const core::state_layout& layout,
                                            words_of_sums words) {
  const auto special_at = [&](ratio_sum i) {
    return words[i] == nullptr ? core::special_terms{} : core::special_terms_of(layout, words[i]);
  };
  bool any = false;
  for (int i = 0; i < ratio_sum_count; ++i) any = any || special_at(static_cast<ratio_sum>(i)).any();
  if (!any) return std::nullopt;
  const core::reduction_info& ratio = core::info_of(rule.what);
  if (ratio.divisor == core::ratio_divisor::weights) return special_mean(rule.to, layout, words);
  const core::special_terms x = special_at(sum_of_xx), y = special_at(sum_of_yy);
  const bool is_distance = ratio.numerator == core::ratio_numerator::squared_distance;
  const bool is_infinite = is_distance && !x.nan && !y.nan && x.plus != y.plus;
  return is_infinite ? core::infinity_word(rule.to, false) : core::nan_word(rule.to);
}

std::uint64_t finish_in_integers(const ratio_rule& rule, std::size_t n, const core::state_layout& layout,
                                 words_of_sums words) {
  const auto sums = numbers_of<exact_number>(
      rule, n, [&](ratio_sum i) { return words[i] == nullptr ? exact_number() : exact_number(layout, words[i]); });
  const core::reduction_info& ratio = core::info_of(rule.what);
  const exact_number numerator = core::numerator_of(ratio.numerator, sums),
                     divisor = core::divisor_of(ratio.divisor, sums);
  if (divisor.is_zero()) return core::nan_word(rule.to);
  if (numerator.is_zero()) return 0;
  const bool negative = numerator.is_negative() != divisor.is_negative();
  if (ratio.form == core::ratio_form::quotient) {
    return core::round_wide(rule.to, negative, exact_number::quotient<4>(numerator, divisor));
  }
  const bool squares = ratio.form == core::ratio_form::over_root;
  core::wide found = exact_number::quotient<6>(squares ? numerator * numerator : numerator, divisor);
  core::take_root(found);
  return core::round_wide(rule.to, negative, found);
}

}  // namespace

core::decision decide(const ratio_rule& rule, std::size_t n, std::span<const bounded_sum, ratio_sum_count> sums) {
  if (!has_formula(rule, n)) return {0, false};
  const auto sums_in_range = numbers_of<bounded_number>(rule, n, [&](ratio_sum i) {
    const bounded_sum& sum = sums[i];
    return sum.exponent == 0 ? bounded_number::normalised(sum.head, sum.tail, sum.bound)
                             : bounded_number{bounded_number::unknown};
  });
  return decide(rule, sums_in_range);
}

std::uint64_t finish(const ratio_rule& rule, std::size_t n, const core::state_layout& layout, words_of_sums words) {
  if (const auto special = special_result(rule, layout, words)) return *special;
  if (has_ddof(rule.what) && n <= static_cast<std::size_t>(rule.ddof)) return core::nan_word(rule.to);
  if (has_formula(rule, n)) {
    const core::decision found = decide(rule, numbers_of<bounded_number>(rule, n, [&](ratio_sum i) {
                                          return words[i] == nullptr
                                                     ? bounded_number()
                                                     : bounded_number{core::enclosure_of_state(layout, words[i])};
                                        }));
    if (found.certain) return found.word;
  }
  return finish_in_integers(rule, n, layout, words);
}

}  // namespace exactdot::inline v0_3::cpu_engine
