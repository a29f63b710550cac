// Elements of a normalised row in the lanes of registers, (x − m)·k·w + b, rounded where a bound decides it.
//
// Of carriers that are floats y is one double. With |m − mean_head| <= e and |k/head − 1| <= r its error is below
//
//   |v|·(2^-50 + 2r) + |w|·2.25·head·e + 2^-51·|y|,   v = (x − mean_head)·w·head,   y = v + b
//
// three roundings of v, one of y and one of each end, all counted at least once and a half; so the element lies
// strictly between the ends, unless the bound is 0 and it is y. Nothing underflows: |x| and |w| are 0 or at least
// 2^-149, and 2^-167 < head < 2^250. Doubles are core::normalised_value, lane by lane. Cost: some 20 and some 60
// operations a register. What stays open, results below the normal numbers of a 16-bit type too, is for
// cpu/normalised_rows.cpp.
#if defined(EXACTDOT_CPU_NORMALISED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_NORMALISED_INL_H_
#undef EXACTDOT_CPU_NORMALISED_INL_H_
#else
#define EXACTDOT_CPU_NORMALISED_INL_H_
#endif

#include <cpu/decisions-inl.h>

#include <exactdot/core/normalisation.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

/// Two numbers between which an element lies. is_known: of none where it is false.
struct element_ends {
  decision_vec low, high;
  decision_mask is_known;
};

/// The elements of a row of floats.
class float_row {
 public:
  HWY_INLINE explicit float_row(const core::row_scale& row)
      : mean_(all_of(row.mean_head)), head_(all_of(row.head)) {
    const double error = std::abs(row.mean_tail) + row.mean_bound;
    of_value_ = all_of(0x1p-50 + 2 * (std::abs(row.tail) / row.head + row.relative));
    of_weight_ = all_of(error == 0 ? 0 : 2.25 * row.head * error + 0x1p-900);
  }
  [[nodiscard]] HWY_INLINE element_ends between(decision_vec x, decision_vec w, decision_vec b) const {
    const auto v = hn::Mul(hn::Mul(hn::Sub(x, mean_), w), head_);
    const auto y = hn::Add(v, b);  // a zero is +0: of -0 the ends differ
    const auto of_sum = hn::MulAdd(hn::Abs(w), of_weight_, hn::Mul(hn::Abs(y), all_of(0x1p-51)));
    const auto bound = hn::MulAdd(hn::Abs(v), of_value_, of_sum);
    return {hn::Sub(y, bound), hn::Add(y, bound), hn::Lt(bound, all_of(HUGE_VAL))};
  }

 private:
  decision_vec mean_, head_, of_value_, of_weight_;
};

/// The same of doubles: core::normalised_value.
class double_row {
 public:
  HWY_INLINE explicit double_row(const core::row_scale& row) : row_(row) {}

