// Implementation of ratio_sums.hpp.
#include <cpu/levels.hpp>
#include <exactdot/core/quotient.hpp>
#include <exactdot/core/ratio.hpp>
#include <exactdot/core/state_enclosure.hpp>
#include <optional>
#include <run/exact_number.hpp>
#include <run/ratio_sums.hpp>

namespace exactdot::inline v0_3::engine {
namespace {

using cpu_engine::arithmetic;

core::special_terms special_terms_of(const ratio_sum& sum) {
  if (sum.words == nullptr) return {false, false, false};
  return core::special_terms_of(sum.layout, sum.words);
}

/// Σ xᵢyᵢ/Σ yᵢ by the rules of IEEE 754, but NaN where the weights have no sum or the sum 0.
std::uint64_t special_mean(core::number_format to, const ratio_state& of) {
  const core::state_class weights = core::class_of(of.y.layout, of.y.words);
  if (weights.zero) return core::nan_word(to);
  return core::round_quotient(to, core::quotient_of(of.xy.layout, of.xy.words, of.y.layout, of.y.words));
}

/// The result if an element is NaN or infinite: NaN, except of means, and of a distance +∞ if only one of the
/// vectors has infinities.
std::optional<std::uint64_t> special_result(reduction ratio, core::number_format to, const ratio_state& of) {
  bool any = false;
  for (const ratio_sum* sum : {&of.x, &of.y, &of.xy, &of.xx, &of.yy}) any = any || special_terms_of(*sum).any();
  if (!any) return std::nullopt;
  if (ratio == reduction::weighted_mean) return special_mean(to, of);
  const core::special_terms x = special_terms_of(of.xx), y = special_terms_of(of.yy);
  if (ratio == reduction::distance && !x.nan && !y.nan && x.plus != y.plus) return core::infinity_word(to, false);
  return core::nan_word(to);
}

/// The sums as numbers, made by make(sum).
template <class Number, class Make>
core::ratio_sums<Number> numbers_of(const ratio_state& of, Number n, Number degrees, const Make& make) {
  const auto number = [&](const ratio_sum& sum) { return sum.words == nullptr ? Number() : make(sum); };
  return {n, degrees, number(of.x), number(of.y), number(of.xy), number(of.xx), number(of.yy)};
}

std::uint64_t finish_exactly(reduction ratio, core::number_format to, std::uint64_t degrees,
                             const ratio_state& of) {
  const auto sums = numbers_of(of, exact_number(of.n), exact_number(degrees),
                               [](const ratio_sum& sum) { return exact_number(sum.layout, sum.words); });
  const auto [form, numerator, divisor] = core::formula_of(ratio, sums);
  if (divisor.is_zero()) return core::nan_word(to);
  if (numerator.is_zero()) return 0;
  const bool negative = numerator.is_negative() != divisor.is_negative();
  if (form == core::ratio_form::quotient) {
    return core::round_wide(to, negative, exact_number::quotient<4>(numerator, divisor));
  }
  core::wide square =
      exact_number::quotient<6>(form == core::ratio_form::over_root ? numerator * numerator : numerator, divisor);
  core::take_root(square);
  return core::round_wide(to, negative, square);
}

}  // namespace

std::uint64_t finish_ratio(reduction ratio, core::number_format to, std::int64_t ddof, const ratio_state& of) {
  if (const auto special = special_result(ratio, to, of)) return *special;
  const auto lost = static_cast<std::uint64_t>(ddof);
  if (has_ddof(ratio) && of.n <= lost) return core::nan_word(to);
  const std::uint64_t degrees = has_ddof(ratio) ? of.n - lost : 1;
  constexpr std::uint64_t max_count = std::uint64_t{1} << 53;
  if (of.n < max_count) {
    using number = core::enclosed<arithmetic>;
    const auto of_count = [](std::uint64_t n) { return number{{static_cast<double>(n), 0, 0}}; };
    const auto sums = numbers_of(of, of_count(of.n), of_count(degrees), [](const ratio_sum& sum) {
      return number{core::enclosure_of_state(sum.layout, sum.words)};
    });
    const core::decision found = core::decide_ratio(core::result_rule(core::finish::quotient, to), ratio, sums);
    if (found.certain) return found.word;
  }
  return finish_exactly(ratio, to, degrees, of);
}

}  // namespace exactdot::inline v0_3::engine
