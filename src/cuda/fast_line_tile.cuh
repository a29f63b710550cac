// One tile of order v1 by some lanes of a warp, for mode fast of lines (fast_line_kernel.cuh).
//
// A stripe of the tile is 32 packs of 16 bytes of carriers; lane l of a team of `lanes` holds packs l, l + lanes,
// …, `packs` of them, each value the sum of one of the tile's lanes. The fold by halves first adds packs of a lane,
// then lanes (shuffles), then the values of a pack. If lanes · packs < 32, the team holds the beginning of a stripe
// only, for lines that are no longer: the tile's other lanes are +0, and one addition of +0 stands for all of them
// (a sum may be −0: a product that underflows).
#pragma once

#include <cuda/converted_load.cuh>
#include <cuda/device_functions.cuh>
#include <cuda/fast_kernel.cuh>
#include <cuda/line_operands.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// A floating-point element of 16 bits as a float.
__device__ __forceinline__ float float_of_bits(unsigned bits, bool is_half) {
  const float of_half = float_of(core::bit_cast<float16>(static_cast<std::uint16_t>(bits)));
  return is_half ? of_half : core::bit_cast<float>(bits << 16);
}

/// Elements of a line that follow each other. `aligned`: the packs of carriers that they become are one load each.
template <class Term, bool aligned, class T>
struct contiguous_reader {
  const T *a, *b;

  __device__ __forceinline__ void load_element(std::size_t i, T& x, T& y) const {
    x = a[i];
    y = Term::inputs == 2 ? b[i] : x;
  }
  __device__ __forceinline__ void load_pack(std::size_t i, pack<T>& x, pack<T>& y) const {
    if constexpr (aligned) {
      x = *reinterpret_cast<const pack<T>*>(a + i);
      y = Term::inputs == 2 ? *reinterpret_cast<const pack<T>*>(b + i) : x;
    } else {
#pragma unroll
      for (int j = 0; j < pack<T>::count; ++j) load_element(i + j, x.element[j], y.element[j]);
    }
  }
};

/// The same of 16-bit elements.
template <class Term, bool aligned>
struct converting_reader {
  const std::uint16_t *a, *b;
  bool is_half;

  __device__ __forceinline__ void load_element(std::size_t i, float& x, float& y) const {
    x = float_of_bits(a[i], is_half);
    y = Term::inputs == 2 ? float_of_bits(b[i], is_half) : x;
  }
  __device__ __forceinline__ void load_pack(std::size_t i, pack<float>& x, pack<float>& y) const {
    if constexpr (aligned) {
      x = converted(a + i);
      y = Term::inputs == 2 ? converted(b + i) : x;
    } else {
#pragma unroll
      for (int j = 0; j < pack<float>::count; ++j) load_element(i + j, x.element[j], y.element[j]);
    }
  }

 private:
  [[nodiscard]] __device__ __forceinline__ pack<float> converted(const std::uint16_t* from) const {
    const auto loaded = *reinterpret_cast<const element_pack<float, std::uint16_t>*>(from);
    pack<float> x;
#pragma unroll
    for (int j = 0; j < x.count; ++j) x.element[j] = float_of_bits(loaded.element[j], is_half);
    return x;
  }
};

/// A floating-point element as a carrier, without the other types that element_at knows.
template <class T>
__device__ __forceinline__ T floating_at(const any_operand& x, std::ptrdiff_t place) {
  const std::uint64_t bits = bits_at_place(x, place);
  if constexpr (sizeof(T) == 8) {
    if (x.type == element_type::float64) return core::bit_cast<T>(bits);
  }
  if (x.type == element_type::float32) return core::bit_cast<float>(static_cast<unsigned>(bits));
  return float_of_bits(static_cast<unsigned>(bits), x.type == element_type::float16);
}

/// Elements of a line of any layout, one load each.
template <class Term, class T, input_layout layout>
struct element_reader {
  operands<T, layout> line;

  __device__ __forceinline__ void load_element(std::size_t i, T& x, T& y) const {
    if constexpr (layout == input_layout::any || layout == input_layout::axes) {
      const element_places at = places_of(line, i);
      x = floating_at<T>(line.a, at.a);
      y = Term::inputs == 2 ? floating_at<T>(line.b, at.b) : x;
    } else {
      const auto index = static_cast<std::ptrdiff_t>(i);
      x = line.a[index * line.stride_a];
      y = Term::inputs == 2 ? line.b[index * line.stride_b] : x;
    }
  }
  __device__ __forceinline__ void load_pack(std::size_t i, pack<T>& x, pack<T>& y) const {
#pragma unroll
    for (int j = 0; j < pack<T>::count; ++j) load_element(i + j, x.element[j], y.element[j]);
  }
};

