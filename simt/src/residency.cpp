// Resident blocks: their start with a fiber per thread, and their end.
//
// The blocks of a cluster start together, and their memory remains until the last of them has ended.
#include <algorithm>
#include <utility>

#include "running.hpp"

namespace exactdot::simt {
namespace {

/// Never destroyed: destructors of static objects may launch kernels.
stack_pool& stacks() {
  static stack_pool& pool = *new stack_pool;
  return pool;
}

}  // namespace

void start_fiber() {
  thread& self = *running->current_;
  bool failed = false;
  try {
    in_kernel = true;
    running->call_.body(running->call_.arguments);
    in_kernel = false;
    running->finish_last_access();
    running->thread_exited(self);
  } catch (...) {
    running->keep_failure(std::current_exception());
    failed = true;
  }
  in_kernel = false;
  if (failed) running->end_launch();
  running->yield();  // never resumed
}

machine::~machine() {
  for (auto& resident : resident_) release_stacks(*resident), release_block(*resident);
  for (auto& members : clusters_) {
    for (auto& finished : members->ended) release_block(*finished);
  }
}

/// Starts the blocks of the next cluster, in the order of their ranks.
void machine::start_cluster() {
  const dim3 clusters(grid_.x / cluster_size_.x, grid_.y / cluster_size_.y, grid_.z / cluster_size_.z);
  const std::uint64_t index = next_cluster_++;
  const auto first_x = static_cast<std::uint32_t>(index % clusters.x) * cluster_size_.x;
  const auto first_y = static_cast<std::uint32_t>(index / clusters.x % clusters.y) * cluster_size_.y;
  const auto first_z = static_cast<std::uint32_t>(index / clusters.x / clusters.y) * cluster_size_.z;
  clusters_.push_back(std::make_unique<cluster>());
  cluster& fresh = *clusters_.back();
  for (std::uint32_t rank = 0; rank < blocks_per_cluster_; ++rank) {
    const std::uint32_t x = first_x + rank % cluster_size_.x;
    const std::uint32_t y = first_y + rank / cluster_size_.x % cluster_size_.y;
    const std::uint32_t z = first_z + rank / cluster_size_.x / cluster_size_.y;
    start_block(x + grid_.x * (y + grid_.y * z), fresh);
  }
  fresh.missing = threads_per_block_ * blocks_per_cluster_;
}

void machine::start_block(std::uint32_t number, cluster& parent) {
  resident_.push_back(std::make_unique<block>());  // first: the destructor releases it if memory runs out below
  block& fresh = *resident_.back();
  fresh.parent = &parent;
  fresh.rank = static_cast<std::uint32_t>(parent.blocks.size());
  parent.blocks.push_back(&fresh);
  fresh.number = number;
  const index3 index = block_index(number);
  fresh.index = {index.x, index.y, index.z};
  fresh.threads = std::vector<thread>(threads_per_block_);
  fresh.resumptions.resize(threads_per_block_);
  fresh.was_read.resize(threads_per_block_);
  fresh.warp_steps.assign((threads_per_block_ + 31) / 32, 0);
  if (extern_shared != nullptr) {
    fresh.dynamic_shared = extern_shared();
    if (shared_bytes_ != 0) fresh.shared.add(reinterpret_cast<std::uintptr_t>(fresh.dynamic_shared), shared_bytes_);
  } else if (shared_bytes_ != 0) {
    fresh.dynamic_shared = device_memory::instance().allocate(shared_bytes_, true, number);
  }
  for (std::uint32_t i = 0; i < threads_per_block_; ++i) {
    thread& member = fresh.threads[i];
    member.parent = &fresh;
    member.index_in_block = i;
    member.number = number * threads_per_block_ + i;
    const index3 position = thread_index(i);
    member.index = {position.x, position.y, position.z};
    member.stack = stacks().acquire();
    fresh.resumptions[i].at = make_context(member.stack);
  }
  fresh.ready.fill(threads_per_block_);
  ready_count_ += threads_per_block_;
  stream_.counted.blocks += 1, stream_.counted.threads += threads_per_block_;
}

/// A block has ended. Its memory remains until all blocks of its cluster have: others may access it, though only by
/// mistake.
void machine::finish_block(block& finished) {
  if (settings_.detect) check_remote_accesses(finished), report_volatile_conflicts(finished);
  end_copies_of(finished);
  if (settings_.detect && !found_fault_ && blocks_per_cluster_ == 1) note_unread_shared(finished);
  if (costs_) costs_->finish_block(finished.number);
  release_stacks(finished);
  if (loaded_block_ == &finished) {
    if (blocks_per_cluster_ > 1) finished.shared.save();
    loaded_block_ = nullptr;
  }
  if (preferred_block_ == &finished) preferred_block_ = nullptr;
  if (step_block_ == &finished) step_lanes_.clear();
  cluster& parent = *finished.parent;
  const auto at = std::find_if(resident_.begin(), resident_.end(),
                               [&](const auto& resident) { return resident.get() == &finished; });
  parent.ended.push_back(std::move(*at));
  resident_.erase(at);
  if (!parent.has_ended()) return;
  for (auto& member : parent.ended) release_block(*member);
  std::erase_if(clusters_, [&](const auto& members) { return members.get() == &parent; });
}

void machine::release_stacks(block& finished) {
  for (thread& member : finished.threads) {
    if (member.stack != nullptr) stacks().release(member.stack);
    member.stack = nullptr;
  }
}

void machine::release_block(block& finished) {
  device_memory::instance().release(finished.dynamic_shared);
  finished.dynamic_shared = nullptr;
}

}  // namespace exactdot::simt
