// The fast road to an exact result: an approximation with a proven error bound, good enough that rounding it
// is rounding the exact sum in all but about one case in 10^4 (dot.cpp tests that; Ziv's rounding test).
//
// float: the products are exact in double; plain sums of them, and Cauchy-Schwarz for their absolute sum.
// double: TwoProduct, then each product is split by an anchor 1.5·2^k so that the high parts add without error
// (Rump, Ogita, Oishi, "Accurate floating-point summation I", §3: ExtractVector); what is left adds plainly.
// Cost: 4 conversions and 4 flops a pair of float vectors; 8 flops a double vector.
#if defined(EXACTDOT_CPU_APPROXIMATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_APPROXIMATE_INL_H_
#undef EXACTDOT_CPU_APPROXIMATE_INL_H_
#else
#define EXACTDOT_CPU_APPROXIMATE_INL_H_
#endif

#include <cpu/simd-inl.h>

#include <core/error_free.hpp>
#include <cpu/kernels.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

constexpr double unit_roundoff = 0x1p-53;
constexpr std::size_t approximate_block = 2048;
constexpr std::size_t sample = 128;  // products that a first guess at their size looks at

/// result += sum + rest, which are off by at most `error`.
HWY_INLINE void add_block(approximation& result, double sum, double rest, double error) {
  if (result.value == 0 && result.bound == 0) {
    result.value = sum, result.low = rest, result.bound = error;
    return;
  }
  const auto total = core::two_sum(result.value, sum);
  const double small = total.error + rest;
  // Two roundings, each at most one unit of its operands; counted twice over.
  result.bound += error + 4 * unit_roundoff * (std::abs(result.low) + std::abs(total.error) + std::abs(rest));
  result.value = total.value;
  result.low += small;
}

/// An upper bound on the error of summing `terms` numbers of absolute sum `magnitude` over the lanes of
/// accumulators that took `steps` each: (depth of the additions) · u · magnitude, with 1/16 to spare.
HWY_INLINE double summation_error(std::size_t steps, std::size_t lanes, double magnitude) {
  return static_cast<double>(steps + lanes + 16) * unit_roundoff * magnitude * 1.0625;
}

bool approximate(const float* a, const float* b, std::size_t n, approximation& result) {
  const hn::ScalableTag<float> df;
  const hn::ScalableTag<double> dd;
  constexpr std::size_t width = float_pair;
  for (std::size_t start = 0; start < n; start += approximate_block) {
    const std::size_t end = n - start < approximate_block ? n : start + approximate_block;
    auto sum0 = hn::Zero(dd), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    auto squares_a = hn::Zero(df), squares_b = squares_a;
    const auto add = [&]<bool whole>(std::size_t i, auto& low, auto& high) HWY_ATTR {
      const std::size_t count = end - i;
      const auto product = [&](std::size_t first, auto addend) HWY_ATTR {
        return fused_add(dd, load_promoted<whole>(a + i, first, count), load_promoted<whole>(b + i, first, count),
                         addend);
      };
      low = product(0, low);
      high = product(width / 2, high);
      for (std::size_t first = 0; first < width; first += hn::Lanes(df)) {
        const auto x = load_part<whole>(df, a + i, first, count), y = load_part<whole>(df, b + i, first, count);
        squares_a = fused_add(df, x, x, squares_a);
        squares_b = fused_add(df, y, y, squares_b);
      }
    };
    std::size_t i = start;
    for (; i + 2 * width <= end; i += 2 * width) {
      add.template operator()<true>(i, sum0, sum1);
      add.template operator()<true>(i + width, sum2, sum3);
    }
    for (; i < end; i += width) add.template operator()<false>(i, sum0, sum1);
    const double sum = sum_lanes(dd, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3)));
    // Squares lose at most 2^-149 each to underflow and a 2^-12 part to rounding.
    const double lost = static_cast<double>(end - start) * 0x1p-148;
    const double norm_a = static_cast<double>(sum_lanes(df, squares_a)) * 1.0625 + lost;
    const double norm_b = static_cast<double>(sum_lanes(df, squares_b)) * 1.0625 + lost;
    const double magnitude = std::sqrt(norm_a * norm_b) * 1.0625;
    add_block(result, sum, 0, summation_error((end - start) / width + 2, 2 * width, magnitude));
  }
  return result.bound < HUGE_VAL;
}

/// How to scale the operands, and a power of two above every scaled product.
struct scaling {
  double a = 1, b = 1;
  int shift = 0;     // the true sum is the scaled one times 2^shift
  int exponent = 0;  // every |product| < 2^exponent
};

/// floor(log2(x)) for a normal positive x.
HWY_INLINE int exponent_of(double x) {
  return static_cast<int>((std::bit_cast<std::uint64_t>(x) >> 52) & 0x7ff) - 1023;
}

