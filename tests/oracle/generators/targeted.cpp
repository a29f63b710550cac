// Sums on the borders of rounding: ties and one bit either side (normal and subnormal), the overflow threshold,
// the least subnormal, cancellation to the last bit, long carries. The result type that the border belongs to
// is drawn too, since either can be asked of either input type.
#include "oracle/generators/backwards.hpp"
#include "oracle/generators/rows.hpp"
#include "oracle/integer_sum.hpp"

namespace oracle {
namespace {

/// A border of rounding: a number half way between two neighbours of the result type.
struct border {
  mpz_class mantissa;  // odd: the last bit is the half
  int exponent;        // of that bit
};

/// The border itself, or a little to one side of it, by one bit anywhere below; with a random sign.
template <class T>
vectors<T> around(const border& where, rng& random, std::size_t n) {
  mpz_class target = units(where.mantissa, where.exponent);
  const int side = random.between(-1, 1);
  const int distance = where.exponent - 1 - format<T>::lowest_product;
  const int below = random.coin() ? random.between(0, distance) : random.between(0, std::min(distance, 70));
  target += side * units(1, where.exponent - 1 - below);
  if (random.coin()) target = -target;
  return terms_for<T>(target, random, n);
}

/// `bits` bits with the first one set: all ones, a power of two, or random.
mpz_class mantissa_of(rng& random, int bits) {
  if (bits == 0) return 0;
  const std::uint64_t leading = std::uint64_t{1} << (bits - 1);
  const std::uint64_t below = leading - 1;
  const std::uint64_t choices[] = {leading | below, leading, leading | (random.bits() & below)};
  return mpz_class(static_cast<unsigned long>(choices[random.below(3)]));
}

template <class T, class R>
border normal_border(rng& random) {
  const int lowest = std::max(format<R>::lowest, format<T>::lowest_product + 3);
  const int highest = std::min(format<R>::top, 2 * format<T>::top - 4) - format<R>::precision;
  return {2 * mantissa_of(random, format<R>::precision) + 1, random.between(lowest, highest) - 1};
}

template <class T>
vectors<T> tie_normal(rng& random, std::size_t n) {
  return around<T>(random.coin() ? normal_border<T, float>(random) : normal_border<T, double>(random), random, n);
}

/// Tame data of which a few tiny terms bring the sum next to a border: an approximate sum with an error bound
/// cannot tell the side, however the bound is made.
template <class T>
vectors<T> tame_next_to_tie(rng& random, std::size_t n) {
  vectors<T> v = fill<T>(n > 12 ? n - 12 : 0, [&] { return random_uniform<T>(random); });
  integer_sum sum;
  for (std::size_t i = 0; i < v.size(); ++i) sum.add(v.a[i], v.b[i]);
  const bool to_float = std::is_same_v<T, float> || random.coin();
  const parts near = to_float ? split(sum.round<float>()) : split(sum.round<double>());
  mpz_class target = units(2 * mpz_class(static_cast<unsigned long>(near.mantissa)) + 1, near.exponent - 1);
  const int side = random.between(-1, 1);
  target += side * units(1, near.exponent - 2 - random.between(0, 120));
  push_terms<T>(random, v, (near.negative ? mpz_class(-target) : target) - sum.units());
  while (v.size() < n) v.push({random_uniform<T>(random), T{0}});
  shuffle(random, v);
  return v;
}

/// R: float for float data, whose products end far above the subnormal doubles.
template <class T>
vectors<T> tie_subnormal(rng& random, std::size_t n) {
  const bool to_float = std::is_same_v<T, float> || random.coin();
  const int precision = to_float ? format<float>::precision : format<double>::precision;
  const int lowest = to_float ? format<float>::lowest : format<double>::lowest;
  return around<T>({2 * mantissa_of(random, random.between(0, precision - 1)) + 1, lowest - 1}, random, n);
}

/// Just below, at, or above the threshold 2^top - 2^(top - precision - 1), from which the result is infinite; or
/// the largest finite number itself, or the power of two above it.
template <class T>
vectors<T> near_overflow(rng& random, std::size_t n) {
  const bool to_float = std::is_same_v<T, float> || random.coin();
  const int precision = to_float ? format<float>::precision : format<double>::precision;
  const int top = to_float ? format<float>::top : format<double>::top;
  const mpz_class all_ones = (mpz_class(1) << (precision + 1)) - 1;
  const int away = random.between(0, 3);
  return around<T>({all_ones + (away < 2 ? 0 : 2 * away - 5), top - precision - 1}, random, n);
}

/// Near half of the least subnormal: the border between zero and the first number that is not.
template <class T>
vectors<T> near_least_subnormal(rng& random, std::size_t n) {
  const bool to_float = std::is_same_v<T, float> || random.coin();
  return around<T>({1, (to_float ? format<float>::lowest : format<double>::lowest) - 1}, random, n);
}

template <class T>
vectors<T> cancels_to_zero(rng& random, std::size_t n) {
  return terms_for<T>(0, random, n);
}

template <class T>
vectors<T> cancels_to_small(rng& random, std::size_t n) {
  const int mantissa = random.between(-9, 9);
  return terms_for<T>(units(mantissa, random.between(format<T>::lowest, 0)), random, n);
}

template <class T>
vectors<T> cancels_to_last_bit(rng& random, std::size_t n) {
  return terms_for<T>(units(random.coin() ? 1 : -1, format<T>::lowest_product), random, n);
}

/// ±(2^j ± 2^i): carries and borrows through every limb in between.
template <class T>
vectors<T> carry_chain(rng& random, std::size_t n) {
  const int high = random.between(format<T>::lowest_product + 1, 2 * format<T>::top - 4);
  const int low = random.between(format<T>::lowest_product, high - 1);
  mpz_class target = units(1, high) + (random.coin() ? 1 : -1) * units(1, low);
  if (random.coin()) target = -target;
  return terms_for<T>(target, random, n);
}

/// A run of ones, or of the limbs' 32-bit halves of ones, of either sign: what rounding up must carry through.
template <class T>
vectors<T> all_ones_sum(rng& random, std::size_t n) {
  const int low = random.between(format<T>::lowest_product, 2 * format<T>::top - 70);
  const int length = random.between(1, std::min(200, 2 * format<T>::top - 4 - low));
  mpz_class target = units((mpz_class(1) << length) - 1, low);
  if (random.coin()) target = -target;
  return terms_for<T>(target, random, n);
}

}  // namespace

template <class T>
rows<T> targeted_rows() {
  return {
      {"tie_normal", tie_normal<T>},
      {"tame_next_to_tie", tame_next_to_tie<T>},
      {"tie_subnormal", tie_subnormal<T>},
      {"near_overflow", near_overflow<T>},
      {"near_least_subnormal", near_least_subnormal<T>},
      {"cancels_to_zero", cancels_to_zero<T>},
      {"cancels_to_small", cancels_to_small<T>},
      {"cancels_to_last_bit", cancels_to_last_bit<T>},
      {"carry_chain", carry_chain<T>},
      {"all_ones_sum", all_ones_sum<T>},
  };
}

template rows<float> targeted_rows();
template rows<double> targeted_rows();

}  // namespace oracle
