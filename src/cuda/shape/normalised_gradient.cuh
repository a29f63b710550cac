// The gradients of rows that were normalised, and their normalised elements x̂ as floats: elements and the gradient
// of the results are read once, held in registers, and both are written once.
//
//   lanes   of a warp, or a block, load a row, join its sums as normalised_rows.cuh, then those of h and h·x̂
//
//   thread  computes x̂ for its part of the sums, and again for the gradient of its elements
//
//   block   computes a row again of which anything stays open: work/gradient_again.cuh
//
// Every rounded number of a row is decided by monotony: the greatest and the least number that it may be are
// rounded to the same.
#pragma once

#include <cuda/shape/normalised_rows.cuh>
#include <cuda/work/gradient_again.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Sums of h·x̂ and of h: plainly in double, and of their magnitudes in float.
struct gradient_sums {
  double along, of_h;
  float magnitude_along, magnitude_of_h;
  float min_h;  ///< the least magnitude of h but 0

  __device__ __forceinline__ void add(float h, float normal, bool is_centred) {
    along = __fma_rn(static_cast<double>(h), static_cast<double>(normal), along);
    magnitude_along = __fmaf_rn(fabsf(h), fabsf(normal), magnitude_along);
    if (!is_centred) return;
    of_h += static_cast<double>(h), magnitude_of_h += fabsf(h);
    min_h = fminf(min_h, h == 0 ? HUGE_VALF : fabsf(h));
  }
  __device__ __forceinline__ void join(const gradient_sums& other) {
    along += other.along, of_h += other.of_h;
    magnitude_along += other.magnitude_along, magnitude_of_h += other.magnitude_of_h;
    min_h = fminf(min_h, other.min_h);
  }
};

__device__ __forceinline__ gradient_sums join_warp(gradient_sums x) {
#pragma unroll
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    x.join({__shfl_xor_sync(all_lanes, x.along, distance), __shfl_xor_sync(all_lanes, x.of_h, distance),
            __shfl_xor_sync(all_lanes, x.magnitude_along, distance),
            __shfl_xor_sync(all_lanes, x.magnitude_of_h, distance), __shfl_xor_sync(all_lanes, x.min_h, distance)});
  }
  return x;
}
/// As join_block of row_sums.
template <int warps>
__device__ __forceinline__ gradient_sums join_block(gradient_sums x, gradient_sums (&of_warp)[warps]) {
  x = join_warp(x);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = x;
  __syncthreads();
  gradient_sums total = of_warp[0];
#pragma unroll
  for (int k = 1; k < warps; ++k) total.join(of_warp[k]);
  return total;
}

/// The sum rounded to float, if all that it may be are the same. Magnitudes err by less than 2^-6 of themselves,
/// unless products of floats underflow.
__device__ __forceinline__ float rounded_sum(double sum, float magnitude, double relative_of_sum, bool is_exact,
                                             bool& is_open) {
  constexpr float min_magnitude = 0x1p-100F;
  if (is_exact || (sum == 0 && magnitude == 0)) return __double2float_rn(sum) + 0.0F;
  const double error =
      __fma_rn(relative_of_sum * (1 + 0x1p-5), static_cast<double>(magnitude), fabs(sum) * 0x1p-52);
  const float low = __double2float_rn(sum - error), high = __double2float_rn(sum + error);
  is_open |= !(low == high && low != 0 && magnitude >= min_magnitude);
  return low;
}

/// Whether no partial sum of floats of 24 bits was rounded: all are multiples of 2^-23 of a power of two that is no
/// more than the least, and below 2^53 of that. Often so in short rows, where many sums are half way between two
/// floats.
__device__ __forceinline__ bool is_exact_sum(float magnitude, float min) {
  return magnitude * 0x1p-29F < __uint_as_float(__float_as_uint(min) & 0x7f800000U);
}

/// k in float likewise. Its definition rounds five times at most, each by 2^-53, under a root.
__device__ __forceinline__ float rounded_scale(const row_terms& row, double per_bound, bool& is_known) {
  const double scale = row.shifted_scale * (1 / unshifted);
  const double error = scale * (row.relative / per_bound + 0x1p-50);
  const float low = __double2float_rn(scale - error), high = __double2float_rn(scale + error);
  is_known = low == high;
  return low;
}

/// What of a row's terms x̂ is made of.
struct normal_terms {
  double mean, scale;
  double relative, mean_error;  ///< as those of row_terms
  double min_difference;        ///< of |x − mean|: nearer to the mean its error is too large for quick_rounding

