// Results of many bounded sums at once, in the lanes of registers: sums, means, norms, variances and deviations
// rounded to any floating-point type, and integers. What stays open is for the scalar functions of
// exactdot/core/enclosure.hpp and exact_result.hpp, whose results these are.
//
// A candidate c, a number of the result's format next to the result, is proved by its remainder (P. W. Markstein,
// IBM J. R&D 34, 1990, for divisions and roots). Let S be the sum, |S - head - tail| <= bound, p the format's
// precision, and h half the distance from c to its neighbour on the result's side, or to the nearer one. Numbers
// nearer to c than h on that side, or on both, round to c:
//
//   quotient by d   |S/d - c| < h       <=>  |S - c·d| < d·h
//   root            |sqrt(S) - c| < h   <=>  (c - h)^2 < S < (c + h)^2  <=>  |S - c^2 - h^2| < 2·c·h
//
// How c was found does not matter, but that it has no more than p bits. The remainder is a fused multiply-add and
// an addition of the tail, each rounded once: errors below 2^-53 of the remainder and of the tail in all, for which
// 2^-52 of the tail is counted and the right side is taken 2^-48 smaller, which covers all other roundings of both
// sides too. Formats shorter than double count the whole tail as an error. Nothing underflows: c is a normal number
// in [2^-400, 2^400], and d <= 2^50.
//
// No bound decides a tie. Without one, and without a tail, a quotient q that is a double, which head - q·d = 0
// tells (a multiple of the last bits of q and d, which does not underflow), is rounded to an even number of the
// shorter format. Where d is a power of two, so is the rounded sum of head and tail to one of doubles. Other ties
// stay open. Cost: some 30 operations a register, of roots a root and of doubles a division more.
#if defined(EXACTDOT_CPU_DECISIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_DECISIONS_INL_H_
#undef EXACTDOT_CPU_DECISIONS_INL_H_
#else
#define EXACTDOT_CPU_DECISIONS_INL_H_
#endif

#include <cpu/simd-inl.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cpu/sum_bounds.hpp>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

using decision_tag = hn::ScalableTag<double>;
using decision_bits = hn::RebindToUnsigned<decision_tag>;
using decision_mask = hn::Mask<decision_tag>;
using decision_vec = vec<decision_tag>;

HWY_INLINE decision_vec all_of(double x) { return hn::Set(decision_tag(), x); }

/// A bounded sum in each lane.
struct sum_register {
  decision_vec head, tail, bound;

  static HWY_INLINE sum_register load(const sum_bounds& of, std::size_t i) {
    const decision_tag d;
    return {hn::LoadU(d, of.head + i), hn::LoadU(d, of.tail + i), hn::LoadU(d, of.bound + i)};
  }
  HWY_INLINE void store(const sum_bounds& to, std::size_t i) const {
    const decision_tag d;
    hn::StoreU(head, d, to.head + i), hn::StoreU(tail, d, to.tail + i), hn::StoreU(bound, d, to.bound + i);
  }
};

/// x + y rounded, and its error (TwoSum).
struct register_pair {
  decision_vec value, error;

  static HWY_INLINE register_pair sum(decision_vec x, decision_vec y) {
    const auto value = hn::Add(x, y), added = hn::Sub(value, x);
    return {value, hn::Add(hn::Sub(x, hn::Sub(value, added)), hn::Sub(y, added))};
  }
};

/// |x| in [from, to]
HWY_INLINE decision_mask is_within(decision_vec x, double from, double to) {
  const auto size = hn::Abs(x);
  return hn::And(hn::Ge(size, all_of(from)), hn::Le(size, all_of(to)));
}
HWY_INLINE decision_mask is_zero(decision_vec x) { return hn::Eq(x, hn::Zero(decision_tag())); }

