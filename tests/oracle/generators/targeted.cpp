// Sums at the limits of rounding: ties and their neighbours (normal and subnormal), the overflow threshold, the
// least subnormal, cancellation to the last bit, long carries.
//
// The result type of a limit is random too, because results of both types can be requested for inputs of either
// type.
#include "oracle/generators/lists.hpp"
#include "oracle/generators/prescribed_sum.hpp"
#include "oracle/integer_sum.hpp"

namespace oracle {
namespace {

/// The midpoint between two adjacent numbers of the result type.
struct midpoint {
  mpz_class mantissa;  // odd: its last bit is half a unit in the last place
  int exponent;        // of the last bit
};

/// The midpoint, or the midpoint plus or minus one lower bit, with a random sign.
template <class T>
vectors<T> near_midpoint(const midpoint& tie, rng& random, std::size_t n) {
  mpz_class target = units(tie.mantissa, tie.exponent);
  const int side = random.between(-1, 1);
  const int distance = tie.exponent - 1 - format<T>::lowest_product_exponent;
  const int below = random.coin() ? random.between(0, distance) : random.between(0, std::min(distance, 70));
  target += side * units(1, tie.exponent - 1 - below);
  if (random.coin()) target = -target;
  return terms_with_sum<T>(target, random, n);
}

/// A mantissa of `bits` bits with the first bit set: all ones, a power of two, or random.
mpz_class random_mantissa(rng& random, int bits) {
  if (bits == 0) return 0;
  const std::uint64_t leading = std::uint64_t{1} << (bits - 1);
  const std::uint64_t below = leading - 1;
  const std::uint64_t choices[] = {leading | below, leading, leading | (random.bits() & below)};
  return mpz_class(static_cast<unsigned long>(choices[random.below(3)]));
}

template <class T, class R>
midpoint random_normal_midpoint(rng& random) {
  const int lowest = std::max(format<R>::lowest_exponent, format<T>::lowest_product_exponent + 3);
  const int highest =
      std::min(format<R>::highest_exponent, 2 * format<T>::highest_exponent - 4) - format<R>::precision;
  return {2 * random_mantissa(random, format<R>::precision) + 1, random.between(lowest, highest) - 1};
}

template <class T>
vectors<T> tie_normal(rng& random, std::size_t n) {
  return near_midpoint<T>(
      random.coin() ? random_normal_midpoint<T, float>(random) : random_normal_midpoint<T, double>(random), random,
      n);
}

/// Uniform data and a few tiny terms that move the sum next to a midpoint: an approximate sum with an error bound
/// cannot decide the rounding.
template <class T>
vectors<T> tame_next_to_tie(rng& random, std::size_t n) {
  vectors<T> v = fill<T>(n > 12 ? n - 12 : 0, [&] { return random_uniform<T>(random); });
  integer_sum sum;
  for (std::size_t i = 0; i < v.size(); ++i) sum.add(v.a[i], v.b[i]);
  const bool to_float = std::is_same_v<T, float> || random.coin();
  const decomposed near = to_float ? decompose(sum.round<float>()) : decompose(sum.round<double>());
  mpz_class target = units(2 * mpz_class(static_cast<unsigned long>(near.mantissa)) + 1, near.exponent - 1);
  const int side = random.between(-1, 1);
  target += side * units(1, near.exponent - 2 - random.between(0, 120));
  push_terms<T>(random, v, (near.negative ? mpz_class(-target) : target) - sum.units());
  while (v.size() < n) v.push({random_uniform<T>(random), T{0}});
  shuffle(random, v);
  return v;
}

/// Ties of subnormal results: float for float data, because their products are far above the subnormal doubles.
template <class T>
vectors<T> tie_subnormal(rng& random, std::size_t n) {
  const bool to_float = std::is_same_v<T, float> || random.coin();
  const int precision = to_float ? format<float>::precision : format<double>::precision;
  const int lowest = to_float ? format<float>::lowest_exponent : format<double>::lowest_exponent;
  return near_midpoint<T>({2 * random_mantissa(random, random.between(0, precision - 1)) + 1, lowest - 1}, random,
                          n);
}

/// Sums next to the overflow threshold 2^h - 2^(h - precision - 1), h = highest_exponent, next to the largest
/// finite number, or next to 2^h.
template <class T>
vectors<T> near_overflow(rng& random, std::size_t n) {
  const bool to_float = std::is_same_v<T, float> || random.coin();
  const int precision = to_float ? format<float>::precision : format<double>::precision;
  const int highest = to_float ? format<float>::highest_exponent : format<double>::highest_exponent;
  const mpz_class all_ones = (mpz_class(1) << (precision + 1)) - 1;
  const int kind = random.between(0, 3);
  return near_midpoint<T>({all_ones + (kind < 2 ? 0 : 2 * kind - 5), highest - precision - 1}, random, n);
}

/// Sums next to half of the least subnormal, the midpoint between zero and the least positive number.
template <class T>
vectors<T> near_least_subnormal(rng& random, std::size_t n) {
  const bool to_float = std::is_same_v<T, float> || random.coin();
  return near_midpoint<T>({1, (to_float ? format<float>::lowest_exponent : format<double>::lowest_exponent) - 1},
                          random, n);
}

template <class T>
vectors<T> cancels_to_zero(rng& random, std::size_t n) {
  return terms_with_sum<T>(0, random, n);
}

template <class T>
vectors<T> cancels_to_small(rng& random, std::size_t n) {
  const int mantissa = random.between(-9, 9);
  return terms_with_sum<T>(units(mantissa, random.between(format<T>::lowest_exponent, 0)), random, n);
}

template <class T>
vectors<T> cancels_to_last_bit(rng& random, std::size_t n) {
  return terms_with_sum<T>(units(random.coin() ? 1 : -1, format<T>::lowest_product_exponent), random, n);
}

/// ±(2^j ± 2^i): carries and borrows through all limbs between the two bits.
template <class T>
vectors<T> carry_chain(rng& random, std::size_t n) {
  const int high = random.between(format<T>::lowest_product_exponent + 1, 2 * format<T>::highest_exponent - 4);
  const int low = random.between(format<T>::lowest_product_exponent, high - 1);
  mpz_class target = units(1, high) + (random.coin() ? 1 : -1) * units(1, low);
  if (random.coin()) target = -target;
  return terms_with_sum<T>(target, random, n);
}

/// ± a sequence of ones: rounding up propagates a carry through all of them.
template <class T>
vectors<T> all_ones_sum(rng& random, std::size_t n) {
  const int low = random.between(format<T>::lowest_product_exponent, 2 * format<T>::highest_exponent - 70);
  const int length = random.between(1, std::min(200, 2 * format<T>::highest_exponent - 4 - low));
  mpz_class target = units((mpz_class(1) << length) - 1, low);
  if (random.coin()) target = -target;
  return terms_with_sum<T>(target, random, n);
}

}  // namespace

template <class T>
generator_list<T> targeted_generators() {
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

template generator_list<float> targeted_generators();
template generator_list<double> targeted_generators();

}  // namespace oracle
