// How the blocks of a launch hand their results to one of them: words that carry their own proof of arrival.
//
// The usual "last block finishes" costs three round trips to L2 one after the other: a fence, a counter, the reload
// of what the others left. Here every 32 bits of a result travel with the number of the launch in one 8-byte store;
// a reader that sees the number has the bits, in one round trip and without a fence (the LL protocol of NCCL). The
// reader is the block that takes the last ticket: the others run already, so it waits for none that may not have a
// place.
#pragma once

#include <core/traits.hpp>
#include <cuda/result.hpp>
#include <exactdot/simt/cuda.hpp>

namespace exactdot::cuda_engine {
namespace {

/// What a block learns from its ticket.
struct turn {
  wide_unsigned count;  ///< of launches, this one included
  unsigned launch;      ///< its number: the count's lower half, but never 0, which is what memory holds at first
  bool reads;           ///< this block is the last to ask
};

constexpr int blocks_bits = 16;  // of a ticket: how many blocks came before; above, the launches before this one

/// By one thread. Ask early: the answer takes a round trip to L2. But not together with loads that are waited for:
/// those take less.
__device__ __forceinline__ wide_unsigned take_ticket(wide_unsigned& tickets) { return atomicAdd(&tickets, 1ULL); }

/// What the ticket says. To be called late.
__device__ __forceinline__ turn turn_of(wide_unsigned ticket) {
#ifdef __CUDA_ARCH__
  asm volatile("" : "+l"(ticket));  // the compiler would look at it as soon as it is asked for, and so wait for it
#endif
  const auto came = static_cast<unsigned>(ticket & ((1U << blocks_bits) - 1)) + 1;
  const wide_unsigned count = (ticket >> blocks_bits) + 1;
  return {count, static_cast<unsigned>(count), came == gridDim.x};
}

__device__ __forceinline__ void post(wide_unsigned* to, unsigned launch, unsigned word) {
  __nv_atomic_store_n(to, wide_unsigned{launch} << 32 | word, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

__device__ __forceinline__ wide_unsigned peek(const wide_unsigned* from) {
  return __nv_atomic_load_n(const_cast<wide_unsigned*>(from), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

__device__ __forceinline__ bool arrived(wide_unsigned seen, unsigned launch) {
  return static_cast<unsigned>(seen >> 32) == launch;
}

/// Waits for all blocks to have taken a ticket, but no longer than until then, for some may have no place to start
/// in. Whether they have: then the reader can be waited for. By a block that did not mail yet.
__device__ inline bool all_are_there(const mailbox& box, long long until) {
  const auto blocks = (wide_unsigned{1} << blocks_bits) - 1;
  for (;;) {
    if ((peek(&box.tickets) & blocks) == gridDim.x) return true;
    if (clock64() > until) return false;
  }
}

/// Lets the next launch begin to count. By one thread of the reader, when all blocks have their tickets.
__device__ __forceinline__ void end_turn(mailbox& box, const turn& now) {
  const wide_unsigned count = now.count + (now.launch == ~0U);
  __nv_atomic_store_n(&box.tickets, count << blocks_bits, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

/// Clears old mail away, when the launches' numbers are about to come again. By all threads of the reader, when
/// nothing is to be read any more.
__device__ __forceinline__ void forget_old_mail(mailbox& box, const turn& now) {
  if (now.launch != ~0U) return;
  for (unsigned i = threadIdx.x; i < mailbox::words; i += blockDim.x) box.word[i] = 0;
}

/// By one thread.
template <class R>
__device__ __forceinline__ void put(const rounded_result<R>& result, R value) {
  if (result.to != nullptr) {
    *result.to = value;
    return;
  }
  const std::uint64_t bits = core::bit_cast<typename core::traits<R>::bits>(value);
  for (unsigned k = 0; k < sizeof(R) / 4; ++k) {
    result.host[k] = wide_unsigned{result.call} << 32 | static_cast<unsigned>(bits >> 32 * k);
  }
}

}  // namespace
}  // namespace exactdot::cuda_engine
