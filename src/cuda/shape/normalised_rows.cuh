// Rows of which every element is normalised: read once, held in registers, written once.
//
//   lanes   of a warp, or a block, load a row, 16 bytes at a time, and join its sums; a row that has more than they
//           hold is read in turns, and again for its elements
//   thread  computes the elements that it has, by the work of the first look      work/normalise.cuh
//   block   computes rows again of which an element stays open                     work/normalise_again.cuh
//
// Memory is the limit if a multiprocessor has some 24 KB in flight, so rows are not prefetched: while blocks
// compute, others load.
#pragma once

#include <cuda/work/normalise.cuh>
#include <cuda/work/normalise_again.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// `count` elements from number `at` of n on, of 16 bytes or a multiple; zeros behind the last.
template <class Element, int count>
struct row_words {
  static constexpr int packs = count * static_cast<int>(sizeof(Element)) / 16;
  unsigned word[4 * packs];

  __device__ __forceinline__ void load(const char* first, bool is_aligned, unsigned at, unsigned n) {
#pragma unroll
    for (int k = 0; k < packs; ++k) {
      const word_pack found = load_pack<Element>(first, sizeof(Element), is_aligned,
                                                 at + static_cast<unsigned>(k) * (16 / sizeof(Element)), n);
#pragma unroll
      for (int w = 0; w < 4; ++w) word[4 * k + w] = found.element[w];
    }
  }
  /// All of one number, or its elements from `at` on.
  __device__ __forceinline__ void load_or(float otherwise, const char* first, bool is_aligned, unsigned at,
                                          unsigned n) {
    if (first != nullptr) return load(first, is_aligned, at, n);
    const unsigned bits = __float_as_uint(otherwise);
    const unsigned half = type_of<Element> == element_type::float16 ? float16_bits(otherwise) : bits >> 16;
#pragma unroll
    for (int w = 0; w < 4 * packs; ++w) word[w] = sizeof(Element) == 4 ? bits : half << 16 | half;
  }
  [[nodiscard]] __device__ __forceinline__ float value(int j) const { return float_of_word<Element>(word, j); }
};

/// Stores `count` elements, or those before the n-th.
template <class Element, int count>
__device__ __forceinline__ void store_words(const unsigned (&word)[4], char* first, bool is_aligned, unsigned at,
                                            unsigned n) {
  if (is_aligned && at + count <= n) {
    *reinterpret_cast<word_pack*>(first + at * sizeof(Element)) = {{word[0], word[1], word[2], word[3]}};
    return;
  }
#pragma unroll
  for (int j = 0; j < count; ++j) {
    if (at + j < n) reinterpret_cast<Element*>(first)[at + j] = element_of<Element>(word, j);
  }
}

/// The elements of a pack. Returns whether some stay open.
template <class Element, class Parameter>
class pack_of_row {
 public:
  static constexpr int count = 16 / sizeof(Element);
  using words = row_words<Element, count>;

  __device__ __forceinline__ pack_of_row(const normalised_rows& in, const words& x, unsigned at) : x_(x) {
    weight_.load_or(1, in.weight, in.is_aligned, at, in.n);
    bias_.load_or(0, in.bias, in.is_aligned, at, in.n);
  }

  /// x·w/√(v + ε), by products in float, which are exact: of elements of 16 bits with such weights. The row's bound
  /// is below that of quick_rounding.
  __device__ __forceinline__ bool scale(const row_terms& row, unsigned (&to)[4]) const {
    return each(row, to, [&](int j, bool& is_rare) {
      return quick_rounding<Element>::round(static_cast<double>(x_.value(j) * weight_.value(j)) * row.scale,
                                            is_rare);
    });
  }
  /// (x − m)·w/√(v + ε) + b. `shifted_scale`: for weights by their bits.
  __device__ __forceinline__ bool normalise(const row_terms& row, double shifted_scale, unsigned (&to)[4]) const {
    constexpr double per_bound = std::uint64_t{1} << quick_rounding<Element>::log2_bound;
    const double relative = row.relative * per_bound, mean_error = row.mean_error * per_bound;
    return each(row, to, [&](int j, bool& is_rare) {
      const float w = weight_.value(j);
      const double difference = static_cast<double>(x_.value(j)) - row.mean;
      const double factor = shifted_scale * shifted_double(w);
      const double value = __fma_rn(difference, factor, static_cast<double>(bias_.value(j)));
      const double bound = fabs(factor) * __fma_rn(fabs(difference), relative, mean_error);
      is_rare |= !(bound < fabs(value)) || (__float_as_uint(w) & 0x7f800000U) == 0x7f800000U;
      return quick_rounding<Element>::round(value, is_rare);
    });
  }

 private:
  const words& x_;
  row_words<Parameter, count> weight_, bias_;

