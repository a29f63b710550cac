// Shadow memory: which accesses of this launch are remembered, per four bytes.
//
// The last write and two reads are in the cell of the four bytes. A plain or block-scope write, or a read, that is
// replaced by an access that does not stand for it (machine::stands_for) goes to earlier_accesses, which most words
// never need. The memory is bounded: many readers replace each other, and of atomics only the last is kept.
// Cost: 64 bytes a cell, one cache line; 48 more for those with earlier accesses.
#pragma once

#include <cstdint>

#include "call_sites.hpp"

namespace exactdot::simt {

/// One recorded access.
struct access_record {
  std::uint32_t thread = 0;      // number + 1; 0: no access
  std::uint32_t generation = 0;  // of the block's barriers; asynchronous: the copy's agent (copies.hpp)
  std::uint32_t time = 0;        // of the thread; in lock step, of the warp
  std::uint32_t bytes : 4 = 0;   // mask of the four bytes
  std::uint32_t atomic : 1 = 0;  // or volatile: such accesses do not tear each other
  std::uint32_t block_scope : 1 = 0;
  std::uint32_t asynchronous : 1 = 0;  // by an asynchronous copy that the thread issued
  std::uint32_t is_volatile : 1 = 0;
  std::uint32_t after_others : 1 = 0;  // a read: another thread has read the bytes since their last write; a write: any
  std::uint32_t blind : 1 = 0;         // a write: its thread has not read the bytes before
  std::uint32_t site : call_site_bits = 0;  // call_sites.hpp

  /// The return address in the kernel.
  [[nodiscard]] const void* caller() const { return address_of_site(site); }
};
static_assert(sizeof(access_record) == 16);

struct access_of_launch {
  std::uint32_t launch;
  access_record access;
};

/// Accesses that later ones have replaced in the cell, but that may race with others than these do.
struct earlier_accesses {
  access_record exclusive_write;          // races with atomics of any block: plain, or of block scope
  access_record other_warp, other_block;  // reads of others than the last reader's
};

/// Shadow memory of four bytes: the last write and up to two reads of one launch.
struct alignas(64) shadow_cell {
  std::uint32_t launch = 0;
  std::uint32_t earlier = 0;  // number of its earlier_accesses in the region; 0: none
  access_record write, read[2];

  void clear(std::uint32_t new_launch) { launch = new_launch, earlier = 0, write = read[0] = read[1] = {}; }
};

}  // namespace exactdot::simt
