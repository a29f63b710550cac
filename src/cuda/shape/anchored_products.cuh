// Products of rows with few vectors of doubles, in anchored sums: four flops a term, and one operation on bits. The
// method is that of the CPU (cpu/rows-inl.h), which has the vectors in registers.
//
//   block       copies the vectors' elements to shared memory, some at a time
//   warp        has two rows; a lane every 32nd term of each product, and its sums
//   one lane    decides a product and stores it
//   block       computes those that stay open again, one after the other
//
// An anchor c = (1.5 + 2^-5)·2^e and a lane's sum S, which starts at c: S' = S + x·y rounded, h = S' - S, r = x·y -
// h rounded, R the sum of all r. While sign, exponent and the four highest fraction bits of S remain those of c, S
// and S' are multiples of 2^(e-52), h is exact, and |x·y - h| <= 2^(e-53). The lanes' S - c are at most 2^(e-5) in
// magnitude, so the sum of 32 of them is exact. What remains are roundings: of t terms of a lane each r by at most
// 2^(e-106), or 2^-1075 if it is subnormal; the additions to R by at most j·2^(e-106) for the j-th; and five joins
// of lanes, of at most 32t·2^(e-106) each. That is below (16t² + 208t)·2^(e-106) and 2^-1074 a term. The exponent e
// follows from some products all over the row. If others are much larger, infinite or NaN, the bits of S change,
// and the product is open.
// If all terms are multiples of 2^k, as the units of row and vector tell, and 32t·2^(e-53) is at most 2^(k+53), no
// residual and no sum of them rounds, and the sum is exact: ties of floats and integers in doubles are decided.
#pragma once

#include <cuda/shape/right_sides.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

inline constexpr int anchored_rows = 2, anchored_chunk = 64;  ///< of a warp; elements that are copied at a time

inline constexpr int max_unit_of_doubles = 2000;  ///< of a row or a vector of zeros

/// Of numbers of which only the low word is not 0 too.
__device__ __forceinline__ void include_unit(double_units& units, double x) {
  const auto low = static_cast<unsigned>(core::bit_cast<std::uint64_t>(x));
  units.least = ::max(units.least, 0U - (magnitude_word(x) | (low != 0 ? 1U : 0U)));
  units.low_or |= low;
}

/// Vectors' elements, in turns: one is read while the next is written. And of which powers of two they are
/// multiples.
template <int vectors>
struct shared_vectors {
  double element[2][vectors][anchored_chunk];
  int unit[vectors];
};

/// The elements of a chunk that a thread copies.
template <int vectors, int threads>
class copied_elements {
 public:
  /// From element k on. The i-th element is always of the same vector.
  __device__ __forceinline__ void load(const rows_and_vectors& in, std::size_t first_vector, std::size_t k) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const unsigned number = threadIdx.x + threads * i, v = number / anchored_chunk;
      const std::size_t at = k + number % anchored_chunk, vector = first_vector + v;
      x_[i] = 0;
      if (v < vectors && vector < in.vector_count && at < in.n) {
        x_[i] = *reinterpret_cast<const double*>(in.vector(vector) + static_cast<std::ptrdiff_t>(at) * in.stride);
        include_unit(units_[i], x_[i]);
      }
    }
  }
  __device__ __forceinline__ void store(double (&to)[vectors][anchored_chunk]) const {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const unsigned number = threadIdx.x + threads * i;
      if (number < vectors * anchored_chunk) to[number / anchored_chunk][number % anchored_chunk] = x_[i];
    }
  }

  /// Of which powers of two the elements of vectors are multiples. A barrier before and after.
  __device__ __forceinline__ void publish_units(int (&of_vector)[vectors]) const {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const unsigned v = (threadIdx.x + threads * i) / anchored_chunk;
      if (v < vectors && units_[i].least != 0) atomicMin(&of_vector[v], units_[i].exponent());
    }
  }

 private:
  static constexpr int count = (vectors * anchored_chunk + threads - 1) / threads;
  double x_[count];
  double_units units_[count];
};

/// A lane's sum of a product.
struct anchored_sum {
  double sum, residual;

