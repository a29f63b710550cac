// What one thread does with its pairs in mode exact: a specialisation for each element type.
//
// float: a product is exact in double, over the whole range of float; two levels hold sums of 106 bits.
// double: a product is TwoProduct's value and error (Ogita, Rump, Oishi 2005, algorithm 3.5), exact while the
// exponents of its factors add up to something moderate. Other products are scaled by 2^±1200 and kept in a second
// expansion, of the small ones until the first large one comes, then of the large ones. Infinities and NaNs stick
// in level 0 and are found at the end.
#pragma once

#include <cuda/block_sum.cuh>
#include <cuda/expansion.cuh>

namespace exactdot::cuda_engine {
namespace {

template <class T>
struct thread_sum;

template <>
struct thread_sum<float> {
  expansion<2> sum;

  template <int count>
  __device__ __forceinline__ void add(const float (&a)[count], const float (&b)[count]) {
#pragma unroll
    for (int i = 0; i < count; ++i) sum.add(static_cast<double>(a[i]) * static_cast<double>(b[i]));
  }
  /// By all lanes of a warp; false, and nothing is given, where a product was an infinity or a NaN.
  __device__ bool give_to(block_sum<float>& to) const {
    return add_warp(to, sum, -piece_grid<float>::lowest, true);
  }
};

template <>
struct thread_sum<double> {
  // Sums of the exponent fields of two factors whose product is exact in two doubles, and may be added up 2^40
  // times.
  static constexpr unsigned lowest_fields = 1100, highest_fields = 3000;
  static constexpr int scale = 1200;               // of products in `far`, by 2^-scale or 2^scale
  static constexpr double small_bound = 0x1p-900;  // of 2^40 small products

  expansion<3> sum;  // of moderate products
  expansion<3> far;
  int far_scale = 0;  // 0: nothing there yet

  static __device__ __forceinline__ bool is_far(double a, double b) {
    const unsigned mask = 0x7ff00000U;
    const auto high = [](double x) { return static_cast<unsigned>(core::bit_cast<std::uint64_t>(x) >> 32); };
    const unsigned fields = ((high(a) & mask) >> 1) + ((high(b) & mask) >> 1);
    return fields - (lowest_fields << 19) > (highest_fields - lowest_fields) << 19;
  }

  template <int count>
  __device__ __forceinline__ void add(const double (&a)[count], const double (&b)[count]) {
    bool any_far = false;
#pragma unroll
    for (int i = 0; i < count; ++i) any_far = any_far || is_far(a[i], b[i]);
    if (!any_far) {
#pragma unroll
      for (int i = 0; i < count; ++i) add_moderate(a[i], b[i]);
    } else {
#pragma unroll
      for (int i = 0; i < count; ++i) add_any(a[i], b[i]);
    }
  }

  __device__ __forceinline__ void add_moderate(double a, double b) {
    const double product = a * b;
    sum.add(product);
    sum.add<1>(__fma_rn(a, b, -product));
  }

  __device__ void add_any(double a, double b) {
    if (!is_far(a, b) || !is_finite(a) || !is_finite(b)) {
      add_moderate(a, b);
    } else if (a != 0 && b != 0) {
      add_far(a, b);
    }
  }

  __device__ void add_far(double a, double b) {
    constexpr double up = 0x1p600, down = 0x1p-600;
    const bool large = fabs(a) * down * fabs(b) > 1;  // up to 2^1448: infinite, but then large
    if (large && far_scale <= 0) {
      if (far_scale < 0) sum.lost += small_bound;  // drops the small ones
      far = {};
      far_scale = scale;
    }
    if (!large && far_scale > 0) {
      sum.lost += 0x1p-940;
      return;
    }
    if (!large) far_scale = -scale;
    const double factor = large ? down : up;
    const double x = a * factor, y = b * factor;
    const double product = x * y;
    far.add(product);
    far.add<1>(__fma_rn(x, y, -product));
  }

  /// By all lanes of a warp; false, and nothing is given, where a product was an infinity or a NaN.
  __device__ bool give_to(block_sum<double>& to) const {
    if (!add_warp(to, sum, -piece_grid<double>::lowest, true)) return false;
    give_far(to, -scale);
    give_far(to, scale);
    return true;
  }

 private:
  __device__ void give_far(block_sum<double>& to, int which) const {
    if (!__any_sync(all_lanes, far_scale == which)) return;
    expansion<3> mine;
    if (far_scale == which) mine = far;
    add_warp(to, mine, which - piece_grid<double>::lowest, false);
  }
};

}  // namespace
}  // namespace exactdot::cuda_engine
