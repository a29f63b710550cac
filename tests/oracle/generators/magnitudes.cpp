// Data whose difficulty is the range of its exponents.
//
// The data cover the whole range, the subnormal numbers, and the limits beyond which a product or its rounding
// error (TwoProd) leaves the range of T. A fast path has to detect these limits.
#include "oracle/generators/lists.hpp"

namespace oracle {
namespace {

template <class T>
T random_subnormal(rng& random) {
  return random_between<T>(random, format<T>::lowest_exponent, format<T>::lowest_normal_exponent - 1);
}

template <class T>
vectors<T> log_uniform(rng& random, std::size_t n) {
  return fill<T>(n, [&] { return random_finite<T>(random); });
}

template <class T>
vectors<T> powers_of_two(rng& random, std::size_t n) {
  return fill<T>(n, [&] {
    return compose<T>(
        {random.coin(), 1, random.between(format<T>::lowest_exponent, format<T>::highest_exponent - 1)});
  });
}

/// A window of exponents at a random position of the range.
template <class T>
vectors<T> window(rng& random, std::size_t n) {
  const int width = random.between(0, 80);
  const int low = random.between(format<T>::lowest_exponent, format<T>::highest_exponent - 1 - width);
  return fill<T>(n, [&] { return random_between<T>(random, low, low + width); });
}

template <class T>
vectors<T> all_subnormal(rng& random, std::size_t n) {
  return fill<T>(n, [&] { return random_subnormal<T>(random); });
}

template <class T>
vectors<T> subnormal_and_normal(rng& random, std::size_t n) {
  const int spread = format<T>::precision + 6;
  return fill<T>(n, [&] {
    return random_between<T>(random, format<T>::lowest_normal_exponent - spread / 2,
                             format<T>::lowest_normal_exponent + spread);
  });
}

template <class T>
vectors<T> subnormal_times_large(rng& random, std::size_t n) {
  vectors<T> v;
  for (std::size_t i = 0; i < n; ++i) {
    const T small = random_subnormal<T>(random);
    const T large = random_between<T>(random, format<T>::highest_exponent - 60, format<T>::highest_exponent - 1);
    random.coin() ? v.push({small, large}) : v.push({large, small});
  }
  return v;
}

/// Terms x·y with leading bits near 2^exponent. A random number divides the exponent between x and y.
template <class T>
vectors<T> products_near(rng& random, std::size_t n, int exponent) {
  vectors<T> v;
  for (std::size_t i = 0; i < n; ++i) {
    const int sum = exponent + random.between(-4, 4);
    const int low = std::max(format<T>::lowest_normal_exponent, sum - (format<T>::highest_exponent - 1));
    const int high = std::min(format<T>::highest_exponent - 1, sum - format<T>::lowest_normal_exponent);
    const int x = random.between(low, high);
    v.push({random_at<T>(random, x), random_at<T>(random, sum - x)});
  }
  return v;
}

/// The limit below which the error of TwoProd loses bits, those below 2^lowest_exponent.
template <class T>
vectors<T> two_product_underflow_edge(rng& random, std::size_t n) {
  return products_near<T>(random, n, format<T>::lowest_exponent + 2 * format<T>::precision - 1);
}

/// The limit below which the product is subnormal.
template <class T>
vectors<T> product_underflow_edge(rng& random, std::size_t n) {
  return products_near<T>(random, n,
                          random.coin() ? format<T>::lowest_normal_exponent : format<T>::lowest_exponent);
}

/// The limit above which the product of finite factors overflows.
template <class T>
vectors<T> product_overflow_edge(rng& random, std::size_t n) {
  return products_near<T>(random, n, format<T>::highest_exponent - 1);
}

/// Products in the lowest or the highest digits of an accumulator.
template <class T>
vectors<T> both_ends(rng& random, std::size_t n) {
  vectors<T> v;
  for (std::size_t i = 0; i < n; ++i) {
    const int exponent =
        random.coin() ? format<T>::lowest_exponent + random.between(0, 2) : format<T>::highest_exponent - 1;
    v.push({random_at<T>(random, exponent), random_at<T>(random, exponent)});
  }
  return v;
}

/// ± the largest product of two finite numbers.
template <class T>
vectors<T> largest_products(rng& random, std::size_t n) {
  const bool balanced = random.coin();
  vectors<T> v;
  for (std::size_t i = 0; i < n; ++i) {
    const T largest = std::numeric_limits<T>::max();
    v.push({balanced && i % 2 == 1 ? -largest : largest, largest});
  }
  if (balanced && n % 2 == 1) v.b.back() = random_finite<T>(random);
  return v;
}

}  // namespace

template <class T>
generator_list<T> magnitude_generators() {
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

template generator_list<float> magnitude_generators();
template generator_list<double> magnitude_generators();

}  // namespace oracle
