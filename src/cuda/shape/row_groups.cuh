// Rows by keys: sums of the rows of a matrix that are a group's, of each column. The keys have been sorted, so a
// group is a stretch of a list of rows (group/rows.hpp); neighbouring threads have neighbouring columns, some each.
//
//   row_group_kernel   short groups: threads add their columns of all rows and decide them; the warp computes again
//                      what stays open. Long ones are cut into pieces, for a list
//   row_piece_kernel   a block a piece and a tile of columns: its threads share the rows; the last block of a group
//                      joins its pieces' sums                                            core/last_block.cuh
//   open_row_kernel    results of long groups that this leaves open                      shape/open_lines.cuh
//
// Works are those of columns (work/sum.cuh, work/moments.cuh). A row is read once, by packs of up to 16 bytes.
#pragma once

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

template <class Work, class Element, int width>
struct columns_of_thread {
  using type = packed_columns<typename Work::template of_packs<Element>, Element, width>;
};
template <class Work, int width>
struct columns_of_thread<Work, double, width> {
  using type = carrier_columns<Work, width>;
};

/// What a work and an element make of rows: `width` columns of a thread, `in_flight` rows loaded before the first
/// is used.
template <class Work_, class Element_, int width_, int in_flight_, int resident_>
struct row_config {
  using Work = Work_;
  using Element = Element_;
  using total = typename Work::total;
  using columns = typename columns_of_thread<Work, Element, width_>::type;
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
  static_assert(bytes <= 16);

  const char* data_;
  std::ptrdiff_t stride_;
  const unsigned* rows_;
  int count_;
  columns sums_;

  /// The numbers of the rows are loaded a turn ahead.
  template <bool is_wide>
  __device__ __forceinline__ void add_rows(unsigned begin, unsigned end, unsigned step) {
    unsigned row[in_flight], x[in_flight][columns::words];
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
      }
      load_numbers(i + in_flight * step);
#pragma unroll
      for (int k = 0; k < in_flight; ++k) sums_.add(x[k], x[k]);
    }
  }
};

