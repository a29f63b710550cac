// Data whose difficulty is the order of its magnitudes.
//
// An engine that follows the exponents it has seen must move its window late, early, often, at block borders, for
// one element only, or never.
#include <cmath>

#include "oracle/generators/rows.hpp"

namespace oracle {
namespace {

template <class T>
constexpr int far = format<T>::top - format<T>::top / 32;  // 2^992 for double, 2^124 for float

template <class T>
vectors<T> alternating_huge_and_tiny(rng& random, std::size_t n) {
  vectors<T> v;
  for (std::size_t i = 0; i < n; ++i) {
    const int exponent = i % 2 == 0 ? far<T> : -far<T>;
    v.push({random_at<T>(random, exponent), random_at<T>(random, random.coin() ? 0 : exponent)});
  }
  return v;
}

template <class T>
vectors<T> one_among(rng& random, std::size_t n, int exponent_of_one, int exponent_of_rest) {
  auto v = fill<T>(n, [&] { return random_between<T>(random, exponent_of_rest - 3, exponent_of_rest + 3); });
  if (n != 0) v.a[random.below(n)] = random_at<T>(random, exponent_of_one);
  return v;
}

template <class T>
vectors<T> one_huge_among_small(rng& random, std::size_t n) {
  return one_among<T>(random, n, far<T>, -8);
}

template <class T>
vectors<T> one_tiny_among_large(rng& random, std::size_t n) {
  return one_among<T>(random, n, format<T>::lowest + 3, 8);
}

template <class T>
vectors<T> one_extreme_product(rng& random, std::size_t n) {
  auto v = fill<T>(n, [&] { return random_uniform<T>(random); });
  if (n == 0) return v;
  const std::size_t i = random.below(n);
  const int exponent =
      random.coin() ? format<T>::top - 1 : random.between(format<T>::lowest, format<T>::lowest + 9);
  v.a[i] = random_at<T>(random, exponent);
  v.b[i] = random_at<T>(random, exponent);
  return v;
}

template <class T>
vectors<T> sorted(rng& random, std::size_t n, bool ascending) {
  std::vector<T> a(n), b(n);
  for (auto* x : {&a, &b}) {
    for (T& value : *x) value = random_between<T>(random, format<T>::lowest, format<T>::top - 1);
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

/// Blocks of a random length, each in its own narrow window of exponents.
template <class T>
vectors<T> blocks(rng& random, std::size_t n) {
  const std::size_t length = std::size_t{1} << random.below(12);
  vectors<T> v;
  int low = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % length == 0) low = random.between(format<T>::lowest, format<T>::top - 6);
    v.push({random_between<T>(random, low, low + 5), random_between<T>(random, low, low + 5)});
  }
  return v;
}

/// As blocks, and the second half takes the first away again but for its last bits.
template <class T>
vectors<T> blocks_that_cancel(rng& random, std::size_t n) {
  vectors<T> v = blocks<T>(random, n / 2);
  for (std::size_t i = 0; i < n / 2; ++i) v.push({-v.a[i], v.b[i]});
  if (n % 2 == 1) v.push({random_at<T>(random, format<T>::lowest + 5), random_at<T>(random, 0)});
  if (n > 2) v.a[n / 2] = std::nextafter(v.a[n / 2], T{0});
  return v;
}

/// Exponents that climb or fall by a step every few elements, all the way through the range.
template <class T>
vectors<T> staircase(rng& random, std::size_t n) {
  const int range = format<T>::top - 1 - format<T>::lowest;
  const bool up = random.coin();
  vectors<T> v;
  for (std::size_t i = 0; i < n; ++i) {
    const int climbed = static_cast<int>(static_cast<double>(i) / static_cast<double>(n) * range);
    const int exponent = up ? format<T>::lowest + climbed : format<T>::top - 1 - climbed;
    v.push({random_at<T>(random, exponent), random_at<T>(random, random.coin() ? 0 : exponent)});
  }
  return v;
}

/// All terms of one sign and near the same size, so that carries run up and bins fill as fast as they can.
template <class T>
vectors<T> same_sign_growth(rng& random, std::size_t n) {
  const int exponent = random.between(format<T>::lowest, format<T>::top - 1);
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
rows<T> layout_rows() {
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

template rows<float> layout_rows();
template rows<double> layout_rows();

}  // namespace oracle
