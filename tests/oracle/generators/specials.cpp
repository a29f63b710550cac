// Infinities and NaNs among finite numbers.
//
// The data have one infinity, opposite infinities, 0·inf, NaNs with signs and payloads, or infinities beside finite
// products that overflow. An engine has to distinguish an infinite input from an overflow.
#include <cmath>

#include "oracle/generators/lists.hpp"

namespace oracle {
namespace {

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();

/// A NaN with a random sign and payload, quiet or signalling.
template <class T>
T random_nan(rng& random) {
  using bits = typename format<T>::bits;
  const bits fraction = (bits{1} << (format<T>::precision - 1)) - 1;
  const bits payload = static_cast<bits>(random.bits()) & fraction;
  return from_bits<T>(format<T>::infinity | (payload == 0 ? bits{1} : payload) |
                      (random.coin() ? format<T>::sign : bits{0}));
}

template <class T>
T random_infinity(rng& random) {
  return random.coin() ? infinity<T> : -infinity<T>;
}

/// Finite data: usually uniform in (-1, 1), sometimes from the whole range, so that overflows and infinities
/// combine.
template <class T>
vectors<T> background(rng& random, std::size_t n) {
  const bool is_uniform = random.below(3) != 0;
  return fill<T>(n, [&] { return is_uniform ? random_uniform<T>(random) : random_finite<T>(random); });
}

/// Replaces a random term by `special`, with its factors in random order; appends it if v is empty.
template <class T>
void insert(rng& random, vectors<T>& v, term<T> special) {
  if (random.coin()) std::swap(special.x, special.y);
  if (v.size() == 0) return v.push(special);
  const std::size_t i = random.below(v.size());
  v.a[i] = special.x;
  v.b[i] = special.y;
}

template <class T>
vectors<T> infinity_and_one(rng& random, std::size_t n) {
  vectors<T> v = background<T>(random, n);
  const T sign = random.coin() ? T{1} : T{-1};
  for (std::uint64_t count = 1 + random.below(3); count > 0; --count) {
    const T y = std::abs(random_finite<T>(random));
    insert<T>(random, v, {sign * infinity<T>, random.coin() ? y : infinity<T>});
  }
  return v;
}

template <class T>
vectors<T> zero_times_infinity(rng& random, std::size_t n) {
  vectors<T> v = background<T>(random, n);
  insert<T>(random, v, {random_infinity<T>(random), random.coin() ? T{0} : -T{0}});
  return v;
}

template <class T>
vectors<T> opposite_infinities(rng& random, std::size_t n) {
  vectors<T> v = background<T>(random, n < 2 ? 0 : n - 2);
  v.push({infinity<T>, random.coin() ? infinity<T> : T{2}});
  v.push({-infinity<T>, random.coin() ? infinity<T> : T{3}});
  shuffle(random, v);
  return v;
}

template <class T>
vectors<T> infinity_among_overflowing_products(rng& random, std::size_t n) {
  vectors<T> v;
  for (std::size_t i = 0; i < n; ++i) {
    v.push({random_at<T>(random, format<T>::highest_exponent - 1),
            random_at<T>(random, format<T>::highest_exponent - 1)});
  }
  insert<T>(random, v, {random_infinity<T>(random), random_uniform<T>(random)});
  return v;
}

template <class T>
vectors<T> nan_payloads(rng& random, std::size_t n) {
  vectors<T> v = background<T>(random, n);
  for (std::uint64_t count = 1 + random.below(3); count > 0; --count) {
    const T other = random.coin() ? random_nan<T>(random) : random.coin() ? T{0} : random_infinity<T>(random);
    insert<T>(random, v, {random_nan<T>(random), other});
  }
  return v;
}

/// A mixture of special values with a random density.
template <class T>
vectors<T> special_mix(rng& random, std::size_t n) {
  const std::uint64_t rarity = std::uint64_t{1} << random.below(12);
  return fill<T>(n, [&] {
    if (random.below(rarity) != 0) return random_finite<T>(random);
    switch (random.below(8)) {
      case 0:
        return random_nan<T>(random);
      case 1:
      case 2:
        return T{0};
      default:
        return random_infinity<T>(random);
    }
  });
}

}  // namespace

template <class T>
generator_list<T> special_generators() {
  return {
      {"infinity_and_one", infinity_and_one<T>},
      {"zero_times_infinity", zero_times_infinity<T>},
      {"opposite_infinities", opposite_infinities<T>},
      {"infinity_among_overflowing_products", infinity_among_overflowing_products<T>},
      {"nan_payloads", nan_payloads<T>},
      {"special_mix", special_mix<T>},
  };
}

template generator_list<float> special_generators();
template generator_list<double> special_generators();

}  // namespace oracle
