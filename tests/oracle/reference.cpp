// See reference.hpp.
//
// Roots and quotients are those of big integers with hundreds of bits more than any result, and one bit for whether
// the rest is zero: GMP's integer root and division, then one rounding.
#include "oracle/reference.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "oracle/order_v1.hpp"
#include "oracle/quotient.hpp"

namespace oracle {
namespace {

using exactdot::any_scalar;
using exactdot::any_vector;
using exactdot::element_type;
using exactdot::reduction;

bool is_wide(element_type type) { return exactdot::info_of(type).precision > 24; }

/// work(T{}) with the type in which mode fast adds these elements.
template <class Work>
auto with_accumulation_type(element_type a, element_type b, Work work) {
  return is_wide(a) || is_wide(b) ? work(double{}) : work(float{});
}

number magnitude_of(number x) {
  x.value.negative = false;
  return x;
}

constexpr number one{kind::finite, {false, 1, 0}};

bool is_ratio(reduction what) { return what >= reduction::weighted_mean; }
bool is_weighted(reduction what) {
  return what == reduction::weighted_variance || what == reduction::weighted_stddev;
}
bool is_moment(reduction what) { return what == reduction::variance || what == reduction::stddev; }

/// √(square/divisor) · 2^exponent with this sign, rounded once: its encoding. Both are above 0.
std::uint64_t round_root(const mpz_class& square, const mpz_class& divisor, int exponent, bool negative,
                         int precision, int exponent_bits) {
  const auto bits = [](const mpz_class& x) { return static_cast<int>(mpz_sizeinbase(x.get_mpz_t(), 2)); };
  const int shift = (std::max(0, bits(divisor) - bits(square)) + 301) / 2 * 2;
  const mpz_class shifted = square << static_cast<unsigned>(shift);
  const mpz_class whole = shifted / divisor, root = sqrt(whole);
  mpz_class value = 2 * root + (root * root * divisor != shifted ? 1 : 0);
  if (negative) value = -value;
  return round_number(value, exponent - shift / 2 - 1, precision, exponent_bits);
}

constexpr int cube_exponent = 3 * format<double>::lowest_exponent;

/// sum += x²y, of finite numbers.
void add_cube(mpz_class& sum, const number& x, const number& y) {
  if (x.kind != kind::finite || y.kind != kind::finite) return;
  const mpz_class of_x(static_cast<unsigned long>(x.value.mantissa)),
      of_y(static_cast<unsigned long>(y.value.mantissa));
  const mpz_class term = (of_x * of_x * of_y)
                         << static_cast<unsigned>(2 * x.value.exponent + y.value.exponent - cube_exponent);
  if (y.value.negative) {
    sum -= term;
  } else {
    sum += term;
  }
}

/// The factors of term i.
std::pair<number, number> factors_of(reduction what, const any_vector& a, const any_vector& b, std::size_t i) {
  const number x = element_at(a, i);
  switch (what) {
    case reduction::dot:
      return {x, element_at(b, i)};
    case reduction::asum:
      return {magnitude_of(x), one};
    case reduction::sum_of_squares:
    case reduction::nrm2:
      return {x, x};
    default:
      return is_ratio(what) ? std::pair(x, element_at(b, i)) : std::pair(x, one);
  }
}

/// 2·value, plus 1 if a remainder was dropped: the last bit only breaks ties.
mpz_class with_sticky_bit(const mpz_class& value, bool sticky) { return 2 * value + (sticky ? 1 : 0); }

struct scaled_integer {
  mpz_class value;  // times 2^exponent
  int exponent;
};

constexpr int extra_bits = 2400;  // below the quotient of any two numbers that occur

scaled_integer quotient(const mpz_class& numerator, int exponent, const mpz_class& denominator) {
  const mpz_class shifted = abs(numerator) << extra_bits;
  const mpz_class whole = shifted / denominator;
  const mpz_class result = with_sticky_bit(whole, whole * denominator != shifted);
  return {sgn(numerator) < 0 ? mpz_class(-result) : result, exponent - extra_bits - 1};
}

scaled_integer root(const scaled_integer& x) {
  const int shift = 2 * extra_bits + (x.exponent % 2 != 0 ? 1 : 0);
  const mpz_class shifted = x.value << shift;
  const mpz_class whole = sqrt(shifted);
  return {with_sticky_bit(whole, whole * whole != shifted), (x.exponent - shift) / 2 - 1};
}

std::uint64_t nan_bits(element_type type) {
  const auto& info = exactdot::info_of(type);
  return infinity_pattern(info.precision, info.exponent_bits) | std::uint64_t{1} << (info.precision - 2);
}

any_scalar special_result(const special_counts& counts, element_type result) {
  const auto& info = exactdot::info_of(result);
  if (counts.nans != 0 || (counts.positive_infinities != 0 && counts.negative_infinities != 0)) {
    return {result, nan_bits(result)};
  }
  const std::uint64_t infinity = infinity_pattern(info.precision, info.exponent_bits);
  const std::uint64_t sign = std::uint64_t{counts.negative_infinities != 0}
                             << (info.precision - 1 + info.exponent_bits);
  return {result, infinity | sign};
}

/// A value of the accumulation type as a result.
any_scalar converted(const number& x, element_type result) {
  const auto& info = exactdot::info_of(result);
  if (x.kind == kind::nan) return {result, nan_bits(result)};
  const std::uint64_t sign = std::uint64_t{x.value.negative} << (info.precision - 1 + info.exponent_bits);
  if (x.kind == kind::infinite) return special_result({0, !x.value.negative, x.value.negative}, result);
  const mpz_class mantissa(static_cast<unsigned long>(x.value.mantissa));
  return {result, round_number(mantissa, x.value.exponent, info.precision, info.exponent_bits) | sign};
}

/// Whether x < y; -0 < +0. Neither is a NaN.
bool is_less(const number& x, const number& y) {
  const auto key = [](const number& v) -> mpz_class {
    mpz_class size = static_cast<unsigned long>(v.value.mantissa);
    if (v.kind == kind::infinite) {
      size = mpz_class(1) << 4000;
    } else {
      size <<= v.value.exponent + 1100;
    }
    // -0 below +0: every key is odd or even by its sign
    return v.value.negative ? mpz_class(-2 * size - 1) : mpz_class(2 * size);
  };
  return key(x) < key(y);
}

}  // namespace

reference::reference(reduction what, const any_vector& a, const any_vector& b, std::int64_t ddof)
    : what_(what), type_(a.type), n_(a.n), ddof_(ddof), is_integer_(exactdot::is_integer(a.type)) {
  if (exactdot::gives_element(what) || exactdot::gives_index(what)) {
    find_extreme(a);
    return;
  }
  const any_vector& second = what == reduction::standard_error ? a : b;
  for (std::size_t i = 0; i < a.n; ++i) {
    const auto [x, y] = factors_of(what, a, second, i);
    sum_.add(x, y);
    if (is_moment(what) || is_ratio(what)) squares_.add(x, x);
    if (is_ratio(what)) x_.add(x, one), y_.add(y, one), yy_.add(y, y);
    if (is_weighted(what)) add_cube(xxy_, x, y);
  }
  if (is_integer_ || is_moment(what) || is_ratio(what)) return;
  const element_type other = what == reduction::dot ? b.type : a.type;
  fast_ = with_accumulation_type(a.type, other, [&]<class T>(T) {
    std::vector<T> x(a.n), y(a.n);
    for (std::size_t i = 0; i < a.n; ++i) {
      const auto factors = factors_of(what, a, b, i);
      x[i] = as<T>(factors.first), y[i] = as<T>(factors.second);
    }
    T result = fast_dot<T>(std::span<const T>(x), std::span<const T>(y));
    if (what == reduction::nrm2) result = std::sqrt(result);
    if (what == reduction::mean) result = result / static_cast<T>(a.n);
    return number_of(result);
  });
}

void reference::add(const number& x) { sum_.add(x, one); }

void reference::find_extreme(const any_vector& x) {
  const bool greatest = what_ == reduction::max || what_ == reduction::argmax;
  for (std::size_t i = 0; i < x.n; ++i) {
    const number candidate = element_at(x, i);
    const bool better =
        i == 0 ||
        (extreme_.kind != kind::nan &&
         (candidate.kind == kind::nan || (greatest ? is_less(extreme_, candidate) : is_less(candidate, extreme_))));
    if (better) extreme_ = candidate, index_ = i;
  }
}

any_scalar reference::rounded(const mpz_class& value, int exponent, element_type result) const {
  const auto& info = exactdot::info_of(result);
  return {result, round_number(value, exponent, info.precision, info.exponent_bits)};
}

std::optional<any_scalar> reference::exact(element_type result) const {
  if (exactdot::gives_index(what_)) return any_scalar{result, index_};
  if (exactdot::gives_element(what_)) {
    if (!is_integer_) return converted(extreme_, result);
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * exactdot::size_of(result));
    const std::uint64_t size = extreme_.value.mantissa;
    return any_scalar{result, (extreme_.value.negative ? ~size + 1 : size) & mask};
  }
  if (is_ratio(what_)) return ratio(result);
  const special_counts& special = sum_.specials();
  constexpr int unit = integer_sum::unit_exponent;
  const bool is_variance = is_moment(what_);
  const auto n = static_cast<unsigned long>(n_);
  if (is_variance) {
    const bool undefined = special != special_counts() || n_ <= static_cast<std::size_t>(ddof_);
    if (undefined) return any_scalar{result, nan_bits(result)};
    const mpz_class numerator = (squares_.units() * n << -unit) - sum_.units() * sum_.units();
    scaled_integer found =
        quotient(numerator, 2 * unit, mpz_class(n) * mpz_class(n - static_cast<unsigned long>(ddof_)));
    if (what_ == reduction::stddev) found = root(found);
    return rounded(found.value, found.exponent, result);
  }
  if (special != special_counts()) return special_result(special, result);
  if (what_ == reduction::mean) {
    if (n_ == 0) return any_scalar{result, nan_bits(result)};
    const scaled_integer found = quotient(sum_.units(), unit, mpz_class(n));
    return rounded(found.value, found.exponent, result);
  }
  if (what_ == reduction::nrm2) {
    const scaled_integer found = root({sum_.units(), unit});
    return rounded(found.value, found.exponent, result);
  }
  if (!exactdot::is_integer(result)) return rounded(sum_.units(), unit, result);
  const mpz_class value = sum_.units() >> -unit;
  const mpz_class limit = mpz_class(1) << exactdot::info_of(result).precision;
  const bool fits = exactdot::is_signed(result) ? value >= -limit && value < limit : value >= 0 && value < limit;
  if (!fits) return std::nullopt;
  const std::uint64_t size = mpz_class(abs(value)).get_ui();
  return any_scalar{result, value < 0 ? ~size + 1 : size};
}

