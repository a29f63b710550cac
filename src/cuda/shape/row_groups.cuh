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

#include <cuda/shape/row_columns.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Lists the pieces of a long group. By one thread.
__device__ inline void list_pieces(const row_groups& in, unsigned group, unsigned begin, unsigned end) {
  const unsigned n = end - begin, least = (n + in.max_pieces - 1) / in.max_pieces;
  const unsigned rows = least > in.min_rows_of_piece ? least : in.min_rows_of_piece, pieces = (n + rows - 1) / rows;
  const unsigned place = atomicAdd(&in.to.status->pieces, pieces);
  const unsigned slot = pieces > 1 ? atomicAdd(&in.to.status->slots, pieces) : 0;
  for (unsigned i = 0; i < pieces; ++i) {
    const unsigned from = begin + i * rows;
    in.to.pieces[place + i] = {group, from, i + 1 < pieces ? from + rows : end, pieces, slot, slot + i};
  }
}

/// What stays open of some columns: which, and their scaling.
struct open_columns {
  unsigned columns = 0, scaling = 0;  ///< a bit, and two bits of each

  template <class Work>
  __device__ __forceinline__ void add(unsigned j, const typename Work::total& total, const line_bounds& bounds) {
    columns |= 1U << j, scaling |= Work::choose_scaling(total, bounds) << 2 * j;
  }
};

/// The results of a short group that are computed at once: all; or, of floats of 16 bits, of which a thread has
/// many columns, exact sums, as nearly all are. False: it is to be decided apart.
template <class Config>
__device__ __forceinline__ bool decide_at_once(const typename Config::total& total, const line_bounds& bounds,
                                               const core::result_rule& rule, unsigned n, const line_request& asked,
                                               core::decision& found) {
  using Work = typename Config::Work;
  constexpr bool is_narrow = type_of<typename Config::Element> == element_type::float16 ||
                             type_of<typename Config::Element> == element_type::bfloat16;
  if constexpr (!is_narrow) {
    found = Work::decide(total, bounds, rule, n, asked);
    return true;
  } else if constexpr (Work::sums == 1) {
    const bool is_rounding = rule.finish() == core::finish::round && !rule.is_integer() &&
                             rule.format().precision < core::format<float>::precision;
    if (!is_rounding || total.correction != 0 || !total.is_exact()) return false;
    found = {correctly_rounded::rounded(rule.format(), total.sum), true};
    return true;
  } else {
    return false;
  }
}

/// The total of column j of a thread, of n rows and, if it is added to, of what is there. `adds` is known to the
/// compiler: the call costs registers, by which results of few rows took up to a tenth longer.
template <class Config, bool adds>
__device__ __forceinline__ typename Config::total total_with_old(row_columns<Config>& of_thread, int j, unsigned n,
                                                                 const line_results& to, unsigned column) {
  auto total = of_thread.total(j, n);
  if constexpr (adds) {
    if (j < of_thread.count()) add_old_value(total, to.to.rule, to.at(column + static_cast<unsigned>(j)));
  }
  return total;
}

/// Decides and stores the results of the columns `apart`. In a loop: what is inlined for each takes registers.
template <class Config, bool adds>
__device__ __forceinline__ void decide_apart(row_columns<Config>& of_thread, const line_bounds& bounds,
                                             const line_results& to, unsigned column, unsigned n,
                                             const line_request& asked, unsigned apart, open_columns& open) {
  using Work = typename Config::Work;
  typename Config::total totals[Config::width];
#pragma unroll
  for (int j = 0; j < Config::width; ++j) totals[j] = total_with_old<Config, adds>(of_thread, j, n, to, column);
#pragma unroll 1
  for (; apart != 0; apart &= apart - 1) {
    const auto j = static_cast<unsigned>(__ffs(static_cast<int>(apart)) - 1);
    if (finish_line<Work>(totals[j], bounds, to, column + j, n, asked)) continue;
    open.template add<Work>(j, totals[j], bounds);
  }
}

/// Whether results are added to what is there: never moments.
template <class Work>
__device__ __forceinline__ bool adds_to_results(const row_results& out) {
  return Work::sums == 1 && out.adds;
}

/// The result of an open line, added to what is there. By all threads of a team.
template <class Work, class Line, class Team>
__device__ __forceinline__ void add_again(const Line& line, Team team, typename Work::storage& storage,
                                          const destination& to) {
  if constexpr (Work::sums == 1) add_line_again<Work>(line, team, storage, to);
}

/// Results of some columns of a short group, by one thread; returns what stays open.
template <class Config, bool adds>
__device__ __forceinline__ open_columns reduce_short_group(const row_groups& in, const line_bounds& bounds,
                                                           const row_results& out, const line_request& asked,
                                                           unsigned group, unsigned column, unsigned begin,
                                                           unsigned end) {
  using Work = typename Config::Work;
  const line_results to = results_of(out, group);
  const unsigned n = end - begin;
  if (adds && n == 0) return {};
  row_columns<Config> of_thread(in, column);
  of_thread.add(begin, end, 1);
  open_columns open;
  unsigned apart = 0;
  std::uint64_t words[Config::width];
#pragma unroll
  for (int j = 0; j < Config::width; ++j) {
    words[j] = asked.of_none;
    if (n == 0 || j >= of_thread.count()) continue;
    const auto total = total_with_old<Config, adds>(of_thread, j, n, to, column);
    core::decision found{0, false};
    if (!decide_at_once<Config>(total, bounds, out.rule, n, asked, found)) {
      apart |= 1U << j;
    } else if (!found.certain) {
      open.template add<Work>(static_cast<unsigned>(j), total, bounds);
    }
    words[j] = found.word;
  }
  store_columns<typename Work::carrier>(out, to, column, of_thread.count(), open.columns | apart, words);
  if (apart != 0) decide_apart<Config, adds>(of_thread, bounds, to, column, n, asked, apart, open);
  return open;
}

/// `adds`: results are added to what is there.
template <class Config, bool adds>
__global__ void __launch_bounds__(Config::threads, Config::resident* row_group_threads / Config::threads)
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
        open = reduce_short_group<Config, adds>(in, bounds, out, asked, group, column, begin, end);
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
        const auto line = elements_of_result<typename Work::carrier>(in, first_column + j, from, n);
        const line_results to = results_of(out, of_group);
        if constexpr (adds) {
          add_line_again<Work>(line, lane_team<32>{}, storage_of_warp[warp],
                               destination_of(to, first_column + j, n));
        } else {
          Work::again(line, lane_team<32>{}, scales >> 2 * j & 3, bounds, storage_of_warp[warp],
                      static_cast<refined_sum*>(nullptr), to, first_column + j, n, asked);
        }
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
    if constexpr (Work::sums == 1) {
      if (out.adds) add_old_value(total, out.rule, results_of(out, piece.group).at(column));
    }
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
                                              *state, storage, is_last, [&](auto& sum) {
                                                if (out.adds) add_old_digits(sum, out.rule, to.at(column));
                                              });
    } else if (const auto line = elements_of_result<T>(in, column, begin, n); adds_to_results<Work>(out)) {
      add_again<Work>(line, block_team<row_group_threads>{}, storage, destination_of(to, column, n));
    } else {
      Work::again(line, block_team<row_group_threads>{}, 0, bounds, storage, refined_of_warp, to, column, n, asked);
    }
    __syncthreads();
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
