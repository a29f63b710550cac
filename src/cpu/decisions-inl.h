// Results of many bounded sums at once, in the lanes of registers: sums, means, norms, variances and deviations
// rounded to any floating-point type, and integers. What stays open is for the scalar functions of
// exactdot/core/enclosure.hpp and cpu/exact_decision.hpp, whose results these are.
//
// A candidate c, a number of the result's format next to the result, is proved by its remainder (P. W. Markstein,
// IBM J. R&D 34, 1990, for divisions and roots). Let S be the sum, |S - head - tail| <= bound, and h half a unit of
// c's last place; half of that on the side of 0 where c is a power of two. All numbers nearer to c than h round to
// c.
//
//   quotient by d   |S/d - c| < h       <=>  |S - c·d| < d·h
//   root            |sqrt(S) - c| < h   <=>  (c - h)^2 < S < (c + h)^2  <=>  |S - c^2 - h^2| < 2·c·h
//
// e = head - c·d + tail is computed by a fused multiply-add and TwoSum, of which `lost` remains: |S - c·d - e| <=
// bound + lost. The right sides are products by a power of two, without an error, so if a sum of doubles that is
// rounded is less, so is the exact one. How c was found does not matter, but that it has the format's precision.
//
// The multiply-add is exact for |head| in (2^-900, 2^900) and d <= 2^50. Its result is a multiple of g, the smaller
// one of the last bits of c and head, since d is an integer; |S - c·d| < d·h and |tail| <= 2^-53·|head| leave less
// than 2^53·g: d·h is 2^50 times half of c's last bit at most, and 2^-p of |head|·(1 + 2^-p), if c has p bits.
//
// Ties have e = d·h without a bound or a loss, of both neighbours: the even one is the result. Roots leave them
// open. Cost: some 25 operations a register, of roots a root and of doubles a division more.
#if defined(EXACTDOT_CPU_DECISIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_DECISIONS_INL_H_
#undef EXACTDOT_CPU_DECISIONS_INL_H_
#else
#define EXACTDOT_CPU_DECISIONS_INL_H_
#endif

#include <cpu/simd-inl.h>

#include <algorithm>
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

/// A bounded sum in each lane, head + tail rounded being head.
struct sum_register {
  decision_vec head, tail, bound;

  HWY_INLINE sum_register(decision_vec x, decision_vec y, decision_vec within) : bound(within) {
    head = hn::Add(x, y);
    const auto added = hn::Sub(head, x);
    tail = hn::Add(hn::Sub(x, hn::Sub(head, added)), hn::Sub(y, added));
  }
  HWY_INLINE sum_register(const sum_bounds& of, std::size_t i)
      : sum_register(hn::LoadU(decision_tag(), of.head + i), hn::LoadU(decision_tag(), of.tail + i),
                     hn::LoadU(decision_tag(), of.bound + i)) {}
  HWY_INLINE void store(const sum_bounds& to, std::size_t i) const {
    const decision_tag d;
    hn::StoreU(head, d, to.head + i), hn::StoreU(tail, d, to.tail + i), hn::StoreU(bound, d, to.bound + i);
  }
  [[nodiscard]] HWY_INLINE decision_mask is_zero() const {
    return hn::Eq(hn::Add(hn::Abs(head), bound), hn::Zero(decision_tag()));
  }
  /// Where products with the head have room.
  [[nodiscard]] HWY_INLINE decision_mask is_in_range() const {
    const auto size = hn::Abs(head);
    return hn::And(hn::Gt(size, all_of(0x1p-900)), hn::Lt(size, all_of(0x1p900)));
  }
};

/// A floating-point format as the decisions need it, of less precision than double or `narrow` = false.
template <bool narrow>
class decision_format {
 public:
  HWY_INLINE explicit decision_format(core::number_format to)
      : precision_(to.precision), smallest_(power_of_two(to.lowest_exponent() + to.precision - 1)) {
    // 8-bit floats without an infinity have other numbers at the end of their range
    const double end = power_of_two(std::min(to.highest_exponent() - 1, 1000));
    largest_ = to.exponent_bits == 4 ? end : end * (2 - power_of_two(1 - to.precision));
  }
  /// A number of this format next to x, of which nothing else matters (T. J. Dekker, Numer. Math. 18, 1971, whose
  /// higher part has no more bits: S. Boldo, IJCAR 2006).
  [[nodiscard]] HWY_INLINE decision_vec near(decision_vec x) const {
    if constexpr (!narrow) return x;
    const auto scaled = hn::Mul(x, all_of(power_of_two(53 - precision_) + 1));
    return hn::Sub(scaled, hn::Sub(scaled, x));
  }
  [[nodiscard]] HWY_INLINE decision_vec half_unit(decision_vec c) const {
    const auto exponent = hn::And(bits_of(c), hn::Set(decision_bits(), 0x7ff0000000000000U));
    return hn::Mul(hn::BitCast(decision_tag(), exponent), all_of(power_of_two(-precision_)));
  }
  /// half_unit on the side of c where the result lies. e: the sign of the result less c, known to within `off`.
  [[nodiscard]] HWY_INLINE decision_vec half_unit_towards(decision_vec c, decision_vec e, decision_vec off) const {
    const decision_tag d;
    const auto outwards = hn::Xor(e, hn::And(c, hn::SignBit(d)));
    const auto fraction = hn::And(bits_of(c), hn::Set(decision_bits(), 0xfffffffffffffU));
    const auto is_power = hn::RebindMask(d, hn::Eq(fraction, hn::Zero(decision_bits())));
    const auto half = half_unit(c);
    return hn::IfThenElse(hn::AndNot(hn::Gt(outwards, off), is_power), hn::Mul(half, all_of(0.5)), half);
  }
  [[nodiscard]] HWY_INLINE decision_mask is_odd(decision_vec c) const {
    const auto last = hn::And(bits_of(c), hn::Set(decision_bits(), std::uint64_t{1} << (53 - precision_)));
    return hn::RebindMask(decision_tag(), hn::Ne(last, hn::Zero(decision_bits())));
  }
  /// Whether c is a normal number of this format, which has all of its precision.
  [[nodiscard]] HWY_INLINE decision_mask is_normal(decision_vec c) const {
    const auto size = hn::Abs(c);
    return hn::And(hn::Ge(size, all_of(smallest_)), hn::Le(size, all_of(largest_)));
  }

