// Products of rows with few vectors, the right-hand sides, by one reading of the rows.
//
//   float      A warp has tiles of 8 rows, converted to double in registers, where products are exact, and
//   multiplies
//              them with tiles of 8 vectors by tensor cores (exactdot/simt/tensor.hpp); the lanes of a row load 16
//              bytes each. The warps of a team share the elements of their rows.
//   double     A warp has a row, and traced sums of 8 vectors at a time, which read it again from the cache.
//   one lane   decides a product and stores it
//   the warp   if it stays open: computes it again, as a line's (work/line_again.cuh)
//
// The bound of a product of floats takes two sums of squares, one for each row and one for each vector, not one sum
// for each product: no partial sum exceeds |row|·|vector| (Cauchy, Schwarz). So S errs by at most
// d·2u·|row|·|vector| after d additions; and if all terms are multiples of 2^k, as the least magnitudes tell, and
// |row|·|vector| is below 2^(k+53), no addition rounds and S is exact, in whatever order they are.
#pragma once

#include <cuda/core/right_sides.hpp>
#include <cuda/work/sum.cuh>
#include <exactdot/simt/tensor.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// The line of a product, for its second look.
template <class T>
__device__ __forceinline__ auto line_of_product(const rows_and_vectors& in, std::size_t row, std::size_t vector) {
  if constexpr (std::is_same_v<T, float>) {
    operands<float, input_layout::any> line;
    line.a = {in.row(row), static_cast<std::ptrdiff_t>(bytes_of(in.type)), in.type, false};
    line.b = {in.vector(vector), in.stride, in.type, false};
    line.n = in.n;
    return operands<float, input_layout::axes>(line, nullptr);
  } else {
    constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(T));
    return operands<T, input_layout::strided>{reinterpret_cast<const T*>(in.row(row)),
                                              reinterpret_cast<const T*>(in.vector(vector)), 1, in.stride / size,
                                              in.n};
  }
}

/// Each lane that has a product decides it and stores it; those that stay open the warp computes again. By all
/// lanes.
template <class Work>
__device__ __forceinline__ void finish_products_of_warp(const rows_and_vectors& in,
                                                        const typename Work::total& total, bool is_product,
                                                        std::size_t row, std::size_t vector,
                                                        const line_bounds& bounds, typename Work::storage& storage,
                                                        const product_results& out) {
  using T = typename Work::carrier;
  core::decision found{0, true};
  if (is_product) {
    found = Work::decide(total, bounds, out.to.rule, in.n, {});
    if (found.certain) store_line<T>(out.of_vector(vector), row, found.word);
  }
  unsigned open = __ballot_sync(all_lanes, !found.certain);
  if (open == 0) return;
  const unsigned chosen = Work::choose_scaling(total, bounds);
  for (; open != 0; open &= open - 1) {
    const int leader = __ffs(static_cast<int>(open)) - 1;
    const unsigned scale = __shfl_sync(all_lanes, chosen, leader);
    const std::size_t of_row = __shfl_sync(all_lanes, row, leader), by = __shfl_sync(all_lanes, vector, leader);
    Work::again(line_of_product<T>(in, of_row, by), lane_team<32>{}, scale, bounds, storage,
                static_cast<refined_sum*>(nullptr), out.of_vector(by), of_row, in.n, {});
  }
}

/// 16 bytes of the n elements that begin at `first`, from element k on; zeros behind the last. `is_aligned`: they
/// follow each other, and begin at a multiple of 16 bytes, as k elements are.
template <class Element>
__device__ __forceinline__ word_pack load_pack(const char* first, std::ptrdiff_t stride, bool is_aligned,
                                               std::size_t k, std::size_t n) {
  constexpr unsigned elements = 16 / sizeof(Element), per_word = 4 / sizeof(Element), bits = 8 * sizeof(Element);
  word_pack found{};
  if (is_aligned && k + elements <= n) return *reinterpret_cast<const word_pack*>(first + k * sizeof(Element));
#pragma unroll
  for (unsigned j = 0; j < elements; ++j) {
    if (k + j >= n) break;
    using word = typename detail::unsigned_of<sizeof(Element)>::type;
    const word x = *reinterpret_cast<const word*>(first + static_cast<std::ptrdiff_t>(k + j) * stride);
    found.element[j / per_word] |= unsigned{x} << bits * (j % per_word);
  }
  return found;
}

