// Exact reduction: one launch, one rounding, normally one read of the inputs.
//
//   thread, warp, block   bounded sums                                               sum/bounded_sum.cuh
//   grid                  one message per block; every block reads all and decides   sum/grid_sum.cuh
//   or cluster            the same by distributed shared memory                      sum/grid_sum.cuh
//   last block            stores the result, if the bounds decide it
//   the same              again with more bits, and scaled factors, if they do not   sum/refined_sum.cuh
//
// If that leaves the rounding open, blocks claim shares of the elements and sum them again: in expansions and,
// if these drop too much, in integers (sum/superaccumulator.cuh); the last block finishes (sum/second_level.cuh).
// Words of an exact state skip the first level.
#pragma once

#include <cuda/core/claimed_load.cuh>
#include <cuda/core/converted_load.cuh>
#include <cuda/core/kernel.cuh>
#include <cuda/core/load.cuh>
#include <cuda/sum/grid_sum.cuh>
#include <cuda/sum/refined_sum.cuh>
#include <cuda/sum/second_level.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// `sums`: of warps, of the block or of the cluster.
template <class Carrier, int sums, bool compensated>
struct shared_storage : block_notes {
  bounded_sum<compensated> of_warp[sums];
  refined_sum refined_of_warp[sums];
  superaccumulator<Carrier> sum;
  unsigned carried_digit[digit_layout<Carrier>::count];  // of a rounding
  std::int64_t words[core::layout_of<Carrier>().words()];
  unsigned distance, share;  // of the next share to claim
  bool claimed;
  unsigned claimed_parts[2];  // of the first level
};

/// Claims a share that nobody has claimed, the next after this block's: false if there is none left. By all
/// threads; barriers in between.
template <class Storage>
__device__ bool claim_next_share(Storage& storage, exchange& exchange, wide_unsigned round) {
  const unsigned blocks = gridDim.x;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) storage.distance = blocks;
    __syncthreads();
    for (unsigned distance = threadIdx.x; distance < blocks; distance += blockDim.x) {
      const unsigned share = (blockIdx.x + distance) % blocks;
      if (load_word(&exchange.claim[share]) < round) atomicMin(&storage.distance, distance);
    }
    __syncthreads();
    const unsigned distance = storage.distance;
    if (distance == blocks) return false;
    if (threadIdx.x == 0) {
      storage.share = (blockIdx.x + distance) % blocks;
      storage.claimed = claim_share(exchange, storage.share, round);
    }
    __syncthreads();
    if (storage.claimed) return true;
  }
}

/// Sums the shares that this block claims: its own and, of blocks that left, as many as it can. Returns their
/// number. By all threads, after a barrier.
template <class Element, input_layout layout, class Storage>
__device__ unsigned add_claimed_shares(const core::term_info& term, const operands<Element, layout>& in,
                                       Storage& storage, exchange& exchange, bool in_integers) {
  storage.sum.clear_digits(threadIdx.x, blockDim.x);
  storage.sum.clear_special(threadIdx.x);
  __syncthreads();
  if (gridDim.x == 1) {
    add_share(in, share_of_thread(grid_share{0}), in_integers, term, storage.sum);
    return 1;
  }
  const wide_unsigned round = 2 * storage.ticket.count + (in_integers ? 1 : 0);
  unsigned shares = 0;
  for (; claim_next_share(storage, exchange, round); ++shares) {
    add_share(in, share_of_thread(grid_share{storage.share}), in_integers, term, storage.sum);
  }
  return shares;
}

enum decision_word : unsigned { decided_finished = 1, decided_integers = 2 };
constexpr int decision_bits = 2;  // of the word; above, the count of launches