 private:
  static HWY_INLINE vec<decision_bits> bits_of(decision_vec x) { return hn::BitCast(decision_bits(), x); }

  int precision_;
  double smallest_, largest_;
};

/// Results in each lane, as doubles, and where they are certain.
struct decided_register {
  decision_vec value;
  decision_mask is_certain;
};

/// The quotients by d, or where !divides the sums themselves. d_inverse: about 1/d. rounds: numbers that are no
/// candidates may be results too, because they are rounded when they are stored: sums without an error.
template <bool narrow, bool divides, bool rounds>
HWY_INLINE decided_register decide_quotients(const decision_format<narrow>& format, const sum_register& sum,
                                             double d, double d_inverse) {
  const decision_tag tag;
  const auto divisor = all_of(d), inverse = all_of(d_inverse);
  auto near = sum.head;
  if constexpr (divides) near = hn::Mul(near, inverse);
  if constexpr (divides && !narrow) {
    const auto rest = hn::Add(fused_rest(tag, near, divisor, sum.head), sum.tail);
    near = hn::Add(near, hn::Mul(rest, inverse));
  }
  const auto c = format.near(near);
  const auto first = divides ? fused_rest(tag, c, divisor, sum.head) : hn::Sub(sum.head, c);
  const sum_register rest(first, sum.tail, sum.bound);
  const auto e = rest.head, size = hn::Abs(e);
  const auto off = hn::Mul(hn::Add(hn::Abs(rest.tail), sum.bound), all_of(1.0625));
  const auto half = format.half_unit_towards(c, e, off), limit = divides ? hn::Mul(half, divisor) : half;
  const auto is_tie = hn::And(hn::Eq(off, hn::Zero(tag)), hn::Eq(size, limit));
  const auto neighbour = hn::Add(c, hn::CopySign(hn::Add(half, half), e));
  const auto result = hn::IfThenElse(hn::And(is_tie, format.is_odd(c)), neighbour, c);
  const auto is_near = hn::Or(is_tie, hn::Lt(hn::Add(size, off), limit));
  const auto is_certain = hn::And(hn::And(is_near, format.is_normal(result)), sum.is_in_range());
  auto is_head = sum.is_zero();
  if constexpr (!divides && rounds) {
    const auto error = narrow ? hn::Add(sum.bound, hn::Abs(sum.tail)) : sum.bound;
    is_head = hn::And(hn::Eq(error, hn::Zero(tag)), hn::Lt(hn::Abs(sum.head), all_of(HUGE_VAL)));
  }
  return {hn::IfThenElse(is_head, hn::Add(sum.head, hn::Zero(tag)), result), hn::Or(is_certain, is_head)};
}

/// The roots. Here the multiply-add may be rounded, as e - h^2 is: 2^-50 counts both.
template <bool narrow>
HWY_INLINE decided_register decide_roots(const decision_format<narrow>& format, const sum_register& sum) {
  const decision_tag tag;
  auto near = hn::Sqrt(sum.head);
  if constexpr (!narrow) {
    const auto rest = hn::Add(fused_rest(tag, near, near, sum.head), sum.tail);
    near = hn::Add(near, hn::Div(rest, hn::Add(near, near)));
  }
  const auto c = format.near(near), first = fused_rest(tag, c, c, sum.head), full = format.half_unit(c);
  const sum_register rest(first, sum.tail, sum.bound);
  const auto e = rest.head;
  const auto rounded = hn::Add(hn::Add(hn::Abs(first), hn::Abs(e)), hn::Mul(full, full));
  const auto off =
      hn::Mul(hn::Add(hn::Add(hn::Abs(rest.tail), sum.bound), hn::Mul(rounded, all_of(0x1p-50))), all_of(1.0625));
  const auto half = format.half_unit_towards(c, e, off);
  const auto size = hn::Abs(hn::Sub(e, hn::Mul(half, half)));
  const auto is_near = hn::Lt(hn::Add(size, off), hn::Mul(hn::Add(c, c), half));
  const auto is_positive = hn::And(sum.is_in_range(), hn::Gt(sum.head, hn::Zero(tag)));
  const auto is_zero = sum.is_zero();
  return {hn::IfThenZeroElse(is_zero, c),
          hn::Or(hn::And(hn::And(is_near, format.is_normal(c)), is_positive), is_zero)};
}