  explicit __device__ __forceinline__ normal_terms(const row_terms& row)
      : mean(row.mean),
        scale(row.shifted_scale * (1 / unshifted)),
        relative(row.relative),
        mean_error(row.mean_error),
        min_difference(row.mean_error / (1 - row.relative) * (1 + 0x1p-40)) {}

  /// x̂, but for its last rounding.
  [[nodiscard]] __device__ __forceinline__ double value(float x) const {
    return __fma_rn(static_cast<double>(x) - mean, scale, 0.0);  // so that no zero is negative
  }
  /// x̂ rounded, or `is_rare`.
  [[nodiscard]] __device__ __forceinline__ float rounded(float x, bool& is_rare) const {
    const double difference = static_cast<double>(x) - mean, z = __fma_rn(difference, scale, 0.0);
    is_rare |= !(fabs(difference) >= min_difference);
    return __uint_as_float(quick_rounding<float>::round(
        z, [&] { return fabs(scale) * __fma_rn(fabs(difference), relative, mean_error); }, is_rare));
  }
};

/// h of a pack: g·w.
template <class Shape>
__device__ __forceinline__ void weigh(const gradient_rows& in, unsigned at, const typename Shape::words& g,
                                      float (&h)[Shape::count]) {
  typename Shape::parameters weight;
  if (in.weight != nullptr) weight.load(reinterpret_cast<const char*>(in.weight), at, in.rows.n);
#pragma unroll
  for (int j = 0; j < static_cast<int>(Shape::count); ++j) {
    const float value = g.value(j);
    h[j] = in.weight == nullptr ? value : __fmul_rn(value, weight.value(j));
  }
}

/// Stores floats of a pack.
template <class Shape>
__device__ __forceinline__ void store_floats(const float (&x)[Shape::count], char* first, unsigned at, unsigned n) {
#pragma unroll
  for (unsigned k = 0; k < Shape::count; k += 4) {
    unsigned word[4];
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) word[j] = __float_as_uint(x[k + j]);
    if (at + k < n) store_words<float, Shape::is_aligned>(word, first, at + k, n);
  }
}

/// What a turn adds to the row's sums. Whether elements of x̂ are rare.
template <class Shape>
__device__ __forceinline__ bool add_turn(const gradient_rows& in, const normal_terms& terms, unsigned first,
                                         const typename Shape::words (&x)[Shape::packs],
                                         const typename Shape::words (&g)[Shape::packs], gradient_sums& sums) {
  bool is_rare = false;
#pragma unroll
  for (unsigned p = 0; p < Shape::packs; ++p) {
    const unsigned at = Shape::place(first, p);
    if (at >= in.rows.n) break;
    float h[Shape::count];
    weigh<Shape>(in, at, g[p], h);
#pragma unroll
    for (int j = 0; j < static_cast<int>(Shape::count); ++j) {  // h is 0 behind the row
      sums.add(h[j], terms.rounded(x[p].value(j), is_rare), in.rows.is_centred);
    }
  }
  return is_rare;
}

/// x̂ and the gradient of a turn. x̂ is computed once more, as registers are few.
template <class Shape>
__device__ __forceinline__ void store_gradients(const gradient_rows& in, unsigned row, const normal_terms& terms,
                                                const gradient_terms& found, unsigned first,
                                                const typename Shape::words (&x)[Shape::packs],
                                                const typename Shape::words (&g)[Shape::packs]) {
  using Element = typename Shape::Element;
#pragma unroll
  for (unsigned p = 0; p < Shape::packs; ++p) {
    const unsigned at = Shape::place(first, p);
    if (at >= in.rows.n) break;
    float h[Shape::count], normal[Shape::count];
    weigh<Shape>(in, at, g[p], h);
    unsigned bits[4];
    for_each_of_pack<Element>(bits, [&](int j) {
      normal[j] = __double2float_rn(terms.value(x[p].value(j)));
      return bits_of(type_of<Element>, gradient_of(h[j], normal[j], found, in.rows.is_centred));
    });
    store_floats<Shape>(normal, in.rows.row_of_out(row), at, in.rows.n);
    store_words<Element, Shape::is_aligned>(bits, in.row_of_out(row), at, in.rows.n);
  }
}

/// What a thread's part of a row leaves open.
struct open_of_row {
  bool normal, rest;
};