  [[nodiscard]] HWY_INLINE element_ends between(decision_vec x, decision_vec w, decision_vec b) const {
    const decision_tag d;
    const auto head = all_of(row_.head), tail = all_of(row_.tail);
    const auto difference = register_pair::sum(x, all_of(-row_.mean_head));
    const auto rest = hn::Sub(difference.error, all_of(row_.mean_tail));
    const auto product = hn::Mul(difference.value, w), weighted_rest = hn::Mul(rest, w);
    const auto product_tail = hn::Add(fused_subtract(d, difference.value, w, product), weighted_rest);
    const auto value = hn::Mul(product, head);
    const auto value_tail = hn::Add(fused_subtract(d, product, head, value),
                                    hn::Add(hn::Mul(product, tail), hn::Mul(product_tail, head)));
    const auto sum = register_pair::sum(value, b);
    const auto rests = hn::Add(hn::Abs(weighted_rest), hn::Abs(product_tail));
    const auto of_factors = hn::Add(
        hn::Mul(hn::Abs(product), all_of(row_.relative + 0x1p-101)),
        hn::Add(hn::Mul(hn::Abs(w), all_of(row_.mean_bound)), hn::Mul(rests, all_of(row_.relative + 0x1p-49))));
    const auto roundings = hn::Add(hn::Abs(value_tail), hn::Abs(sum.error));
    const auto bound =
        hn::Add(hn::Add(hn::Mul(hn::Mul(head, of_factors), all_of(1.0625)), hn::Mul(roundings, all_of(0x1p-50))),
                all_of(0x1p-1000));
    const auto is_same = hn::And(is_zero(hn::Or(difference.value, rest)), is_zero(all_of(row_.mean_bound)));
    const auto is_nothing = hn::And(hn::Or(is_zero(w), is_same), is_below_infinity(hn::Abs(hn::Add(x, w))));
    const auto in_range = hn::And(is_within(product, 0x1p-899, 0x1p899), is_within(value, 0x1p-899, 0x1p899));
    const auto whole = hn::IfThenElse(is_nothing, b, sum.value);
    const auto rounded_tail = hn::IfThenZeroElse(is_nothing, hn::Add(sum.error, value_tail));
    const auto wide = hn::MulAdd(bound, all_of(1.0625), hn::Mul(hn::Abs(rounded_tail), all_of(0x1p-52)));
    const auto reach = hn::IfThenZeroElse(is_nothing, wide);
    return {hn::Add(whole, hn::Sub(rounded_tail, reach)), hn::Add(whole, hn::Add(rounded_tail, reach)),
            hn::And(hn::Or(in_range, is_nothing), is_below_infinity(hn::Abs(hn::Add(whole, reach))))};
  }

 private:
  static HWY_INLINE decision_mask is_below_infinity(decision_vec x) { return hn::Lt(x, all_of(HUGE_VAL)); }

  core::row_scale row_;
};

/// The elements between ends, rounded, and their places in the lanes where both ends have the same bits.
struct stored_floats {
  using tag = hn::Rebind<float, decision_tag>;
  HWY_INLINE decision_mask operator()(const element_ends& y, void* to) const {
    const hn::RebindToUnsigned<tag> bits;
    const auto low = hn::BitCast(bits, stored_as<float>::rounded(float(), y.low));
    const auto high = hn::BitCast(bits, stored_as<float>::rounded(float(), y.high));
    hn::StoreU(high, bits, static_cast<std::uint32_t*>(to));
    const auto same = hn::PromoteTo(decision_bits(), hn::VecFromMask(bits, hn::Eq(low, high)));
    return hn::And(y.is_known, hn::RebindMask(decision_tag(), hn::Ne(same, hn::Zero(decision_bits()))));
  }
};

struct stored_doubles {
  HWY_INLINE decision_mask operator()(const element_ends& y, void* to) const {
    const decision_bits bits;
    hn::StoreU(y.high, decision_tag(), static_cast<double*>(to));
    const auto same = hn::Eq(hn::BitCast(bits, y.low), hn::BitCast(bits, y.high));
    return hn::And(y.is_known, hn::RebindMask(decision_tag(), same));
  }
};

/// Of 16 bits: half a unit is added to each end, the rest cut off. The element lies strictly between the ends, so
/// an end that is half way between two numbers is rounded to the right one, and no tie is decided.
template <class Element>
struct stored_halves {
  static constexpr core::number_format number = core::format<Element>::number;
  static constexpr int dropped = 53 - number.precision;

  HWY_INLINE decision_mask operator()(const element_ends& y, void* to) const {
    const decision_tag d;
    const auto low = cut(y.low), high = cut(y.high);
    const auto value = hn::BitCast(d, high);
    store(value, static_cast<std::uint16_t*>(to));
    constexpr double smallest = power_of_two(number.lowest_exponent() + number.precision - 1);
    constexpr double largest = power_of_two(number.highest_exponent() - 1);  // greater ones are rare
    const auto is_result = hn::Or(is_within(value, smallest, largest), is_zero(value));
    return hn::And(hn::And(y.is_known, is_result), hn::RebindMask(d, hn::Eq(low, high)));
  }

