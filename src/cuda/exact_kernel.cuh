// Exact reduction: one launch, one rounding, normally one read of the inputs.
//
//   thread      sums its share in expansions                 thread_sum.cuh
//   warp        converts them to 10 digits and a bound       digits.cuh, warp_partials.cuh
//   block       adds its warps' digits, publishes a message  messages.cuh
//   last block  adds the messages and rounds                 round_lanes.cuh, finish.cuh
//
// If the bound leaves the rounding undecided, blocks with a nonzero bound sum their shares again without loss
// (second_pass.cuh, steps.hpp). A warp that met an infinity or NaN rereads its share to count them.
#pragma once

#include <cuda/finish.cuh>
#include <cuda/steps.hpp>

namespace exactdot::cuda_engine {
namespace {

template <class Carrier, int warps>
struct shared_storage {
  warp_partials<warps> partials;
  message_storage<warps> messages;
  superaccumulator<Carrier> sum;                         // of the second pass
  unsigned carried_digit[digit_layout<Carrier>::count];  // of a rounding
  launch_ticket ticket;
  unsigned expected_contributions;
  step next;
  step decided;  // of a block that awaited the decision
};

constexpr int decision_bits = 2;  // of its word; above, the count of launches
enum decision_word : unsigned { decided_finished = 1, decided_second_pass = 2 };

/// The second pass of the last block. By all threads, after a barrier. Not inlined; see round_in_integers.
template <class Term, class Element, input_layout layout, class Carrier, int warps>
[[gnu::noinline]] __device__ void finish_second_pass(const operands<Element, layout>& in,
                                                     shared_storage<Carrier, warps>& storage,
                                                     grid_superaccumulator& grid, exchange& exchange,
                                                     const destination& to, lane_digits sum) {
  storage.sum.clear_digits(threadIdx.x, blockDim.x);
  __syncthreads();
  if (storage.next == step::reread_share) add_share<Term>(in, storage.sum);
  if (storage.next == step::add_block_digits && threadIdx.x < 32) storage.sum.add(sum);
  if (gridDim.x > 1) collect_digits(storage.sum, grid, exchange, &storage.expected_contributions);
  __syncthreads();
  if (storage.next != step::discard_contributions && threadIdx.x < 32) {
    finish_digits(to, storage.sum, storage.carried_digit);
  }
}

/// The block and grid stages of one launch. Members are references: sums and tickets stay in registers.
template <class Element, class Term, input_layout layout, int warps>
struct exact_reduction {
  using carrier = Element;

  const operands<Element, layout>& in;
  shared_storage<carrier, warps>& storage;
  grid_superaccumulator& grid;
  cuda_engine::exchange& exchange;
  const destination& to;

  /// By one thread.
  __device__ void publish_decision(bool second_pass) {
    const unsigned word = second_pass ? decided_second_pass : decided_finished;
    __nv_atomic_store_n(&exchange.decision, storage.ticket.count << decision_bits | word, __NV_ATOMIC_RELAXED,
                        __NV_THREAD_SCOPE_DEVICE);
  }

  /// Polls the decision. By one thread.
  __device__ bool await_second_pass() const {
    const wide_unsigned count = storage.ticket.count;
    wide_unsigned word = load_word(&exchange.decision);
    while (word >> decision_bits != count) word = load_word(&exchange.decision);
    return (word & ((1U << decision_bits) - 1)) == decided_second_pass;
  }

  /// Adds this block's counts of special terms to the grid's, before the message that announces them. By one warp.
  __device__ void contribute_special() {
    if (threadIdx.x < 3 && storage.sum.special[threadIdx.x] != 0) {
      atomicAdd(&grid.special[threadIdx.x], storage.sum.special[threadIdx.x]);
    }
    __syncwarp();
    if (threadIdx.x == message_header) __threadfence();  // for the warp, by the lane that stores the header
  }

  /// Adds the other blocks' counts of special terms to this block's, and clears the grid's. By one warp.
  __device__ void collect_special() {
    const int lane = static_cast<int>(threadIdx.x % 32);
    __syncwarp();
    if (lane < 3) storage.sum.special[lane] += __ldcg(&grid.special[lane]), grid.special[lane] = 0;
    __syncwarp();
  }

