// Exchange between blocks: tickets, flagged words, claims of shares.
//
// A word is one store of 8 or 16 bytes: data, and the launch number as flag (the LL protocol of NCCL). A load that
// returns the flag returns the data: one round trip to L2, no fence. The usual pattern (fence, counter, reload)
// takes three in sequence. The last block is the one that draws the last ticket, so all others have started by
// then. reset_tickets relies on the boundary between two kernels of a stream.
#pragma once

#include <cuda/core/destination.hpp>
#include <exactdot/simt/cuda.hpp>
#include <type_traits>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// What a block learns from its ticket.
struct launch_ticket {
  wide_unsigned count;  ///< of launches, this one included
  unsigned flag;        ///< its lower half, but never 0, which is the initial value of memory
  bool is_last;         ///< this block drew the last ticket
};

/// By one thread. Draw early: the answer takes a round trip to L2. But do not draw together with loads whose
/// latency counts: atomics delay them.
__device__ __forceinline__ wide_unsigned draw_ticket(wide_unsigned& tickets) { return atomicAdd(&tickets, 1ULL); }

/// What the ticket says. Call it late.
__device__ __forceinline__ launch_ticket read_ticket(wide_unsigned ticket) {
#ifdef __CUDA_ARCH__
  asm volatile("" : "+l"(ticket));  // else the compiler would read it, and so wait for it, where it is drawn
#endif
  const auto drawn = static_cast<unsigned>(ticket & ((1U << blocks_bits) - 1)) + 1;
  const wide_unsigned count = (ticket >> blocks_bits) + 1;
  return {count, static_cast<unsigned>(count), drawn == gridDim.x};
}

__device__ __forceinline__ void store_word(wide_unsigned* to, unsigned flag, unsigned word) {
  __nv_atomic_store_n(to, wide_unsigned{flag} << 32 | word, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

__device__ __forceinline__ wide_unsigned load_word(const wide_unsigned* from) {
  return __nv_atomic_load_n(const_cast<wide_unsigned*>(from), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

/// Messages of 16 bytes.
template <class Message>
__device__ __forceinline__ void store_message(Message* to, std::type_identity_t<Message> value) {
  __nv_atomic_store(to, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

template <class Message>
__device__ __forceinline__ Message load_message(const Message* from) {
  Message value;
  __nv_atomic_load(const_cast<Message*>(from), &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  return value;
}

__device__ __forceinline__ bool has_flag(wide_unsigned word, unsigned flag) {
  return static_cast<unsigned>(word >> 32) == flag;
}

/// Whether all blocks of launch `count` have drawn their tickets.
__device__ __forceinline__ bool all_have_started(const exchange& exchange, wide_unsigned count) {
  const wide_unsigned tickets = load_word(&exchange.tickets);
  const bool is_reset = (tickets >> blocks_bits) + 1 != count;
  return is_reset || (tickets & ((1U << blocks_bits) - 1)) == gridDim.x;
}

/// Claims a block's share for a round; true if no block had. By one thread. Rounds grow, so a block that is still
/// busy with a round cannot claim what others have claimed for the next.
__device__ __forceinline__ bool claim_share(exchange& exchange, unsigned block, wide_unsigned round) {
  return atomicMax(&exchange.claim[block], round) < round;
}

/// Makes the tickets those of the next launch. By one thread of the last block, when all tickets are drawn.
__device__ __forceinline__ void reset_tickets(wide_unsigned& tickets, const launch_ticket& ticket) {
  const wide_unsigned count = ticket.count + (ticket.flag == ~0U);
  __nv_atomic_store_n(&tickets, count << blocks_bits, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}
__device__ __forceinline__ void reset_tickets(exchange& exchange, const launch_ticket& ticket) {
  reset_tickets(exchange.tickets, ticket);
}

template <int parts>
__device__ inline void clear(message_board<parts>& board) {
  constexpr message none{0, 0, 0};
  for (auto& column : board.part) {
    for (unsigned i = threadIdx.x; i < max_blocks; i += blockDim.x) store_message(&column.of_block[i], none);
  }
}

/// Clears all words before the flags repeat. By all threads of the last block, when its result does not depend on
/// any word any more. A block that still waits for a message then leaves at its deadline.
__device__ __forceinline__ void clear_words(exchange& exchange, const launch_ticket& ticket) {
  if (ticket.flag != ~0U) return;
  for (unsigned i = threadIdx.x; i < exchange::words; i += blockDim.x) exchange.word[i] = 0;
  clear(exchange.sums);
  clear(exchange.refined_sums);
}

/// Stores a result, given as its bits, anywhere. By one thread. Not inlined: at the end of a short launch every
/// line of instructions that has to be fetched counts.
[[gnu::noinline]] __device__ void store_anywhere(const destination& to, std::uint64_t bits) {
  const int bytes = to.rule.bytes();
  if (to.value != nullptr) {
    switch (bytes) {
      case 1:
        *static_cast<std::uint8_t*>(to.value) = static_cast<std::uint8_t>(bits);
        return;
      case 2:
        *static_cast<std::uint16_t*>(to.value) = static_cast<std::uint16_t>(bits);
        return;
      case 4:
        *static_cast<unsigned*>(to.value) = static_cast<unsigned>(bits);
        return;
      default:
        *static_cast<std::uint64_t*>(to.value) = bits;
        return;
    }
  }
  const wide_unsigned flag = wide_unsigned{to.call} << 32;
  to.host[0] = flag | static_cast<unsigned>(bits);
  if (bytes == 8) to.host[1] = flag | static_cast<unsigned>(bits >> 32);
}

/// The same, fastest for a T in device memory.
template <class T>
__device__ __forceinline__ void store_result(const destination& to, std::uint64_t bits) {
  if (to.value != nullptr && to.rule.gives<T>()) {
    *static_cast<typename core::format<T>::bits*>(to.value) = static_cast<typename core::format<T>::bits>(bits);
  } else {
    store_anywhere(to, bits);
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
