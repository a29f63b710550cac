// What one thread does with its pairs in mode exact: a specialisation for each element type.
//
// float: a product is exact in double, over the whole range of float; two levels hold sums of 106 bits.
// double: a product is TwoProduct's value and error (Ogita, Rump, Oishi 2005, algorithm 3.5), exact while the
// exponents of its factors add up to something moderate. Other products are scaled by 2^±1200 and kept in a second
// expansion, of the small ones until the first large one comes, then of the large ones. Infinities and NaNs stick
// in level 0 and are found at the end.
#pragma once

#include <cuda/warp_parts.cuh>

namespace exactdot::cuda_engine {
namespace {

template <class T>
constexpr int usual_levels = sizeof(T) == 4 ? 2 : 3;

template <class T, int levels = usual_levels<T>>
struct thread_sum;

template <int levels>
struct thread_sum<float, levels> {
  static constexpr int origin = -piece_grid<float>::lowest;
  expansion<levels> sum;

  template <int count>
  __device__ __forceinline__ void add(const float (&a)[count], const float (&b)[count]) {
#pragma unroll
    for (int i = 0; i < count; ++i) sum.add(static_cast<double>(a[i]) * static_cast<double>(b[i]));
  }
  [[nodiscard]] __device__ bool is_complete() const { return sum.lost == 0; }

  /// By all lanes of a warp. False where a product was an infinity or a NaN.
  template <int warps>
  __device__ __forceinline__ bool leave(warp_parts<warps>& to) const {
    return leave_part(to, sum, origin, 0);
  }
  /// Calls give(expansion, origin) for all that is there. By all lanes of a warp.
  template <class Give>
  __device__ __forceinline__ void for_each_expansion(Give give) const {
    give(sum, origin);
  }
};

template <int levels>
struct thread_sum<double, levels> {
  // Sums of the exponent fields of two factors whose product is exact in two doubles, and may be added up 2^40
  // times within the bounds of take_part.
  static constexpr unsigned lowest_fields = 1100, highest_fields = 2900;
  static_assert(static_cast<int>(highest_fields) - 2046 + 2 + 40 <= convertible_end);
  static_assert(static_cast<int>(lowest_fields) - 2046 - 104 >= convertible_lowest);
  static constexpr int scale = 1200;               // of products in `far`, by 2^-scale or 2^scale
  static constexpr double small_bound = 0x1p-900;  // of 2^40 small products
  static constexpr int origin = -piece_grid<double>::lowest;

  expansion<levels> sum;  // of moderate products
  expansion<levels> far;
  int far_scale = 0;  // 0: nothing there yet

  static __device__ __forceinline__ bool is_far(double a, double b) {
    const unsigned mask = 0x7ff00000U;
    const unsigned fields = ((high_word(a) & mask) >> 1) + ((high_word(b) & mask) >> 1);
    return fields - (lowest_fields << 19) > (highest_fields - lowest_fields) << 19;
  }

  template <int count>
  __device__ __forceinline__ void add(const double (&a)[count], const double (&b)[count]) {
    bool any_far = false;
#pragma unroll
    for (int i = 0; i < count; ++i) any_far |= is_far(a[i], b[i]);
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
    sum.template add<1>(__fma_rn(a, b, -product));
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
    far.template add<1>(__fma_rn(x, y, -product));
  }

  [[nodiscard]] __device__ bool is_complete() const { return sum.lost == 0 && far.lost == 0; }

  template <int warps>
  __device__ __forceinline__ bool leave(warp_parts<warps>& to) const {
    return __any_sync(all_lanes, far_scale != 0) ? leave_largest(to) : leave_part(to, sum, origin, 0);
  }

  template <class Give>
  __device__ __forceinline__ void for_each_expansion(Give give) const {
    give(sum, origin);
    for (int which = -scale; which <= scale; which += 2 * scale) {
      if (__any_sync(all_lanes, far_scale == which))
        give(far_scale == which ? far : expansion<levels>{}, origin + which);
    }
  }

 private:
  /// Leaves the large products if there are any, else the moderate ones, else the small ones.
  template <int warps>
  __device__ bool leave_largest(warp_parts<warps>& to) const {
    const bool special = !sum.is_finite();
    if (__any_sync(all_lanes, special)) return leave_part(to, sum, origin, 0);
    const bool large = __any_sync(all_lanes, far_scale > 0);
    const unsigned own_end = sum.end(origin);
    if (!large && __any_sync(all_lanes, own_end != 0)) {
      return leave_part(to, sum, origin, far_scale == 0 ? 0 : far.end(origin - scale));
    }
    const bool mine = far_scale == (large ? scale : -scale);
    const unsigned small_end = far_scale == 0 || mine ? 0 : far.end(origin - scale);
    return leave_part(to, mine ? far : expansion<levels>{}, large ? origin + scale : origin - scale,
                      max(own_end, small_end));
  }
};

}  // namespace
}  // namespace exactdot::cuda_engine
