// Products of rows with few vectors of the carrier float, in tiles of doubles, where they are exact.
//
//   warp        multiplies tiles of 8 rows with tiles of 8 vectors by tensor cores (exactdot/simt/tensor.hpp); the
//               lanes of a row load 16 bytes each, and the elements of a row are in whatever order
//   team        the warps that share rows: each takes every so many elements, and adds its sums to shared memory
//   one lane    of the team decides a product and stores it
//   block       computes those that stay open again, one after the other
//
// The bound of a product takes two sums of squares, one for each row and one for each vector, not one sum for each
// product: no partial sum exceeds |row|·|vector| (Cauchy, Schwarz). So it errs by at most d·2u·|row|·|vector| after
// d additions. If all terms are multiples of 2^k, as the least magnitudes tell, and |row|·|vector| is below
// 2^(k+53), no addition rounds and the sum is exact, in whatever order. Squares of floats neither overflow nor
// underflow in double.
#pragma once

#include <cuda/core/right_sides.hpp>
#include <cuda/work/sum.cuh>
#include <exactdot/simt/tensor.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// A row and a vector of elements that are carriers.
template <class T>
__device__ __forceinline__ operands<T, input_layout::strided> carriers_of_product(const rows_and_vectors& in,
                                                                                  std::size_t row,
                                                                                  std::size_t vector) {
  constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(T));
  return {reinterpret_cast<const T*>(in.row(row)), reinterpret_cast<const T*>(in.vector(vector)), 1,
          in.stride / size, in.n};
}

/// A row and a vector of other elements.
template <class T>
__device__ __forceinline__ operands<T, input_layout::axes> elements_of_product(const rows_and_vectors& in,
                                                                               std::size_t row,
                                                                               std::size_t vector) {
  operands<T, input_layout::any> line;
  line.a = {in.row(row), static_cast<std::ptrdiff_t>(bytes_of(in.type)), in.type, false};
  line.b = {in.vector(vector), in.stride, in.type, false};
  line.n = in.n;
  return {line, nullptr};
}

/// The most that the exponent of a unit is.
inline constexpr int max_unit = 400;

/// What a lane knows of the magnitudes of a row or a vector, of whose elements it has a part.
template <class Element>
struct norm_of_lane {
  double squares = 0;
  magnitude_range<Element> range;

  /// Over the four lanes of the row or vector.
  __device__ __forceinline__ void join(double& sum, int& unit) {
    range.join_halves();
    sum = squares, unit = squares == 0 ? max_unit : range.unit_exponent(0);
#pragma unroll
    for (unsigned distance = 1; distance < 4; distance *= 2) {
      sum += __shfl_xor_sync(all_lanes, sum, distance);
      unit = ::min(unit, __shfl_xor_sync(all_lanes, unit, distance));
    }
  }
};

/// The packs of a turn of a warp.
template <class Element, int row_tiles, int vector_tiles, int in_flight>
struct tile_packs {
  word_pack of_rows[in_flight][row_tiles], of_vectors[in_flight][vector_tiles];
};

/// Tiles of rows times tiles of vectors, of one warp, over a part of the elements.
template <class Element, int row_tiles, int vector_tiles, int in_flight>
class tile_sums {
 public:
  static constexpr int pack_elements = 16 / sizeof(Element);
  static constexpr unsigned step = 4 * pack_elements;  ///< elements of a row that its lanes load at once
  static constexpr int values = row_tiles * vector_tiles * 2;
  static_assert(row_tiles % 2 == 0);

  norm_of_lane<Element> of_rows[row_tiles], of_vectors[vector_tiles];

