// Implementation of ratio_sums.hpp.
#include <cpu/exact_number.hpp>
#include <cpu/levels.hpp>
#include <cpu/ratio_sums.hpp>
#include <cpu/square_terms.hpp>
#include <exactdot/core/quotient.hpp>
#include <exactdot/core/ratio.hpp>
#include <exactdot/core/state_enclosure.hpp>
#include <optional>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

using bounded_number = core::enclosed<arithmetic>;
using words_of_states = std::span<std::int64_t* const, ratio_state_count>;

bool divides_by_degrees(const ratio_rule& rule) {
  return core::has_degrees_of_count(core::info_of(rule.what).divisor);
}

/// n − ddof where it is a divisor, else 1.
std::size_t degrees_of(const ratio_rule& rule, std::size_t n) {
  return divides_by_degrees(rule) ? n - static_cast<std::size_t>(rule.ddof) : 1;
}

/// The sums as numbers: number(i) of each.
template <class Number, class Make>
core::ratio_sums<Number> numbers_of(const ratio_rule& rule, std::size_t n, const Make& number) {
  return {Number::of_count(n),
          Number::of_count(degrees_of(rule, n)),
          Number::of_count(static_cast<std::uint64_t>(rule.ddof)),
          number(core::sum_of_x),
          number(core::sum_of_y),
          number(core::sum_of_xy),
          number(core::sum_of_xx),
          number(core::sum_of_yy),
          number(core::sum_of_xxy)};
}

core::decision decide(const ratio_rule& rule, const core::ratio_sums<bounded_number>& sums) {
  return core::decide_ratio(rule.to, core::info_of(rule.what), sums);
}

/// Whether n − ddof is a divisor, but not above 0.
bool has_no_degrees(const ratio_rule& rule, std::size_t n) {
  return divides_by_degrees(rule) && n <= static_cast<std::size_t>(rule.ddof);
}

/// Whether enclosures hold it: n and ddof are doubles.
bool has_double_counts(const ratio_rule& rule, std::size_t n) {
  constexpr std::size_t max_count = std::size_t{1} << 53;
  return n < max_count && static_cast<std::size_t>(rule.ddof) < max_count;
}

/// Σ xᵢyᵢ/Σ yᵢ by the rules of IEEE 754, but NaN where the weights have no sum or the sum 0.
std::uint64_t special_mean(core::number_format to, const core::state_layout& layout, words_of_states words) {
  if (core::class_of(layout, words[core::sum_of_y]).zero) return core::nan_word(to);
  return core::round_quotient(to, core::quotient_of(layout, words[core::sum_of_xy], layout, words[core::sum_of_y]));
}

/// The result if an element is NaN or infinite: NaN, except of means, and of a distance +∞ if only one of the
/// vectors has infinities.
std::optional<std::uint64_t> special_result(const ratio_rule& rule, const core::state_layout& layout,
                                            words_of_states words) {
  const auto special_at = [&](int i) {
    return words[i] == nullptr ? core::special_terms{} : core::special_terms_of(layout, words[i]);
  };
  bool any = false;
  for (int i = 0; i < ratio_sum_count; ++i) any = any || special_at(i).any();
  if (!any) return std::nullopt;
  const core::reduction_info& ratio = core::info_of(rule.what);
  if (ratio.divisor == core::ratio_divisor::weights) return special_mean(rule.to, layout, words);
  const core::special_terms x = special_at(core::sum_of_xx), y = special_at(core::sum_of_yy);
  const bool is_distance = ratio.numerator == core::ratio_numerator::squared_distance;
  const bool is_infinite = is_distance && !x.nan && !y.nan && x.plus != y.plus;
  return is_infinite ? core::infinity_word(rule.to, false) : core::nan_word(rule.to);
}

bool is_in_use(const core::state_layout& layout, const std::int64_t* words) {
  return words != nullptr && !core::class_of(layout, words).zero;
}

/// The sum with squares in every range.
exact_number exact_sum(const core::state_layout& layout, words_of_states words, int sum) {
  if (words[sum] == nullptr) return {};
  exact_number found(layout, words[sum]);
  if (sum != core::sum_of_xxy) return found;
  return found + (exact_number(layout, words[small_xxy], unit_of_squares(square_range::small)) +
                  exact_number(layout, words[large_xxy], unit_of_squares(square_range::large)));
}

/// The same as an enclosure: of squares in the ordinary range.
bounded_number enclosed_sum(const core::state_layout& layout, words_of_states words, int sum) {
  if (words[sum] == nullptr) return {};
  const bool has_others =
      sum == core::sum_of_xxy && (is_in_use(layout, words[small_xxy]) || is_in_use(layout, words[large_xxy]));
  return {has_others ? bounded_number::unknown : core::enclosure_of_state(layout, words[sum])};
}

std::uint64_t finish_in_integers(const ratio_rule& rule, std::size_t n, const core::state_layout& layout,
                                 words_of_states words) {
  const auto sums = numbers_of<exact_number>(rule, n, [&](int i) { return exact_sum(layout, words, i); });
  const core::reduction_info& ratio = core::info_of(rule.what);
  const exact_number numerator = core::numerator_of(ratio.numerator, sums),
                     divisor = core::divisor_of(ratio.divisor, sums);
  if (divisor.is_zero() || (ratio.has_ddof() && divisor.is_negative())) return core::nan_word(rule.to);
  if (numerator.is_zero()) return 0;
  const bool negative = numerator.is_negative() != divisor.is_negative();
  if (negative && ratio.form == core::ratio_form::quotient_root) return core::nan_word(rule.to);
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
  if (has_no_degrees(rule, n) || !has_double_counts(rule, n)) return {0, false};
  const auto sums_in_range = numbers_of<bounded_number>(rule, n, [&](int i) {
    const bounded_sum& sum = sums[static_cast<std::size_t>(i)];
    return sum.exponent == 0 ? bounded_number::normalised(sum.head, sum.tail, sum.bound)
                             : bounded_number{bounded_number::unknown};
  });
  return decide(rule, sums_in_range);
}

std::uint64_t finish(const ratio_rule& rule, std::size_t n, const core::state_layout& layout,
                     words_of_states words) {
  if (has_no_degrees(rule, n)) return core::nan_word(rule.to);
  if (const auto special = special_result(rule, layout, words)) return *special;
  if (has_double_counts(rule, n)) {
    const core::decision found =
        decide(rule, numbers_of<bounded_number>(rule, n, [&](int i) { return enclosed_sum(layout, words, i); }));
    if (found.certain) return found.word;
  }
  return finish_in_integers(rule, n, layout, words);
}

}  // namespace exactdot::inline v0_3::cpu_engine