/// A floating-point format as the decisions need it; narrow: shorter than double.
template <bool narrow>
class decision_format {
 public:
  HWY_INLINE explicit decision_format(core::number_format to)
      : dropped_(53 - to.precision), half_(power_of_two(-to.precision) * (1 - 0x1p-48)) {
    if constexpr (narrow) {
      smallest_ = power_of_two(to.lowest_exponent() + to.precision - 1);
      // 8-bit floats without an infinity have other numbers at the end of their range
      const double end = power_of_two(to.highest_exponent() - 1);
      largest_ = to.exponent_bits == 4 ? end : end * (2 - power_of_two(1 - to.precision));
    }
  }
  /// The number of p bits next to x, of two the even one, where x is neither infinite nor NaN.
  [[nodiscard]] HWY_INLINE decision_vec rounded(decision_vec x) const {
    if constexpr (!narrow) return x;
    const decision_bits d;
    const auto bits = hn::BitCast(d, x), last = hn::And(hn::ShiftRightSame(bits, dropped_), hn::Set(d, 1));
    const std::uint64_t unit = std::uint64_t{1} << dropped_;
    const auto lifted = hn::Add(hn::Add(bits, hn::Set(d, unit / 2 - 1)), last);
    return hn::BitCast(decision_tag(), hn::And(lifted, hn::Set(d, ~(unit - 1))));
  }
  /// h, a little less, where `rest` is the remainder give or take an error. Short formats have many powers of two,
  /// beside which h is twice as long on the far side from 0.
  [[nodiscard]] HWY_INLINE decision_vec half_unit(decision_vec c, decision_vec rest, decision_vec error) const {
    const decision_tag tag;
    const decision_bits d;
    auto before = hn::Sub(hn::BitCast(d, c), hn::Set(d, 1));
    if constexpr (narrow) {
      const auto outwards = hn::Gt(hn::Xor(rest, hn::And(c, hn::SignBit(tag))), error);
      before = hn::Sub(before, hn::BitCast(d, hn::VecFromMask(tag, outwards)));
    }
    return hn::Mul(hn::BitCast(tag, hn::And(before, hn::Set(d, 0x7ff0000000000000U))), all_of(half_));
  }
  /// Whether c is a number of this format that has all of its precision, and products with it have room.
  [[nodiscard]] HWY_INLINE decision_mask is_normal(decision_vec c) const {
    return is_within(c, smallest_, largest_);
  }

 private:
  int dropped_;
  double half_, smallest_ = 0x1p-400, largest_ = 0x1p400;
};

/// Results in each lane, as doubles, and where they are certain.
struct decided_register {
  decision_vec value;
  decision_mask is_certain;
};

/// How far a sum is from a remainder of head, or of head + tail where the tail is added to that.
template <bool narrow>
HWY_INLINE decision_vec error_of(const sum_register& sum) {
  const auto tail = hn::Abs(sum.tail), bound = hn::Mul(sum.bound, all_of(1.0625));
  return narrow ? hn::Add(bound, tail) : hn::MulAdd(tail, all_of(0x1p-52), bound);
}

/// The remainder head + tail - x·y.
template <bool narrow>
HWY_INLINE decision_vec remainder_of(const sum_register& sum, decision_vec x, decision_vec y) {
  const auto rest = fused_rest(decision_tag(), x, y, sum.head);
  return narrow ? rest : hn::Add(rest, sum.tail);
}

/// The quotients by d. d_inverse: about 1/d. is_power: d is a power of two.
template <bool narrow>
HWY_INLINE decided_register decide_quotients(const decision_format<narrow>& format, const sum_register& sum,
                                             double d, double d_inverse, [[maybe_unused]] bool is_power) {
  const decision_tag tag;
  const auto divisor = all_of(d), inverse = all_of(d_inverse), error = error_of<narrow>(sum);
  const auto first = hn::Mul(narrow ? sum.head : hn::Add(sum.head, sum.tail), inverse);
  const auto q = hn::MulAdd(remainder_of<narrow>(sum, first, divisor), inverse, first);
  const auto c = format.rounded(q);
  const auto rest = remainder_of<narrow>(sum, c, divisor), half = format.half_unit(c, rest, error);
  const auto is_near = hn::Lt(hn::Add(hn::Abs(rest), error), hn::Mul(half, divisor));
  auto is_exact = is_zero(narrow ? error : sum.bound);
  if constexpr (narrow) {
    is_exact = hn::And(is_exact, is_zero(fused_rest(tag, q, divisor, sum.head)));
  } else if (!is_power) {
    is_exact = hn::And(is_exact, is_zero(hn::Or(sum.head, sum.tail)));
  }
  const auto is_result = hn::Or(format.is_normal(c), hn::And(is_exact, is_zero(c)));
  return {c, hn::And(hn::Or(is_near, is_exact), is_result)};
}

