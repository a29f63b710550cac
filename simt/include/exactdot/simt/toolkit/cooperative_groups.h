// cooperative_groups.h for programs that simtcc compiles (CUDA C++ Programming Guide, "Cooperative Groups").
//
// Groups are masks of lanes, or the block, or the grid. Their functions are calls of the functions in
// warp_functions.hpp, so findings are the same. Functions are inlined, so that lines are the kernel's.
#pragma once

#include <cuda_runtime.h>

#include <cuda/host_headers.hpp>
#include <exactdot/simt/runtime/cluster_group.hpp>
#include <exactdot/simt/runtime/grid_barrier.hpp>

namespace cooperative_groups {

namespace detail {

/// Shuffles a value of any trivially copyable type, by words of four bytes.
template <class T, class Shuffle>
[[gnu::always_inline]] inline T shuffle(T value, Shuffle one_word) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 32, "a shuffle takes up to 32 bytes");
  if constexpr (exactdot::simt::detail::shuffle_type<T>) {
    return one_word(value);
  } else {
    unsigned words[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(words, &value, sizeof value);
    for (unsigned& word : words) word = one_word(word);
    __builtin_memcpy(&value, words, sizeof value);
    return value;
  }
}

inline unsigned rank_in_block() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
inline unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }
inline unsigned lane() { return exactdot::simt::detail::lane(); }

}  // namespace detail

/// All threads of the block.
class thread_block {
 public:
  EXACTDOT_SIMT_CALL static void sync() {
    exactdot::simt::detail::barrier("thread_block::sync", 0, 0, __builtin_return_address(0));
  }
  static unsigned thread_rank() { return detail::rank_in_block(); }
  static unsigned num_threads() { return detail::threads_of_block(); }
  static unsigned size() { return num_threads(); }
  static dim3 group_index() { return dim3(blockIdx); }
  static dim3 thread_index() { return dim3(threadIdx); }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};
inline thread_block this_thread_block() { return {}; }

/// All threads of a cooperative launch.
class grid_group {
 public:
  [[nodiscard]] static bool is_valid() { return exactdot::simt::detail::launch_is_cooperative(); }
  EXACTDOT_SIMT_CALL static void sync() { exactdot::simt::detail::grid_barrier(__builtin_return_address(0)); }
  static unsigned long long block_rank() {
    return blockIdx.x + static_cast<unsigned long long>(gridDim.x) *
                            (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
  }
  static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static unsigned long long thread_rank() {
    return block_rank() * detail::threads_of_block() + detail::rank_in_block();
  }
  static unsigned long long num_threads() { return num_blocks() * detail::threads_of_block(); }
  static unsigned long long size() { return num_threads(); }
  static dim3 group_dim() { return gridDim; }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 block_index() { return dim3(blockIdx); }
};
inline grid_group this_grid() { return {}; }

/// Lanes of a warp, as a mask. A lane's rank counts the lanes before it.
class coalesced_group {
 public:
  explicit coalesced_group(unsigned mask) : mask_(mask) {}
  [[gnu::always_inline]] void sync() const { __syncwarp(mask_); }
  [[nodiscard]] unsigned num_threads() const { return static_cast<unsigned>(__popc(mask_)); }
  [[nodiscard]] unsigned size() const { return num_threads(); }
  [[nodiscard]] unsigned thread_rank() const {
    return static_cast<unsigned>(__popc(mask_ & ((1U << detail::lane()) - 1U)));
  }
  [[nodiscard]] unsigned meta_group_rank() const { return 0; }
  [[nodiscard]] unsigned meta_group_size() const { return 1; }

  template <class T>
  [[gnu::always_inline]] T shfl(T value, int rank) const {
    const int source = lane_of(static_cast<unsigned>(rank) % num_threads());
    return detail::shuffle(
        value, [&](auto word) __attribute__((always_inline)) { return __shfl_sync(mask_, word, source); });
  }
  template <class T>
  [[gnu::always_inline]] T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank() + delta;
    const int source = rank < num_threads() ? lane_of(rank) : static_cast<int>(detail::lane());
    return detail::shuffle(
        value, [&](auto word) __attribute__((always_inline)) { return __shfl_sync(mask_, word, source); });
  }
  template <class T>
  [[gnu::always_inline]] T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    const int source = rank >= delta ? lane_of(rank - delta) : static_cast<int>(detail::lane());
    return detail::shuffle(
        value, [&](auto word) __attribute__((always_inline)) { return __shfl_sync(mask_, word, source); });
  }
  [[gnu::always_inline]] int any(int predicate) const { return __any_sync(mask_, predicate); }
  [[gnu::always_inline]] int all(int predicate) const { return __all_sync(mask_, predicate); }
  [[gnu::always_inline]] unsigned ballot(int predicate) const { return ranks_of(__ballot_sync(mask_, predicate)); }
  template <class T>
  [[gnu::always_inline]] unsigned match_any(T value) const {
    return ranks_of(__match_any_sync(mask_, value));
  }
  [[nodiscard]] unsigned mask() const { return mask_; }

 private:
  [[nodiscard]] int lane_of(unsigned rank) const {
    unsigned left = mask_;
    for (; rank != 0; --rank) left &= left - 1;
    return __ffs(static_cast<int>(left)) - 1;
  }
  /// Turns a mask of lanes into one of ranks.
  [[nodiscard]] unsigned ranks_of(unsigned lanes) const {
    unsigned ranks = 0, rank = 0;
    for (unsigned i = 0; i < 32; ++i) {
      if ((mask_ >> i & 1U) != 0) ranks |= (lanes >> i & 1U) << rank++;
    }
    return ranks;
  }
  unsigned mask_;
};

