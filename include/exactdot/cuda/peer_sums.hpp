// SPDX-License-Identifier: Apache-2.0
// Sums of states over the GPUs of a node, rounded: one launch on each GPU does what an allreduce of the words and
// exactdot::cuda::round do in two, for GPUs that reach each other's memory (NVLink, PCIe).
//
// A GPU that would send at most 256 KiB in all sends its words to all others, each of which adds and rounds.
// Otherwise each result has one GPU that adds
// the words of all and rounds, and sends 16 bytes to each of the others. So words cross a link once (docs/scale.md
// has times). dot_into, then round_among: one stream, no host, and the bits of one call on all data.
#pragma once

#include <exactdot/requirements.hpp>

#include <exactdot/cuda/states.hpp>
#include <memory>
#include <span>
#include <vector>

namespace exactdot::inline v0_3::cuda {

/// What one rank, a GPU, uses in its calls: memory of every rank, through which they exchange words and results.
class peer_sums {
 public:
  static constexpr int max_ranks = 8;

  /// The device memory that each rank provides, for calls on up to `max_rows` states of up to `max_words` words.
  /// 16·max_words·max(max_rows, ranks·min(max_rows, 1024)) bytes, rounded up, and 8 a row. Throws
  /// errc::bad_option for 0 ranks, rows or words, more than max_ranks ranks, or a size beyond the address space.
  [[nodiscard]] static std::size_t bytes(int ranks, std::size_t max_rows, std::size_t max_words);

  /// memory[r]: bytes(…) bytes of rank r's device memory, aligned to 8 bytes and zero before any rank's first call,
  /// as addresses that this rank's GPU can access (cudaDeviceEnablePeerAccess; between processes
  /// cudaIpcOpenMemHandle). The caller keeps the memory until all ranks' calls have ended. Throws errc::bad_option
  /// as bytes, and for a rank out of range; errc::null_pointer.
  peer_sums(int rank, std::span<void* const> memory, std::size_t max_rows, std::size_t max_words);

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(memory_.size()); }
  [[nodiscard]] std::size_t max_rows() const noexcept { return max_rows_; }
  [[nodiscard]] std::size_t max_words() const noexcept { return max_words_; }
  [[nodiscard]] std::span<void* const> memory() const noexcept { return memory_; }

 private:
  friend std::vector<peer_sums> connect_peers(std::span<const int> devices, std::size_t max_rows,
                                              std::size_t max_words);
  int rank_;
  std::size_t max_rows_, max_words_;
  std::vector<void*> memory_;
  std::vector<std::shared_ptr<void>> owned_;  ///< by connect_peers
};

/// The ranks of one process: rank r on devices[r]. Allocates the memory, which the last of them frees, and enables
/// access between the devices. Waits for them. Throws errc::device_failure if one device cannot access another's
/// memory or there is too little; errc::bad_option as peer_sums::bytes.
[[nodiscard]] std::vector<peer_sums> connect_peers(std::span<const int> devices, std::size_t max_rows,
                                                   std::size_t max_words);

namespace detail {
/// max_words_to_all: words that are sent to all ranks rather than to the owners of rows, at most. The same on all
/// ranks.
void round_among(workspace& on, const peer_sums& among, const state_rows& states, reduction what, element_type type,
                 void* results, std::size_t max_words_to_all = std::size_t{1} << 15);
}  // namespace detail

/// results[i], on every rank = the sum of all ranks' states of row i, rounded once to `type`, a floating-point
/// type, when the streams reach it: bits and NaNs as an allreduce of the words and then round(). The words are not
/// changed. `what`: dot, sum, asum or sum_of_squares, of states of sums.
///
/// Every rank makes the same calls in the same order, with as many rows of one format, each on one stream; a call
/// waits on the device for those of the other ranks, forever if one does not come, so no host may wait for one rank
/// before all have been enqueued. Graphs are replayed by all ranks alike. In a process of several ranks nothing
/// else may wait for a device between their calls: no allocation, and no first launch of a kernel (connect_peers
/// loads this one). A row that is no sum of states is NaN on every rank, and workspace::check() throws on each.
/// Errors: as round; errc::bad_option also for more rows or words than `among` has room for, other reductions (use
/// an allreduce and round), and a state that begins with a count.
inline void round_among(workspace& on, const peer_sums& among, const state_rows& states, reduction what,
                        element_type type, void* results) {
  detail::round_among(on, among, states, what, type, results);
}
template <element R>
void round_among(workspace& on, const peer_sums& among, const state_rows& states, reduction what, R* results) {
  detail::round_among(on, among, states, what, type_of<R>, results);
}

}  // namespace exactdot::inline v0_3::cuda
