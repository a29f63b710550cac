// Dots of a given condition number: GenDot of Ogita, Rump and Oishi ("Accurate sum and dot product", SIAM J. Sci.
// Comput. 26, 2005, algorithm 6.1).
//
// The first half has products with exponents up to log2(cond); the second half reduces the sum to about 1. A shift
// of all exponents allows condition numbers beyond 1e300: the products then span the whole range.
#include <cmath>

#include "oracle/generators/lists.hpp"
#include "oracle/integer_sum.hpp"

namespace oracle {
namespace {

/// A dot near 2^shift with condition number near 2^log2_condition. `shift` is added to the exponent of every
/// product.
template <class T>
vectors<T> with_condition(rng& random, std::size_t n, int log2_condition, int shift) {
  const int half_range = log2_condition / 2;
  const auto draw = [&](int exponent) { return std::ldexp(random_uniform<T>(random), exponent); };
  vectors<T> v;
  integer_sum sum;
  const auto push = [&](term<T> next) {
    v.push(next);
    sum.add(next.x, next.y);
  };
  for (std::size_t i = 0; i < (n + 1) / 2; ++i) {
    const int exponent = i == 0 ? half_range : random.between(0, half_range);
    push({draw(exponent + shift / 2), draw(exponent + shift - shift / 2)});
  }
  const std::size_t count = n - v.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto remaining = static_cast<int>(count - 1 - i);
    const int exponent = count < 2 ? 0 : half_range * remaining / static_cast<int>(count - 1);
    const T x = random_at<T>(random, exponent + shift / 2);
    const T y = (draw(exponent + shift) - sum.round<T>()) / x;
    push({x, std::isfinite(y) ? y : T{1}});
  }
  shuffle(random, v);
  return v;
}

template <class T>
vectors<T> ill(rng& random, std::size_t n) {
  return with_condition<T>(random, n, random.between(10, format<T>::highest_exponent - 24), 0);
}

template <class T>
vectors<T> ill_beyond(rng& random, std::size_t n) {
  const int range = 2 * format<T>::highest_exponent - 100;  // 10^586 for double
  return with_condition<T>(random, n, random.between(range / 2, range), -format<T>::highest_exponent + 30);
}

}  // namespace

template <class T>
generator_list<T> ill_conditioned_generators() {
  return {{"ill", ill<T>}, {"ill_beyond", ill_beyond<T>}};
}

template generator_list<float> ill_conditioned_generators();
template generator_list<double> ill_conditioned_generators();

}  // namespace oracle
