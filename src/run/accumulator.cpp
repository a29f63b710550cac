// The functions behind accumulator<T>, for every element type: the state is an array of words and its layout.
//
// Additions leave carries in the limbs; reading normalises. Headroom is checked at each normalisation, when the
// last limb still has 2^32 times the room that the contract promises, so no overflow passes unnoticed.
#include <algorithm>
#include <cpu/environment.hpp>
#include <cpu/levels.hpp>
#include <cstring>
#include <exactdot/core/finish.hpp>
#include <exactdot/core/quotient.hpp>
#include <exactdot/moments.hpp>
#include <plan/state_words.hpp>
#include <run/run.hpp>
#include <string>

namespace exactdot::inline v0_3::detail {
namespace {

core::state_layout layout_of(state_view state) { return core::layout_of(state.type); }

bool is_same(const core::state_layout& a, const core::state_layout& b) {
  return a.limbs == b.limbs && a.lowest_exponent == b.lowest_exponent;
}

/// work(layout) with a layout that the compiler knows, so that it unrolls the loops over a short state.
template <class Work>
void with_layout(state_view state, Work work) {
  if (is_integer(state.type)) return work(core::layout_of(state.type));
  with_carrier(core::carrier_of(state.type), [&]<class T>(T) { work(core::layout_of<T>()); });
}

}  // namespace

void load_words(state_view state, std::span<const std::int64_t> words) {
  const core::state_layout layout = layout_of(state);
  engine::require_word_count(words.size(), {reduction::sum, state.type}, state.caller);
  engine::check_sum(state.caller, layout, words.data());
  std::ranges::copy(words, state.words);
  for (int i = layout.nans(); i < layout.states(); ++i) {
    state.words[i] = std::min(state.words[i], core::state_layout::max_count);
  }
  state.words[layout.states()] = 1;
  *state.pending = 1;
  if (words[static_cast<std::size_t>(layout.states())] == 1 && core::fits(layout, state.words)) {
    *state.pending = 0;  // the limbs of one state, which check_sum has seen, are canonical
  }
  normalise(state);
}

void normalise(state_view state) {
  if (*state.pending == 0) return;
  with_layout(state, [&](const core::state_layout& layout) {
    core::normalise(layout, state.words);
    if (!core::fits(layout, state.words)) engine::throw_headroom(state.caller);
  });
  *state.pending = 0;
}

namespace {

/// An element as an exact number.
template <element T>
core::exact_term exact_element(const void* x) {
  T value;
  std::memcpy(&value, x, sizeof value);
  if constexpr (is_integer(type_of<T>)) {
    const bool negative = value < 0;
    const auto bits = static_cast<std::uint64_t>(value);
    return {.magnitude = negative ? std::uint64_t{0} - bits : bits, .negative = negative};
  } else {
    return core::decompose(value);
  }
}

}  // namespace

void add_product(state_view state, const void* a, const void* b) {
  with_element(state.type, [&]<class T>(T) {
    constexpr core::state_layout layout = core::layout_of(type_of<T>);
    constexpr int bits =
        is_integer(type_of<T>) ? layout.highest_exponent : 2 * core::format<core::carrier_for<T>>::precision;
    core::add_term<bits>(layout, state.words, core::multiply(exact_element<T>(a), exact_element<T>(b)));
  });
  if (++*state.pending >= core::additions_between_normalisations) normalise(state);
}

namespace {

core::exact_term exact_scalar(const any_scalar& x) {
  return with_element(x.type, [&]<class T>(T) {
    const T value = x.as<T>();
    return exact_element<T>(&value);
  });
}

}  // namespace

void add_product(state_view state, const any_scalar& a, const any_scalar& b) {
  const core::state_layout layout = layout_of(state);
  const core::exact_term term = core::multiply(exact_scalar(a), exact_scalar(b));
  // a state of two limbs' terms has no room for the limbs that a larger term touches
  if (layout.highest_exponent - layout.lowest_exponent <= 64) {
    core::add_term<64>(layout, state.words, term);
  } else {
    core::add_term<128>(layout, state.words, term);
  }
  if (++*state.pending >= core::additions_between_normalisations) normalise(state);
}

namespace {

void check_type(state_view state, const any_vector& x) {
  if (x.type == state.type || (is_known(x.type) && state_holds(state.type, x.type))) return;
  engine::throw_error(errc::bad_option, state.caller,
                      "the vectors hold " + std::string(is_known(x.type) ? name_of(x.type) : "an unknown type") +
                          ", this accumulator " + std::string(name_of(state.type)) +
                          "; it takes types whose products it holds exactly");
}

}  // namespace

/// The sum is made in the state of the carrier, which is that of the accumulator or is added to it.
void add_terms(state_view state, reduction what, const any_vector& a, const any_vector& b, options options) {
  check_type(state, a), check_type(state, b);
  options.mode = mode::exact;  // whatever the caller's
  const cpu_engine::standard_arithmetic environment;
  normalise(state);
  const core::state_layout layout = layout_of(state);
  const element_type carrier = core::wider(core::carrier_of(a.type), core::carrier_of(b.type));
  const core::state_layout carrier_layout = core::layout_of(carrier);
  const bool converts = !is_same(layout, carrier_layout);
  std::int64_t sum[core::max_state_words];
  if (converts) {
    std::fill_n(sum, carrier_layout.words(), 0);
  } else {
    std::copy_n(state.words, layout.words(), sum);
  }
  const bool is_carrier = a.type == carrier && a.type == b.type;
  if (is_carrier && is_contiguous(a) && is_contiguous(b) && a.n == b.n &&
      engine::is_short_call(a.data, b.data, a.n, options)) {
    const auto& kernels = cpu_engine::current_kernels(a.type, core::info_of(what).term);
    kernels.accumulate(a.data, b.data, a.n, sum);
  } else {
    engine::add(engine::make_plan({state.caller, what, a, b, element_type::float64}, options), sum);
  }
  if (converts) {
    std::int64_t total[core::max_state_words];
    std::copy_n(state.words, layout.words(), total);
    core::add_state(layout, total, carrier_layout, sum);
    core::normalise(layout, total);
    std::copy_n(total, layout.words(), sum);
  }
  if (!core::fits(layout, sum)) engine::throw_headroom(state.caller);
  std::copy_n(sum, layout.words(), state.words);
}

void negate(state_view state) {
  normalise(state);
  const core::state_layout layout = layout_of(state);
  core::negate(layout.number(state.words));
  std::swap(state.words[layout.positive_infinities()], state.words[layout.negative_infinities()]);
}

namespace {

/// A normalised copy of a state's words.
struct state_copy {
  explicit state_copy(state_view state) : layout(layout_of(state)) {
    normalise(state);
    std::copy_n(state.words, layout.words(), words);
  }
  core::state_layout layout;
  std::int64_t words[core::max_state_words];
};

/// The same state in the layout of double, which holds those of all types.
state_copy widest(state_view state) {
  state_copy copy(state);
  constexpr core::state_layout layout = core::layout_of<double>();
  if (is_same(copy.layout, layout)) return copy;
  std::int64_t words[core::max_state_words] = {};
  core::add_state(layout, words, copy.layout, copy.words);
  core::normalise(layout, words);
  copy.layout = layout;
  std::copy_n(words, layout.words(), copy.words);
  return copy;
}

/// merge with a state of another type: not inlined, because it would slow the loop of one type down.
[[gnu::noinline]] void merge_of_other_type(state_view state, state_view other) {
  if (!state_holds(state.type, other.type)) {
    engine::throw_error(errc::bad_option, state.caller,
                        "cannot merge a state of " + std::string(name_of(other.type)) + " into one of " +
                            std::string(name_of(state.type)) + ", which does not hold it");
  }
  state_copy sum(state), added(other);
  core::add_state(sum.layout, sum.words, added.layout, added.words);
  core::normalise(sum.layout, sum.words);
  if (!core::fits(sum.layout, sum.words)) engine::throw_headroom(state.caller, "the merged sum");
  std::copy_n(sum.words, sum.layout.words(), state.words);
}

}  // namespace

void merge(state_view state, state_view other) {
  if (state.type != other.type) return merge_of_other_type(state, other);
  normalise(state);
  normalise(other);
  with_layout(state, [&](const core::state_layout& layout) {
    std::int64_t sum[core::max_state_words];
    std::copy_n(state.words, layout.words(), sum);
    core::merge(layout, sum, other.words);
    core::normalise(layout, sum);
    if (!core::fits(layout, sum)) engine::throw_headroom(state.caller, "the merged sum");
    std::copy_n(sum, layout.words(), state.words);
  });
}

std::partial_ordering compare(state_view a, state_view b) {
  const bool same = a.type == b.type || is_same(layout_of(a), layout_of(b));
  state_copy first = same ? state_copy(a) : widest(a), second = same ? state_copy(b) : widest(b);
  const core::state_class x = core::class_of(first.layout, first.words);
  const core::state_class y = core::class_of(second.layout, second.words);
  if (x.nan || y.nan) return std::partial_ordering::unordered;
  const auto rank = [](const core::state_class& of) { return !of.infinite ? 0 : of.negative ? -1 : 1; };
  if (x.infinite || y.infinite) return rank(x) <=> rank(y);
  constexpr int some = 32;  // limbs at a time, by one comparison of memory
  int end = first.layout.limbs;
  while (end >= some && std::equal(first.words + end - some, first.words + end, second.words + end - some))
    end -= some;
  for (int i = end - 1; i >= 0; --i) {
    if (first.words[i] != second.words[i]) return first.words[i] <=> second.words[i];
  }
  return std::partial_ordering::equivalent;
}

namespace {

/// Whether the root of a negative sum is asked for. If there are special terms, the limbs mean nothing.
bool has_no_root(const state_copy& state, core::finish finish) {
  if (finish != core::finish::root) return false;
  const core::special_terms special = core::special_terms_of(state.layout, state.words);
  return special.any() ? special.minus : state.words[state.layout.limbs - 1] < 0;
}

}  // namespace

std::uint64_t round(state_view state, element_type result, core::finish finish, std::uint64_t count) {
  if (is_integer(result) && (!is_integer(state.type) || size_of(result) != 8)) {
    engine::throw_error(
        errc::bad_option, state.caller,
        "a sum of " + std::string(name_of(state.type)) + " cannot be rounded to " + std::string(name_of(result)));
  }
  state_copy copy(state);
  const core::number_format to = core::format_of(result);
  if (has_no_root(copy, finish)) return core::nan_word(to);
  const core::outcome found = core::finish_state({finish, to}, copy.layout, copy.words, count);
  if (found.overflows) {
    engine::throw_error(
        errc::overflow, state.caller,
        "the sum does not fit into " + std::string(name_of(result)) + "; round it to a floating-point type");
  }
  return found.word;
}

std::uint64_t round_moments(const moments_view& of, element_type result, std::uint64_t ddof, bool root) {
  state_copy first(of.sum), second(of.squares);
  std::int64_t scratch[core::max_moment_limbs] = {};
  const core::result_rule rule(root ? core::finish::deviation : core::finish::variance, core::format_of(result));
  const core::state_layout& layout = first.layout;
  const bool special =
      core::special_terms_of(layout, first.words).any() || core::special_terms_of(layout, second.words).any();
  const std::uint64_t word =
      core::finish_moments(rule, layout, first.words, second.words, of.count, ddof, scratch).word;
  if (special || of.count <= ddof) return word;
  // n·Σx² − (Σx)², which finish_moments has left in the scratch words, is negative for no elements
  const core::fixed_point numerator{scratch, 2 * layout.limbs + 4, 2 * layout.lowest_exponent};
  if (core::is_negative(numerator) || core::is_negative(layout.number(second.words))) {
    engine::throw_error(errc::bad_option, of.sum.caller, "these words are the moments of no elements");
  }
  return word;
}

std::uint64_t round_quotient(state_view dividend, state_view divisor, element_type result) {
  state_copy a(dividend), b(divisor);
  return core::round_quotient(core::format_of(result), core::quotient_of(a.layout, a.words, b.layout, b.words));
}

namespace {

/// A magnitude, normalised and above zero, rounded once to 53 bits.
scaled_double scaled(bool negative, core::wide magnitude) {
  const std::int64_t exponent = std::int64_t{magnitude.exponent} + 255;  // of the leading bit
  magnitude.exponent = -255;
  const auto significand =
      core::from_word<double>(core::round_wide(core::format<double>::number, negative, magnitude));
  const bool carried = significand == 2 || significand == -2;
  return {carried ? significand / 2 : significand, exponent + carried};
}

}  // namespace

scaled_double round_quotient_scaled(state_view dividend, state_view divisor) {
  state_copy a(dividend), b(divisor);
  const core::state_quotient found = core::quotient_of(a.layout, a.words, b.layout, b.words);
  if (found.is == core::state_quotient::outcome_kind::finite) return scaled(found.negative, found.magnitude);
  return {core::from_word<double>(core::round_quotient(core::format<double>::number, found)), 0};
}

scaled_double round_scaled(state_view state, core::finish finish, std::uint64_t count) {
  state_copy copy(state);
  const core::special_terms special = core::special_terms_of(copy.layout, copy.words);
  if (special.any() || has_no_root(copy, finish) || (finish == core::finish::quotient && count == 0)) {
    return {core::from_word<double>(round(state, element_type::float64, finish, count)), 0};
  }
  const core::fixed_point number = copy.layout.number(copy.words);
  const bool negative = core::is_negative(number);
  if (negative) core::negate(number);
  core::wide magnitude = core::leading_bits(number);
  if (magnitude.is_zero()) return {};
  if (finish == core::finish::root) core::take_root(magnitude);
  if (finish == core::finish::quotient) core::divide(magnitude, count);
  return scaled(negative, magnitude);
}

}  // namespace exactdot::inline v0_3::detail
