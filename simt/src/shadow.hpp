// Shadow memory: which accesses of this launch are remembered, per four bytes.
//
// The last write and two reads are in the cell of the four bytes. A plain or block-scope write, or a read, that is
// replaced by an access that does not stand for it (machine::stands_for) goes to earlier_accesses, which most words
// never need. The memory is bounded: many readers replace each other, and of atomics only the last is kept.
// Cost: 80 bytes a cell, 72 more for those with earlier accesses.
#pragma once

#include <array>
#include <cstdint>

namespace exactdot::simt {

/// One recorded access.
struct access_record {
  std::uint32_t thread = 0;      // number + 1; 0: no access
  std::uint32_t generation = 0;  // of the block's barriers; asynchronous: the copy's agent (copies.hpp)
  std::uint32_t time = 0;        // of the thread; in lock step, of the warp
  std::uint8_t bytes : 4 = 0;    // mask of the four bytes
  bool atomic : 1 = false;       // or volatile: such accesses do not tear each other
  bool block_scope : 1 = false;
  bool asynchronous : 1 = false;  // by an asynchronous copy that the thread issued
  bool is_volatile : 1 = false;
  bool after_others = false;     // a read: another thread has read the bytes since their last write
  const void* caller = nullptr;  // return address in the kernel
};

/// Accesses that later ones have replaced in the cell, but that may race with others than these do.
struct earlier_accesses {
  access_record exclusive_write;          // races with atomics of any block: plain, or of block scope
  access_record other_warp, other_block;  // reads of others than the last reader's
};

/// Shadow memory of four bytes: the last write and up to two reads of one launch.
struct shadow_cell {
  std::uint32_t launch = 0;
  std::uint32_t earlier = 0;  // number of its earlier_accesses in the region; 0: none
  access_record write, read[2];
};

}  // namespace exactdot::simt
