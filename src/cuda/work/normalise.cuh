// Elements of normalised rows at the speed of memory: their first look.
//
//   squares, sums   plainly, in double: a float's square is exact, and a sum of n errs by some n/256 roundings
//   Σx              exact if all elements are multiples of 2^k and √(n·Σx²) is below 2^(k+53), as no partial sum
//                   exceeds it (Cauchy, Schwarz): the mean of equal elements is one of them
//   y               (x − m)·k·w + b in double, k = 1/√(v + ε); rounded if its bound decides
//
// A result of 16 bits goes by way of a float, of which one value alone is a tie: a bound below half of the float's
// last place decides all others. One of 32 bits is decided by the bits behind its last. What stays open is looked
// at closer, with the bound of this element; then normalise_again.cuh. Conversions between float and double, of
// which a multiprocessor makes 16 a clock, are three for each element, and one for its bias: weights become doubles
// by their bits.
#pragma once

#include <cuda/core/line_load.cuh>
#include <cuda/core/normalised_rows.hpp>
#include <cuda/sum/packed_sum.cuh>

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

/// x·2^-896, by moving bits: of subnormal numbers too, not of infinities and NaNs.
__device__ __forceinline__ double shifted_double(float x) {
  const unsigned bits = __float_as_uint(x);
  const unsigned high = static_cast<unsigned>(static_cast<int>(bits) >> 3) & 0x8fffffffU;
  return __hiloint2double(static_cast<int>(high), static_cast<int>(bits << 29));
}
inline constexpr double unshifted = 0x1p896;

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
    range_.join_halves();
    return {squares_, values_, is_centred ? range_.unit_exponent(0) : 0};
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
  row_sums all = of_warp[0];
#pragma unroll
  for (int k = 1; k < warps; ++k) {
    all.squares += of_warp[k].squares;
    if (is_centred) all.values += of_warp[k].values, all.unit = ::min(all.unit, of_warp[k].unit);
  }
  return all;
}

/// What is the same for all elements of a row: the mean and 1/√(v + ε), and what they err by.
struct row_terms {
  double mean, mean_error;
  double scale, relative;  ///< `relative`: of (x − mean)·scale·w, from its roundings too
  bool is_known;           ///< else nothing of the row is decided here
};

/// 1/√(v(1 + d)) errs by less than 0.5625·|d| for |d| < 2^-6; 2^-49 covers the root, up to 2^-52, and four
/// roundings of 2^-53. Scales are below 2^60, so that those of weights' bits are finite.
__device__ __forceinline__ row_terms terms_of(const normalised_rows& in, const row_sums& sums) {
  constexpr double u = 0x1p-53;
  row_terms row{0, 0, 0, 0, false};
  const double mean_square = sums.squares * in.inverse_n;
  double variance = mean_square, error = (in.relative_of_sum + 4 * u) * mean_square;
  if (in.is_centred) {
    const double n = in.n;
    row.mean = sums.values / n;
    double missing = fabs(__fma_rn(-row.mean, n, sums.values));
    const bool is_exact = sums.squares * n < 0.99 * power(2 * (sums.unit + 53));
    if (!is_exact) missing = __fma_rn(in.relative_of_sum * (1 + 0x1p-20), __dsqrt_rn(sums.squares * n), missing);
    row.mean_error = missing * in.inverse_n * (1 + 0x1p-20);
    variance = __fma_rn(-row.mean, row.mean, mean_square);
    error += (2 * fabs(row.mean) + row.mean_error) * row.mean_error;
  }
  variance += in.epsilon;
  row.scale = rsqrt(variance);
  const double relative_error = error * row.scale * row.scale;
  row.relative = __fma_rn(0.5625, relative_error, 0x1p-49);
  row.is_known = row.scale < 0x1p60 && row.scale > 0x1p-200 && relative_error < 0x1p-6;
  return row;
}

/// One element, if its bound decides it. Not inlined: few elements need it.
[[gnu::noinline]] __device__ core::decision look_closer(row_terms row, double x, double w, double b,
                                                        core::result_rule rule) {
  const double difference = x - row.mean, factor = row.scale * w;
  if (w == 0 || (difference == 0 && row.mean_error == 0)) {
    return core::decide_value<correctly_rounded>(rule, {b, 0, 0});
  }
  const double value = __fma_rn(difference, factor, b);
  const double bound = fabs(factor) * __fma_rn(fabs(difference), row.relative, row.mean_error);
  return core::decide_value<correctly_rounded>(rule, {value, 0, bound * 1.0625 + 0x1p-52 * fabs(value)});
}

/// The bits of z rounded; or `is_rare`: next to a tie, and of other numbers those of whom there are few.
///
/// z may err by less than 2^-log2_bound |z|.
template <class Element>
struct quick_rounding {
  static constexpr bool is_float16 = type_of<Element> == element_type::float16;
  static constexpr int log2_bound = 28;  ///< less than a half of a float's last place
  /// Of floats: float16 has fewer bits below its first, and products of bfloat16 that are 2^60 times smaller than a
  /// result may be subnormal.
  static constexpr unsigned lowest = is_float16 ? 0x38800000U : 0x1e800000U, infinite = 0x7f800000U;

  static __device__ __forceinline__ unsigned round(double z, bool& is_rare) {
    const float value = __double2float_rn(z);
    const unsigned bits = __float_as_uint(value);
    constexpr unsigned mask = is_float16 ? 0x1fffU : 0xffffU, tie = is_float16 ? 0x1000U : 0x8000U;
    is_rare |= (bits & 0x7fffffffU) - lowest >= infinite - lowest || (bits & mask) == tie;
    if constexpr (is_float16) return float16_bits(value);
    return (bits + 0x8000U) >> 16;
  }
};
template <>
struct quick_rounding<float> {
  static constexpr int log2_bound = 40;
  static constexpr unsigned lowest = 0x1e800000U, infinite = 0x7f800000U;

  static __device__ __forceinline__ unsigned round(double z, bool& is_rare) {
    const unsigned bits = __float_as_uint(__double2float_rn(z));
    constexpr unsigned half = 1U << 28, bound = 1U << (53 - log2_bound);  // in units of the last place of z
    const auto behind = static_cast<unsigned>(core::bit_cast<std::uint64_t>(z)) & (2 * half - 1);
    is_rare |= (bits & 0x7fffffffU) - lowest >= infinite - lowest || behind - (half - bound) <= 2 * bound;
    return bits;
  }
};

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
