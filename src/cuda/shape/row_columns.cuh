// Columns of rows that are listed, of one thread: how it loads and adds them, where their results go, and how they
// are computed again. For the kernels of row_groups.cuh.
#pragma once

#include <cuda/group/addend.cuh>
#include <cuda/group/rows.hpp>
#include <cuda/shape/columns.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Neighbouring columns of carriers, of one thread; as packed_columns.
template <class Work, int width>
class carrier_columns {
 public:
  static constexpr int words = 2 * width;

  __device__ __forceinline__ void add(const unsigned (&x)[words], const unsigned (&)[words]) {
#pragma unroll
    for (int j = 0; j < width; ++j) {
      const double value[1] = {core::bit_cast<double>(std::uint64_t{x[2 * j + 1]} << 32 | x[2 * j])};
      sums_[j].add(value, value);
    }
  }
  [[nodiscard]] __device__ __forceinline__ auto total(int j, std::uint64_t) { return sums_[j].total(); }

 private:
  typename Work::of_thread sums_[width];
};

/// Neighbouring columns of rows with a weight each: traced sums of products, which double holds unless the carrier
/// is double.
template <class Work, class Element, int width>
class weighted_columns {
  using T = typename Work::carrier;
  using Term = typename Work::Term;
  static constexpr bool are_doubles = sizeof(T) == sizeof(double);
  using sum_of_thread = std::conditional_t<are_doubles, typename Work::of_thread, typename Work::total>;

 public:
  static constexpr int words = (width * static_cast<int>(sizeof(Element)) + 3) / 4;

  __device__ __forceinline__ void add(const unsigned (&x)[words], T weight) {
#pragma unroll
    for (int j = 0; j < width; ++j) {
      if constexpr (are_doubles) {
        const double value[1] = {core::bit_cast<double>(std::uint64_t{x[2 * j + 1]} << 32 | x[2 * j])};
        const double by[1] = {weight};
        sums_[j].add(value, by);
      } else {
        sums_[j].template add_term<Term>(factor<Term>(float_of(element_of<Element>(x, j))),
                                         second_factor<Term>(weight));
      }
    }
  }
  [[nodiscard]] __device__ __forceinline__ auto total(int j, std::uint64_t) {
    if constexpr (are_doubles) {
      return sums_[j].total();
    } else {
      return sums_[j];
    }
  }

 private:
  sum_of_thread sums_[width] = {};
};

template <class Work, class Element, int width, int inputs = Work::Term::inputs>
struct group_columns {
  using type = packed_columns<typename Work::template of_packs<Element>, Element, width>;
};
template <class Work, int width>
struct group_columns<Work, double, width, 1> {
  using type = carrier_columns<Work, width>;
};
template <class Work, class Element, int width>
struct group_columns<Work, Element, width, 2> {
  using type = weighted_columns<Work, Element, width>;
};

/// What a work and an element make of rows: `width` columns of a thread, `in_flight` rows loaded before the first
/// is used.
template <class Work_, class Element_, int width_, int in_flight_, int resident_>
struct row_config {
  using Work = Work_;
  using Element = Element_;
  using total = typename Work::total;
  using columns = typename group_columns<Work, Element, width_>::type;
  static constexpr int width = width_, in_flight = in_flight_, resident = resident_;
  /// Of a block of short groups, each of whose warps has storage for results that stay open.
  static constexpr unsigned threads = sizeof(typename Work::storage) > 4096 ? 128 : row_group_threads;
};

/// The columns of a thread, from number `column` on.
template <class Config>
class row_columns {
 public:
  static constexpr int width = Config::width, in_flight = Config::in_flight;

  __device__ __forceinline__ row_columns(const row_groups& in, unsigned column)
      : data_(in.data + std::size_t{column} * sizeof(Element)),
        stride_(in.row_stride),
        rows_(in.axes.list),
        weights_(in.weights),
        count_(static_cast<int>(::min(in.columns - column, static_cast<unsigned>(width)))) {}