/// The sums themselves. rounds: whatever is stored is rounded, so that a sum without an error may be any number.
template <bool narrow, bool rounds>
HWY_INLINE decided_register decide_roundings(const decision_format<narrow>& format, const sum_register& sum) {
  const auto whole = narrow ? sum.head : hn::Add(sum.head, sum.tail), c = format.rounded(whole);
  const auto error = error_of<narrow>(sum);
  const auto of_head = hn::Sub(sum.head, c), rest = narrow ? of_head : hn::Add(of_head, sum.tail);
  const auto half = format.half_unit(c, rest, error);
  const auto is_near = hn::And(hn::Lt(hn::Add(hn::Abs(rest), error), half), format.is_normal(c));
  const auto is_exact = hn::And(is_zero(narrow ? error : sum.bound), hn::Lt(hn::Abs(whole), all_of(HUGE_VAL)));
  if constexpr (rounds) return {hn::IfThenElse(is_exact, whole, c), hn::Or(is_near, is_exact)};
  return {c, hn::Or(is_near, hn::And(is_exact, hn::Or(format.is_normal(c), is_zero(c))))};
}

/// The roots. Two more roundings, of h^2 and the difference from it, are less than 2^-50 of the right side.
template <bool narrow>
HWY_INLINE decided_register decide_roots(const decision_format<narrow>& format, const sum_register& sum) {
  const decision_tag tag;
  auto near = hn::Sqrt(narrow ? sum.head : hn::Add(sum.head, sum.tail));
  if constexpr (!narrow) {
    near = hn::Add(near, hn::Div(remainder_of<narrow>(sum, near, near), hn::Add(near, near)));
  }
  const auto c = format.rounded(near), error = error_of<narrow>(sum), rest = remainder_of<narrow>(sum, c, c);
  const auto half = format.half_unit(c, rest, error), off = fused_rest(tag, half, half, rest);
  const auto is_near = hn::Lt(hn::Add(hn::Abs(off), error), hn::Mul(hn::Add(c, c), half));
  const auto is_nothing = is_zero(hn::Or(hn::Or(sum.head, sum.tail), sum.bound));
  return {hn::IfThenZeroElse(is_nothing, c), hn::Or(hn::And(is_near, format.is_normal(c)), is_nothing)};
}

/// The quotients by d, each with its bound: about head/d, q, and (head - q·d + tail)/d, for whose roundings 2^-50
/// of that and 2^-51 of the tail count.
HWY_INLINE sum_register quotients_of(const sum_register& sum, double d, double d_inverse) {
  const auto inverse = all_of(d_inverse), q = hn::Mul(sum.head, inverse);
  const auto rest = hn::Mul(remainder_of<false>(sum, q, all_of(d)), inverse);
  const auto error = hn::MulAdd(hn::Abs(sum.tail), all_of(0x1p-51), hn::Mul(sum.bound, all_of(1.0625)));
  const auto bound = hn::MulAdd(error, inverse, hn::Mul(hn::Abs(rest), all_of(0x1p-50)));
  return {q, rest, hn::IfThenElse(is_within(sum.head, 0x1p-900, 0x1p900), bound, all_of(HUGE_VAL))};
}

/// How results of type R are stored: doubles and floats by a conversion, which rounds.
template <class R>
struct stored_as {
  static constexpr bool is_narrow = sizeof(R) < sizeof(double), rounds = true;
  explicit stored_as(core::number_format) {}

  HWY_INLINE void operator()(decision_vec x, char* to, std::size_t count) const {
    constexpr std::size_t lanes = hn::MaxLanes(decision_tag());
    const hn::Rebind<R, decision_tag> d;
    const auto results = rounded(R(), x);
    if (count == lanes) return hn::StoreU(results, d, reinterpret_cast<R*>(to));
    HWY_ALIGN R last[lanes];
    hn::Store(results, d, last);
    std::memcpy(to, last, count * sizeof(R));
  }

  /// x rounded to R.
  static HWY_INLINE decision_vec rounded(double, decision_vec x) { return x; }
  static HWY_INLINE auto rounded(float, decision_vec x) {
    const hn::Rebind<float, decision_tag> d;
// whose DemoteTo has the greatest float for an infinite one
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
    HWY_ALIGN double from[hn::MaxLanes(decision_tag())];
    HWY_ALIGN float to[hn::MaxLanes(decision_tag())];
    hn::Store(x, decision_tag(), from);
    for (std::size_t i = 0; i < hn::MaxLanes(decision_tag()); ++i) to[i] = static_cast<float>(from[i]);
    return hn::Load(d, to);
#else
    return hn::DemoteTo(d, x);
#endif
  }
};

