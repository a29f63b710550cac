// Collective functions of cooperative groups' tiles of more than 32 threads: one kind for all, an exchange of eight
// bytes a thread.
//
// A call completes when all non-exited threads of the tile have arrived, and orders what they did before. If no
// thread can run, it completes with those that have; that is a fault.
#include <algorithm>

#include "machine.hpp"
#include "step.hpp"
#include "unread_marks.hpp"

namespace exactdot::simt {

const std::vector<std::uint64_t>& machine::tile_collective(const char* operation, std::uint32_t size,
                                                           std::uint64_t value, const void* caller) {
  step(caller);
  thread& self = *current_;
  block& parent = *self.parent;
  const std::uint32_t first = self.index_in_block / size * size;
  tile_barrier& tile = parent.tiles[{size, first}];
  tile.first = first, tile.size = size;
  tile.values.resize(size);
  tile.values[self.index_in_block - first] = value;
  tile.waiting.push_back(&self);
  self.operation = operation;
  note_seen();
  self.status = thread_status::at_tile;
  remove_ready(self);
  self.recent.clear();
  note_progress();
  release_tile_if_complete(parent, tile);
  if (self.status == thread_status::at_tile) yield();
  return tile.results;
}

/// A tile's collective completes when all its non-exited threads have arrived.
void machine::release_tile_if_complete(block& parent, tile_barrier& tile) {
  std::uint32_t expected = 0;
  for (std::uint32_t i = tile.first; i < std::min(tile.first + tile.size, threads_per_block_); ++i)
    expected += parent.threads[i].status != thread_status::exited ? 1 : 0;
  if (!tile.waiting.empty() && tile.waiting.size() == expected) release_tile(tile);
}

void machine::release_tile(tile_barrier& tile) {
  clock_sum sum;
  clock_pointer released, released_in_block, observed;
  for (thread* const member : tile.waiting) {
    add_release(sum, *member);
    released = join(released, member->released);
    released_in_block = join(released_in_block, member->released_in_block);
    observed = join(observed, member->observed);
  }
  const clock_pointer clock = sum.take();
  tile.results = tile.values;
  for (thread* const member : tile.waiting) {
    member->clock = clock, member->released = released, member->released_in_block = released_in_block;
    member->observed = observed;
    make_ready(*member);
  }
  tile.waiting.clear();
}

/// Reports and completes the incomplete collectives of a block's tiles. Returns whether there were any.
bool machine::settle_tiles(block& parent) {
  bool settled = false;
  for (auto& [key, tile] : parent.tiles) {
    if (tile.waiting.empty()) continue;
    const thread* missing = nullptr;
    for (std::uint32_t i = tile.first; i < std::min(tile.first + tile.size, threads_per_block_); ++i) {
      const thread& member = parent.threads[i];
      if (member.status != thread_status::exited && member.status != thread_status::at_tile) missing = &member;
    }
    report_waiting(fault_kind::barrier_divergence, *tile.waiting.front(), tile.waiting.front()->operation, missing,
                   missing == nullptr ? "" : missing->operation);
    release_tile(tile);
    settled = true;
  }
  return settled;
}

}  // namespace exactdot::simt