namespace {

/// Σxy/Σy where one of them has terms that are no numbers, or Σy is 0: docs/contract.md.
any_scalar special_mean(const integer_sum& sum, const integer_sum& weights, element_type result) {
  const auto is_nan = [](const special_counts& of) {
    return of.nans != 0 || (of.positive_infinities != 0 && of.negative_infinities != 0);
  };
  const auto is_infinite = [](const special_counts& of) { return of != special_counts(); };
  const auto is_below_0 = [&](const integer_sum& of) {
    return is_infinite(of.specials()) ? of.specials().negative_infinities != 0 : sgn(of.units()) < 0;
  };
  const special_counts &above = sum.specials(), &below = weights.specials();
  const bool no_weight = !is_infinite(below) && sgn(weights.units()) == 0;
  if (is_nan(above) || is_nan(below) || (is_infinite(above) && is_infinite(below)) || no_weight) {
    return {result, nan_bits(result)};
  }
  const bool negative = is_below_0(sum) != is_below_0(weights);
  if (is_infinite(above)) return special_result({0, !negative, negative}, result);
  const auto& info = exactdot::info_of(result);
  return {result, std::uint64_t{negative} << (info.precision - 1 + info.exponent_bits)};
}

}  // namespace

any_scalar reference::ratio(element_type result) const {
  constexpr int unit = integer_sum::unit_exponent;
  const auto& info = exactdot::info_of(result);
  const mpz_class &x = x_.units(), &y = y_.units(), &xy = sum_.units(), &xx = squares_.units(), &yy = yy_.units();
  const mpz_class n(static_cast<unsigned long>(n_));
  const mpz_class degrees = n - mpz_class(static_cast<unsigned long>(ddof_));
  const any_scalar nan{result, nan_bits(result)};
  const auto is_finite = [](const integer_sum& sum) { return sum.specials() == special_counts(); };
  const bool is_mean = what_ == reduction::weighted_mean;
  if (is_mean && !(is_finite(sum_) && is_finite(y_) && y != 0)) return special_mean(sum_, y_, result);
  const bool two = what_ != reduction::standard_error;
  if (!is_mean && !(is_finite(x_) && (!two || is_finite(y_)))) {
    const bool no_nan = x_.specials().nans == 0 && y_.specials().nans == 0;
    const bool in_one = is_finite(x_) != is_finite(y_);
    const bool about = what_ == reduction::variance_about || what_ == reduction::stddev_about;
    if (about && sgn(degrees) <= 0) return nan;
    return (about || what_ == reduction::distance) && no_nan && in_one ? special_result({0, 1, 0}, result) : nan;
  }
  const auto moment = [&](const mpz_class& a, const mpz_class& b, const mpz_class& product) {
    return mpz_class((n * product << -unit) - a * b);
  };
  const auto quotient = [&](const mpz_class& numerator, const mpz_class& divisor, int exponent) -> any_scalar {
    if (sgn(divisor) == 0) return nan;
    if (sgn(numerator) == 0) return {result, 0};
    return {result, round_ratio(numerator, divisor, exponent, info.precision, info.exponent_bits)};
  };
  const auto root = [&](const mpz_class& square, const mpz_class& divisor, int exponent,
                        bool negative) -> any_scalar {
    if (sgn(divisor) == 0) return nan;
    if (sgn(square) == 0) return {result, 0};
    return {result, round_root(square, divisor, exponent, negative, info.precision, info.exponent_bits)};
  };
  switch (what_) {
    case reduction::weighted_mean:
      return quotient(xy, y, 0);
    case reduction::cosine:
      return root(xy * xy, xx * yy, 0, sgn(xy) < 0);
    case reduction::distance:
      return root((xx - 2 * xy + yy) << -unit, 1, unit, false);
    case reduction::covariance:
      return sgn(degrees) <= 0 ? nan : quotient(moment(x, y, xy), n * degrees, 2 * unit);
    case reduction::correlation: {
      const mpz_class numerator = moment(x, y, xy);
      return root(numerator * numerator, moment(x, x, xx) * moment(y, y, yy), 0, sgn(numerator) < 0);
    }
    case reduction::slope:
      return quotient(moment(x, y, xy), moment(x, x, xx), 0);
    case reduction::intercept:
      return quotient(y * xx - x * xy, moment(x, x, xx), 0);
    case reduction::variance_about:
      return sgn(degrees) <= 0 ? nan : quotient(xx - 2 * xy + yy, degrees, unit);
    case reduction::stddev_about:
      return sgn(degrees) <= 0 ? nan : root((xx - 2 * xy + yy) << -unit, degrees, unit, false);
    case reduction::weighted_variance:
    case reduction::weighted_stddev: {
      const mpz_class numerator = y * xxy_ - ((xy * xy) << (unit - cube_exponent));
      const mpz_class divisor = y * (y - (mpz_class(static_cast<unsigned long>(ddof_)) << -unit));
      constexpr int exponent = cube_exponent - unit;
      if (sgn(divisor) <= 0) return nan;
      if (what_ == reduction::weighted_variance) return quotient(numerator, divisor, exponent);
      return sgn(numerator) < 0 ? nan : root(numerator, divisor, exponent / 2, false);
    }
    default:
      return sgn(degrees) <= 0 ? nan : root(moment(x, x, xx), n * n * degrees, unit, false);
  }
}