/// The sum of the squared products of the first elements.
HWY_INLINE double squared_products(const double* a, const double* b, std::size_t n) {
  const hn::ScalableTag<double> d;
  const std::size_t width = hn::Lanes(d);
  auto sum = hn::Zero(d), sum2 = sum;
  std::size_t i = 0;
  for (; i + 2 * width <= n; i += 2 * width) {
    const auto p = hn::Mul(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
    const auto p2 = hn::Mul(hn::LoadU(d, a + i + width), hn::LoadU(d, b + i + width));
    sum = fused_add(d, p, p, sum);
    sum2 = fused_add(d, p2, p2, sum2);
  }
  for (; i < n; i += width) {
    const std::size_t count = n - i < width ? n - i : width;
    const auto p = hn::Mul(load_first(d, a + i, count), load_first(d, b + i, count));
    sum = fused_add(d, p, p, sum);
  }
  return sum_lanes(d, hn::Add(sum, sum2));
}

/// The largest |x| as bits; at least those of infinity if any x is not finite.
HWY_INLINE std::uint64_t largest_bits(const double* x, std::size_t n) {
  const hn::ScalableTag<double> d;
  const hn::RebindToSigned<decltype(d)> di;
  const std::size_t width = hn::Lanes(d);
  auto largest = hn::Zero(di);
  for (std::size_t i = 0; i < n; i += width) {
    const std::size_t count = n - i < width ? n - i : width;
    const auto v = count == width ? hn::LoadU(d, x + i) : load_first(d, x + i, count);
    largest = hn::Max(largest, hn::BitCast(di, hn::Abs(v)));
  }
  return static_cast<std::uint64_t>(hn::GetLane(hn::MaxOfLanes(di, largest)));
}

/// Scales data whose products may leave the range of double. False for infinities, NaNs and zero vectors.
HWY_INLINE bool scale_to_range(const double* a, const double* b, std::size_t n, scaling& scale) {
  constexpr std::uint64_t infinity = std::uint64_t{0x7ff} << 52;
  const std::uint64_t bits_a = largest_bits(a, n), bits_b = largest_bits(b, n);
  if (bits_a >= infinity || bits_b >= infinity || bits_a == 0 || bits_b == 0) return false;
  const int top_a = static_cast<int>(bits_a >> 52) - 1022, top_b = static_cast<int>(bits_b >> 52) - 1022;
  const auto clamp = [](int exponent) { return exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent; };
  scale.a = power_of_two(-clamp(top_a));
  scale.b = power_of_two(-clamp(top_b));
  scale.shift = clamp(top_a) + clamp(top_b);
  scale.exponent = top_a + top_b - scale.shift + 6;  // 6: a block's sum of squares stays below its square
  return true;
}

/// One block. False if some product passes 2^exponent after all.
template <bool scaled>
HWY_INLINE bool add_products(const double* a, const double* b, std::size_t n, const scaling& scale,
                             approximation& result) {
  const hn::ScalableTag<double> d;
  using v = hn::Vec<decltype(d)>;
  const std::size_t width = hn::Lanes(d);
  // |sum of high parts| <= 2^11 · 2^exponent stays inside the anchor's binade; their unit is 2^(exponent - 39).
  const v anchor = hn::Set(d, 1.5 * power_of_two(scale.exponent + 13));
  const v scale_a = hn::Set(d, scale.a), scale_b = hn::Set(d, scale.b);
  v high = anchor, high2 = anchor;
  v middle = hn::Zero(d), middle2 = middle, low = middle, low2 = middle, squares = middle, squares2 = middle;
  const auto step = [&](v x, v y, v& sum, v& rest, v& errors, v& squared) HWY_ATTR {
    if constexpr (scaled) x = hn::Mul(x, scale_a), y = hn::Mul(y, scale_b);
    const v product = hn::Mul(x, y);
    errors = hn::Add(errors, fused_subtract(d, x, y, product));
    const v next = hn::Add(sum, product);
    rest = hn::Add(rest, hn::Sub(product, hn::Sub(next, sum)));
    sum = next;
    squared = fused_add(d, product, product, squared);
  };
  std::size_t i = 0;
  for (; i + 2 * width <= n; i += 2 * width) {
    step(hn::LoadU(d, a + i), hn::LoadU(d, b + i), high, middle, low, squares);
    step(hn::LoadU(d, a + i + width), hn::LoadU(d, b + i + width), high2, middle2, low2, squares2);
  }
  for (; i < n; i += width) {
    const std::size_t count = n - i < width ? n - i : width;
    step(load_first(d, a + i, count), load_first(d, b + i, count), high, middle, low, squares);
  }
  const double limit = power_of_two(scale.exponent);
  if (!(sum_lanes(d, hn::Add(squares, squares2)) <= limit * limit)) return false;
  const double sum = sum_lanes(d, hn::Add(hn::Sub(high, anchor), hn::Sub(high2, anchor)));  // exact: 2^50 units
  const double rest = sum_lanes(d, hn::Add(hn::Add(middle, middle2), hn::Add(low, low2)));
  // Each rest is at most half a unit, each TwoProduct error far less. Underflow loses up to 2^-1072 an element; a
  // normal constant stands for it, because arithmetic on subnormals is slow.
  const double count = static_cast<double>(n);
  const double error = summation_error(n / (2 * width) + 2, 4 * width, count * limit * 0x1p-40 * 1.0625);
  add_block(result, sum, rest, error + count * 0x1p-1000);
  return true;
}

template <bool scaled>
bool add_blocks(const double* a, const double* b, std::size_t n, const scaling& scale, approximation& result) {
  result = {.exponent = scale.shift};
  for (std::size_t start = 0; start < n; start += approximate_block) {
    const std::size_t count = n - start < approximate_block ? n - start : approximate_block;
    if (!add_products<scaled>(a + start, b + start, count, scale, result)) return false;
  }
  return true;
}

bool approximate(const double* a, const double* b, std::size_t n, approximation& result) {
  const double squares = squared_products(a, b, n < sample ? n : sample);
  scaling scale;
  if (squares > 0x1p-600 && squares < 0x1p600) {
    // Every product of the sample is below 2^(exponent - 2); the others will be below 2^exponent if they are alike.
    scale.exponent = (exponent_of(squares) + 1024) / 2 - 512 + 3;
    if (add_blocks<false>(a, b, n, scale, result)) return true;
  }
  return scale_to_range(a, b, n, scale) && add_blocks<true>(a, b, n, scale, result);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
