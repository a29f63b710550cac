// Mode fast: order v1 (exactdot/order_v1.hpp) with vectors.
//
// A stripe of 512 bytes is eight vectors of AVX-512: eight independent chains hide the latency of the fused
// multiply-add. Narrower targets pass over the tile once per group of eight vectors of a stripe. Cost: one fused
// multiply-add per vector; per tile, an addition for every vector of a stripe but one, and the fold of that one.
#if defined(EXACTDOT_CPU_FAST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_FAST_INL_H_
#undef EXACTDOT_CPU_FAST_INL_H_
#else
#define EXACTDOT_CPU_FAST_INL_H_
#endif

#include <cpu/simd-inl.h>

#include <exactdot/core/rounding.hpp>
#include <exactdot/order_v1.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

/// Adds the upper half of the lanes to the lower until one is left.
template <class D>
HWY_INLINE lane_of<D> fold_lanes(D d, vec<D> v) {
#if HWY_TARGET != HWY_SCALAR  // its vectors have one lane and no halves
  if constexpr (hn::MaxLanes(D()) > 16 / sizeof(lane_of<D>)) {
    const hn::Half<D> half;
    return fold_lanes(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
#endif
  HWY_ALIGN lane_of<D> lane[hn::MaxLanes(D())];
  hn::Store(v, d, lane);
  for (std::size_t half = hn::MaxLanes(D()) / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) lane[l] += lane[l + half];
  }
  return lane[0];
}

/// Eight neighbouring vectors of lanes of a tile. The templates unroll over j, so that the array stays in
/// registers.
template <class T, class Term>
struct lane_group {
  using tag = hn::ScalableTag<T>;
  static constexpr std::size_t width = hn::MaxLanes(tag());
  static constexpr std::size_t lanes = 8 * width;
  vec<tag> sum[8];

  HWY_INLINE lane_group() {
    for (auto& v : sum) v = hn::Zero(tag());
  }

  template <std::size_t j = 0>
  HWY_INLINE void add_stripe(const T* a, const T* b) {
    add<true, j>(a, b, lanes);
    if constexpr (j + 1 < 8) add_stripe<j + 1>(a, b);
  }

  /// The first `count` elements of a stripe. A missing element is skipped, not added as zero: that would turn -0
  /// into +0.
  template <std::size_t j = 0>
  HWY_INLINE void add_part(const T* a, const T* b, std::size_t count) {
    if (count < (j + 1) * width) {
      if (count > j * width) add<false, j>(a, b, count);
      return;
    }
    add<true, j>(a, b, count);
    if constexpr (j + 1 < 8) add_part<j + 1>(a, b, count);
  }

  HWY_INLINE void operator+=(const lane_group& right) {
    for (std::size_t j = 0; j < 8; ++j) sum[j] = hn::Add(sum[j], right.sum[j]);
  }

  HWY_INLINE T fold() const {
    const auto even = hn::Add(hn::Add(sum[0], sum[4]), hn::Add(sum[2], sum[6]));
    const auto odd = hn::Add(hn::Add(sum[1], sum[5]), hn::Add(sum[3], sum[7]));
    return fold_lanes(tag(), hn::Add(even, odd));
  }

 private:
  template <bool whole, std::size_t j>
  HWY_INLINE void add(const T* a, const T* b, std::size_t count) {
    constexpr std::size_t start = j * width;
    const tag d;
    const auto of = load_factors<Term, whole>(d, a, b, start, count);
    const auto next = fused_add(d, of.x, of.y, sum[j]);
    sum[j] = whole ? next : hn::IfThenElse(hn::FirstN(d, count - start), next, sum[j]);
  }
};

/// The sum of a tile of n elements, at most a whole one.
template <class T, class Term>
HWY_INLINE T tile_sum(const T* a, const T* b, std::size_t n) {
  using group_type = lane_group<T, Term>;
  constexpr std::size_t stripe = order_v1<T>::lanes;
  constexpr std::size_t groups = stripe / group_type::lanes;
  const std::size_t whole = n - n % stripe;
  group_type group[groups];
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t first = g * group_type::lanes;
    if constexpr (groups == 1) {
      for (std::size_t i = 0; i < whole; i += stripe) group[0].add_stripe(a + i, b + i);
    } else {
      group_type current = group[g];  // in registers, which an array indexed at run time would not be
      for (std::size_t i = first; i < whole; i += stripe) current.add_stripe(a + i, b + i);
      group[g] = current;
    }
    if (n - whole > first) group[g].add_part(a + whole + first, b + whole + first, n - whole - first);
  }
  for (std::size_t half = groups / 2; half > 0; half /= 2) {
    for (std::size_t g = 0; g < half; ++g) group[g] += group[g + half];
  }
  return group[0].fold();
}

template <class T, class Term>
std::uint64_t fast(const void* first_a, const void* first_b, std::size_t n) {
  constexpr std::size_t tile = order_v1<T>::tile;
  const T* a = static_cast<const T*>(first_a);
  const T* b = static_cast<const T*>(first_b);
  if (n <= tile) return n == 0 ? 0 : core::to_word(tile_sum<T, Term>(a, b, n));
  tile_tree<T> tree;
  for (; n >= tile; a += tile, b += tile, n -= tile) tree.push(tile_sum<T, Term>(a, b, tile));
  if (n != 0) tree.push(tile_sum<T, Term>(a, b, n));
  return core::to_word(tree.root());
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
