// Infinities and NaNs among finite numbers.
//
// One, opposite ones, made by 0·inf, with payloads and signs, and beside products that overflow without being
// infinite: an engine must tell an infinity that was given from one that it made itself.
#include <cmath>

#include "oracle/generators/rows.hpp"

namespace oracle {
namespace {

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();

/// A NaN with a random sign and payload, quiet or signalling.
template <class T>
T any_nan(rng& random) {
  using word = typename format<T>::word;
  const word fraction = (word{1} << (format<T>::precision - 1)) - 1;
  const word payload = static_cast<word>(random.bits()) & fraction;
  return from_bits<T>(format<T>::infinity | (payload == 0 ? word{1} : payload) |
                      (random.coin() ? format<T>::sign : word{0}));
}

template <class T>
T signed_infinity(rng& random) {
  return random.coin() ? infinity<T> : -infinity<T>;
}

/// Finite data; mostly mild, sometimes from the whole range, so that overflow and infinity meet.
template <class T>
vectors<T> background(rng& random, std::size_t n) {
  const bool mild = random.below(3) != 0;
  return fill<T>(n, [&] {
    return mild ? random_uniform<T>(random) : random_between<T>(random, format<T>::lowest, format<T>::top - 1);
  });
}

/// Puts the term in place of a random one, in either order; appends it when there are none.
template <class T>
void plant(rng& random, vectors<T>& v, term<T> planted) {
  if (random.coin()) std::swap(planted.x, planted.y);
  if (v.size() == 0) return v.push(planted);
  const std::size_t i = random.below(v.size());
  v.a[i] = planted.x;
  v.b[i] = planted.y;
}

template <class T>
vectors<T> infinity_and_one(rng& random, std::size_t n) {
  vectors<T> v = background<T>(random, n);
  const T sign = random.coin() ? T{1} : T{-1};
  for (std::uint64_t count = 1 + random.below(3); count > 0; --count) {
    const T y = std::abs(random_between<T>(random, format<T>::lowest, format<T>::top - 1));
    plant<T>(random, v, {sign * infinity<T>, random.coin() ? y : infinity<T>});
  }
  return v;
}

template <class T>
vectors<T> zero_times_infinity(rng& random, std::size_t n) {
  vectors<T> v = background<T>(random, n);
  plant<T>(random, v, {signed_infinity<T>(random), random.coin() ? T{0} : -T{0}});
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
    v.push({random_at<T>(random, format<T>::top - 1), random_at<T>(random, format<T>::top - 1)});
  }
  plant<T>(random, v, {signed_infinity<T>(random), random_uniform<T>(random)});
  return v;
}

template <class T>
vectors<T> nan_payloads(rng& random, std::size_t n) {
  vectors<T> v = background<T>(random, n);
  for (std::uint64_t count = 1 + random.below(3); count > 0; --count) {
    const T other = random.coin() ? any_nan<T>(random) : random.coin() ? T{0} : signed_infinity<T>(random);
    plant<T>(random, v, {any_nan<T>(random), other});
  }
  return v;
}

/// Any mixture, at a random density.
template <class T>
vectors<T> special_mix(rng& random, std::size_t n) {
  const std::uint64_t rarity = std::uint64_t{1} << random.below(12);
  return fill<T>(n, [&] {
    if (random.below(rarity) != 0) return random_between<T>(random, format<T>::lowest, format<T>::top - 1);
    switch (random.below(8)) {
      case 0:
        return any_nan<T>(random);
      case 1:
      case 2:
        return T{0};
      default:
        return signed_infinity<T>(random);
    }
  });
}

}  // namespace

template <class T>
rows<T> special_rows() {
  return {
      {"infinity_and_one", infinity_and_one<T>},
      {"zero_times_infinity", zero_times_infinity<T>},
      {"opposite_infinities", opposite_infinities<T>},
      {"infinity_among_overflowing_products", infinity_among_overflowing_products<T>},
      {"nan_payloads", nan_payloads<T>},
      {"special_mix", special_mix<T>},
  };
}

template rows<float> special_rows();
template rows<double> special_rows();

}  // namespace oracle
