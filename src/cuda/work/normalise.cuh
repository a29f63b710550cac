// Elements of normalised rows at the speed of memory: their first look.
//
//   squares, sums   plainly, in double: a float's square is exact, and a sum of n errs by some n/256 roundings
//   Σx              exact if all elements are multiples of 2^k and √(n·Σx²) is below 2^(k+53), as no partial sum
//                   exceeds it (Cauchy, Schwarz): the mean of equal elements is one of them
//   y               (x − m)·k·w + b in double, k = 1/√(v + ε); rounded if its bound decides
//
// A result of 16 bits goes by way of a float, of which one value alone is a tie: a bound below half of the float's
// last place decides all others, and there what y differs by from the float, unless that is within its bound. One
// of 32 bits is decided by the bits behind its last, next to a tie likewise. What stays open is looked at closer,
// with the bound of this element; then normalise_again.cuh. Conversions between float and double, of which a
// multiprocessor makes 16 a clock, are three for each element, and one for its bias: weights become doubles by
// their bits.
#pragma once

#include <cuda/core/line_load.cuh>
#include <cuda/sum/packed_sum.cuh>
#include <cuda/work/normalise_again.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

template <class Element>
__device__ __forceinline__ float float_of_word(const unsigned* words, int j) {
  return float_of(element_of<Element>(words, j));
}
template <>
__device__ __forceinline__ float float_of_word<float>(const unsigned* words, int j) {
  return __uint_as_float(words[j]);
}

/// x/unshifted, by moving bits: of subnormal numbers too, not of infinities and NaNs.
__device__ __forceinline__ double shifted_double(float x) {
  const unsigned bits = __float_as_uint(x);
  const unsigned high = static_cast<unsigned>(static_cast<int>(bits) >> 3) & 0x8fffffffU;
  return __hiloint2double(static_cast<int>(high), static_cast<int>(bits << 29));
}
/// The sums of a row, or of a part of it.
struct row_sums {
  double squares, values;
  int unit;  ///< all elements are multiples of 2^unit
};

/// What a thread knows of its elements of a row. Values and their unit only if the row is centred.
template <class Element>
class row_statistics {
 public:
  template <int words>
  __device__ __forceinline__ void add(const unsigned (&x)[words], bool is_centred) {
    double squares[2] = {squares_, 0}, values[2] = {values_, 0};
#pragma unroll
    for (int j = 0; j < 4 * words / static_cast<int>(sizeof(Element)); ++j) {
      const double value = static_cast<double>(float_of_word<Element>(x, j));
      squares[j % 2] = __fma_rn(value, value, squares[j % 2]);
      if (is_centred) values[j % 2] += value;
    }
    squares_ = squares[0] + squares[1];
    if (!is_centred) return;
    values_ = values[0] + values[1];
#pragma unroll
    for (int w = 0; w < words; ++w) range_.include(x[w]);
  }
  [[nodiscard]] __device__ __forceinline__ row_sums sums(bool is_centred) {
    constexpr int unit_of_zeros = 400;  // a thread without elements takes nothing from what the others know
    range_.join_halves();
    return {squares_, values_, !is_centred || squares_ == 0 ? unit_of_zeros : range_.unit_exponent(0)};
  }

 private:
  double squares_ = 0, values_ = 0;
  magnitude_range<Element> range_;
};

/// Over a warp, in all its lanes.
__device__ __forceinline__ row_sums join_warp(row_sums x, bool is_centred) {
#pragma unroll
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    x.squares += __shfl_xor_sync(all_lanes, x.squares, distance);
    if (is_centred) x.values += __shfl_xor_sync(all_lanes, x.values, distance);
  }
  if (is_centred) x.unit = __reduce_min_sync(all_lanes, x.unit);
  return x;
}
/// Over a block, in all its threads; a barrier in between, and one before `of_warp` is used again.
template <int warps>
__device__ __forceinline__ row_sums join_block(row_sums x, row_sums (&of_warp)[warps], bool is_centred) {
  x = join_warp(x, is_centred);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = x;
  __syncthreads();
  row_sums total = of_warp[0];
#pragma unroll
  for (int k = 1; k < warps; ++k) {
    total.squares += of_warp[k].squares;
    if (is_centred) total.values += of_warp[k].values, total.unit = ::min(total.unit, of_warp[k].unit);
  }
  return total;
}

/// 1/√x, but for an error that root_error measures.
__device__ __forceinline__ double inverse_root(double x) {
#ifdef __CUDA_ARCH__
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double e = __fma_rn(-(x * y), y, 1.0);
  return __fma_rn(y * e, __fma_rn(e, 0.375, 0.5), y);
#else
  return 1 / std::sqrt(x);
#endif
}
/// |1 − x·y²|, but for 2^-52.
__device__ __forceinline__ double root_error(double x, double y) { return fabs(__fma_rn(-(x * y), y, 1.0)); }

/// √x < 2^this.
__device__ __forceinline__ int exponent_of_root(double x) {
  return (static_cast<int>(high_word(x) >> 20) - 1021) >> 1;
}

/// The mean from Σx, and what it errs by.
__device__ __forceinline__ void find_mean(const normalised_rows& in, const row_sums& sums, row_terms& row) {
  const double n = in.n, near = sums.values * in.inverse_n;
  row.mean = __fma_rn(__fma_rn(-near, n, sums.values), in.inverse_n, near);  // Σx/n, rounded once (Markstein 1990)
  const int exponent = exponent_of_root(sums.squares * n * (1 + 0x1p-10));   // of what no partial sum exceeds
  double missing = fabs(__fma_rn(-row.mean, n, sums.values));
  if (exponent > sums.unit + 53) missing = __fma_rn(in.relative_of_sum, power(exponent), missing);
  row.mean_error = missing * in.inverse_n * (1 + 0x1p-20);
}

