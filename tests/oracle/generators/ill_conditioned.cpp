// Dots of a given condition number: GenDot of Ogita, Rump and Oishi ("Accurate sum and dot product", SIAM J. Sci.
// Comput. 26, 2005, algorithm 6.1).
//
// The first half has products of exponents up to log2(cond); the second half steers what is left down to 1.
// With a shift of all exponents the condition reaches beyond 1e300: the products then cross the whole range.
#include <cmath>

#include "oracle/generators/rows.hpp"
#include "oracle/integer_sum.hpp"

namespace oracle {
namespace {

/// log2_condition: of the dot. shift: added to every product's exponent; the dot ends near 2^shift.
template <class T>
vectors<T> steered(rng& random, std::size_t n, int log2_condition, int shift) {
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
  const std::size_t rest = n - v.size();
  for (std::size_t i = 0; i < rest; ++i) {
    const auto left = static_cast<int>(rest - 1 - i);
    const int exponent = rest < 2 ? 0 : half_range * left / static_cast<int>(rest - 1);
    const T x = random_at<T>(random, exponent + shift / 2);
    const T y = (draw(exponent + shift) - sum.round<T>()) / x;
    push({x, std::isfinite(y) ? y : T{1}});
  }
  shuffle(random, v);
  return v;
}

template <class T>
vectors<T> ill(rng& random, std::size_t n) {
  return steered<T>(random, n, random.between(10, format<T>::top - 24), 0);
}

template <class T>
vectors<T> ill_beyond(rng& random, std::size_t n) {
  const int range = 2 * format<T>::top - 100;  // 10^586 for double
  return steered<T>(random, n, random.between(range / 2, range), -format<T>::top + 30);
}

}  // namespace

template <class T>
rows<T> ill_conditioned_rows() {
  return {{"ill", ill<T>}, {"ill_beyond", ill_beyond<T>}};
}

template rows<float> ill_conditioned_rows();
template rows<double> ill_conditioned_rows();

}  // namespace oracle
