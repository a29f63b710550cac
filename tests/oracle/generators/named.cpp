// Single cases that libraries in use get wrong, each among zeros of both signs when n asks for more terms.
//
// Where a case names a number that only double has, float gets its counterpart at the same place of its range.
#include "oracle/generators/rows.hpp"

namespace oracle {
namespace {

template <class T>
constexpr bool is_float = sizeof(T) == 4;

template <class T>
T power(int exponent) {
  return join<T>({false, 1, exponent});
}

/// The terms, and zeros of both signs up to n terms, in random order.
template <class T>
vectors<T> among_zeros(rng& random, std::size_t n, vectors<T> v) {
  while (v.size() < n) v.push({random.coin() ? T{0} : -T{0}, random_uniform<T>(random)});
  shuffle(random, v);
  return v;
}

/// [1e200, 1e200, 1]·[1e200, -1e200, 1] = 1: the products overflow, the sum does not.
template <class T>
vectors<T> huge_pair_and_one(rng& random, std::size_t n) {
  const T huge = is_float<T> ? static_cast<T>(1e30) : static_cast<T>(1e200);
  return among_zeros<T>(random, n, {{huge, huge, 1}, {huge, -huge, 1}});
}

/// 4096 products of 2^-1080 = 2^-1068: each rounds to zero, together they are a subnormal.
template <class T>
vectors<T> many_tiny_products(rng& random, std::size_t n) {
  const T tiny = power<T>(is_float<T> ? -77 : -540);
  return among_zeros<T>(random, n, {std::vector<T>(4096, tiny), std::vector<T>(4096, tiny)});
}

/// 2 × (2^-1074 · ½) = 2^-1074.
template <class T>
vectors<T> halves_of_least_subnormal(rng& random, std::size_t n) {
  const T least = power<T>(format<T>::lowest);
  const T half = power<T>(-1);
  return among_zeros<T>(random, n, {{least, half}, {half, least}});
}

/// 32 × 8e307 with 32 × -8e307 and 64 × 1 = 64: partial sums overflow, in whichever order.
template <class T>
vectors<T> huge_sums_that_cancel(rng& random, std::size_t n) {
  const T huge = is_float<T> ? static_cast<T>(3e38) : static_cast<T>(8e307);
  vectors<T> v;
  for (int i = 0; i < 32; ++i) v.push({huge, 1}), v.push({1, -huge}), v.push({1, 1}), v.push({-1, -1});
  return among_zeros(random, n, v);
}

/// x·y - fl(x·y), where the error of the product has bits below the least subnormal.
template <class T>
vectors<T> two_product_errors(rng& random, std::size_t n) {
  const int exponent = format<T>::lowest + random.between(1, 2 * format<T>::precision);
  const T x = random_at<T>(random, exponent / 2);
  const T y = random_at<T>(random, exponent - exponent / 2);
  vectors<T> v;
  v.push({x, y});
  v.push({-(x * y), 1});
  v.push({random_at<T>(random, format<T>::lowest + 2), random_at<T>(random, -random.between(1, 60))});
  return among_zeros(random, n, v);
}

/// -(2 - ulp)·2^e times numbers of the same kind: the mantissas whose negation carries all the way.
template <class T>
vectors<T> negative_all_ones(rng& random, std::size_t n) {
  const std::uint64_t ones = (std::uint64_t{1} << format<T>::precision) - 1;
  vectors<T> v;
  do {
    const int of_x = random.between(format<T>::lowest, format<T>::top - format<T>::precision);
    const int of_y = random.between(format<T>::lowest, format<T>::top - format<T>::precision);
    v.push({join<T>({true, ones, of_x}), random.coin() ? join<T>({false, ones, of_y}) : power<T>(of_y)});
  } while (v.size() < n);
  return v;
}

/// Minus one unit of the accumulator's last place, alone: every limb above is all ones.
template <class T>
vectors<T> minus_last_bit(rng& random, std::size_t n) {
  const T least = power<T>(format<T>::lowest);
  return among_zeros<T>(random, n, {{-least}, {least}});
}

/// The exact sum is just above a tie of float; rounding to double first would land on the tie.
template <class T>
vectors<T> double_rounding_trap(rng& random, std::size_t n) {
  const T sign = random.coin() ? T{1} : T{-1};
  vectors<T> v;
  v.push({sign, power<T>(random.coin() ? 0 : 1)});
  v.push({sign, random.coin() ? power<T>(-24) : power<T>(-23)});
  v.push({random.coin() ? sign : -sign, power<T>(-60 - random.between(0, 40))});
  return among_zeros(random, n, v);
}

}  // namespace

template <class T>
rows<T> named_rows() {
  return {
      {"huge_pair_and_one", huge_pair_and_one<T>},
      {"many_tiny_products", many_tiny_products<T>},
      {"halves_of_least_subnormal", halves_of_least_subnormal<T>},
      {"huge_sums_that_cancel", huge_sums_that_cancel<T>},
      {"two_product_errors", two_product_errors<T>},
      {"negative_all_ones", negative_all_ones<T>},
      {"minus_last_bit", minus_last_bit<T>},
      {"double_rounding_trap", double_rounding_trap<T>},
  };
}

template rows<float> named_rows();
template rows<double> named_rows();

}  // namespace oracle