/// What a lane knows of the magnitudes of a row or a vector, of whose elements it has a part.
template <class Element>
struct norm_of_lane {
  double squares = 0;
  magnitude_range<Element> range;

  /// Over the four lanes of the row or vector.
  __device__ __forceinline__ void join(double& sum, int& unit) {
    range.join_halves();
    sum = squares, unit = range.unit_exponent(0);
#pragma unroll
    for (unsigned distance = 1; distance < 4; distance *= 2) {
      sum += __shfl_xor_sync(all_lanes, sum, distance);
      unit = ::min(unit, __shfl_xor_sync(all_lanes, unit, distance));
    }
  }
};

/// Tiles of rows times tiles of vectors, of one warp, over a part of the elements.
template <class Element, int row_tiles, int vector_tiles, int in_flight>
class tile_sums {
 public:
  static constexpr int pack_elements = 16 / sizeof(Element);
  static constexpr unsigned step = 4 * pack_elements;  ///< elements of a row that its lanes load at once

  double sum[row_tiles][vector_tiles][2] = {};
  norm_of_lane<Element> of_rows[row_tiles], of_vectors[vector_tiles];

  /// Rows from `row` on, vectors from `vector` on; `in_flight` steps, of every so many that a turn of the team has.
  /// By all lanes of a warp.
  __device__ __forceinline__ void add(const rows_and_vectors& in, std::size_t row, std::size_t vector,
                                      bool rows_aligned, bool vectors_aligned, std::size_t begin,
                                      std::size_t turn) {
    const unsigned lane = threadIdx.x % 32, in_step = lane % 4 * pack_elements;
    const char *from[row_tiles], *by[vector_tiles];
    std::size_t length[row_tiles], length_by[vector_tiles];
#pragma unroll
    for (int t = 0; t < row_tiles; ++t) {
      const std::size_t i = row + static_cast<unsigned>(8 * t) + lane / 4;
      from[t] = in.row(i), length[t] = i < in.row_count ? in.n : 0;
    }
#pragma unroll
    for (int t = 0; t < vector_tiles; ++t) {
      const std::size_t i = vector + static_cast<unsigned>(8 * t) + lane / 4;
      by[t] = in.vector(i), length_by[t] = i < in.vector_count ? in.n : 0;
    }
    for (std::size_t k = begin; k < in.n; k += turn) {
      word_pack a[in_flight][row_tiles], x[in_flight][vector_tiles];
#pragma unroll
      for (int f = 0; f < in_flight; ++f) {
        const std::size_t at = k + static_cast<unsigned>(f) * step + in_step;
#pragma unroll
        for (int t = 0; t < row_tiles; ++t) {
          a[f][t] = load_pack<Element>(from[t], sizeof(Element), rows_aligned, at, length[t]);
        }
#pragma unroll
        for (int t = 0; t < vector_tiles; ++t) {
          x[f][t] = load_pack<Element>(by[t], in.stride, vectors_aligned, at, length_by[t]);
        }
      }
#pragma unroll
      for (int f = 0; f < in_flight; ++f) multiply(a[f], x[f]);
    }
  }