std::optional<any_scalar> reference::fast(element_type result) const {
  const bool same_in_both = is_integer_ || exactdot::gives_element(what_) || exactdot::gives_index(what_);
  return same_in_both || n_ == 0 ? exact(result) : converted(fast_, result);
}

std::string reference::words_fault(std::span<const std::int64_t> words, int times) const {
  const int lowest_exponent = is_integer_      ? 0
                              : is_wide(type_) ? format<double>::lowest_product_exponent
                                               : format<float>::lowest_product_exponent;
  const auto limbs = words.first(words.size() - 4);
  const auto counts = words.subspan(limbs.size());
  const special_counts& expected = sum_.specials();
  // so that words of several states can be added, and loaded
  for (std::size_t i = 0; i + 1 < limbs.size(); ++i) {
    if (limbs[i] < 0 || limbs[i] > counts[3] * 0xffffffffLL) {
      return fmt::format("limb {} is {}, which no sum of {} states has", i, limbs[i], counts[3]);
    }
  }
  const mpz_class error = units_of_limbs(limbs, lowest_exponent) - times * sum_.units();
  if (error != 0 && expected == special_counts()) {
    const auto bits = static_cast<int>(mpz_sizeinbase(error.get_mpz_t(), 2));
    return fmt::format("the limbs differ from the sum by about 2^{}", bits + integer_sum::unit_exponent);
  }
  if (counts[0] != times * expected.nans || counts[1] != times * expected.positive_infinities ||
      counts[2] != times * expected.negative_infinities) {
    return fmt::format("the counts of NaN, +inf, -inf are {} {} {}, expected {} times {} {} {}", counts[0],
                       counts[1], counts[2], times, expected.nans, expected.positive_infinities,
                       expected.negative_infinities);
  }
  return counts[3] >= 1 ? "" : fmt::format("the number of states is {}", counts[3]);
}

std::string difference(const any_scalar& expected, const any_scalar& got) {
  if (expected.type == got.type && expected.bits == got.bits) return "";
  return fmt::format("expected {}, got {}", describe(expected), describe(got));
}

}  // namespace oracle