  __device__ __forceinline__ void start(int exponent) {
    sum = core::bit_cast<double>(std::uint64_t{anchor_bits | static_cast<unsigned>(exponent + 1023) << 20} << 32);
    residual = 0;
  }
  __device__ __forceinline__ void add(double x, double y, unsigned& changed) {
    const double next = __fma_rn(x, y, sum), high = next - sum;
    residual += __fma_rn(x, y, -high);
    changed |= high_word(next) ^ high_word(sum);
    sum = next;
  }
  // If no bit of the anchor has changed: its exponent, and the sum but for the residual.
  [[nodiscard]] __device__ __forceinline__ int exponent() const {
    return static_cast<int>(high_word(sum) >> 20) - 1023;
  }
  [[nodiscard]] __device__ __forceinline__ double head() const {
    const unsigned of_anchor = (high_word(sum) & 0xfff00000U) | anchor_bits;
    return sum - core::bit_cast<double>(std::uint64_t{of_anchor} << 32);
  }
  /// Of bits that have changed: whether they are those of an anchor.
  [[nodiscard]] static __device__ __forceinline__ bool are_of_anchor(unsigned changed) {
    return changed >> 16 != 0;
  }

 private:
  static constexpr unsigned anchor_bits = 0x88000;  // the fraction 1/2 + 2^-5
};

/// Of a row and all vectors of a launch, of one lane.
template <int vectors>
struct anchored_row {
  const double* elements = nullptr;
  std::size_t n = 0;  ///< 0 behind the last row
  anchored_sum sum[vectors];
  unsigned changed = 0;
  double_units units;
  scaling of_open = scaling::none;  ///< of a second look

  [[nodiscard]] __device__ __forceinline__ double at(std::size_t k) const { return k < n ? elements[k] : 0; }

  /// Anchors by products of four elements of each lane, all over the row.
  __device__ __forceinline__ void start(const rows_and_vectors& in, std::size_t first_vector) {
    constexpr unsigned samples = 4;
    const std::size_t stretch = in.n / 32 / samples * 32;
    const auto terms_of_lane = static_cast<unsigned>((in.n + 31) / 32);
    const int steps = 32 - __clz(static_cast<int>(terms_of_lane));
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      const bool is_vector = first_vector + v < in.vector_count;
      unsigned largest = 0;
#pragma unroll
      for (unsigned i = 0; i < samples; ++i) {
        const std::size_t k = i * stretch + threadIdx.x % 32;
        const char* const y = in.vector(first_vector + v) + static_cast<std::ptrdiff_t>(k) * in.stride;
        const double product = is_vector && k < n ? elements[k] * *reinterpret_cast<const double*>(y) : 0;
        largest = ::max(largest, high_word(product) & 0x7fffffffU);
      }
      largest = __reduce_max_sync(all_lanes, largest);
      const int exponent = largest == 0 ? 0 : static_cast<int>(largest >> 20) - 1022 + steps + 6;
      const bool is_in_range = exponent > -900 && exponent < 1000;  // the bound is normal, and sums are finite
      sum[v].start(is_in_range ? exponent : 0);
      if (!is_in_range && is_vector) changed = ~0U, of_open = exponent < 0 ? scaling::up : scaling::down;
    }
  }
};

/// The products of a block that stay open, and how their second look scales them.
template <unsigned products>
struct open_products {
  unsigned count;
  unsigned short product[products];
  unsigned char scale[products];
};