  [[nodiscard]] __device__ __forceinline__ int count() const { return count_; }
  /// Adds every `step`-th row of the list from number `begin` to before `end`.
  __device__ __forceinline__ void add(unsigned begin, unsigned end, unsigned step) {
    if constexpr (bytes >= 4) {
      const auto places = reinterpret_cast<std::uintptr_t>(data_) | static_cast<std::uintptr_t>(stride_);
      if (count_ == width && places % bytes == 0) return add_rows<true>(begin, end, step);
    }
    add_rows<false>(begin, end, step);
  }
  /// Of column j, of at most `rows` rows.
  [[nodiscard]] __device__ __forceinline__ typename Config::total total(int j, unsigned rows) {
    return sums_.total(j, std::uint64_t{rows} + 2);
  }

 private:
  using Element = typename Config::Element;
  using columns = typename Config::columns;
  static constexpr unsigned bytes = width * sizeof(Element);
  static constexpr bool has_weights = Config::Work::Term::inputs == 2;
  static_assert(bytes <= 16);

  const char* data_;
  std::ptrdiff_t stride_;
  const unsigned* rows_;
  any_operand weights_;
  int count_;
  columns sums_;

  /// The numbers of the rows are loaded a turn ahead.
  template <bool is_wide>
  __device__ __forceinline__ void add_rows(unsigned begin, unsigned end, unsigned step) {
    unsigned row[in_flight], x[in_flight][columns::words];
    [[maybe_unused]] typename Config::Work::carrier weight[has_weights ? in_flight : 1];
    const auto load_numbers = [&](unsigned from) {
#pragma unroll
      for (unsigned k = 0; k < in_flight; ++k) row[k] = from + k * step < end ? rows_[from + k * step] : ~0U;
    };
    load_numbers(begin);
    for (unsigned i = begin; i < end; i += in_flight * step) {
#pragma unroll
      for (int k = 0; k < in_flight; ++k) {
        const int count = row[k] == ~0U ? 0 : count_;
        const char* const at = data_ + static_cast<std::ptrdiff_t>(row[k]) * stride_;
        if (is_wide && count == 0) {
#pragma unroll
          for (int word = 0; word < columns::words; ++word) x[k][word] = 0;
        } else {
          load_row<Element, width, is_wide>(at, sizeof(Element), count, x[k]);
        }
        if constexpr (has_weights) {
          weight[k] = 0;
          if (count != 0) weight[k] = element_at<typename Config::Work::carrier>(weights_, row[k], 0);
        }
      }
      load_numbers(i + in_flight * step);
#pragma unroll
      for (int k = 0; k < in_flight; ++k) {
        if constexpr (has_weights) {
          sums_.add(x[k], weight[k]);
        } else {
          sums_.add(x[k], x[k]);
        }
      }
    }
  }
};

/// Bounds of sums of at most n rows, of which a thread adds at most `of_thread`, which go through at most so many
/// joins, and of what they are added to, which makes two additions: as many as a join. A grid of 32 blocks for each
/// join has more (joins_of); a thread uses one accumulator only. Each of the n products may underflow, and that
/// grid may have fewer terms.
template <class Work>
EXACTDOT_CORE line_bounds bounds_of_rows(std::size_t n, std::size_t of_thread, std::size_t joins) {
  constexpr std::size_t accumulators = 16 / sizeof(typename Work::carrier);
  line_bounds found = bounds_of_split<Work>(of_thread * accumulators, 1, 16, 32 * (joins + 1));
  if constexpr (Work::loses_to_underflow) {
    double& floor = Work::sums == 2 ? found.of_squares.floor : found.of_sum.floor;
    const double of_products = static_cast<double>(n) * 0x1p-1074;
    if (floor < of_products) floor = of_products;
  }
  return found;
}