  template <class Quick>
  __device__ __forceinline__ bool each(const row_terms& row, unsigned (&to)[4], const Quick& quick) const {
    bool any_rare = false;
#pragma unroll
    for (int w = 0; w < 4; ++w) to[w] = 0;
#pragma unroll
    for (int j = 0; j < count; ++j) put(to, j, quick(j, any_rare));
    if (__builtin_expect(static_cast<long>(any_rare), 0) == 0) return false;
    bool any_open = false;
#pragma unroll
    for (int j = 0; j < count; ++j) {
      bool is_rare = false;
      unsigned found = quick(j, is_rare);
      if (is_rare) {
        const core::decision closer = look_closer(row, x_.value(j), weight_.value(j), bias_.value(j),
                                                  {core::finish::round, core::format<Element>::number});
        found = static_cast<unsigned>(closer.word);
        any_open |= !closer.certain;
      }
      if (j % (count / 4) == 0) to[j / (count / 4)] = 0;
      put(to, j, found);
    }
    return any_open;
  }
  static __device__ __forceinline__ void put(unsigned (&to)[4], int j, unsigned bits) {
    if constexpr (sizeof(Element) == 4) {
      to[j] = bits;
    } else {
      to[j / 2] |= j % 2 == 0 ? bits & 0xffffU : bits << 16;
    }
  }
};

/// Stores a row's elements, but those that stay open: whether there are some, of this thread. By all lanes.
template <class Element, class Parameter, int lanes, int packs>
__device__ __forceinline__ bool normalise_row(const normalised_rows& in, std::size_t row,
                                              row_sums (&of_warp)[lanes / 32]) {
  constexpr unsigned count = 16 / sizeof(Element), turn = lanes * packs * count;
  const char* const from = in.row_of_x(row);
  char* const to = in.row_of_out(row);
  const unsigned lane = threadIdx.x % lanes;
  row_words<Element, count> x[packs];
  const auto load = [&](unsigned first) {
#pragma unroll
    for (int p = 0; p < packs; ++p) x[p].load(from, in.is_aligned, first + (p * lanes + lane) * count, in.n);
  };
  row_statistics<Element> of_thread;
  for (unsigned first = 0; first < in.n; first += turn) {
    load(first);
#pragma unroll
    for (int p = 0; p < packs; ++p) of_thread.add(x[p].word, in.is_centred);
  }
  row_sums sums = of_thread.sums(in.is_centred);
  if constexpr (lanes == 32) {
    sums = join_warp(sums, in.is_centred);
  } else {
    sums = join_block(sums, of_warp, in.is_centred);
  }
  const row_terms terms = terms_of(in, sums);
  if (!terms.is_known) return true;
  constexpr bool are_narrow = sizeof(Element) == 2 && sizeof(Parameter) == 2;
  const bool is_product = are_narrow && !in.is_centred && in.bias == nullptr && terms.relative < 0x1p-30;
  const double shifted_scale = terms.scale * unshifted;
  bool is_open = false;
  for (unsigned first = 0; first < in.n; first += turn) {
    if (in.n > turn) load(first);
#pragma unroll
    for (int p = 0; p < packs; ++p) {
      const unsigned at = first + (p * lanes + lane) * count;
      if (at >= in.n) break;
      const pack_of_row<Element, Parameter> pack(in, x[p], at);
      unsigned found[4];
      if (are_narrow && is_product) {
        is_open |= pack.scale(terms, found);
      } else {
        is_open |= pack.normalise(terms, shifted_scale, found);
      }
      store_words<Element, count>(found, to, in.is_aligned, at, in.n);
    }
  }
  return is_open;
}

template <class Element, class Parameter, int lanes, int threads, int packs, int residents>
__global__ void __launch_bounds__(threads, residents)
    normalised_row_kernel(const __grid_constant__ normalised_rows in) {
  constexpr unsigned rows_of_block = threads / lanes;
  __shared__ normalise_storage<float> storage;
  __shared__ row_sums of_warp[lanes / 32];
  begin_kernel(elements_of(in.count, in.n));
  for (std::size_t first = std::size_t{blockIdx.x} * rows_of_block; first < in.count;
       first += std::size_t{gridDim.x} * rows_of_block) {
    const unsigned own = threadIdx.x / lanes;
    const bool is_open =
        first + own < in.count && normalise_row<Element, Parameter, lanes, packs>(in, first + own, of_warp);
    if (__syncthreads_or(is_open) == 0) continue;
    for (unsigned k = 0; k < rows_of_block; ++k) {
      if (rows_of_block == 1 || __syncthreads_or(is_open && own == k) != 0) normalise_again(in, first + k, storage);
    }
  }
  end_of_input(elements_of(in.count, in.n));
}

/// Of doubles.
template <int threads>
__global__ void __launch_bounds__(threads) normalised_double_kernel(const __grid_constant__ normalised_rows in) {
  __shared__ normalise_storage<double> storage;
  begin_kernel(elements_of(in.count, in.n));
  for (std::size_t row = blockIdx.x; row < in.count; row += gridDim.x) normalise_again(in, row, storage);
  end_of_input(elements_of(in.count, in.n));
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