/// Of the shorter formats by their bits, from normal numbers or 0, which have no more than their precision: sign,
/// exponent less the difference of the biases, and the leading bits of the fraction.
struct stored_bits {
  static constexpr bool is_narrow = true, rounds = false;
  explicit stored_bits(core::number_format to)
      : bytes_(static_cast<std::size_t>(to.precision + to.exponent_bits) / 8),
        dropped_(53 - to.precision),
        bias_((std::uint64_t{1024} - (std::uint64_t{1} << (to.exponent_bits - 1))) << (to.precision - 1)),
        sign_(8 * static_cast<int>(bytes_) - 1) {}

  HWY_INLINE void operator()(decision_vec x, char* to, std::size_t count) const {
    const decision_bits d;
    HWY_ALIGN std::uint64_t words[hn::MaxLanes(d)];
    const auto bits = hn::BitCast(d, x), magnitude = hn::And(bits, hn::Set(d, ~std::uint64_t{0} >> 1));
    const auto shifted = hn::Sub(hn::ShiftRightSame(magnitude, dropped_), hn::Set(d, bias_));
    const auto is_zero = hn::Eq(magnitude, hn::Zero(d));
    const auto sign = hn::ShiftLeftSame(hn::ShiftRight<63>(bits), sign_);
    hn::Store(hn::Or(hn::IfThenZeroElse(is_zero, shifted), sign), d, words);
    for (std::size_t i = 0; i < count; ++i) {  // the low bytes come first
      if (bytes_ == 2) std::memcpy(to + 2 * i, words + i, 2);
      if (bytes_ == 1) std::memcpy(to + i, words + i, 1);
    }
  }

 private:
  std::size_t bytes_;
  int dropped_;
  std::uint64_t bias_;
  int sign_;
};

/// Stores what decide(sum) finds of each of `count` sums, in `size` bytes; see sum_decision. All arguments are
/// values, so that a store of bytes changes none of them.
template <class Decide, class Store>
HWY_INLINE bool decide_each(const sum_bounds of, std::size_t count, Decide decide, const Store store,
                            std::size_t size, char* to, bool* is_open) {
  constexpr std::size_t lanes = hn::MaxLanes(decision_tag());
  bool any_open = false;
  for (std::size_t i = 0; i < count; i += lanes) {
    const decided_register found = decide(sum_register::load(of, i));
    const std::size_t some = std::min(count - i, lanes);
    store(found.value, to + i * size, some);
    if (hn::AllTrue(decision_tag(), found.is_certain)) continue;
    HWY_ALIGN double certain[lanes];
    hn::Store(hn::IfThenElseZero(found.is_certain, all_of(1)), decision_tag(), certain);
    for (std::size_t k = 0; k < some; ++k) {
      is_open[i + k] = certain[k] == 0;
      any_open |= certain[k] == 0;
    }
  }
  return any_open;
}

template <class Store>
bool decide_floating(const asked_results& asked, const sum_bounds& of, std::size_t count, char* to, bool* is_open) {
  constexpr bool narrow = Store::is_narrow, rounds = Store::rounds;
  const core::number_format number = asked.rule.format();
  const decision_format<narrow> format(number);
  const Store store(number);
  const double d = asked.divisor, inverse = 1 / d;
  const bool is_power = std::has_single_bit(static_cast<std::uint64_t>(d));
  const auto with = [&](auto decide) HWY_ATTR {
    return decide_each(of, count, decide, store, static_cast<std::size_t>(asked.rule.bytes()), to, is_open);
  };
  switch (asked.rule.finish()) {
    case core::finish::round:
      return with([=](const sum_register& sum) HWY_ATTR { return decide_roundings<narrow, rounds>(format, sum); });
    case core::finish::root:
      return with([=](const sum_register& sum) HWY_ATTR { return decide_roots(format, sum); });
    case core::finish::deviation:
      return with([=](const sum_register& sum)
                      HWY_ATTR { return decide_roots(format, quotients_of(sum, d, inverse)); });
    default:
      return with([=](const sum_register& sum)
                      HWY_ATTR { return decide_quotients(format, sum, d, inverse, is_power); });
  }
}