template <class T>
EXACTDOT_CORE std::size_t tiles_of(std::size_t n) {
  constexpr std::size_t size = order_v1<T>::tile;
  return n / size + (n % size != 0 ? 1 : 0);
}

/// How a team shares a tile: `packs` of each lane in a stripe, and how many stripes are loaded before the first is
/// added.
template <int lanes_, int packs_, int stripes_>
struct tile_shape {
  static constexpr int lanes = lanes_, packs = packs_, stripes = stripes_;
  static_assert(lanes * packs <= 32);
  /// Elements of a stripe that the team holds.
  template <class T>
  static constexpr int width = lanes* packs* pack<T>::count;
};

/// The first n elements of a tile that begins at element `first`; n at most a tile or, if the team holds only a
/// part of a stripe, that. In the team's first lane. By all lanes of a warp; n may be 0.
template <class Term, class Shape, class T, class Reader>
__device__ __forceinline__ T tile_of_team(const Reader& line, std::size_t first, int n) {
  constexpr int lanes = Shape::lanes, packs = Shape::packs, count = pack<T>::count;
  constexpr int width = Shape::template width<T>, turn = Shape::stripes * width;
  const int lane = static_cast<int>(threadIdx.x % lanes);
  T sum[packs][count] = {};
  for (int start = 0; start < n; start += turn) {
    pack<T> x[Shape::stripes][packs], y[Shape::stripes][packs];
    const auto index_of = [&](int k, int p) { return start + k * width + (p * lanes + lane) * count; };
    const bool is_whole = start + turn <= n;
#pragma unroll
    for (int k = 0; k < Shape::stripes; ++k) {
#pragma unroll
      for (int p = 0; p < packs; ++p) {
        const int i = index_of(k, p);
        if (is_whole || i + count <= n) {
          line.load_pack(first + i, x[k][p], y[k][p]);
        } else {
          x[k][p] = y[k][p] = pack<T>{};
#pragma unroll
          for (int j = 0; j < count - 1; ++j) {
            if (i + j < n) line.load_element(first + i + j, x[k][p].element[j], y[k][p].element[j]);
          }
        }
      }
    }
#pragma unroll
    for (int k = 0; k < Shape::stripes; ++k) {
#pragma unroll
      for (int p = 0; p < packs; ++p) {
#pragma unroll
        for (int j = 0; j < count; ++j) {
          const T next = add_term<Term>(x[k][p].element[j], y[k][p].element[j], sum[p][j]);
          if (is_whole || index_of(k, p) + j < n) sum[p][j] = next;  // missing ones are skipped
        }
      }
    }
  }
  if constexpr (lanes * packs < 32) {
#pragma unroll
    for (auto& of_pack : sum) {
#pragma unroll
      for (T& each : of_pack) each = each + T{0};
    }
  }
#pragma unroll
  for (int half = packs / 2; half > 0; half /= 2) {
#pragma unroll
    for (int p = 0; p < half; ++p) {
#pragma unroll
      for (int j = 0; j < count; ++j) sum[p][j] = sum[p][j] + sum[p + half][j];
    }
  }
#pragma unroll
  for (int step = lanes / 2; step > 0; step /= 2) {
#pragma unroll
    for (int j = 0; j < count; ++j) sum[0][j] = sum[0][j] + __shfl_down_sync(all_lanes, sum[0][j], step);
  }
  fold_within_lanes(sum[0]);
  return sum[0][0];
}

/// Levels of a tree of tiles, at most.
inline constexpr int max_tree_levels = 40;

/// Node `index` of its level, the next one, to those that wait for their right neighbours: one for each level. By
/// one thread.
template <class T>
__device__ __forceinline__ void push_node(T* waiting, std::uint64_t index, T node) {
  int level = 0;
  for (; (index & 1) != 0; index >>= 1) node = waiting[level++] + node;
  waiting[level] = node;
}

/// The root of `count` nodes, at least one. By the thread that pushed them.
template <class T>
__device__ __forceinline__ T root_of_nodes(const T* waiting, std::uint64_t count) {
  int level = core::trailing_zeros(count);
  T node = waiting[level];
  while ((count >> ++level) != 0) {
    if ((count >> level & 1) != 0) node = waiting[level] + node;
  }
  return node;
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
