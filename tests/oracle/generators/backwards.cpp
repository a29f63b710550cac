// See backwards.hpp.
//
// Pieces of random lengths, each split between its factors at random, so that no bit of the target is bound to
// one place of one term. Cost: one pass over a big integer a piece, at most some thousands.
#include "oracle/generators/backwards.hpp"

#include "oracle/generators/rows.hpp"
#include "oracle/integer_sum.hpp"

namespace oracle {
namespace {

/// The term mantissa · 2^exponent, its exponent split between the factors at random.
template <class T>
void push_piece(rng& random, vectors<T>& v, bool negative, std::uint64_t mantissa, int bits, int exponent) {
  const int low = std::max(format<T>::lowest, exponent - (format<T>::top - 1));
  const int high = std::min(format<T>::top - bits, exponent - format<T>::lowest);
  const int of_x = random.between(low, high);
  const T x = join<T>({negative, mantissa, of_x});
  const T y = join<T>({false, 1, exponent - of_x});
  random.coin() ? v.push({x, y}) : v.push({-y, -x});
}

/// The exponents that the noise of one call draws from: a window anywhere, or the whole range.
template <class T>
std::pair<int, int> noise_range(rng& random) {
  constexpr int highest = format<T>::top - 12;  // so that 2^20 products stay below 2^(2·top - 2)
  if (random.coin()) return {format<T>::lowest, highest};
  const int low = random.between(format<T>::lowest, highest - 50);
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
    const int last_possible = format<T>::lowest_product - integer_sum::unit_exponent;
    const int bits = std::min(random.between(1, format<T>::precision), length - last_possible);
    const mpz_class mantissa = magnitude >> (length - bits);
    const bool negative = sum < 0;
    push_piece<T>(random, v, negative, mantissa.get_ui(), bits, length - bits + integer_sum::unit_exponent);
    const mpz_class piece = mantissa << (length - bits);
    sum -= negative ? mpz_class(-piece) : piece;
  }
}

template <class T>
vectors<T> terms_for(const mpz_class& target, rng& random, std::size_t n) {
  vectors<T> v;
  push_terms<T>(random, v, target);
  const auto [low, high] = noise_range<T>(random);
  const std::size_t most_pieces = (format<T>::top - format<T>::lowest) / 4;
  if (n > v.size() + 2 * most_pieces && random.coin()) {
    v = {};
    integer_sum noise;
    while (v.size() + most_pieces < n) {
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
template vectors<float> terms_for(const mpz_class&, rng&, std::size_t);
template vectors<double> terms_for(const mpz_class&, rng&, std::size_t);

}  // namespace oracle