 private:
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
      for (int t = 0; t < vector_tiles; ++t) {
        y[t] = float_of(element_of<Element>(x[t].element, j));
        of_vectors[t].squares = __fma_rn(y[t], y[t], of_vectors[t].squares);
      }
#pragma unroll
      for (int s = 0; s < row_tiles; ++s) {
        const double b = float_of(element_of<Element>(a[s].element, j));
        of_rows[s].squares = __fma_rn(b, b, of_rows[s].squares);
#pragma unroll
        for (int t = 0; t < vector_tiles; ++t) gpu::add_tile_product(sum[s][t], b, y[t]);
      }
    }
  }
};

/// The most that a unit is.
inline constexpr int max_unit = 400;

/// The sums of the warps of a team.
template <int row_tiles, int vector_tiles, int warps>
struct shared_tiles {
  double sum[warps][row_tiles * vector_tiles * 2][32];
  double squares_of_row[warps][row_tiles * 8], squares_of_vector[warps][vector_tiles * 8];
  int unit_of_row[warps][row_tiles * 8], unit_of_vector[warps][vector_tiles * 8];
};

/// Rows and vectors of the carrier float: `team` warps share row_tiles·8 rows.
template <class Element, int row_tiles, int vector_tiles, int team, int in_flight, int threads, int resident>
__global__ void __launch_bounds__(threads, resident)
    tile_product_kernel(const __grid_constant__ rows_and_vectors in, const __grid_constant__ tile_call call,
                        const __grid_constant__ line_bounds bounds, const __grid_constant__ product_results out) {
  using work = sum_of_packs<float, core::product>;
  using tiles = tile_sums<Element, row_tiles, vector_tiles, in_flight>;
  constexpr unsigned warps = threads / 32, rows_of_team = row_tiles * 8,
                     rows_of_block = rows_of_team * (warps / team);
  __shared__ shared_tiles<row_tiles, vector_tiles, warps> shared;
  __shared__ typename work::storage storage_of_warp[warps];
  begin_kernel(elements_of(in.row_count, in.n));
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, of_team = warp % team, first = warp - of_team;
  for (std::size_t of_block = std::size_t{blockIdx.x} * rows_of_block; of_block < in.row_count;
       of_block += std::size_t{gridDim.x} * rows_of_block) {
    const std::size_t row = of_block + warp / team * rows_of_team;
    tiles sums;
    sums.add(in, row, call.first_vector, call.rows_are_aligned, call.vectors_are_aligned,
             std::size_t{of_team} * in_flight * tiles::step, std::size_t{team} * in_flight * tiles::step);
#pragma unroll
    for (int s = 0; s < row_tiles; ++s) {
      double squares;
      int unit;
      sums.of_rows[s].join(squares, unit);
      const unsigned at = s * 8 + lane / 4;
      if (lane % 4 == 0) shared.squares_of_row[warp][at] = squares, shared.unit_of_row[warp][at] = unit;
    }
#pragma unroll
    for (int t = 0; t < vector_tiles; ++t) {
      double squares;
      int unit;
      sums.of_vectors[t].join(squares, unit);
      const unsigned at = t * 8 + lane / 4;
      if (lane % 4 == 0) shared.squares_of_vector[warp][at] = squares, shared.unit_of_vector[warp][at] = unit;
    }
#pragma unroll
    for (int s = 0; s < row_tiles; ++s) {
#pragma unroll
      for (int t = 0; t < vector_tiles; ++t) {
        shared.sum[warp][(s * vector_tiles + t) * 2][lane] = sums.sum[s][t][0];
        shared.sum[warp][(s * vector_tiles + t) * 2 + 1][lane] = sums.sum[s][t][1];
      }
    }
    __syncthreads();
    for (unsigned i = of_team; i < row_tiles * vector_tiles * 2; i += team) {
      const unsigned s = i / 2 / vector_tiles, t = i / 2 % vector_tiles;
      const unsigned of_row = s * 8 + lane / 4, of_vector = t * 8 + lane % 4 * 2 + i % 2;
      double sum = 0, squares_of_row = 0, squares_of_vector = 0;
      int unit_of_row = max_unit, unit_of_vector = max_unit;
#pragma unroll
      for (unsigned other = 0; other < team; ++other) {
        sum += shared.sum[first + other][i][lane];
        squares_of_row += shared.squares_of_row[first + other][of_row];
        squares_of_vector += shared.squares_of_vector[first + other][of_vector];
        unit_of_row = ::min(unit_of_row, shared.unit_of_row[first + other][of_row]);
        unit_of_vector = ::min(unit_of_vector, shared.unit_of_vector[first + other][of_vector]);
      }
      const double most = sqrt(squares_of_row * squares_of_vector) * (1 + 0x1p-20);
      const bool is_exact = most < power(unit_of_row + unit_of_vector + 53);
      const std::size_t vector = call.first_vector + of_vector;
      finish_products_of_warp<work>(in, {sum, 0, is_exact ? 0 : most, 0},
                                    row + of_row < in.row_count && vector < in.vector_count, row + of_row, vector,
                                    bounds, storage_of_warp[warp], out);
    }
    __syncthreads();
  }
  end_of_input(elements_of(in.row_count, in.n));
}