  /// The other blocks: publish the block's sum and, if it is incomplete, take part in a second pass that is needed.
  __device__ __forceinline__ void publish_partial(const lane_digits& sum, bool special, long long deadline) {
    if (threadIdx.x < 32) {
      if (special) contribute_special();
      const unsigned log2_error = publish_message(sum, special, exchange, storage.ticket.flag, deadline);
      if (threadIdx.x == 0) storage.next = after_publish(log2_error == 0, log2_error != unbounded);
    }
    __syncthreads();
    if (storage.next == step::finished) return;
    if (threadIdx.x == 0) {
      storage.decided = storage.next == step::await_decision ? after_decision(await_second_pass()) : storage.next;
    }
    storage.sum.clear_digits(threadIdx.x, blockDim.x);
    __syncthreads();
    if (storage.decided == step::finished) return;
    add_share<Term>(in, storage.sum);
    __syncthreads();
    contribute_digits(storage.sum, grid, exchange);
  }

  /// The last block, or the only one: add the messages, deliver the result, make the second pass if it is needed.
  __device__ __forceinline__ void combine_and_round(const lane_digits& sum, bool special) {
    const bool alone = gridDim.x == 1;
    combined_sum total{sum, false};
    if (!alone) total = combine_messages(sum, storage.messages, exchange, storage.ticket.flag);
    if (threadIdx.x < 32) {
      if (!alone && threadIdx.x == 0) reset_tickets(exchange, storage.ticket);
      const bool any_special = special || total.special;
      bool certain = true;
      if (any_special) {
        if (total.special) collect_special();
        finish_special(to, storage.sum);
      } else {
        certain = finish_lanes(to, total.sum, storage.sum, storage.carried_digit);
      }
      if (threadIdx.x == 0) {
        storage.next = after_finish(certain, any_special, total.sum.log2_error == unbounded, sum.log2_error == 0);
        if (!alone && total.sum.log2_error != 0) publish_decision(needs_second_pass(storage.next));
      }
    }
    __syncthreads();
    if (storage.next != step::finished) finish_second_pass<Term>(in, storage, grid, exchange, to, sum);
    if (!alone) clear_words(exchange, storage.ticket);
  }
};

template <class Element, class Term, input_layout layout, int threads, int packs_in_flight>
__global__ void __launch_bounds__(threads, 1)
    exact_kernel(const __grid_constant__ operands<Element, layout> in, device_state* state,
                 const __grid_constant__ destination to) {
  using carrier = Element;
  constexpr int warps = threads / 32;
  __shared__ shared_storage<carrier, warps> storage;
  const bool alone = gridDim.x == 1;
  const long long start = clock64();
  storage.sum.clear_special();
  if (threadIdx.x == 0) storage.messages.clear();
  thread_sum<carrier, Term> sum;
  for_each_pack<Term, packs_in_flight>(in, [&](const auto& x, const auto& y) { sum.add(x, y); });
  wide_unsigned ticket = 0;
  if (!alone && threadIdx.x == 0) ticket = draw_ticket(state->exchange.tickets);
  __syncwarp();
  const bool special = !sum.store(storage.partials);
  if (!alone && threadIdx.x == 0) storage.ticket = read_ticket(ticket);
  const bool block_special = __syncthreads_or(special) != 0;
  if (block_special) {
    if (special) count_special<Term>(in, storage.sum);
    __syncthreads();
  }
  lane_digits block{0, 0, 0};
  if (threadIdx.x < 32) block = add_partials(storage.partials);
  exact_reduction<Element, Term, layout, warps> reduction{in, storage, state->sum, state->exchange, to};
  if (alone || storage.ticket.is_last) {
    reduction.combine_and_round(block, block_special);
  } else {
    constexpr long long clocks = 20000;  // and as many as the loop took
    const long long now = clock64();
    reduction.publish_partial(block, block_special, now + (now - start) + clocks);
  }
}

}  // namespace
}  // namespace exactdot::cuda_engine
