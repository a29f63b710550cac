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

/// `count` elements, which have 16 bytes or a multiple.
template <class Element, int count, bool is_aligned>
struct row_words {
  static constexpr int packs = count * static_cast<int>(sizeof(Element)) / 16;
  unsigned word[4 * packs];

  /// Elements from number `at` of n on; zeros behind the last.
  __device__ __forceinline__ void load(const char* first, unsigned at, unsigned n) {
#pragma unroll
    for (int k = 0; k < packs; ++k) {
      const unsigned from = at + static_cast<unsigned>(k) * (16 / sizeof(Element));
      word_pack found{};
      if constexpr (!is_aligned) {
        found = load_pack<Element>(first, sizeof(Element), false, from, n);
      } else if (from < n) {
        found = *reinterpret_cast<const word_pack*>(first + std::size_t{from} * sizeof(Element));
      }
#pragma unroll
      for (int w = 0; w < 4; ++w) word[4 * k + w] = found.element[w];
    }
  }
  /// The same of an array that may be missing: a number each then.
  __device__ __forceinline__ void load_or(float otherwise, const char* first, unsigned at, unsigned n) {
    if (first != nullptr) return load(first, at, n);
    const unsigned bits = __float_as_uint(otherwise);
    const unsigned half = type_of<Element> == element_type::float16 ? float16_bits(otherwise) : bits >> 16;
#pragma unroll
    for (int w = 0; w < 4 * packs; ++w) word[w] = sizeof(Element) == 4 ? bits : half << 16 | half;
  }
  [[nodiscard]] __device__ __forceinline__ float value(int j) const { return float_of_word<Element>(word, j); }

  /// Whether an element is infinite or NaN.
  [[nodiscard]] __device__ __forceinline__ bool any_special() const {
    unsigned greatest = 0;
    if constexpr (sizeof(Element) == 4) {
#pragma unroll
      for (int w = 0; w < 4 * packs; ++w) greatest = ::max(greatest, word[w] & 0x7fffffffU);
      return greatest >= 0x7f800000U;
    } else {
#pragma unroll
      for (int w = 0; w < 4 * packs; ++w) greatest = __vmaxu2(greatest, word[w] & 0x7fff7fffU);
      constexpr unsigned infinite = type_of<Element> == element_type::float16 ? 0x7c00U : 0x7f80U;
      return greatest >= infinite << 16 || (greatest & 0xffffU) >= infinite;
    }
  }
};

/// to = the bits that bits_of(j) returns of each element j.
template <class Element, class Bits>
__device__ __forceinline__ void for_each_of_pack(unsigned (&to)[4], Bits bits_of) {
#pragma unroll
  for (int j = 0; j < static_cast<int>(16 / sizeof(Element)); ++j) {
    const unsigned bits = bits_of(j);
    if constexpr (sizeof(Element) == 4) {
      to[j] = bits;
    } else {
      to[j / 2] = j % 2 == 0 ? bits & 0xffffU : to[j / 2] | bits << 16;
    }
  }
}

/// Stores 16 bytes of elements, or those before the n-th.
template <class Element, bool is_aligned>
__device__ __forceinline__ void store_words(const unsigned (&word)[4], char* first, unsigned at, unsigned n) {
  constexpr unsigned count = 16 / sizeof(Element);
  if constexpr (is_aligned) {
    *reinterpret_cast<word_pack*>(first +
                                  std::size_t{at} * sizeof(Element)) = {{word[0], word[1], word[2], word[3]}};
  } else {
#pragma unroll
    for (unsigned j = 0; j < count; ++j) {
      if (at + j < n) reinterpret_cast<Element*>(first)[at + j] = element_of<Element>(word, static_cast<int>(j));
    }
  }
}

/// x·w/√(Σx²/n + ε) of a pack, for a row whose terms err by less than rounding quickly allows: false if some are
/// rare, which look_closer stores.
template <class Element, class Words, class Weights>
__device__ __forceinline__ bool scale_pack(const row_terms& row, const Words& x, const Weights& weight,
                                           unsigned (&to)[4]) {
  bool is_rare = weight.any_special();
  for_each_of_pack<Element>(to, [&](int j) {
    const double factor = row.shifted_scale * shifted_double(weight.value(j));
    const double value = __fma_rn(static_cast<double>(x.value(j)), factor, 0.0);  // so that no zero is negative
    return quick_rounding<Element>::round(
        value, [&] { return fabs(value) * row.relative; }, is_rare);
  });
  return !is_rare;
}
/// The same of (x − m)·w/√(v + ε) + b.
template <class Element, class Words, class Weights>
__device__ __forceinline__ bool normalise_pack(const row_terms& row, const Words& x, const Weights& weight,
                                               const Weights& bias, unsigned (&to)[4]) {
  bool is_rare = weight.any_special() || bias.any_special();
  for_each_of_pack<Element>(to, [&](int j) {
    const double difference = static_cast<double>(x.value(j)) - row.mean;
    const double factor = row.shifted_scale * shifted_double(weight.value(j));
    const double value = __fma_rn(difference, factor, static_cast<double>(bias.value(j) + 0.0F));
    const double bound = fabs(factor) * __fma_rn(fabs(difference), row.relative, row.mean_error);
    is_rare |= !(bound <= fabs(value));
    return quick_rounding<Element>::round(
        value, [&] { return bound; }, is_rare);
  });
  return !is_rare;
}

