// The best elements of a thread's part of a line, by ranks (extremum_rank.hpp).
//
//   packed_part    16-byte loads of a contiguous line, and single elements before and behind them. A thread keeps
//                  its highest rank and the batch of loads that first had it: one comparison a batch. Only that
//                  batch is loaded again, from cache, when the line's highest rank is known
//   best_of_part   single elements of any stride and byte order, each compared with its index
//   best_of_columns  neighbouring columns, whose elements lie in words: ranks only
#pragma once

#include <cuda/core/extremum_state.hpp>
#include <cuda/core/line_load.cuh>
#include <cuda/work/extremum_lines.hpp>
#include <cuda/work/packed_ranks.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// The rank of one element, at most first_nan.
template <int bytes>
__device__ __forceinline__ packed_word<bytes> rank_of_element(const rank_rule& rule, packed_word<bytes> bits) {
  using word = packed_word<bytes>;
  word rank = ranks_without_offset<bytes>(rule, bits) + static_cast<word>(rule.offset);
  if constexpr (bytes < 4) rank &= static_cast<word>(rule.ones);
  return ::min(rank, static_cast<word>(rule.first_nan));
}

/// A thread's part of a contiguous line. Index: unsigned for lines of less than 2^30 elements.
template <int bytes, int in_flight, class Index, class Team>
class packed_part {
 public:
  using word = packed_word<bytes>;
  using element = typename exactdot::detail::unsigned_of<bytes>::type;

  __device__ __forceinline__ packed_part(const element_line& line, Team team, const rank_rule& rule)
      : x_(reinterpret_cast<const element*>(line.data)),
        n_(static_cast<Index>(line.n)),
        head_(::min(static_cast<Index>(to_alignment(x_)), n_)),
        end_(n_ - (n_ - head_) % width),
        thread_(static_cast<Index>(team.first_thread())),
        rule_(rule) {}

  /// Reads the part. Returns its highest rank.
  template <bool with_index>
  __device__ __forceinline__ word highest() {
    word of_part = accumulator_of<bytes>(0);
    for (Index at = head_ + thread_ * width; at < end_; at += in_flight * step) {
      const word of_batch = include_batch(at, with_index ? accumulator_of<bytes>(0) : of_part);
      if constexpr (with_index) {
        const word rank = highest_rank<bytes>(rule_, of_batch);
        if (rank > rank_) rank_ = rank, batch_ = at;
      } else {
        of_part = of_batch;
      }
    }
    if constexpr (!with_index) rank_ = highest_rank<bytes>(rule_, of_part);
    const Index in_packs = end_ - head_;
    for (Index i = thread_; i < n_ - in_packs; i += Team::lanes) {
      const Index index = i < head_ ? i : i + in_packs;
      const word rank = rank_of_element<bytes>(rule_, x_[index]);
      if (rank > single_rank_) single_rank_ = rank, single_ = index;
    }
    return ::max(rank_, single_rank_);
  }

  /// The lowest index in this part of the line's highest rank; all ones if there is none. After highest<true>().
  [[nodiscard]] __device__ __forceinline__ Index index_of(word rank) const {
    if (rank == 0) return 0;  // all elements have it
    const Index single = single_rank_ == rank ? single_ : ~Index{0};
    return rank_ == rank ? ::min(single, index_in_batch(rank)) : single;
  }

 private:
  static constexpr Index width = 16 / bytes;
  static constexpr Index step = Team::lanes * width;  ///< between the packs of a thread

  struct loaded_batch {
    pack<word> packs[in_flight];
  };

  /// Packs behind the last become elements of rank 0.
  [[nodiscard]] __device__ __forceinline__ loaded_batch load_batch(Index at) const {
    loaded_batch batch;
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      const Index i = at + static_cast<Index>(k) * step;
      for (word& each : batch.packs[k].element) each = static_cast<word>(rule_.last);
      if (k == 0 || i < end_) batch.packs[k] = *reinterpret_cast<const pack<word>*>(x_ + i);
    }
    return batch;
  }

  [[nodiscard]] __device__ __forceinline__ word include_batch(Index at, word highest) const {
    const loaded_batch batch = load_batch(at);
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
#pragma unroll
      for (const word each : batch.packs[k].element) highest = include<bytes>(rule_, highest, each);
    }
    return highest;
  }

  /// The first element of the noted batch that has at least this rank; one has.
  [[nodiscard]] __device__ __forceinline__ Index index_in_batch(word rank) const {
    constexpr int words = pack<word>::count;
    const loaded_batch batch = load_batch(batch_);
    const word below = accumulator_of<bytes>(rank - 1);
    word found = batch.packs[0].element[0];
    unsigned position = 0;
#pragma unroll
    for (int i = in_flight * words - 1; i >= 0; --i) {
      const word candidate = batch.packs[i / words].element[i % words];
      if (include<bytes>(rule_, below, candidate) != below) found = candidate, position = static_cast<unsigned>(i);
    }
    return batch_ + position / words * step + position % words * elements_per_word<bytes> +
           first_of_rank<bytes>(rule_, found, rank);
  }

  const element* x_;
  Index n_, head_, end_, thread_;
  const rank_rule& rule_;
  word rank_ = 0, single_rank_ = 0;
  Index batch_ = 0, single_ = 0;  ///< which first had these ranks
};