/// The lanes that take this step together: in the model `independent`, the caller only, which CUDA allows.
[[gnu::always_inline]] inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

namespace detail {

/// A tile of 1, 2, 4 … 32 consecutive threads of a block.
template <unsigned tile_size>
class tile_of_lanes {
 public:
  [[gnu::always_inline]] void sync() const { __syncwarp(mask()); }
  [[nodiscard]] static constexpr unsigned num_threads() { return tile_size; }
  [[nodiscard]] static constexpr unsigned size() { return tile_size; }
  [[nodiscard]] static unsigned thread_rank() { return detail::lane() % tile_size; }
  [[nodiscard]] static unsigned meta_group_rank() { return detail::rank_in_block() / tile_size; }
  [[nodiscard]] static unsigned meta_group_size() {
    return (detail::threads_of_block() + tile_size - 1) / tile_size;
  }

  template <class T>
  [[gnu::always_inline]] T shfl(T value, int rank) const {
    return detail::shuffle(
        value, [&](auto word)
                   __attribute__((always_inline)) { return __shfl_sync(mask(), word, rank, tile_size); });
  }
  template <class T>
  [[gnu::always_inline]] T shfl_down(T value, unsigned delta) const {
    return detail::shuffle(
        value, [&](auto word)
                   __attribute__((always_inline)) { return __shfl_down_sync(mask(), word, delta, tile_size); });
  }
  template <class T>
  [[gnu::always_inline]] T shfl_up(T value, unsigned delta) const {
    return detail::shuffle(
        value, [&](auto word)
                   __attribute__((always_inline)) { return __shfl_up_sync(mask(), word, delta, tile_size); });
  }
  template <class T>
  [[gnu::always_inline]] T shfl_xor(T value, unsigned lanes) const {
    return detail::shuffle(
        value, [&](auto word) __attribute__((always_inline)) {
          return __shfl_xor_sync(mask(), word, static_cast<int>(lanes), tile_size);
        });
  }
  [[gnu::always_inline]] int any(int predicate) const { return __any_sync(mask(), predicate); }
  [[gnu::always_inline]] int all(int predicate) const { return __all_sync(mask(), predicate); }
  [[gnu::always_inline]] unsigned ballot(int predicate) const {
    return __ballot_sync(mask(), predicate) >> first_lane();
  }
  template <class T>
  [[gnu::always_inline]] unsigned match_any(T value) const {
    return __match_any_sync(mask(), value) >> first_lane();
  }
  template <class T>
  [[gnu::always_inline]] unsigned match_all(T value, int& all_same) const {
    return __match_all_sync(mask(), value, &all_same) >> first_lane();
  }

 private:
  [[nodiscard]] static unsigned first_lane() { return detail::lane() / tile_size * tile_size; }
  [[nodiscard]] static unsigned mask() { return (tile_size == 32 ? ~0U : (1U << tile_size) - 1U) << first_lane(); }
};

/// Every thread of the tile contributes eight bytes and gets those of all, by rank.
EXACTDOT_SIMT_CALL inline const std::uint64_t* tile_call(const char* operation, unsigned size,
                                                         std::uint64_t value) {
  return exactdot::simt::detail::tile_collective(operation, size, value, __builtin_return_address(0));
}

/// A tile of 64, 128 … 1024 consecutive threads of a block.
template <unsigned tile_size>
class tile_of_warps {
 public:
  [[gnu::always_inline]] void sync() const { tile_call("thread_block_tile::sync", tile_size, 0); }
  [[nodiscard]] static constexpr unsigned num_threads() { return tile_size; }
  [[nodiscard]] static constexpr unsigned size() { return tile_size; }
  [[nodiscard]] static unsigned thread_rank() { return rank_in_block() % tile_size; }
  [[nodiscard]] static unsigned meta_group_rank() { return rank_in_block() / tile_size; }
  [[nodiscard]] static unsigned meta_group_size() { return (threads_of_block() + tile_size - 1) / tile_size; }