/// A number and what it errs by.
struct bounded_number {
  double value, error;
};
/// The variance of a row, or its mean square, without ε. Finds the mean, too.
__device__ __forceinline__ bounded_number variance_of(const normalised_rows& in, const row_sums& sums,
                                                      row_terms& row) {
  const double mean_square = sums.squares * in.inverse_n;
  bounded_number found{mean_square, (in.relative_of_sum + 4 * 0x1p-53) * mean_square};
  if (!in.is_centred) return found;
  find_mean(in, sums, row);
  found.value = __fma_rn(-row.mean, row.mean, mean_square);
  found.error += (2 * fabs(row.mean) + row.mean_error) * row.mean_error;
  return found;
}

/// The terms of a row from its sums.
///
/// 1/√(v(1 + d)) errs by less than 0.5625·|d| for |d| < 2^-6; 2^-49 covers what root_error does not tell, up to
/// 2^-53, and four roundings. Scales are below 2^60, so that those of weights' bits are finite.
template <int log2_bound>
__device__ __forceinline__ row_terms terms_of(const normalised_rows& in, const row_sums& sums) {
  constexpr double per_bound = std::uint64_t{1} << log2_bound;
  row_terms row{0, 0, 0, 0};
  auto [variance, error] = variance_of(in, sums, row);
  variance += in.epsilon;
  const double scale = inverse_root(variance);
  const double relative_error = error * scale * scale + root_error(variance, scale);
  row.relative = __fma_rn(0.5625 * per_bound, relative_error, 0x1p-49 * per_bound);
  row.mean_error *= per_bound;
  row.shifted_scale = scale * unshifted;
  if (!(scale < 0x1p60 && scale > 0x1p-200 && relative_error < 0x1p-6)) row.relative = HUGE_VAL;
  return row;
}

/// The bits of z rounded, which errs by less than bound·2^-log2_bound and its own rounding, both together by less
/// than 2^-log2_bound |z|; or `is_rare`: next to a tie, or of fewer bits than others. z is no NaN.
template <class Element>
struct quick_rounding {
  static constexpr int precision = core::format<Element>::precision;
  static constexpr int log2_bound = precision == 24 ? 36 : 28;  ///< of 16 bits: less than half a float's last place

  /// bound(): asked for next to a tie alone.
  template <class Bound>
  static __device__ __forceinline__ unsigned round(double z, Bound bound, bool& is_rare) {
    const float value = __double2float_rn(z);
    unsigned bits = __float_as_uint(value);
    if constexpr (precision == 24) {
      constexpr unsigned half = 1U << 28, window = 1U << (53 - log2_bound);  // in units of the last place of z
      const auto behind = static_cast<unsigned>(core::bit_cast<std::uint64_t>(z)) & (2 * half - 1);
      is_rare |= is_subnormal(z);
      if (behind - (half - window) <= 2 * window) {
        is_rare |=
            !(fabs(z - __hiloint2double(static_cast<int>(high_word(z)), low_of_tie(z))) > error_of(z, bound()));
      }
      return bits;
    } else if constexpr (precision == 11) {
      if (is_subnormal(z)) return subnormal_bits(z, bound(), is_rare);
      if ((bits & 0x1fffU) == 0x1000U) bits = beside_tie(z, value, bound(), is_rare);
      return float16_bits(__uint_as_float(bits));
    } else {
      if ((bits & 0xffffU) == 0x8000U) bits = beside_tie(z, value, bound(), is_rare);  // of subnormal results too
      return (bits + 0x8000U) >> 16;
    }
  }

 private:
  /// With the last rounding of z, which a bias may make larger than all others.
  static __device__ __forceinline__ double error_of(double z, double bound) {
    return __fma_rn(bound, power(-log2_bound), fabs(z) * 0x1p-53);
  }
  /// The low word of the number half way between the floats around z.
  static __device__ __forceinline__ int low_of_tie(double z) {
    return static_cast<int>((static_cast<unsigned>(core::bit_cast<std::uint64_t>(z)) & 0xe0000000U) | 1U << 28);
  }
  /// The float on the side of the tie `value` where z is; rare if its bound does not tell.
  static __device__ __forceinline__ unsigned beside_tie(double z, float value, double bound, bool& is_rare) {
    const double rest = z - static_cast<double>(value);
    is_rare |= !(fabs(rest) > error_of(z, bound));
    return __float_as_uint(value) + ((rest < 0) == (z < 0) ? 1U : ~0U);
  }
  /// Of float16, z below its normal numbers: the nearest multiple of 2^-24; rare half way between two.
  static __device__ __forceinline__ unsigned subnormal_bits(double z, double bound, bool& is_rare) {
    const double units = fabs(z) * 0x1p24, nearest = rint(units);
    is_rare |= !(0.5 - fabs(units - nearest) > error_of(z, bound) * 0x1p24);
    return static_cast<unsigned>(nearest) | (static_cast<unsigned>(high_word(z)) >> 31) << 15;
  }
  /// As an element; zero is none. No product of a call is so small that its high word is 0.
  static __device__ __forceinline__ bool is_subnormal(double z) {
    constexpr unsigned normal = static_cast<unsigned>(core::format<Element>::lowest_exponent + precision - 1 + 1023)
                                << 20;
    return (high_word(z) & 0x7fffffffU) - 1 < normal - 1;
  }
};

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
