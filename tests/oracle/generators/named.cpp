// Single cases in which published libraries return wrong results. Zeros of both signs fill them up to n terms.
//
// If a number of a case exists only as a double, float uses its counterpart at the same position of its range.
#include "oracle/generators/lists.hpp"

namespace oracle {
namespace {

template <class T>
constexpr bool is_float = std::is_same_v<T, float>;

template <class T>
T power_of_two(int exponent) {
  return compose<T>({false, 1, exponent});
}

/// The terms of v and zeros of both signs, at least n terms in total, in random order.
template <class T>
vectors<T> with_zeros(rng& random, std::size_t n, vectors<T> v) {
  while (v.size() < n) v.push({random.coin() ? T{0} : -T{0}, random_uniform<T>(random)});
  shuffle(random, v);
  return v;
}

/// [1e200, 1e200, 1]·[1e200, -1e200, 1] = 1: the products overflow, but not the sum.
template <class T>
vectors<T> huge_pair_and_one(rng& random, std::size_t n) {
  const T huge = is_float<T> ? static_cast<T>(1e30) : static_cast<T>(1e200);
  return with_zeros<T>(random, n, {{huge, huge, 1}, {huge, -huge, 1}});
}

/// 4096 products of 2^-1080: each rounds to zero, but their sum is the subnormal 2^-1068.
template <class T>
vectors<T> many_tiny_products(rng& random, std::size_t n) {
  const T tiny = power_of_two<T>(is_float<T> ? -77 : -540);
  return with_zeros<T>(random, n, {std::vector<T>(4096, tiny), std::vector<T>(4096, tiny)});
}

/// 2 × (2^-1074 · ½) = 2^-1074.
template <class T>
vectors<T> halves_of_least_subnormal(rng& random, std::size_t n) {
  const T least = power_of_two<T>(format<T>::lowest_exponent);
  const T half = power_of_two<T>(-1);
  return with_zeros<T>(random, n, {{least, half}, {half, least}});
}

/// 32 × 8e307, 32 × -8e307 and 64 × 1, sum 64: partial sums overflow in any order.
template <class T>
vectors<T> huge_sums_that_cancel(rng& random, std::size_t n) {
  const T huge = is_float<T> ? static_cast<T>(3e38) : static_cast<T>(8e307);
  vectors<T> v;
  for (int i = 0; i < 32; ++i) v.push({huge, 1}), v.push({1, -huge}), v.push({1, 1}), v.push({-1, -1});
  return with_zeros(random, n, v);
}

/// x·y - fl(x·y); the error of the product has bits below the least subnormal.
template <class T>
vectors<T> two_product_errors(rng& random, std::size_t n) {
  const int exponent = format<T>::lowest_exponent + random.between(1, 2 * format<T>::precision);
  const T x = random_at<T>(random, exponent / 2);
  const T y = random_at<T>(random, exponent - exponent / 2);
  vectors<T> v;
  v.push({x, y});
  v.push({-(x * y), 1});
  v.push({random_at<T>(random, format<T>::lowest_exponent + 2), random_at<T>(random, -random.between(1, 60))});
  return with_zeros(random, n, v);
}

/// -(2 - ulp)·2^e times numbers of the same kind or powers of two: negation propagates a carry through the
/// mantissa.
template <class T>
vectors<T> negative_all_ones(rng& random, std::size_t n) {
  const std::uint64_t ones = (std::uint64_t{1} << format<T>::precision) - 1;
  vectors<T> v;
  do {
    const int exponent_x =
        random.between(format<T>::lowest_exponent, format<T>::highest_exponent - format<T>::precision);
    const int exponent_y =
        random.between(format<T>::lowest_exponent, format<T>::highest_exponent - format<T>::precision);
    v.push({compose<T>({true, ones, exponent_x}),
            random.coin() ? compose<T>({false, ones, exponent_y}) : power_of_two<T>(exponent_y)});
  } while (v.size() < n);
  return v;
}

/// Minus one unit of an accumulator's lowest bit: all higher limbs are all ones.
template <class T>
vectors<T> minus_last_bit(rng& random, std::size_t n) {
  const T least = power_of_two<T>(format<T>::lowest_exponent);
  return with_zeros<T>(random, n, {{-least}, {least}});
}

/// The exact sum is slightly above a tie of float; its rounding to double is the tie.
template <class T>
vectors<T> double_rounding_trap(rng& random, std::size_t n) {
  const T sign = random.coin() ? T{1} : T{-1};
  vectors<T> v;
  v.push({sign, power_of_two<T>(random.coin() ? 0 : 1)});
  v.push({sign, random.coin() ? power_of_two<T>(-24) : power_of_two<T>(-23)});
  v.push({random.coin() ? sign : -sign, power_of_two<T>(-60 - random.between(0, 40))});
  return with_zeros(random, n, v);
}

}  // namespace

template <class T>
generator_list<T> named_generators() {
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

template generator_list<float> named_generators();
template generator_list<double> named_generators();

}  // namespace oracle