/// The products of a row of doubles with some vectors, of one thread.
template <int vectors>
struct traced_products {
  line_sum<double, core::product> sum[vectors] = {};
  double_units of_row, of_vector[vectors];

  __device__ __forceinline__ void add(int v, double x, double y) {
    sum[v].template add_term<core::product>(x, y);
    of_vector[v].include(y);
  }
  __device__ __forceinline__ line_sum<double, core::product> total(int v) {
    note_units(of_row, of_vector[v], sum[v]);
    return sum[v];
  }
};

/// Rows and vectors of doubles.
template <int vectors, int in_flight, int threads, int resident>
__global__ void __launch_bounds__(threads, resident)
    traced_product_kernel(const __grid_constant__ rows_and_vectors in, const __grid_constant__ line_bounds bounds,
                          const __grid_constant__ product_results out) {
  using work = sum_of_terms<double, core::product>;
  constexpr unsigned warps = threads / 32;
  __shared__ typename work::storage storage_of_warp[warps];
  begin_kernel(elements_of(in.row_count, in.n));
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::ptrdiff_t stride = in.stride / static_cast<std::ptrdiff_t>(sizeof(double));
  for (std::size_t row = std::size_t{blockIdx.x} * warps + warp; row < in.row_count;
       row += std::size_t{gridDim.x} * warps) {
    const auto* const a = reinterpret_cast<const double*>(in.row(row));
    for (std::size_t first = 0; first < in.vector_count; first += vectors) {
      traced_products<vectors> sums;
      for (std::size_t k = lane; k < in.n; k += 32 * in_flight) {
        double x[in_flight];
#pragma unroll
        for (int f = 0; f < in_flight; ++f) x[f] = k + 32 * f < in.n ? a[k + 32 * f] : 0;
#pragma unroll
        for (int f = 0; f < in_flight; ++f) {
          if (k + 32 * f >= in.n) break;
          sums.of_row.include(x[f]);
#pragma unroll
          for (int v = 0; v < vectors; ++v) {
            const std::size_t by = first + v < in.vector_count ? first + v : first;
            sums.add(
                v, x[f],
                reinterpret_cast<const double*>(in.vector(by))[static_cast<std::ptrdiff_t>(k + 32 * f) * stride]);
          }
        }
      }
      typename work::total total{};
#pragma unroll
      for (int v = 0; v < vectors; ++v) {
        typename work::total* const unused = nullptr;
        const auto of_vector = sum_of_team(lane_team<32>{}, sums.total(v), unused);
        if (lane == static_cast<unsigned>(v)) total = of_vector;
      }
      finish_products_of_warp<work>(in, total, lane < vectors && first + lane < in.vector_count, row, first + lane,
                                    bounds, storage_of_warp[warp], out);
    }
  }
  end_of_input(elements_of(in.row_count, in.n));
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