/// Where the results of a group go, by columns.
__device__ __forceinline__ line_results results_of(const row_results& out, std::size_t group) {
  line_results found;
  found.first = out.first + static_cast<std::ptrdiff_t>(group) * out.next_group, found.next = out.next_column;
  found.to.rule = out.rule, found.to.status = out.status;
  return found;
}

/// The elements of a result, for its second look. `first`, `n`: rows of the list.
template <class T>
__device__ __forceinline__ operands<T, input_layout::axes> elements_of_result(const row_groups& in, unsigned column,
                                                                              std::size_t first, std::size_t n) {
  operands<T, input_layout::any> line;
  const auto bytes = static_cast<std::size_t>(bytes_of(in.type));
  line.a = {in.data + std::size_t{column} * bytes, in.row_stride, in.type, false};
  line.b = in.weights.data == nullptr ? line.a : in.weights;
  line.n = n << in.log2_parts, line.log2_parts_a = in.log2_parts;
  operands<T, input_layout::axes> found(line, &in.axes);
  found.begin = first;
  return found;
}

/// As the source of one line, for add_open_piece.
template <class T>
struct rows_of_result {
  const row_groups& in;
  unsigned column;
  std::size_t begin;
  [[nodiscard]] __device__ __forceinline__ auto piece(std::size_t, std::uint64_t, std::uint64_t first,
                                                      std::uint64_t n) const {
    return elements_of_result<T>(in, column, begin + first, n);
  }
};

/// Whether the call has failed, so that nothing is to be written.
__device__ __forceinline__ bool has_failed(const row_groups& in, const row_results& out) {
  return out.only_if_all_right && in.to.status->of_keys.bad_key != 0;
}

/// Stores neighbouring results of `bytes` bytes each by loads of up to 16 bytes: false if they are not aligned so.
template <int bytes, int width>
__device__ __forceinline__ bool store_packed(char* at, const std::uint64_t (&words)[width]) {
  constexpr int all = bytes * width, of_store = all < 16 ? all : 16;
  static_assert(all >= 4 && (bytes >= 4 || width % 2 == 0));
  if (reinterpret_cast<std::uintptr_t>(at) % of_store != 0) return false;
  struct alignas(of_store) pack_of_words {
    unsigned word[of_store / 4];
  };
#pragma unroll
  for (int part = 0; part < all / of_store; ++part) {
    pack_of_words made;
#pragma unroll
    for (int i = 0; i < of_store / 4; ++i) {
      const int word = part * of_store / 4 + i;
      if constexpr (bytes == 8) {
        made.word[i] = static_cast<unsigned>(words[word / 2] >> word % 2 * 32);
      } else if constexpr (bytes == 4) {
        made.word[i] = static_cast<unsigned>(words[word]);
      } else {
        const auto low = static_cast<unsigned>(words[2 * word]), high = static_cast<unsigned>(words[2 * word + 1]);
        made.word[i] = (low & 0xffff) | high << 16;
      }
    }
    *reinterpret_cast<pack_of_words*>(at + part * of_store) = made;
  }
  return true;
}

/// The results of `count` columns of a group from number `column` on, but for those left out, by their bits.
template <class T, int width>
__device__ __forceinline__ void store_columns(const row_results& out, const line_results& of_group, unsigned column,
                                              int count, unsigned left_out, const std::uint64_t (&words)[width]) {
  if (left_out == 0 && count == width) {
    char* const at = of_group.at(column);
    if (out.packed_bytes == 8 && store_packed<8>(at, words)) return;
    if (out.packed_bytes == 4 && store_packed<4>(at, words)) return;
    if constexpr (width % 2 == 0) {
      if (out.packed_bytes == 2 && store_packed<2>(at, words)) return;
    }
  }
#pragma unroll
  for (int j = 0; j < width; ++j) {
    if (j < count && (left_out >> j & 1) == 0) store_line<T>(of_group, column + static_cast<unsigned>(j), words[j]);
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
