// Data whose difficulty is its range.
//
// The whole of it, subnormals, and the borders beyond which a product or its rounding error (TwoProd) leaves the
// range of T: a fast path must detect these borders, not assume them.
#include "oracle/generators/rows.hpp"

namespace oracle {
namespace {

template <class T>
T any_finite(rng& random) {
  return random_between<T>(random, format<T>::lowest, format<T>::top - 1);
}

template <class T>
T any_subnormal(rng& random) {
  return random_between<T>(random, format<T>::lowest, format<T>::smallest_normal - 1);
}

template <class T>
vectors<T> log_uniform(rng& random, std::size_t n) {
  return fill<T>(n, [&] { return any_finite<T>(random); });
}

template <class T>
vectors<T> powers_of_two(rng& random, std::size_t n) {
  return fill<T>(n, [&] {
    return join<T>({random.coin(), 1, random.between(format<T>::lowest, format<T>::top - 1)});
  });
}

/// A window of exponents, at a random place of the range, so that no place is special.
template <class T>
vectors<T> window(rng& random, std::size_t n) {
  const int width = random.between(0, 80);
  const int low = random.between(format<T>::lowest, format<T>::top - 1 - width);
  return fill<T>(n, [&] { return random_between<T>(random, low, low + width); });
}

template <class T>
vectors<T> all_subnormal(rng& random, std::size_t n) {
  return fill<T>(n, [&] { return any_subnormal<T>(random); });
}

template <class T>
vectors<T> subnormal_and_normal(rng& random, std::size_t n) {
  const int spread = format<T>::precision + 6;
  return fill<T>(n, [&] {
    return random_between<T>(random, format<T>::smallest_normal - spread / 2, format<T>::smallest_normal + spread);
  });
}

template <class T>
vectors<T> subnormal_times_large(rng& random, std::size_t n) {
  vectors<T> v;
  for (std::size_t i = 0; i < n; ++i) {
    const T small = any_subnormal<T>(random);
    const T large = random_between<T>(random, format<T>::top - 60, format<T>::top - 1);
    random.coin() ? v.push({small, large}) : v.push({large, small});
  }
  return v;
}

/// Terms x·y whose leading bit is near 2^exponent, with the exponent split between x and y at random.
template <class T>
vectors<T> products_near(rng& random, std::size_t n, int exponent) {
  vectors<T> v;
  for (std::size_t i = 0; i < n; ++i) {
    const int sum = exponent + random.between(-4, 4);
    const int low = std::max(format<T>::smallest_normal, sum - (format<T>::top - 1));
    const int high = std::min(format<T>::top - 1, sum - format<T>::smallest_normal);
    const int x = random.between(low, high);
    v.push({random_at<T>(random, x), random_at<T>(random, sum - x)});
  }
  return v;
}

/// Where the error of TwoProd begins to lose bits below 2^lowest.
template <class T>
vectors<T> two_product_underflow_edge(rng& random, std::size_t n) {
  return products_near<T>(random, n, format<T>::lowest + 2 * format<T>::precision - 1);
}

/// Where the product itself becomes subnormal.
template <class T>
vectors<T> product_underflow_edge(rng& random, std::size_t n) {
  return products_near<T>(random, n, random.coin() ? format<T>::smallest_normal : format<T>::lowest);
}

/// Where the product overflows although its factors do not.
template <class T>
vectors<T> product_overflow_edge(rng& random, std::size_t n) {
  return products_near<T>(random, n, format<T>::top - 1);
}

/// Products with every bit in the last places of the accumulator or in its first ones.
template <class T>
vectors<T> both_ends(rng& random, std::size_t n) {
  vectors<T> v;
  for (std::size_t i = 0; i < n; ++i) {
    const int exponent = random.coin() ? format<T>::lowest + random.between(0, 2) : format<T>::top - 1;
    v.push({random_at<T>(random, exponent), random_at<T>(random, exponent)});
  }
  return v;
}

/// ± the largest product there is.
template <class T>
vectors<T> largest_products(rng& random, std::size_t n) {
  const bool balanced = random.coin();
  vectors<T> v;
  for (std::size_t i = 0; i < n; ++i) {
    const T largest = std::numeric_limits<T>::max();
    v.push({balanced && i % 2 == 1 ? -largest : largest, largest});
  }
  if (balanced && n % 2 == 1) v.b.back() = any_finite<T>(random);
  return v;
}

}  // namespace

template <class T>
rows<T> magnitude_rows() {
  return {
      {"log_uniform", log_uniform<T>},
      {"powers_of_two", powers_of_two<T>},
      {"window", window<T>},
      {"all_subnormal", all_subnormal<T>},
      {"subnormal_and_normal", subnormal_and_normal<T>},
      {"subnormal_times_large", subnormal_times_large<T>},
      {"two_product_underflow_edge", two_product_underflow_edge<T>},
      {"product_underflow_edge", product_underflow_edge<T>},
      {"product_overflow_edge", product_overflow_edge<T>},
      {"both_ends", both_ends<T>},
      {"largest_products", largest_products<T>},
  };
}

template rows<float> magnitude_rows();
template rows<double> magnitude_rows();

}  // namespace oracle