/// `vectors` vectors of a launch, from call.first_vector on.
template <int vectors, int threads, int resident>
__global__ void __launch_bounds__(threads, resident)
    anchored_product_kernel(const __grid_constant__ rows_and_vectors in, const __grid_constant__ tile_call call,
                            const __grid_constant__ line_bounds bounds,
                            const __grid_constant__ product_results out) {
  using work = sum_of_terms<double, core::product>;
  constexpr unsigned warps = threads / 32, rows_of_block = warps * anchored_rows, lanes = 32;
  constexpr int of_lane = anchored_chunk / lanes;  // elements of a chunk
  __shared__ shared_vectors<vectors> shared;
  __shared__ open_products<rows_of_block * vectors> open;
  __shared__ typename work::storage storage;
  __shared__ refined_sum refined_of_warp[warps];
  begin_kernel(elements_of(in.row_count, in.n));
  const unsigned warp = threadIdx.x / lanes, lane = threadIdx.x % lanes;
  const double terms = static_cast<double>((in.n + lanes - 1) / lanes), units = terms * (16 * terms + 208);
  const int log2_terms = 32 - __clz(static_cast<int>((in.n + lanes - 1) / lanes));  // rounded up
  for (std::size_t of_block = std::size_t{blockIdx.x} * rows_of_block; of_block < in.row_count;
       of_block += std::size_t{gridDim.x} * rows_of_block) {
    anchored_row<vectors> rows[anchored_rows];
    copied_elements<vectors, threads> copied;
    copied.load(in, call.first_vector, 0);
    double next[anchored_rows][of_lane];
#pragma unroll
    for (int r = 0; r < anchored_rows; ++r) {
      const std::size_t row = of_block + warp * anchored_rows + static_cast<unsigned>(r);
      rows[r].elements = reinterpret_cast<const double*>(in.row(row)), rows[r].n = row < in.row_count ? in.n : 0;
#pragma unroll
      for (int i = 0; i < of_lane; ++i) next[r][i] = rows[r].at(lane + lanes * i);
      rows[r].start(in, call.first_vector);
    }
    if (threadIdx.x == 0) open.count = 0;
    if (threadIdx.x < vectors) shared.unit[threadIdx.x] = max_unit_of_doubles;
    unsigned turn = 0;
    for (std::size_t k = 0; k < in.n; k += anchored_chunk, turn ^= 1) {
      copied.store(shared.element[turn]);
      __syncthreads();  // written; and the other half, which the next turn writes, is read
      double x[anchored_rows][of_lane];
      copied.load(in, call.first_vector, k + anchored_chunk);
#pragma unroll
      for (int r = 0; r < anchored_rows; ++r) {
#pragma unroll
        for (int i = 0; i < of_lane; ++i) {
          x[r][i] = next[r][i];
          next[r][i] = rows[r].at(k + anchored_chunk + lane + lanes * i);
          include_unit(rows[r].units, x[r][i]);
        }
      }
#pragma unroll
      for (int i = 0; i < of_lane; ++i) {
#pragma unroll
        for (int v = 0; v < vectors; ++v) {
          const double y = shared.element[turn][v][lane + lanes * i];
#pragma unroll
          for (int r = 0; r < anchored_rows; ++r) rows[r].sum[v].add(x[r][i], y, rows[r].changed);
        }
      }
    }
    copied.publish_units(shared.unit);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < anchored_rows; ++r) {
      const bool is_lost = __any_sync(all_lanes, anchored_sum::are_of_anchor(rows[r].changed)) != 0;
      const int unit_of_row =
          __reduce_min_sync(all_lanes, rows[r].units.least == 0 ? max_unit_of_doubles : rows[r].units.exponent());
      typename work::total total{};
      int exponent = 0;
#pragma unroll
      for (int v = 0; v < vectors; ++v) {
        double head = rows[r].sum[v].head(), tail = rows[r].sum[v].residual;
#pragma unroll
        for (unsigned distance = lanes / 2; distance > 0; distance /= 2) {
          head += __shfl_xor_sync(all_lanes, head, distance);
          tail += __shfl_xor_sync(all_lanes, tail, distance);
        }
        if (lane == static_cast<unsigned>(v))
          total.sum = head, total.correction = tail, exponent = rows[r].sum[v].exponent();
      }
      const unsigned of_row = warp * anchored_rows + static_cast<unsigned>(r);
      const std::size_t row = of_block + of_row, vector = call.first_vector + lane;
      if (row >= in.row_count || lane >= vectors || vector >= in.vector_count) continue;
      const int unit = unit_of_row + shared.unit[lane];
      const bool is_exact = unit > -1000 && unit + 106 >= exponent + 5 + log2_terms;
      total.error = is_lost ? HUGE_VAL : is_exact ? 0 : units * power(exponent - 106);
      const core::decision found = work::decide(total, bounds, out.to.rule, in.n, {});
      if (found.certain) {
        store_line<double>(out.of_vector(vector), row, found.word);
      } else {
        const unsigned place = atomicAdd(&open.count, 1U);
        open.product[place] = static_cast<unsigned short>(of_row * vectors + lane);
        open.scale[place] = static_cast<unsigned char>(rows[r].of_open);
      }
    }
    __syncthreads();
    for (unsigned i = 0; i < open.count; ++i) {
      const std::size_t row = of_block + open.product[i] / vectors,
                        vector = call.first_vector + open.product[i] % vectors;
      work::again(carriers_of_product<double>(in, row, vector), block_team<threads>{}, open.scale[i], bounds,
                  storage, refined_of_warp, out.of_vector(vector), row, in.n, {});
    }
    __syncthreads();
  }
  end_of_input(elements_of(in.row_count, in.n));
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