/// Sums that are integers, known without an error and below 2^51: 1.5·2^52 more is a double whose bits count units.
bool decide_integers(const asked_results& asked, const sum_bounds& of, std::size_t count, char* to, bool* is_open) {
  const decision_tag tag;
  const auto lowest = all_of(asked.rule.precision() == 64 ? 0 : -0x1p51), shift = all_of(0x1.8p52);
  const auto decide = [&](const sum_register& sum) HWY_ATTR {
    const auto error = hn::Add(sum.bound, hn::Abs(sum.tail));
    const auto has_room = hn::And(hn::Ge(sum.head, lowest), hn::Lt(sum.head, all_of(0x1p51)));
    const decision_bits d;
    const auto integer = hn::Sub(hn::BitCast(d, hn::Add(sum.head, shift)), hn::BitCast(d, shift));
    return decided_register{hn::BitCast(tag, integer), hn::And(hn::Eq(error, hn::Zero(tag)), has_room)};
  };
  return decide_each(of, count, decide, stored_as<double>({}), sizeof(std::int64_t), to, is_open);
}

/// See sum_decision.
bool decide_sums(const asked_results& asked, const sum_bounds& of, std::size_t count, char* to, bool* is_open) {
  const core::result_rule& rule = asked.rule;
  const bool is_integer_sum = rule.is_integer() && rule.finish() == core::finish::round;
  if (asked.divisor == 0 || (rule.is_integer() && !is_integer_sum)) {
    std::fill_n(is_open, count, true);
    return count != 0;
  }
  if (is_integer_sum) return decide_integers(asked, of, count, to, is_open);
  if (rule.gives<double>()) return decide_floating<stored_as<double>>(asked, of, count, to, is_open);
  if (rule.gives<float>()) return decide_floating<stored_as<float>>(asked, of, count, to, is_open);
  return decide_floating<stored_bits>(asked, of, count, to, is_open);
}

/// See instruction_set::bound_numerators: core::moment_numerator in lanes.
void bound_numerators(double n, const sum_bounds& sums, const sum_bounds& squares, std::size_t count,
                      const sum_bounds& to) {
  const decision_tag d;
  const auto terms = all_of(n), two = all_of(2);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const sum_register of_values = sum_register::load(sums, i), of_squares = sum_register::load(squares, i);
    const auto x = register_pair::sum(of_values.head, of_values.tail),
               q = register_pair::sum(of_squares.head, of_squares.tail);
    const auto size = hn::Abs(x.value), rest = hn::Abs(x.error);
    const auto has_size = hn::And(hn::Gt(size, all_of(0x1p-400)), hn::Lt(size, all_of(0x1p400)));
    const auto has_square = hn::And(hn::Gt(q.value, all_of(0x1p-800)), hn::Lt(q.value, all_of(0x1p800)));
    const auto in_range = hn::And(hn::Or(has_size, hn::Eq(size, hn::Zero(d))), has_square);
    const auto whole = hn::Mul(terms, q.value), whole_error = fused_subtract(d, terms, q.value, whole);
    const auto square = hn::Mul(x.value, x.value), square_error = fused_subtract(d, x.value, x.value, square);
    const auto whole_rest = hn::Mul(terms, q.error), square_rest = hn::Mul(two, hn::Mul(x.value, x.error));
    const auto difference = register_pair::sum(whole, hn::Neg(square));
    const auto tail =
        hn::Add(hn::Add(difference.error, hn::Sub(whole_error, square_error)), hn::Sub(whole_rest, square_rest));
    const auto magnitudes = hn::Add(hn::Add(hn::Add(hn::Abs(difference.error), hn::Abs(whole_error)),
                                            hn::Add(hn::Abs(square_error), hn::Abs(whole_rest))),
                                    hn::Abs(square_rest));
    const auto of_sum = hn::Mul(hn::Add(hn::Mul(two, hn::Add(size, rest)), of_values.bound), of_values.bound);
    const auto bound = hn::Add(hn::Add(hn::Mul(terms, of_squares.bound), of_sum),
                               hn::Add(hn::Mul(rest, rest), hn::Mul(magnitudes, all_of(0x1p-50))));
    const auto widened = hn::Add(hn::Mul(bound, all_of(1.0625)), all_of(0x1p-1000));
    sum_register{difference.value, tail, hn::IfThenElse(in_range, widened, all_of(HUGE_VAL))}.store(to, i);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