  template <class T>
  [[gnu::always_inline]] T shfl(T value, int rank) const {
    return value_of(value, static_cast<unsigned>(rank) % tile_size);
  }
  /// The value of the thread with this rank of the tile: for reduce and the scans. CUDA has no other shuffles of
  /// it.
  template <class T>
  [[gnu::always_inline]] static T value_of(T value, unsigned rank) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8,
                  "in a tile of more than 32 threads, up to 8 bytes");
    std::uint64_t word = 0;
    __builtin_memcpy(&word, &value, sizeof value);
    word = word_of(tile_call("shuffle", tile_size, word), rank);
    __builtin_memcpy(&value, &word, sizeof value);
    return value;
  }
  [[gnu::always_inline]] int any(int predicate) const { return count(predicate) != 0; }
  [[gnu::always_inline]] int all(int predicate) const { return count(predicate == 0) == 0; }

 private:
  // The simulator's array is no device memory.
  EXACTDOT_SIMT_CALL static std::uint64_t word_of(const std::uint64_t* words, unsigned rank) { return words[rank]; }
  EXACTDOT_SIMT_CALL static unsigned sum_of(const std::uint64_t* words) {
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < tile_size && i < threads_of_block() - meta_group_rank() * tile_size; ++i)
      sum += words[i];
    return static_cast<unsigned>(sum);
  }
  [[gnu::always_inline]] static unsigned count(int predicate) {
    return sum_of(tile_call("vote", tile_size, predicate != 0 ? 1 : 0));
  }
};

}  // namespace detail

/// A tile of 2^k consecutive threads of a block.
template <unsigned tile_size, class Parent = thread_block>
class thread_block_tile
    : public std::conditional_t<(tile_size <= 32), detail::tile_of_lanes<(tile_size <= 32 ? tile_size : 32)>,
                                detail::tile_of_warps<tile_size>> {
  static_assert((tile_size & (tile_size - 1)) == 0 && tile_size != 0 && tile_size <= 1024,
                "the size of a tile is a power of two up to 1024");
};

/// What GPUs before compute capability 8.0 need for tiles of more than 32 threads; without effect here.
template <unsigned max_block_size = 1024>
struct block_tile_memory {
  char unused[16];
};
template <unsigned max_block_size>
inline thread_block this_thread_block(block_tile_memory<max_block_size>&) {
  return {};
}
namespace experimental {
using cooperative_groups::block_tile_memory;
using cooperative_groups::this_thread_block;
}  // namespace experimental

/// A group whose kind is known at run time only: a block, or lanes of a warp.
class thread_group {
 public:
  thread_group(const thread_block&) : mask_(0) {}
  template <unsigned tile_size, class Parent>
  thread_group(const thread_block_tile<tile_size, Parent>&) : thread_group(tile_size) {
    static_assert(tile_size <= 32, "simtcc: a thread_group of more than 32 threads is not modelled");
  }
  thread_group(const coalesced_group& lanes) : mask_(lanes.mask()) {}
  explicit thread_group(unsigned tile_size)
      : mask_((tile_size == 32 ? ~0U : (1U << tile_size) - 1U) << detail::lane() / tile_size * tile_size) {}
  [[gnu::always_inline]] void sync() const {
    if (mask_ == 0) {
      __syncthreads();
    } else {
      __syncwarp(mask_);
    }
  }
  [[nodiscard]] unsigned num_threads() const {
    return mask_ == 0 ? detail::threads_of_block() : coalesced_group(mask_).num_threads();
  }
  [[nodiscard]] unsigned size() const { return num_threads(); }
  [[nodiscard]] unsigned thread_rank() const {
    return mask_ == 0 ? detail::rank_in_block() : coalesced_group(mask_).thread_rank();
  }

 private:
  unsigned mask_;
};

template <unsigned tile_size, class Parent>
[[gnu::always_inline]] inline thread_block_tile<tile_size, Parent> tiled_partition(const Parent&) {
  return {};
}
inline thread_group tiled_partition(const thread_group&, unsigned tile_size) { return thread_group(tile_size); }

/// The threads of the group with the same truth of the predicate, or with the same label.
template <class Group>
[[gnu::always_inline]] inline coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned first = detail::lane() - group.thread_rank();  // tiles only
  const unsigned set = group.ballot(predicate),
                 all = group.num_threads() == 32 ? ~0U : (1U << group.num_threads()) - 1U;
  return coalesced_group((predicate ? set : all & ~set) << first);
}
template <class Group, class T>
[[gnu::always_inline]] inline coalesced_group labeled_partition(const Group& group, T label) {
  return coalesced_group(group.match_any(label) << (detail::lane() - group.thread_rank()));
}

/// One thread of the group calls the function.
template <class Group, class Function, class... Arguments>
[[gnu::always_inline]] inline void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
}
template <class Group, class Function, class... Arguments>
[[gnu::always_inline]] inline auto invoke_one_broadcast(const Group& group, Function&& function,
                                                        Arguments&&... arguments) {
  decltype(std::forward<Function>(function)(std::forward<Arguments>(arguments)...)) result{};
  if (group.thread_rank() == 0) result = std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
  return group.shfl(result, 0);
}

template <class Group>
[[gnu::always_inline]] inline void sync(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