  /// Rows from `row` on, vectors from `vector` on; their elements from `begin` on, of every so many that a turn of
  /// the team has. The sums go to of_warp[value][lane]. By all lanes of a warp.
  __device__ __forceinline__ void add(const rows_and_vectors& in, const tile_call& call, std::size_t row,
                                      std::size_t vector, std::size_t begin, std::size_t turn,
                                      double (&of_warp)[values][32]) {
    constexpr unsigned turns_of_sum = tile_config{row_tiles, 1, in_flight}.turns_of_sum(step);
    const unsigned lane = threadIdx.x % 32;
    const std::size_t first_row = row + lane / 4, first_vector = vector + lane / 4;
    const char *const from = in.row(first_row), *const by = in.vector(first_vector);
    const auto left = [](std::size_t count, std::size_t first) {
      return first < count ? static_cast<int>(::min(count - first, std::size_t{64})) : 0;
    };
    const int rows_left = left(in.row_count, first_row), vectors_left = left(in.vector_count, first_vector);
    const auto load = [&](std::size_t k, packs& to) {
#pragma unroll
      for (int f = 0; f < in_flight; ++f) {
        const std::size_t at = k + static_cast<unsigned>(f) * step + lane % 4 * pack_elements;
#pragma unroll
        for (int t = 0; t < row_tiles; ++t) {
          to.of_rows[f][t] = load_pack<Element>(from + 8 * t * in.next_row, sizeof(Element), call.rows_are_aligned,
                                                at, 8 * t < rows_left ? in.n : 0);
        }
#pragma unroll
        for (int t = 0; t < vector_tiles; ++t) {
          to.of_vectors[f][t] = load_pack<Element>(by + 8 * t * in.next_vector, in.stride, call.vectors_are_aligned,
                                                   at, 8 * t < vectors_left ? in.n : 0);
        }
      }
    };
    clear(of_warp[0] + lane);
    packs now;
    load(begin, now);
    unsigned turns = 0;
    for (std::size_t k = begin; k < in.n; k += turn) {
      packs next;
      load(k + turn, next);
#pragma unroll
      for (int f = 0; f < in_flight; ++f) multiply(now.of_rows[f], now.of_vectors[f]);
      if (++turns % turns_of_sum == 0) flush(of_warp[0] + lane);
      now = next;
    }
    flush(of_warp[0] + lane);
  }

 private:
  using packs = tile_packs<Element, row_tiles, vector_tiles, in_flight>;
  double sum_[row_tiles][vector_tiles][2] = {};

  __device__ __forceinline__ void clear(double* of_lane) {
#pragma unroll
    for (int i = 0; i < values; ++i) of_lane[i * 32] = 0;
  }
  __device__ __forceinline__ void flush(double* of_lane) {
#pragma unroll
    for (int i = 0; i < values; ++i) {
      double& sum = sum_[i / 2 / vector_tiles][i / 2 % vector_tiles][i % 2];
      of_lane[i * 32] += sum;
      sum = 0;
    }
  }
  __device__ __forceinline__ void multiply(const word_pack (&a)[row_tiles], const word_pack (&x)[vector_tiles]) {
#pragma unroll
    for (int w = 0; w < word_pack::count; ++w) {
#pragma unroll
      for (int t = 0; t < row_tiles; ++t) of_rows[t].range.include(a[t].element[w]);
#pragma unroll
      for (int t = 0; t < vector_tiles; ++t) of_vectors[t].range.include(x[t].element[w]);
    }
#pragma unroll
    for (int j = 0; j < pack_elements; ++j) {
      double y[vector_tiles];
#pragma unroll
      for (int t = 0; t < vector_tiles; ++t) y[t] = add_square(x[t], j, of_vectors[t]);
#pragma unroll
      for (int s = 0; s < row_tiles; s += 2) {
        const double upper = add_square(a[s], j, of_rows[s]);
        const double lower = add_square(a[s + 1], j, of_rows[s + 1]);
#pragma unroll
        for (int t = 0; t < vector_tiles; ++t)
          gpu::add_tile_product(sum_[s][t], sum_[s + 1][t], upper, lower, y[t]);
      }
    }
  }
  /// Element j, whose square is added.
  static __device__ __forceinline__ double add_square(const word_pack& from, int j, norm_of_lane<Element>& to) {
    const double x = float_of(element_of<Element>(from.element, j));
    to.squares = __fma_rn(x, x, to.squares);
    return x;
  }
};

/// The sums of the warps of a block, and its products that stay open.
template <int row_tiles, int vector_tiles, int warps, unsigned products>
struct shared_tiles {
  double sum[warps][row_tiles * vector_tiles * 2][32];
  double squares_of_row[warps][row_tiles * 8], squares_of_vector[warps][vector_tiles * 8];
  int unit_of_row[warps][row_tiles * 8], unit_of_vector[warps][vector_tiles * 8];
  unsigned open_count;
  unsigned short open[products];  ///< row of the block · vectors of a reading + vector
};

