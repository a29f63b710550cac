// See prescribed_sum.hpp.
//
// The mantissas of the terms have random lengths, and random exponents divide each term between its factors, so a
// bit of the target may be any bit of any factor. Cost: one pass over a big integer per term, at most some
// thousands.
#include "oracle/generators/prescribed_sum.hpp"

#include "oracle/generators/lists.hpp"
#include "oracle/integer_sum.hpp"

namespace oracle {
namespace {

/// Appends the term mantissa · 2^exponent. A random number divides the exponent between the factors.
template <class T>
void push_term(rng& random, vectors<T>& v, bool negative, std::uint64_t mantissa, int bits, int exponent) {
  const int low = std::max(format<T>::lowest_exponent, exponent - (format<T>::highest_exponent - 1));
  const int high = std::min(format<T>::highest_exponent - bits, exponent - format<T>::lowest_exponent);
  const int exponent_x = random.between(low, high);
  const T x = compose<T>({negative, mantissa, exponent_x});
  const T y = compose<T>({false, 1, exponent - exponent_x});
  random.coin() ? v.push({x, y}) : v.push({-y, -x});
}

/// The range of exponents of the random terms of one call: a random window, or the whole range.
template <class T>
std::pair<int, int> noise_range(rng& random) {
  constexpr int highest = format<T>::highest_exponent - 12;  // so that 2^20 products < 2^(2·highest_exponent - 2)
  if (random.coin()) return {format<T>::lowest_exponent, highest};
  const int low = random.between(format<T>::lowest_exponent, highest - 50);
  return {low, low + 50};
}

}  // namespace

mpz_class units(const mpz_class& mantissa, int exponent) {
  return mantissa << (exponent - integer_sum::unit_exponent);
}

template <class T>
void push_terms(rng& random, vectors<T>& v, mpz_class sum) {
  while (sum != 0) {
    const mpz_class magnitude = abs(sum);
    const int length = static_cast<int>(mpz_sizeinbase(magnitude.get_mpz_t(), 2));
    const int lowest_bit = format<T>::lowest_product_exponent - integer_sum::unit_exponent;
    const int bits = std::min(random.between(1, format<T>::precision), length - lowest_bit);
    const mpz_class mantissa = magnitude >> (length - bits);
    const bool negative = sum < 0;
    push_term<T>(random, v, negative, mantissa.get_ui(), bits, length - bits + integer_sum::unit_exponent);
    const mpz_class term = mantissa << (length - bits);
    sum -= negative ? mpz_class(-term) : term;
  }
}

template <class T>
vectors<T> terms_with_sum(const mpz_class& target, rng& random, std::size_t n) {
  vectors<T> v;
  push_terms<T>(random, v, target);
  const auto [low, high] = noise_range<T>(random);
  const std::size_t max_terms = (format<T>::highest_exponent - format<T>::lowest_exponent) / 4;
  if (n > v.size() + 2 * max_terms && random.coin()) {
    v = {};
    integer_sum noise;
    while (v.size() + max_terms < n) {
      v.push({random_between<T>(random, low, high), random_between<T>(random, low, high)});
      noise.add(v.a.back(), v.b.back());
    }
    push_terms<T>(random, v, target - noise.units());
  }
  while (v.size() + 1 < n) {  // pairs that cancel
    v.push({random_between<T>(random, low, high), random_between<T>(random, low, high)});
    v.push({-v.a.back(), v.b.back()});
  }
  if (v.size() < n) v.push({T{0}, random_between<T>(random, low, high)});
  shuffle(random, v);
  return v;
}

template void push_terms(rng&, vectors<float>&, mpz_class);
template void push_terms(rng&, vectors<double>&, mpz_class);
template vectors<float> terms_with_sum(const mpz_class&, rng&, std::size_t);
template vectors<double> terms_with_sum(const mpz_class&, rng&, std::size_t);

}  // namespace oracle
