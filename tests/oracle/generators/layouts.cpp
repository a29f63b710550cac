// Data whose difficulty is the order of its magnitudes.
//
// An engine that adapts its window to the exponents of its input has to move the window early, late, often, at the
// borders of blocks, for a single element, or never.
#include <cmath>

#include "oracle/generators/lists.hpp"

namespace oracle {
namespace {

template <class T>
constexpr int extreme_exponent =
    format<T>::highest_exponent - format<T>::highest_exponent / 32;  // 2^992 for double, 2^124 for float

template <class T>
vectors<T> alternating_huge_and_tiny(rng& random, std::size_t n) {
  vectors<T> v;
  for (std::size_t i = 0; i < n; ++i) {
    const int exponent = i % 2 == 0 ? extreme_exponent<T> : -extreme_exponent<T>;
    v.push({random_at<T>(random, exponent), random_at<T>(random, random.coin() ? 0 : exponent)});
  }
  return v;
}

template <class T>
vectors<T> with_outlier(rng& random, std::size_t n, int exponent_of_outlier, int exponent_of_others) {
  auto v = fill<T>(n, [&] { return random_between<T>(random, exponent_of_others - 3, exponent_of_others + 3); });
  if (n != 0) v.a[random.below(n)] = random_at<T>(random, exponent_of_outlier);
  return v;
}

template <class T>
vectors<T> one_huge_among_small(rng& random, std::size_t n) {
  return with_outlier<T>(random, n, extreme_exponent<T>, -8);
}

template <class T>
vectors<T> one_tiny_among_large(rng& random, std::size_t n) {
  return with_outlier<T>(random, n, format<T>::lowest_exponent + 3, 8);
}

template <class T>
vectors<T> one_extreme_product(rng& random, std::size_t n) {
  auto v = fill<T>(n, [&] { return random_uniform<T>(random); });
  if (n == 0) return v;
  const std::size_t i = random.below(n);
  const int exponent = random.coin() ? format<T>::highest_exponent - 1
                                     : random.between(format<T>::lowest_exponent, format<T>::lowest_exponent + 9);
  v.a[i] = random_at<T>(random, exponent);
  v.b[i] = random_at<T>(random, exponent);
  return v;
}

template <class T>
vectors<T> sorted(rng& random, std::size_t n, bool ascending) {
  std::vector<T> a(n), b(n);
  for (auto* x : {&a, &b}) {
    for (T& value : *x) value = random_finite<T>(random);
    std::sort(x->begin(), x->end(),
              [&](T x1, T x2) { return ascending ? std::abs(x1) < std::abs(x2) : std::abs(x1) > std::abs(x2); });
  }
  return {a, b};
}

template <class T>
vectors<T> ascending(rng& random, std::size_t n) {
  return sorted<T>(random, n, true);
}

template <class T>
vectors<T> descending(rng& random, std::size_t n) {
  return sorted<T>(random, n, false);
}

/// Blocks of a random length, each with another narrow window of exponents.
template <class T>
vectors<T> blocks(rng& random, std::size_t n) {
  const std::size_t length = std::size_t{1} << random.below(12);
  vectors<T> v;
  int low = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % length == 0) low = random.between(format<T>::lowest_exponent, format<T>::highest_exponent - 6);
    v.push({random_between<T>(random, low, low + 5), random_between<T>(random, low, low + 5)});
  }
  return v;
}

/// Like blocks, but the second half cancels the first except for its last bits.
template <class T>
vectors<T> blocks_that_cancel(rng& random, std::size_t n) {
  vectors<T> v = blocks<T>(random, n / 2);
  for (std::size_t i = 0; i < n / 2; ++i) v.push({-v.a[i], v.b[i]});
  if (n % 2 == 1) v.push({random_at<T>(random, format<T>::lowest_exponent + 5), random_at<T>(random, 0)});
  if (n > 2) v.a[n / 2] = std::nextafter(v.a[n / 2], T{0});
  return v;
}

/// Exponents that rise or fall in steps of a few elements through the whole range.
template <class T>
vectors<T> staircase(rng& random, std::size_t n) {
  const int range = format<T>::highest_exponent - 1 - format<T>::lowest_exponent;
  const bool ascending_order = random.coin();
  vectors<T> v;
  for (std::size_t i = 0; i < n; ++i) {
    const int steps = static_cast<int>(static_cast<double>(i) / static_cast<double>(n) * range);
    const int exponent =
        ascending_order ? format<T>::lowest_exponent + steps : format<T>::highest_exponent - 1 - steps;
    v.push({random_at<T>(random, exponent), random_at<T>(random, random.coin() ? 0 : exponent)});
  }
  return v;
}

/// Terms of one sign and similar magnitude: bins fill, and carries occur, at the maximum rate.
template <class T>
vectors<T> same_sign_growth(rng& random, std::size_t n) {
  const int exponent = random.between(format<T>::lowest_exponent, format<T>::highest_exponent - 1);
  const bool negative = random.coin();
  vectors<T> v;
  for (std::size_t i = 0; i < n; ++i) {
    const T x = std::abs(random_at<T>(random, exponent));
    const T y = std::abs(random_at<T>(random, exponent));
    v.push({negative ? -x : x, random.below(64) == 0 ? y : std::nextafter(y, T{0})});
  }
  return v;
}

}  // namespace

template <class T>
generator_list<T> layout_generators() {
  return {
      {"alternating_huge_and_tiny", alternating_huge_and_tiny<T>},
      {"one_huge_among_small", one_huge_among_small<T>},
      {"one_tiny_among_large", one_tiny_among_large<T>},
      {"one_extreme_product", one_extreme_product<T>},
      {"ascending", ascending<T>},
      {"descending", descending<T>},
      {"blocks", blocks<T>},
      {"blocks_that_cancel", blocks_that_cancel<T>},
      {"staircase", staircase<T>},
      {"same_sign_growth", same_sign_growth<T>},
  };
}

template generator_list<float> layout_generators();
template generator_list<double> layout_generators();

}  // namespace oracle