/// How a kernel has rows.
template <class Element_, class Parameter_, const auto& configs, std::size_t which>
struct row_shape {
  using Element = Element_;
  using Parameter = Parameter_;
  static constexpr normalise_config config = configs[which];
  static constexpr int lanes = config.lanes, threads = config.threads, packs = config.packs;
  static constexpr bool is_aligned = which + 1 < configs.size();
  static constexpr bool has_turns = config.max_bytes > std::size_t{16} * lanes* packs;
  static constexpr unsigned count = 16 / sizeof(Element), turn = lanes * packs * count, rows = threads / lanes;
  using words = row_words<Element, count, is_aligned>;
  using parameters = row_words<Parameter, count, is_aligned>;

  /// The first element of pack p in a turn that begins at `first`.
  static __device__ __forceinline__ unsigned place(unsigned first, unsigned p) {
    return first + (p * lanes + threadIdx.x % lanes) * count;
  }
};

template <class Shape>
__device__ __forceinline__ void load_turn(const char* from, unsigned first, unsigned n,
                                          typename Shape::words (&x)[Shape::packs]) {
#pragma unroll
  for (unsigned p = 0; p < Shape::packs; ++p) x[p].load(from, Shape::place(first, p), n);
}

/// Stores the elements of a turn, but those that stay open: whether there are some, of this thread.
template <class Shape>
__device__ __forceinline__ bool store_turn(const normalised_rows& in, unsigned row, const row_terms& terms,
                                           unsigned first, const typename Shape::words (&x)[Shape::packs]) {
  using Element = typename Shape::Element;
  char* const to = in.row_of_out(row);
  const bool is_plain = !in.is_centred && in.bias == nullptr && terms.relative < 1;
  unsigned rare = 0;
#pragma unroll
  for (unsigned p = 0; p < Shape::packs; ++p) {
    const unsigned at = Shape::place(first, p);
    if (at >= in.n) break;
    typename Shape::parameters weight;
    weight.load_or(1, in.weight, at, in.n);
    unsigned found[4];
    bool is_done = false;
    if (is_plain) {
      is_done = scale_pack<Element>(terms, x[p], weight, found);
    } else {
      typename Shape::parameters bias;
      bias.load_or(0, in.bias, at, in.n);
      is_done = normalise_pack<Element>(terms, x[p], weight, bias, found);
    }
    if (!is_done) rare |= 1U << p;
    store_words<Element, Shape::is_aligned>(found, to, at, in.n);
  }
  bool is_open = false;
  for (; rare != 0; rare &= rare - 1) {
    const unsigned at = Shape::place(first, static_cast<unsigned>(__ffs(static_cast<int>(rare)) - 1));
    is_open |= look_closer<float>(in, row, terms, quick_rounding<Element>::log2_bound, at, Shape::count);
  }
  return is_open;
}

/// The elements of a row, the same. By all lanes.
template <class Shape>
__device__ __forceinline__ bool normalise_row(const normalised_rows& in, unsigned row,
                                              row_sums (&of_warp)[Shape::lanes / 32], row_terms& of_team) {
  const char* const from = in.row_of_x(row);
  typename Shape::words x[Shape::packs];
  row_statistics<typename Shape::Element> of_thread;
  unsigned first = 0;
  do {
    load_turn<Shape>(from, first, in.n, x);
#pragma unroll
    for (int p = 0; p < Shape::packs; ++p) of_thread.add(x[p].word, in.is_centred);
  } while (Shape::has_turns && (first += Shape::turn) < in.n);
  row_sums sums = of_thread.sums(in.is_centred);
  if constexpr (Shape::lanes == 32) {
    sums = join_warp(sums, in.is_centred);
  } else {
    sums = join_block(sums, of_warp, in.is_centred);
  }
  const row_terms terms = terms_of<quick_rounding<typename Shape::Element>::log2_bound>(in, sums);
  if (threadIdx.x % Shape::lanes == 0) of_team = terms;
  if (!terms.is_known()) return true;
  bool is_open = false;
  first = 0;
  do {
    // also where it never happens: values that were converted before would be kept, and take four times the
    // registers
    if (in.n > Shape::turn) load_turn<Shape>(from, first, in.n, x);
    is_open |= store_turn<Shape>(in, row, terms, first, x);
  } while (Shape::has_turns && (first += Shape::turn) < in.n);
  return is_open;
}

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::config.residents)
    normalised_row_kernel(const __grid_constant__ normalised_rows in) {
  __shared__ normalise_memory<float> memory;
  __shared__ row_sums of_warp[Shape::lanes / 32];
  __shared__ row_terms of_team[Shape::rows];
  constexpr int log2_bound = quick_rounding<typename Shape::Element>::log2_bound;
  begin_kernel(elements_of(in.count, in.n));
  for (unsigned first = blockIdx.x * Shape::rows; first < in.count; first += gridDim.x * Shape::rows) {
    const unsigned team = threadIdx.x / Shape::lanes;
    const bool is_open = first + team < in.count && normalise_row<Shape>(in, first + team, of_warp, of_team[team]);
    if (__syncthreads_or(is_open) == 0) continue;
    for (unsigned k = 0; k < Shape::rows; ++k) {
      if (Shape::rows == 1 || __syncthreads_or(is_open && team == k) != 0) {
        normalise_again(in, first + k, of_team[k], log2_bound, memory);
      }
    }
  }
  end_of_input(elements_of(in.count, in.n));
}

/// Of doubles.
template <int threads>
__global__ void __launch_bounds__(threads) normalised_double_kernel(const __grid_constant__ normalised_rows in) {
  __shared__ normalise_memory<double> memory;
  begin_kernel(elements_of(in.count, in.n));
  for (unsigned row = blockIdx.x; row < in.count; row += gridDim.x)
    normalise_again(in, row, row_terms::unknown(), 0, memory);
  end_of_input(elements_of(in.count, in.n));
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