/// The best of a thread's part of a line's elements, one load each. Its index is at least the part's first, if
/// `with_index`. Share: as in core/load.cuh.
template <int bytes, bool with_index, int in_flight, class Share>
__device__ __forceinline__ extremum_candidate<packed_word<bytes>> best_of_part(const element_line& line,
                                                                               std::ptrdiff_t stride, bool swapped,
                                                                               Share share, const rank_rule& rule) {
  using word = packed_word<bytes>;
  extremum_candidate<word> best = no_candidate<word>();
  const std::size_t step = share.threads();
  const std::ptrdiff_t step_in_bytes = static_cast<std::ptrdiff_t>(step) * stride;
  std::size_t i = share.first_thread();
  const char* element = line.data + static_cast<std::ptrdiff_t>(i) * stride;
  if (i < line.n) best.index = i;  // if all have rank 0
  for (; i < line.n; i += in_flight * step) {
    word x[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k, element += step_in_bytes) {
      x[k] = static_cast<word>(rule.last);
      if (k == 0 || i + k * step < line.n) x[k] = static_cast<word>(bits_of_element(element, bytes, swapped));
    }
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      const word rank = rank_of_element<bytes>(rule, x[k]);
      if constexpr (with_index) {
        if (rank > best.rank) best = {rank, i + k * step};
      } else {
        best.rank = ::max(best.rank, rank);
      }
    }
  }
  return best;
}

/// The highest ranks of `width` neighbouring columns, whose elements lie in words.
template <int bytes, int width>
class best_of_columns {
 public:
  static constexpr int words = (width * bytes + 3) / 4;

  __device__ __forceinline__ explicit best_of_columns(const rank_rule& rule) : rule_(rule) {}
  __device__ __forceinline__ void add(const unsigned (&x)[words], const unsigned (&)[words]) {
#pragma unroll
    for (int i = 0; i < accumulators; ++i) {
      if constexpr (bytes == 8) {
        highest_[i] = include<8>(rule_, highest_[i], std::uint64_t{x[2 * i + 1]} << 32 | x[2 * i]);
      } else if constexpr (bytes == 1) {  // of even and of odd bytes, in the upper halves of lanes, as include has them
        const unsigned ranks = ranks_without_offset<1>(rule_, x[i / 2]) << 8 * (1 - i % 2);
        highest_[i] = __viaddmax_u16x2(ranks, static_cast<unsigned>(rule_.offset) & 0xff00ff00U, highest_[i]);
      } else {
        highest_[i] = include<bytes>(rule_, highest_[i], x[i]);
      }
    }
  }
  /// Of column j.
  [[nodiscard]] __device__ __forceinline__ packed_word<bytes> rank(int j) const {
    packed_word<bytes> found = highest_[bytes == 1 ? j / 4 * 2 + j % 2 : bytes == 2 ? j / 2 : j];
    if constexpr (bytes == 1) found = found >> (j % 4 / 2 * 16 + 8) & 0xffU;
    if constexpr (bytes == 2) found = found >> j % 2 * 16 & 0xffffU;
    return ::min(found, static_cast<packed_word<bytes>>(rule_.first_nan));
  }

 private:
  static constexpr int accumulators = bytes == 8 ? width : bytes == 1 ? 2 * words : words;

  const rank_rule& rule_;
  packed_word<bytes> highest_[accumulators] = {};
};

/// best_of_part of elements along several axes.
template <int bytes, bool with_index, int in_flight, class Share>
__device__ __forceinline__ extremum_candidate<packed_word<bytes>> best_along_axes(const element_line& line,
                                                                                  const element_axes& axes,
                                                                                  bool swapped, Share share,
                                                                                  const rank_rule& rule) {
  using word = packed_word<bytes>;
  extremum_candidate<word> best = no_candidate<word>();
  const std::size_t step = share.threads();
  std::size_t i = share.first_thread();
  if (i < line.n) best.index = i;  // if all have rank 0
  for (; i < line.n; i += in_flight * step) {
    word x[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      x[k] = static_cast<word>(rule.last);
      if (k != 0 && i + k * step >= line.n) continue;
      const char* const element = line.data + axes.at(line.begin + i + k * step).a;
      x[k] = static_cast<word>(bits_of_element(element, bytes, swapped));
    }
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      const word rank = rank_of_element<bytes>(rule, x[k]);
      if (rank > best.rank) best = {rank, i + k * step};
    }
  }
  return best;
}

/// The best of a thread's part of a line of `in`, along axes if it has some.
template <int bytes, bool with_index, int in_flight, class Lines, class Share>
__device__ __forceinline__ extremum_candidate<packed_word<bytes>> best_of_elements(const Lines& in,
                                                                                   const element_line& line,
                                                                                   Share share,
                                                                                   const rank_rule& rule) {
  if constexpr (requires { in.axes; }) {
    if (in.axes.count != 0) {
      return best_along_axes<bytes, with_index, in_flight>(line, in.axes, in.swapped, share, rule);
    }
  }
  return best_of_part<bytes, with_index, in_flight>(line, in.stride, in.swapped, share, rule);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