/// Bounds of sums of which a thread adds at most `rows` terms, which go through at most so many joins. A grid of
/// 32 blocks for each join has more (joins_of); a thread uses one accumulator only.
template <class Work>
EXACTDOT_CORE line_bounds bounds_of_rows(std::size_t rows, std::size_t joins) {
  constexpr std::size_t accumulators = 16 / sizeof(typename Work::carrier);
  return bounds_of_split<Work>(rows * accumulators, 1, 16, 32 * joins);
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
  line.b = line.a;
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

/// The results of `count` columns of a group from number `column` on, but for those that are open, by their bits.
template <class T, int width>
__device__ __forceinline__ void store_columns(const row_results& out, const line_results& of_group, unsigned column,
                                              int count, unsigned open, const std::uint64_t (&words)[width]) {
  if (open == 0 && count == width) {
    char* const at = of_group.at(column);
    if (out.packed_bytes == 8 && store_packed<8>(at, words)) return;
    if (out.packed_bytes == 4 && store_packed<4>(at, words)) return;
    if constexpr (width % 2 == 0) {
      if (out.packed_bytes == 2 && store_packed<2>(at, words)) return;
    }
  }
#pragma unroll
  for (int j = 0; j < width; ++j) {
    if (j < count && (open >> j & 1) == 0) store_line<T>(of_group, column + static_cast<unsigned>(j), words[j]);
  }
}

/// Lists the pieces of a long group. By one thread.
__device__ inline void list_pieces(const row_groups& in, unsigned group, unsigned begin, unsigned end) {
  const unsigned n = end - begin, least = (n + in.max_pieces - 1) / in.max_pieces;
  const unsigned rows = least > min_rows_of_piece ? least : min_rows_of_piece, pieces = (n + rows - 1) / rows;
  const unsigned place = atomicAdd(&in.to.status->pieces, pieces);
  const unsigned slot = pieces > 1 ? atomicAdd(&in.to.status->slots, pieces) : 0;
  for (unsigned i = 0; i < pieces; ++i) {
    const unsigned from = begin + i * rows;
    in.to.pieces[place + i] = {group, from, i + 1 < pieces ? from + rows : end, pieces, slot, slot + i};
  }
}

/// Results of some columns of a short group, by one thread. What stays open: its columns, and their scaling.
struct open_columns {
  unsigned columns = 0, scaling = 0;  ///< a bit, and two bits of each
};
template <class Config>
__device__ __forceinline__ open_columns reduce_short_group(const row_groups& in, const line_bounds& bounds,
                                                           const row_results& out, const line_request& asked,
                                                           unsigned group, unsigned column, unsigned begin,
                                                           unsigned end) {
  using Work = typename Config::Work;
  const line_results to = results_of(out, group);
  row_columns<Config> of_thread(in, column);
  of_thread.add(begin, end, 1);
  open_columns open;
  std::uint64_t words[Config::width];
#pragma unroll
  for (int j = 0; j < Config::width; ++j) {
    words[j] = asked.of_none;
    if (begin == end || j >= of_thread.count()) continue;
    const auto total = of_thread.total(j, end - begin);
    const core::decision found = Work::decide(total, bounds, out.rule, end - begin, asked);
    words[j] = found.word;
    if (found.certain) continue;
    open.columns |= 1U << j, open.scaling |= Work::choose_scaling(total, bounds) << 2 * j;
  }
  store_columns<typename Work::carrier>(out, to, column, of_thread.count(), open.columns, words);
  return open;
}

template <class Config>
__global__ void __launch_bounds__(Config::threads, Config::resident * row_group_threads / Config::threads)
    row_group_kernel(const __grid_constant__ row_groups in, const __grid_constant__ line_bounds bounds,
                     const __grid_constant__ row_results out, const __grid_constant__ line_request asked) {
  using Work = typename Config::Work;
  constexpr unsigned threads = Config::threads;
  __shared__ typename Work::storage storage_of_warp[threads / 32];
  begin_kernel(~std::size_t{0});
  if (has_failed(in, out)) return;
  const std::size_t units = std::size_t{in.groups} * in.lanes;
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (std::size_t first = std::size_t{blockIdx.x} * threads + 32 * warp; first < units;
       first += std::size_t{gridDim.x} * threads) {
    const std::size_t unit = first + lane;
    unsigned group = 0, column = 0, begin = 0, end = 0;
    open_columns open;
    if (unit < units) {
      group = static_cast<unsigned>(in.lanes == 1 ? unit : in.by_lanes.quotient(unit));
      column = static_cast<unsigned>(unit - std::size_t{group} * in.lanes) * Config::width;
      begin = in.to.first[group], end = in.to.first[group + 1];
      if (end - begin <= max_short_rows) {
        open = reduce_short_group<Config>(in, bounds, out, asked, group, column, begin, end);
      } else if (column == 0) {
        list_pieces(in, group, begin, end);
      }
    }
    for (unsigned of_lanes = __ballot_sync(all_lanes, open.columns != 0); of_lanes != 0; of_lanes &= of_lanes - 1) {
      const int leader = __ffs(static_cast<int>(of_lanes)) - 1;
      const auto of_leader = [leader](unsigned x) { return __shfl_sync(all_lanes, x, leader); };
      const unsigned of_group = of_leader(group), from = of_leader(begin), n = of_leader(end) - from;
      const unsigned first_column = of_leader(column), scales = of_leader(open.scaling);
      for (unsigned columns = of_leader(open.columns); columns != 0; columns &= columns - 1) {
        const auto j = static_cast<unsigned>(__ffs(static_cast<int>(columns)) - 1);
        Work::again(elements_of_result<typename Work::carrier>(in, first_column + j, from, n), lane_team<32>{},
                    scales >> 2 * j & 3, bounds, storage_of_warp[warp], static_cast<refined_sum*>(nullptr),
                    results_of(out, of_group), first_column + j, n, asked);
      }
    }
  }
}

/// In shared memory, of a block that adds pieces: the columns of one number j of all threads, in turn.
template <class Config>
struct piece_storage {
  typename Config::total of_thread[row_group_threads];
  bool is_last;
};

/// The sums of a block's columns: thread t gets that of column owned(t), if it has one. By all threads.
template <class Config>
__device__ __forceinline__ typename Config::total sum_of_piece(row_columns<Config>& of_thread, unsigned lanes,
                                                               unsigned rows, piece_storage<Config>& storage) {
  constexpr unsigned warps = row_group_threads / 32;
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  typename Config::total found{};
#pragma unroll
  for (unsigned j = 0; j < Config::width; ++j) {
    auto total = of_thread.total(static_cast<int>(j), rows);
    for (unsigned distance = 16; distance >= lanes; distance /= 2) {
      total.join(shuffled(total, [distance](auto part) { return __shfl_down_sync(all_lanes, part, distance); }));
    }
    if (lane < lanes) copy_sum(total, storage.of_thread[warp * lanes + lane]);
    __syncthreads();
    if (threadIdx.x / lanes == j) {
      for (unsigned other = 0; other < warps; ++other) {
        typename Config::total next{};
        copy_sum(storage.of_thread[other * lanes + threadIdx.x % lanes], next);
        found.join(next);
      }
    }
    __syncthreads();
  }
  return found;
}

/// The sums of a group's columns from those of its pieces, in the block that comes last; the others get false.
/// `total`: of this piece, of this thread's column; `owners`: threads that have one. By all threads.
template <class Config>
__device__ __forceinline__ bool join_row_pieces(const row_groups& in, const row_piece& piece, unsigned tile,
                                                unsigned column, unsigned owners, typename Config::total& total,
                                                piece_storage<Config>& storage) {
  using Work = typename Config::Work;
  const auto partial_at = [&](unsigned slot) {
    return in.to.partial + (std::size_t{slot} * in.columns + column) * Work::sums;
  };
  const bool has_column = column < in.columns;
  if (threadIdx.x < owners && has_column) Work::store(total, partial_at(piece.slot));
  unsigned& arrived = in.to.arrived[std::size_t{piece.first_slot} * in.tiles + tile];
  if (!is_last_block_for_all(arrived, piece.pieces, storage.is_last)) return false;
  const unsigned teams = row_group_threads / owners;
  typename Config::total joined{};
  for (unsigned other = threadIdx.x / owners; has_column && other < piece.pieces; other += teams) {
    typename Config::total next{};
    Work::load(partial_at(piece.first_slot + other), next);
    joined.join(next);
  }
  copy_sum(joined, storage.of_thread[threadIdx.x]);
  __syncthreads();
  for (unsigned other = 1; threadIdx.x < owners && other < teams; ++other) {
    typename Config::total next{};
    copy_sum(storage.of_thread[other * owners + threadIdx.x], next);
    joined.join(next);
  }
  __syncthreads();
  total = joined;
  return true;
}

/// Joins of a sum of `pieces` pieces, at most, beside those of a thread: of a warp and a block; of a thread's
/// pieces and a block's threads.
EXACTDOT_CORE std::size_t joins_of_pieces(std::size_t pieces, std::size_t owners) {
  const std::size_t teams = row_group_threads / owners;
  return 5 + row_group_threads / 32 + (pieces + teams - 1) / teams + teams;
}

template <class Config>
__global__ void __launch_bounds__(row_group_threads, Config::resident)
    row_piece_kernel(const __grid_constant__ row_groups in, const __grid_constant__ line_bounds bounds,
                     const __grid_constant__ row_results out, const __grid_constant__ line_request asked) {
  using Work = typename Config::Work;
  __shared__ piece_storage<Config> storage;
  begin_kernel(~std::size_t{0});
  const std::size_t units = std::size_t{in.to.status->pieces} * in.tiles;
  const unsigned lanes = in.lanes_of_tile, owners = lanes * Config::width, teams = row_group_threads / lanes;
  for (std::size_t unit = blockIdx.x; unit < units; unit += gridDim.x) {
    const row_piece piece = in.to.pieces[unit / in.tiles];
    const auto tile = static_cast<unsigned>(unit % in.tiles);
    const unsigned first_column = tile * owners, of_thread = first_column + threadIdx.x % lanes * Config::width;
    typename Config::total total{};
    {
      row_columns<Config> columns(in, ::min(of_thread, in.columns - 1));
      if (of_thread < in.columns) columns.add(piece.begin + threadIdx.x / lanes, piece.end, teams);
      total = sum_of_piece<Config>(columns, lanes, (piece.end - piece.begin) / teams + 1, storage);
    }
    const unsigned owner = threadIdx.x % owners;
    const unsigned column = first_column + owner % lanes * Config::width + owner / lanes;
    if (piece.pieces > 1 && !join_row_pieces<Config>(in, piece, tile, column, owners, total, storage)) continue;
    if (threadIdx.x >= owners || column >= in.columns) continue;
    const unsigned n = in.to.first[piece.group + 1] - in.to.first[piece.group];
    if (finish_line<Work>(total, bounds, results_of(out, piece.group), column, n, asked)) continue;
    in.to.open[atomicAdd(&in.to.status->open, 1U)] = std::size_t{piece.group} * in.columns + column;
  }
}

/// The results of long groups that stay open: few are shared by all blocks, of many a block takes one at a time.
template <class Work>
__global__ void __launch_bounds__(row_group_threads, 2)
    open_row_kernel(const __grid_constant__ row_groups in, const __grid_constant__ line_bounds bounds,
                    const __grid_constant__ row_results out, const __grid_constant__ line_request asked,
                    line_state* state) {
  using T = typename Work::carrier;
  __shared__ typename Work::storage storage;
  __shared__ refined_sum refined_of_warp[row_group_threads / 32];
  __shared__ bool is_last;
  begin_kernel(~std::size_t{0});
  const unsigned count = in.to.status->open;
  const bool are_few = count <= max_open_lines<Work>;
  unsigned first_block = 0;  // of the result's first piece: pieces go round the blocks
  for (unsigned place = are_few ? 0 : blockIdx.x; place < count; place += are_few ? 1 : gridDim.x) {
    const wide_unsigned index = in.to.open[place];
    const auto group = static_cast<unsigned>(index / in.columns);
    const auto column = static_cast<unsigned>(index % in.columns);
    const unsigned begin = in.to.first[group], n = in.to.first[group + 1] - begin;
    const line_results to = results_of(out, group);
    if (are_few) {
      const unsigned parts = pieces_of_open_line(n, count);
      const unsigned part = (blockIdx.x + gridDim.x - first_block) % gridDim.x;
      first_block = (first_block + parts) % gridDim.x;
      if (part >= parts) continue;
      const rows_of_result<T> source{in, column, begin};
      add_open_piece<Work, row_group_threads>(source, column, line_span{0, n, true}, place, part, parts, to, asked,
                                              *state, storage, is_last);
    } else {
      Work::again(elements_of_result<T>(in, column, begin, n), block_team<row_group_threads>{}, 0, bounds, storage,
                  refined_of_warp, to, column, n, asked);
    }
    __syncthreads();
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
