// What one thread does with its elements in the second level of mode exact: one specialisation per carrier.
//
// float: a product is exact in double, over the whole range of float.
// double: a product is TwoProduct's value and error (Ogita, Rump, Oishi 2005, algorithm 3.5), exact while the sum
// of the factors' exponents is moderate. Other products are scaled by 2^±1200 and kept in a second expansion: of
// the small ones until the first large one comes, then of the large ones. Infinities and NaNs stay in component 0
// and are found at the end.
#pragma once

#include <cuda/sum/bounded_sum.cuh>
#include <cuda/sum/expansion.cuh>

namespace exactdot::inline v0_3::cuda_engine {

template <class Carrier, class Term, int levels>
struct thread_sum;

template <class Term, int levels>
struct thread_sum<float, Term, levels> {
  static constexpr int origin = -digit_layout<float>::lowest;
  expansion<levels> sum{};

  template <class T, int count>
  __device__ __forceinline__ void add(const T (&a)[count], const T (&b)[count]) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      sum.add(static_cast<double>(factor<Term>(a[i])) * static_cast<double>(second_factor<Term>(b[i])));
    }
  }
  [[nodiscard]] __device__ bool all_finite() const { return sum.is_finite(); }
  /// 2^this, as a position, bounds what was dropped; 0: nothing.
  [[nodiscard]] __device__ unsigned log2_error() const { return log2_bound(sum.error, origin); }

  /// Calls visit(expansion, origin) for all expansions. By all lanes of a warp.
  template <class Visit>
  __device__ __forceinline__ void for_each_expansion(Visit visit) const {
    visit(sum, origin);
  }
};

template <class Term, int levels>
struct thread_sum<double, Term, levels> {
  // Sums of the exponent fields of two factors whose product is exact in two doubles, and may be added up 2^40
  // times within the bounds of extract_digits.
  static constexpr unsigned lowest_fields = 1100, highest_fields = 2900;
  static_assert(static_cast<int>(highest_fields) - 2046 + 2 + 40 <= convertible_end);
  static_assert(static_cast<int>(lowest_fields) - 2046 - 104 >= convertible_lowest);
  static constexpr int scale = 1200;               // of the products in scaled_sum, by 2^-scale or 2^scale
  static constexpr double small_bound = 0x1p-900;  // of 2^40 small products
  static constexpr int origin = -digit_layout<double>::lowest;

  expansion<levels> sum{};  // of moderate products
  expansion<levels> scaled_sum{};
  int scale_exponent = 0;  // of scaled_sum; 0: it is empty

  static __device__ __forceinline__ bool needs_scaling(double a, double b) {
    const unsigned mask = 0x7ff00000U;
    const unsigned fields = ((high_word(a) & mask) >> 1) + ((high_word(b) & mask) >> 1);
    return fields - (lowest_fields << 19) > (highest_fields - lowest_fields) << 19;
  }

  template <class T, int count>
  __device__ __forceinline__ void add(const T (&a)[count], const T (&b)[count]) {
    bool any_scaled = false;
#pragma unroll
    for (int i = 0; i < count; ++i) any_scaled |= needs_scaling(a[i], second_factor<Term>(b[i]));
    if (!any_scaled) {
#pragma unroll
      for (int i = 0; i < count; ++i) add_moderate(factor<Term>(a[i]), second_factor<Term>(b[i]));
    } else {
#pragma unroll
      for (int i = 0; i < count; ++i) add_any(factor<Term>(a[i]), second_factor<Term>(b[i]));
    }
  }

  __device__ __forceinline__ void add_moderate(double a, double b) {
    const double product = a * b;
    sum.add(product);
    if constexpr (Term::factors == 2) sum.template add<1>(__fma_rn(a, b, -product));
  }

  __device__ void add_any(double a, double b) {
    if (!needs_scaling(a, b) || !is_finite(a) || !is_finite(b)) {
      add_moderate(a, b);
    } else if (a != 0 && b != 0) {
      add_scaled(a, b);
    }
  }

  __device__ void add_scaled(double a, double b) {
    constexpr double up = 0x1p600, down = 0x1p-600;
    const bool large = fabs(a) * down * fabs(b) > 1;  // up to 2^1448: infinite, and so large
    if (large && scale_exponent <= 0) {
      if (scale_exponent < 0) sum.error += small_bound;  // drops the small ones
      scaled_sum = {};
      scale_exponent = scale;
    }
    if (!large && scale_exponent > 0) {
      sum.error += 0x1p-940;
      return;
    }
    if (!large) scale_exponent = -scale;
    const double power = large ? down : up;
    const double x = a * power, y = b * power;
    const double product = x * y;
    scaled_sum.add(product);
    scaled_sum.template add<1>(__fma_rn(x, y, -product));
  }

  [[nodiscard]] __device__ bool all_finite() const { return sum.is_finite(); }
  [[nodiscard]] __device__ unsigned log2_error() const {
    const unsigned of_moderate = log2_bound(sum.error, origin);
    const unsigned of_scaled = log2_bound(scaled_sum.error, origin + scale_exponent);
    return of_moderate == 0 || of_scaled == 0 ? ::max(of_moderate, of_scaled) : ::max(of_moderate, of_scaled) + 1;
  }

  template <class Visit>
  __device__ __forceinline__ void for_each_expansion(Visit visit) const {
    visit(sum, origin);
    for (int exponent = -scale; exponent <= scale; exponent += 2 * scale) {
      if (__any_sync(all_lanes, scale_exponent == exponent)) {
        visit(scale_exponent == exponent ? scaled_sum : expansion<levels>{}, origin + exponent);
      }
    }
  }
};

}  // namespace exactdot::inline v0_3::cuda_engine