/// The quotients by d, each with its bound: about head/d, q, and (head - q·d + tail)/d, for whose 3 roundings 2^-50
/// counts. The multiply-add is exact, as above: q is within 2 of its units from the quotient.
HWY_INLINE sum_register quotients_of(const sum_register& sum, double d, double d_inverse) {
  const auto inverse = all_of(d_inverse), q = hn::Mul(sum.head, inverse);
  const auto rest = hn::Add(fused_rest(decision_tag(), q, all_of(d), sum.head), sum.tail);
  const auto tail = hn::Mul(rest, inverse);
  const auto bound =
      hn::Add(hn::Mul(hn::Mul(sum.bound, inverse), all_of(1.0625)), hn::Mul(hn::Abs(tail), all_of(0x1p-50)));
  return {q, tail, hn::IfThenElse(sum.is_in_range(), bound, all_of(HUGE_VAL))};
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

 private:
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

/// Stores what decide(sum) finds in each lane: finds(i) for `count` results of `size` bytes. See sum_decision.
template <class Decide, class Store>
HWY_INLINE bool decide_each(const sum_bounds& of, std::size_t count, Decide decide, const Store& store,
                            std::size_t size, char* to, bool* is_open) {
  constexpr std::size_t lanes = hn::MaxLanes(decision_tag());
  bool any_open = false;
  for (std::size_t i = 0; i < count; i += lanes) {
    const decided_register found = decide(sum_register(of, i));
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
  const auto with = [&](auto decide) HWY_ATTR {
    return decide_each(of, count, decide, store, static_cast<std::size_t>(asked.rule.bytes()), to, is_open);
  };
  switch (asked.rule.finish()) {
    case core::finish::round:
      return with([&](const sum_register& sum)
                      HWY_ATTR { return decide_quotients<narrow, false, rounds>(format, sum, 1, 1); });
    case core::finish::root:
      return with([&](const sum_register& sum) HWY_ATTR { return decide_roots(format, sum); });
    case core::finish::deviation:
      return with([&](const sum_register& sum)
                      HWY_ATTR { return decide_roots(format, quotients_of(sum, d, inverse)); });
    default:
      return with([&](const sum_register& sum)
                      HWY_ATTR { return decide_quotients<narrow, true, rounds>(format, sum, d, inverse); });
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
void bound_numerators(double n, const sum_bounds& sums, const sum_bounds& squares, std::size_t count) {
  const decision_tag d;
  const auto terms = all_of(n), two = all_of(2);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const sum_register x(sums, i), q(squares, i);
    const auto size = hn::Abs(x.head), rest = hn::Abs(x.tail);
    const auto has_size = hn::And(hn::Gt(size, all_of(0x1p-400)), hn::Lt(size, all_of(0x1p400)));
    const auto has_square = hn::And(hn::Gt(q.head, all_of(0x1p-800)), hn::Lt(q.head, all_of(0x1p800)));
    const auto in_range = hn::And(hn::Or(has_size, hn::Eq(size, hn::Zero(d))), has_square);
    const auto whole = hn::Mul(terms, q.head), whole_error = fused_subtract(d, terms, q.head, whole);
    const auto square = hn::Mul(x.head, x.head), square_error = fused_subtract(d, x.head, x.head, square);
    const auto whole_rest = hn::Mul(terms, q.tail), square_rest = hn::Mul(two, hn::Mul(x.head, x.tail));
    const sum_register difference(whole, hn::Neg(square), hn::Zero(d));
    const auto tail =
        hn::Add(hn::Add(difference.tail, hn::Sub(whole_error, square_error)), hn::Sub(whole_rest, square_rest));
    const auto magnitudes = hn::Add(hn::Add(hn::Add(hn::Abs(difference.tail), hn::Abs(whole_error)),
                                            hn::Add(hn::Abs(square_error), hn::Abs(whole_rest))),
                                    hn::Abs(square_rest));
    const auto of_sum = hn::Mul(hn::Add(hn::Mul(two, hn::Add(size, rest)), x.bound), x.bound);
    const auto bound = hn::Add(hn::Add(hn::Mul(terms, q.bound), of_sum),
                               hn::Add(hn::Mul(rest, rest), hn::Mul(magnitudes, all_of(0x1p-50))));
    const auto widened = hn::Add(hn::Mul(bound, all_of(1.0625)), all_of(0x1p-1000));
    hn::StoreU(difference.head, d, sums.head + i);
    hn::StoreU(tail, d, sums.tail + i);
    hn::StoreU(hn::IfThenElse(in_range, widened, all_of(HUGE_VAL)), d, sums.bound + i);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