/// Polls the last block's decision: whether a round of integers is needed. Leaves with false if some blocks have
/// not started after `patience` clocks, since they may wait for the place of this one, or if the clock shows
/// `deadline`. By one thread.
__device__ inline bool await_integers(const exchange& exchange, wide_unsigned count, long long patience,
                                      long long deadline) {
  const long long start = clock64();
  while (!all_have_started(exchange, count)) {
    if (clock64() - start > patience) return false;
  }
  wide_unsigned word = load_word(&exchange.decision);
  while (word >> decision_bits != count) {
    if (clock64() > deadline) return false;
    word = load_word(&exchange.decision);
  }
  __threadfence();
  return (word & ((1U << decision_bits) - 1)) == decided_integers;
}

/// The second level. By all threads. Not inlined, so that it costs the first level no registers.
template <class Element, input_layout layout, class Storage>
[[gnu::noinline]] __device__ void sum_again(const core::term_info& term, const operands<Element, layout>& in,
                                            Storage& storage, device_state& state, const destination& to) {
  __syncthreads();
  const bool alone = gridDim.x == 1, last = alone || storage.ticket.is_last;
  if (last && threadIdx.x == 0 && to.words == nullptr) ++state.exchange.undecided_refined;
  for (const bool in_integers : {false, true}) {
    const long long start = clock64();
    const unsigned shares = add_claimed_shares(term, in, storage, state.exchange, in_integers);
    __syncthreads();
    if (!last) {
      // without level 1, some blocks may still have to start: what need not wait leaves
      const bool leaves = to.words != nullptr && storage.sum.log2_error == 0;
      if (shares != 0) contribute(storage.sum, shares, state.sum, state.exchange);
      if (shares == 0 || leaves || in_integers) return;
      if (threadIdx.x == 0) {
        constexpr long long clocks = 100000;  // and twice as many as the shares took
        const long long now = clock64(), deadline = now + 2 * (now - start) + clocks;
        storage.claimed = await_integers(state.exchange, storage.ticket.count, clocks, deadline);
      }
      __syncthreads();
      if (!storage.claimed) return;
      continue;
    }
    if (!alone) collect(storage.sum, gridDim.x - shares, state.sum, state.exchange);
    __syncthreads();
    if (threadIdx.x < 32) {
      const bool finished = finish_sum(to, storage.sum, storage.carried_digit, storage.words);
      if (threadIdx.x == 0) {
        const unsigned word = finished ? decided_finished : decided_integers;
        if (!alone) {
          __threadfence();  // the grid's digits are clear before other blocks add to them again
          __nv_atomic_store_n(&state.exchange.decision, storage.ticket.count << decision_bits | word,
                              __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
        }
        storage.claimed = !finished;
      }
    }
    __syncthreads();
    if (!storage.claimed) return;
  }
}

/// What refined sums and the second level read: elements that the first level converts in packs, one by one.
template <class T, input_layout layout>
__device__ __forceinline__ const auto& inputs_of_second_read(const operands<T, layout>& in) {
  if constexpr (layout == input_layout::converted) {
    return static_cast<const operands<T, input_layout::any>&>(in);
  } else {
    return in;
  }
}

/// Adds the block's share of the terms. By all threads.
template <class Term, int in_flight, bool claims, class Element, input_layout layout, class Sums, class Storage>
__device__ __forceinline__ void add_own_share(const operands<Element, layout>& in, Sums& sums, exchange& exchange,
                                              Storage& storage) {
  const auto add = [&](const auto& x, const auto& y) { sums.add(x, y); };
  if constexpr (layout == input_layout::converted) {
    add_converted<Term, in_flight>(in, sums);
  } else if constexpr (claims) {
    for_each_claimed<Term, in_flight>(in, exchange.claimed_parts, storage.claimed_parts, add);
  } else {
    for_each_pack<Term, in_flight>(in, grid_share{}, add);
  }
}

/// The sum of the grid, in thread 0, and the block's ticket; without `approximates`, the ticket only. `start`: of
/// the loop. By all threads.
template <bool compensated, unsigned warps, class Sums, class Storage>
__device__ __forceinline__ bounded_sum<compensated> sum_of_grid(Sums& sums, Storage& storage, exchange& exchange,
                                                                bool approximates, long long start) {
  const bool alone = gridDim.x == 1;
  wide_unsigned ticket = 0;
  if (!alone && threadIdx.x == 0) ticket = draw_ticket(exchange.tickets);
  if (threadIdx.x == 0) storage.late = 0;
  bounded_sum<compensated> total = sum_of_block(sums.total(), storage.of_warp, warps);
  if (alone) return total;
  if (threadIdx.x == 0) storage.ticket = read_ticket(ticket);
  if (approximates && threadIdx.x == 0) publish(total, exchange.sums, storage.ticket.flag);
  __syncthreads();
  if (approximates && threadIdx.x < 32) {
    constexpr long long clocks = 20000;  // and as many as the loop took
    const long long now = clock64();
    const long long deadline = storage.ticket.is_last ? ~(1LL << 63) : now + (now - start) + clocks;
    total = sum_of_messages<bounded_sum<compensated>>(exchange.sums, storage.ticket.flag, deadline, &storage.late);
  }
  return total;
}

/// `clustered`, `claims`: the fields of a kernel_variant, since nvcc takes no structure.
template <class Element, class Term, input_layout layout, int threads, int packs_in_flight, summation summed,
          bool clustered = false, bool claims = false>
__global__ void __launch_bounds__(threads, claims ? 1024 / threads : 1)
    exact_kernel(const __grid_constant__ operands<Element, layout> in, const __grid_constant__ error_bound bound,
                 device_state* state, const __grid_constant__ destination to) {
  constexpr bool compensated = has_correction<summed>;
  static_assert(compensated || core::streams_of<Term, Element> == 1,
                "plain sums have no room for a product's error");
  constexpr bool in_cluster = clustered && compiles_variants;
  constexpr int sums_in_reach = threads / 32 * (in_cluster ? int{max_cluster_blocks} : 1);
  __shared__ shared_storage<Element, sums_in_reach, compensated> storage;
  const bool alone = gridDim.x == 1, approximates = to.words == nullptr;
  exchange& exchange = state->exchange;
  if constexpr (in_cluster) arrive_in_cluster();
  begin_kernel(in.n);
  if (to.is_decided()) return;
  const long long start = clock64();
  bounded_thread_sum<Element, Term, summed> sums;
  if (approximates) add_own_share<Term, packs_in_flight, claims>(in, sums, exchange, storage);
  if (approximates) end_of_input(in.n);  // else the second level reads the inputs: the kernel's end counts
  bounded_sum<compensated> total;
  if constexpr (in_cluster) {
    total = sum_of_cluster(sums.total(), storage.of_warp, threads / 32);
  } else {
    total = sum_of_grid<compensated, threads / 32>(sums, storage, exchange, approximates, start);
  }
  if (threadIdx.x == 0) {
    const bool last = in_cluster ? blockIdx.x == 0 : alone || storage.ticket.is_last;
    core::decision found{0, false};
    if (approximates) found = decide<Element>(total, bound, to);
    if (found.certain && last) store_result<Element>(to, found.word);
    if (!in_cluster && !alone && last) {
      reset_tickets(exchange, storage.ticket);
      if constexpr (claims) clear_claims(exchange.claimed_parts);
    }
    storage.decided = found.certain || (!in_cluster && storage.late != 0);
  }
  __syncthreads();
  if (approximates && !storage.decided) {
    decide_by_refined_sum<in_cluster>(core::describe_term<Term>(), inputs_of_second_read(in),
                                      choose_scaling<Element>(total, bound), bound, storage,
                                      storage.refined_of_warp, exchange, to);
  }
  if (in_cluster && storage.decided) return;
  if constexpr (in_cluster) take_ticket_in_cluster(exchange, storage.ticket);
  if (!storage.decided) sum_again(core::describe_term<Term>(), inputs_of_second_read(in), storage, *state, to);
  if (!alone && storage.ticket.is_last) clear_words(exchange, storage.ticket);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