/// The gradient of a row. By all lanes.
template <class Shape>
__device__ __forceinline__ open_of_row gradient_of_row(const gradient_rows& in, unsigned row, known_of_row& known,
                                                       row_sums (&of_warp)[Shape::lanes / 32],
                                                       gradient_sums (&second_of_warp)[Shape::lanes / 32]) {
  constexpr int log2_bound = quick_rounding<float>::log2_bound;
  constexpr double per_bound = std::uint64_t{1} << log2_bound;
  const unsigned n = in.rows.n;
  const bool is_centred = in.rows.is_centred;
  typename Shape::words x[Shape::packs], g[Shape::packs];
  // also where it never happens, as in normalise_row
  const auto load_turns_again = [&](unsigned first) {
    if (n <= Shape::turn) return;
    load_turn<Shape>(in.rows.row_of_x(row), first, n, x);
    load_turn<Shape>(in.row_of_g(row), first, n, g);
  };
  row_statistics<typename Shape::Element> of_thread;
  unsigned first = 0;
  load_turn<Shape>(in.row_of_g(row), 0, n, g);
  do {
    load_turn<Shape>(in.rows.row_of_x(row), first, n, x);
#pragma unroll
    for (int p = 0; p < Shape::packs; ++p) of_thread.add(x[p].word, is_centred);
  } while (Shape::has_turns && (first += Shape::turn) < n);
  row_sums sums = of_thread.sums(is_centred);
  if constexpr (Shape::lanes == 32) {
    sums = join_warp(sums, is_centred);
  } else {
    sums = join_block(sums, of_warp, is_centred);
  }
  const row_terms row_of_sums = terms_of<log2_bound>(in.rows, sums);
  if (threadIdx.x % Shape::lanes == 0) known = {row_of_sums, log2_bound, 0, false};
  if (!(row_of_sums.relative < 0.5)) return {true, true};
  const normal_terms terms(row_of_sums);
  bool is_normal_open = false, is_open = false;
  gradient_sums second{0, 0, 0, 0, HUGE_VALF};
  first = 0;
  do {
    load_turns_again(first);
    is_normal_open |= add_turn<Shape>(in, terms, first, x, g, second);
  } while (Shape::has_turns && (first += Shape::turn) < n);
  if constexpr (Shape::lanes == 32) {
    second = join_warp(second);
  } else {
    second = join_block(second, second_of_warp);
  }
  const float along = rounded_sum(second.along, second.magnitude_along, in.relative_of_sums, false, is_open);
  const bool is_exact = is_exact_sum(second.magnitude_of_h, second.min_h);
  const float mean =
      is_centred ? rounded_sum(second.of_h, second.magnitude_of_h, in.relative_of_sums, is_exact, is_open) : 0;
  bool has_scale = true;
  const gradient_terms found{mean_of(along, n), mean_of(mean, n), rounded_scale(row_of_sums, per_bound, has_scale)};
  if (threadIdx.x % Shape::lanes == 0) known.scale = found.scale, known.has_scale = has_scale;
  first = 0;
  do {
    load_turns_again(first);
    store_gradients<Shape>(in, row, terms, found, first, x, g);
  } while (Shape::has_turns && (first += Shape::turn) < n);
  return {is_normal_open, is_open || !has_scale};
}

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::config.residents)
    normalised_gradient_kernel(const __grid_constant__ gradient_rows in) {
  __shared__ gradient_memory memory;
  __shared__ row_sums of_warp[Shape::lanes / 32];
  __shared__ gradient_sums second_of_warp[Shape::lanes / 32];
  __shared__ known_of_row known[Shape::rows];
  const std::size_t elements = elements_of(in.rows.count, in.rows.n);
  begin_kernel(elements);
  for (unsigned first = blockIdx.x * Shape::rows; first < in.rows.count; first += gridDim.x * Shape::rows) {
    const unsigned team = threadIdx.x / Shape::lanes;
    open_of_row open{false, false};
    if (first + team < in.rows.count) {
      open = gradient_of_row<Shape>(in, first + team, known[team], of_warp, second_of_warp);
    }
    if (__syncthreads_or(open.normal || open.rest) == 0) continue;
    for (unsigned k = 0; k < Shape::rows; ++k) {
      const bool is_normal_open = __syncthreads_or(open.normal && team == k) != 0;
      if (__syncthreads_or((open.normal || open.rest) && team == k) != 0) {
        gradient_again(in, first + k, known[k], !is_normal_open, memory);
      }
    }
  }
  end_of_input(elements);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