/// `team` warps share row_tiles·8 rows.
template <class Element, int row_tiles, int vector_tiles, int team, int in_flight, int threads, int resident>
__global__ void __launch_bounds__(threads, resident)
    tile_product_kernel(const __grid_constant__ rows_and_vectors in, const __grid_constant__ tile_call call,
                        const __grid_constant__ line_bounds bounds, const __grid_constant__ product_results out) {
  using work = sum_of_packs<float, core::product>;
  using tiles = tile_sums<Element, row_tiles, vector_tiles, in_flight>;
  constexpr unsigned warps = threads / 32, rows_of_team = row_tiles * 8,
                     rows_of_block = rows_of_team * (warps / team), vectors = vector_tiles * 8;
  __shared__ shared_tiles<row_tiles, vector_tiles, warps, rows_of_block * vectors> shared;
  __shared__ typename work::storage storage;
  __shared__ refined_sum refined_of_warp[warps];
  begin_kernel(elements_of(in.row_count, in.n));
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, of_team = warp % team, first = warp - of_team;
  for (std::size_t task = blockIdx.x; task < call.tasks(in.row_count, rows_of_block);
       task += gridDim.x) {
    const std::size_t of_block = task / call.readings * rows_of_block,
                      first_vector = call.first_vector + task % call.readings * vectors;
    const unsigned row = warp / team * rows_of_team;  // of the block
    if (threadIdx.x == 0) shared.open_count = 0;
    tiles sums;
    sums.add(in, call, of_block + row, first_vector, std::size_t{of_team} * in_flight * tiles::step,
             std::size_t{team} * in_flight * tiles::step, shared.sum[warp]);
    const auto publish = [&](auto& of, double* squares_of, int* unit_of) {
      double squares;
      int unit;
      of.join(squares, unit);
      if (lane % 4 == 0) squares_of[lane / 4] = squares, unit_of[lane / 4] = unit;
    };
#pragma unroll
    for (int s = 0; s < row_tiles; ++s)
      publish(sums.of_rows[s], shared.squares_of_row[warp] + 8 * s, shared.unit_of_row[warp] + 8 * s);
#pragma unroll
    for (int t = 0; t < vector_tiles; ++t)
      publish(sums.of_vectors[t], shared.squares_of_vector[warp] + 8 * t, shared.unit_of_vector[warp] + 8 * t);
    __syncthreads();
    for (unsigned i = of_team; i < tiles::values; i += team) {
      const unsigned of_row = i / 2 / vector_tiles * 8 + lane / 4;
      const unsigned of_vector = i / 2 % vector_tiles * 8 + lane % 4 * 2 + i % 2;
      double sum = 0, squares_of_row = 0, squares_of_vector = 0;
      int unit_of_row = max_unit, unit_of_vector = max_unit;
#pragma unroll
      for (unsigned other = first; other < first + team; ++other) {
        sum += shared.sum[other][i][lane];
        squares_of_row += shared.squares_of_row[other][of_row];
        squares_of_vector += shared.squares_of_vector[other][of_vector];
        unit_of_row = ::min(unit_of_row, shared.unit_of_row[other][of_row]);
        unit_of_vector = ::min(unit_of_vector, shared.unit_of_vector[other][of_vector]);
      }
      const std::size_t at = of_block + row + of_row, vector = first_vector + of_vector;
      if (at >= in.row_count || vector >= in.vector_count) continue;
      const double most = sqrt(squares_of_row * squares_of_vector) * (1 + 0x1p-20);
      const bool is_exact = most < power(unit_of_row + unit_of_vector + 53);
      const typename work::total total{sum, 0, is_exact ? 0 : most, 0};
      const core::decision found = work::decide(total, bounds, out.to.rule, in.n, {});
      if (found.certain) {
        store_line<float>(out.of_vector(vector), at, found.word);
      } else {
        shared.open[atomicAdd(&shared.open_count, 1U)] =
            static_cast<unsigned short>((row + of_row) * vectors + of_vector);
      }
    }
    __syncthreads();
    for (unsigned i = 0; i < shared.open_count; ++i) {
      const std::size_t at = of_block + shared.open[i] / vectors,
                        vector = first_vector + shared.open[i] % vectors;
      const auto again = [&](const auto& line) {
        work::again(line, block_team<threads>{}, static_cast<unsigned>(scaling::none), bounds, storage,
                    refined_of_warp, out.of_vector(vector), at, in.n, {});
      };
      if constexpr (std::is_same_v<Element, float>) {
        again(carriers_of_product<float>(in, at, vector));
      } else {
        again(elements_of_product<float>(in, at, vector));
      }
    }
    __syncthreads();
  }
  end_of_input(elements_of(in.row_count, in.n));
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
