// Well-conditioned data, and degenerate data: equal, integer, sparse, zero.
//
// Engines use their fast paths on these data. On the integer data every order of summation, and therefore every
// mode, gives the same number.
#include <cmath>

#include "oracle/generators/lists.hpp"

namespace oracle {
namespace {

template <class T>
vectors<T> uniform(rng& random, std::size_t n) {
  return fill<T>(n, [&] { return random_uniform<T>(random); });
}

template <class T>
vectors<T> positive(rng& random, std::size_t n) {
  return fill<T>(n, [&] { return std::abs(random_uniform<T>(random)); });
}

template <class T>
vectors<T> normal_like(rng& random, std::size_t n) {
  return fill<T>(n, [&] {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += random.unit();
    return static_cast<T>(sum);
  });
}

template <class T>
vectors<T> ones(rng&, std::size_t n) {
  return fill<T>(n, [] { return T{1}; });
}

template <class T>
vectors<T> all_equal(rng& random, std::size_t n) {
  const T x = random_finite<T>(random);
  const T y = random_finite<T>(random);
  return {std::vector<T>(n, x), std::vector<T>(n, y)};
}

/// The largest m such that the sum of n products of integers up to m is at most 2^precision.
template <class T>
int integer_bound(std::size_t n) {
  const double bound = std::sqrt(std::ldexp(1.0, format<T>::precision) / static_cast<double>(n + 1));
  return static_cast<int>(std::min(bound, 1e6));
}

template <class T>
vectors<T> integers(rng& random, std::size_t n) {
  const int bound = integer_bound<T>(n);
  return fill<T>(n, [&] { return static_cast<T>(random.between(-bound, bound)); });
}

template <class T>
vectors<T> alternating_integers(rng&, std::size_t n) {
  const T bound = static_cast<T>(integer_bound<T>(n));
  vectors<T> v;
  for (std::size_t i = 0; i < n; ++i) v.push({i % 2 == 0 ? bound : -bound, bound});
  return v;
}

template <class T>
vectors<T> sparse(rng& random, std::size_t n) {
  return fill<T>(n, [&] {
    if (random.below(8) != 0) return random.coin() ? T{0} : -T{0};
    return random_between<T>(random, -40, 40);
  });
}

template <class T>
vectors<T> signed_zeros(rng& random, std::size_t n) {
  vectors<T> v = fill<T>(n, [&] { return random.coin() ? T{0} : -T{0}; });
  for (T& y : v.b) {
    if (random.coin()) y = random_finite<T>(random);
  }
  return v;
}

}  // namespace

template <class T>
generator_list<T> plain_generators() {
  return {
      {"uniform", uniform<T>},
      {"positive", positive<T>},
      {"normal_like", normal_like<T>},
      {"ones", ones<T>, true},
      {"all_equal", all_equal<T>},
      {"integers", integers<T>, true},
      {"alternating_integers", alternating_integers<T>, true},
      {"sparse", sparse<T>},
      {"signed_zeros", signed_zeros<T>},
  };
}

template generator_list<float> plain_generators();
template generator_list<double> plain_generators();

}  // namespace oracle