 private:
  static HWY_INLINE vec<decision_bits> cut(decision_vec x) {
    const decision_bits d;
    constexpr std::uint64_t unit = std::uint64_t{1} << dropped;
    return hn::And(hn::Add(hn::BitCast(d, x), hn::Set(d, unit / 2)), hn::Set(d, ~(unit - 1)));
  }
  /// Of numbers of the format; others become anything.
  static HWY_INLINE void store(decision_vec x, std::uint16_t* to) {
    const hn::Rebind<float, decision_tag> floats;
    const hn::Rebind<std::uint16_t, decision_tag> words;
    const auto single = hn::DemoteTo(floats, x);
    if constexpr (type_of<Element> == element_type::float16) {
      const hn::Rebind<hwy::float16_t, decision_tag> halves;
      hn::StoreU(hn::BitCast(words, hn::DemoteTo(halves, single)), words, to);
    } else {
      const hn::RebindToUnsigned<decltype(floats)> bits;
      hn::StoreU(hn::TruncateTo(words, hn::ShiftRight<16>(hn::BitCast(bits, single))), words, to);
    }
  }
};

template <class Element>
struct stored_elements : stored_halves<Element> {};
template <>
struct stored_elements<float> : stored_floats {};
template <>
struct stored_elements<double> : stored_doubles {};

HWY_INLINE decision_vec load_carriers(const float* from) {
  return hn::PromoteTo(decision_tag(), hn::LoadU(hn::Rebind<float, decision_tag>(), from));
}
HWY_INLINE decision_vec load_carriers(const double* from) { return hn::LoadU(decision_tag(), from); }

/// See row_normalisation.
template <class Element>
std::size_t normalise_row(const core::row_scale& scale, const void* x, const void* w, const void* b,
                          std::size_t count, void* to, std::uint32_t* open) {
  using carrier = core::carrier_for<Element>;
  constexpr std::size_t lanes = hn::MaxLanes(decision_tag());
  const std::conditional_t<sizeof(carrier) == sizeof(float), float_row, double_row> row(scale);
  const stored_elements<Element> store;
  std::size_t found = 0;
  const auto take = [&](const carrier* of_x, const carrier* of_w, const carrier* of_b, std::size_t first,
                        std::size_t some, void* results) HWY_ATTR {
    const auto ends = row.between(load_carriers(of_x), load_carriers(of_w), load_carriers(of_b));
    const auto is_certain = store(ends, results);
    if (hn::AllTrue(decision_tag(), is_certain)) return;
    HWY_ALIGN double certain[lanes];
    hn::Store(hn::IfThenElseZero(is_certain, all_of(1)), decision_tag(), certain);
    for (std::size_t k = 0; k < some; ++k) {
      if (certain[k] == 0) open[found++] = static_cast<std::uint32_t>(first + k);
    }
  };
  const auto *xs = static_cast<const carrier*>(x), *ws = static_cast<const carrier*>(w),
             *bs = static_cast<const carrier*>(b);
  auto* const out = static_cast<char*>(to);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) take(xs + i, ws + i, bs + i, i, lanes, out + i * sizeof(Element));
  if (i == count) return found;
  const std::size_t some = count - i;
  HWY_ALIGN carrier last[3][lanes] = {};
  HWY_ALIGN char stored[lanes * sizeof(Element)];
  std::copy_n(xs + i, some, last[0]), std::copy_n(ws + i, some, last[1]), std::copy_n(bs + i, some, last[2]);
  take(last[0], last[1], last[2], i, some, stored);
  std::memcpy(out + i * sizeof(Element), stored, some * sizeof(Element));
  return found;
}

/// The kernel of an element type; null where there is none.
template <class Element>
constexpr row_normalisation normalisation_of() {
  if constexpr (floating_element<Element> && sizeof(Element) >= 2) return normalise_row<Element>;
  return nullptr;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
