// Threads, blocks and clusters of a launch.
//
// A block's object remains until all blocks of its cluster have ended, because reports name threads that have
// exited.
#pragma once

#include <array>
#include <cstdint>
#include <exactdot/simt/vector_types.hpp>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "call_stack.hpp"
#include "copies.hpp"
#include "fiber.hpp"
#include "history.hpp"
#include "mbarrier.hpp"
#include "order.hpp"
#include "ready_threads.hpp"
#include "shared_memory.hpp"

namespace exactdot::simt {

struct block;
struct cluster;
struct thread;
namespace detail {
enum class collective_kind : std::uint8_t;  // kernel.hpp
enum class atomic_use : std::uint8_t;
}  // namespace detail

enum class thread_status : std::uint8_t {
  ready,
  parked,
  at_barrier,
  at_collective,
  at_cluster_barrier,
  at_tile,
  exited
};

/// What a thread has written: where, and how many bytes; 0 if its last access was none of its own writes.
struct written_range {
  location place;
  std::size_t size = 0;
};

/// A read of bytes of which some are unwritten, and where they may have been copied to.
struct struct_copy {
  thread* reader = nullptr;
  location from, to;  // to: no region in the thread's own stack
  std::vector<unsigned char> bytes;
  const void* caller = nullptr;
};

/// A thread of the launch. What its steps touch lies first, in the cache lines that the scheduler prefetches before
/// it runs the thread.
struct alignas(64) thread {
  void* stack = nullptr;
  block* parent = nullptr;
  std::uint32_t index_in_block = 0;  // linear; determines warp and lane
  std::uint32_t number = 0;          // in the grid
  uint3 index{};
  std::uint32_t time = 1;  // of its accesses (order.hpp)
  thread_status status = thread_status::ready;
  detail::atomic_use atomic{};  // of its last atomic operation
  bool fenced = false;          // it has executed a fence

  // position in the program, for lock step and for reports: return addresses
  const void* program_counter = nullptr;  // of the last step
  const void* position = nullptr;         // of the last step or basic block
  visited_blocks visited;
  std::unique_ptr<std::array<std::uint32_t, 32>> lane_times;  // times of the warp's lanes, from __syncwarp
  std::unique_ptr<struct_copy> copied_read;  // its last access, if that may be the first half of a copy
  std::uintptr_t held_lock = 0;              // a word that it has acquired by compare and swap, or exchange
  const char* operation = "";                // the barrier or warp collective that it waits at

  std::uint64_t quiet_blocks = 0;  // basic blocks since its last step
  std::uintptr_t last_address = 0;
  written_range written;                // its last access
  std::uint64_t seen_at = 0;            // moment of the last thing that it did and that others can see
  std::uint64_t shared_writes[2] = {};  // moments of its last two writes there (unread.cpp)
  recent_accesses recent;

  // what not every step touches
  call_stack calls;

  // happens-before order (order.hpp)
  clock_pointer clock;
  clock_pointer released, released_in_block;  // by the last fence
  clock_pointer observed;                     // acquired by atomics and volatile reads, with or without a fence

  quiet_loop quiet;
  const void* repeated_by = nullptr;      // lock step: the user's line of the access after which it is parked
  std::vector<std::uintptr_t> parked_at;  // the addresses whose change it waits for

  // the warp collective that it waits at; predicate: of the barrier
  detail::collective_kind kind{};
  int predicate = 0;
  std::uint32_t mask = 0, arrived_mask = 0;
  std::uint64_t value = 0;
  std::uint64_t* values = nullptr;
  const void* collective_at = nullptr;  // return address of its last warp collective

  clock_pointer pending, pending_in_block;    // acquired by atomics, not yet by a fence
  std::unique_ptr<volatile_reads> volatiles;  // null until it has one that conflicts

  // clusters and asynchronous copies
  std::uint32_t cluster_arrivals = 0, cluster_waits = 0;  // at the barrier of the cluster; arrivals <= waits + 1
  std::unique_ptr<asynchronous_state> async;              // null until the thread uses it
  [[nodiscard]] asynchronous_state& asynchronous() {
    if (!async) async = std::make_unique<asynchronous_state>();
    return *async;
  }

  /// Has the memory that an access of this thread touches brought into the cache.
  void prefetch() const {
    constexpr std::size_t line = 64;
    for (auto at = reinterpret_cast<const char*>(this); at < reinterpret_cast<const char*>(&calls); at += line)
      __builtin_prefetch(at, 1);
  }

  [[nodiscard]] std::uint32_t lane() const { return index_in_block % 32; }
  [[nodiscard]] std::uint32_t warp() const { return index_in_block / 32; }
};

/// Lanes at a warp collective, and those that it waits for: masks.
struct collective_lanes {
  std::uint32_t arrived, expected;
};

/// A collective function of a tile of more than 32 threads.
struct tile_barrier {
  std::uint32_t first = 0, size = 0;  // threads, by their index in the block
  std::vector<thread*> waiting;
  std::vector<std::uint64_t> values, results;  // by rank; results: of the last complete call
};

/// An access to shared memory of another block.
struct remote_access {
  access_record record;
  location place;
  const char* action;
};

/// Where a thread goes on, and what it will probably touch first: the shadow of its next access. That is an address
/// to prefetch, which may hold nothing any more.
struct resumption {
  context at = nullptr;
  const void* shadow = nullptr;
};

struct block {
  std::uint32_t number = 0;
  uint3 index{};
  std::vector<thread> threads;
  std::vector<resumption> resumptions;  // of the threads: apart from them, to be prefetched through
  ready_threads ready;
  std::vector<std::uint8_t> was_read;     // by thread: whether another one has read what it wrote to shared memory
  std::uint32_t waiting = 0, exited = 0;  // threads at the barrier; threads that have exited
  std::uint32_t generation = 1;           // barriers passed, plus 1
  struct arrivals {
    const thread* first = nullptr;
    std::uint32_t threads = 0, nonzero = 0;  // nonzero: those with a predicate that is not 0
    bool alike = true;                       // all are where the first one is, and know what it does
  } arriving, at_last_barrier;
  std::uint32_t last_exited = 0;          // index of the thread
  std::vector<std::uint32_t> warp_steps;  // lock step: steps of each warp
  static_shared shared;                   // the block's copies of the kernel's shared variables
  void* dynamic_shared = nullptr;
  bool has_unexplained = false;                                       // a thread has volatile conflicts
  std::unordered_map<std::uintptr_t, clock_pointer> released_clocks;  // by address; for this block's acquires

  cluster* parent = nullptr;
  std::uint32_t rank = 0;                                            // in the cluster
  std::unordered_map<std::uintptr_t, clock_pointer> cluster_clocks;  // at shared addresses; for the cluster's
  std::map<std::uintptr_t, mbarrier_state> mbarriers;                // by address
  std::unordered_map<std::uint32_t, remote_access> remote_accesses;  // by thread of another block: its last one
  std::map<std::pair<std::uint32_t, std::uint32_t>, tile_barrier> tiles;  // by size and first thread
  std::vector<std::uint32_t> bulk_copies;  // agents that read or write its shared memory

  [[nodiscard]] bool has_ended() const { return exited == threads.size(); }
};

/// Blocks that are resident together; without clusters each block is one.
struct cluster {
  std::vector<block*> blocks;  // by rank
  std::vector<std::unique_ptr<block>> ended;

  // the barrier
  std::uint32_t phase = 0;           // barriers passed
  std::uint32_t missing = 0;         // threads that have neither arrived in this phase nor exited
  const thread* left_out = nullptr;  // a thread that has exited without arriving in this phase
  clock_sum arriving;
  clock_pointer completed;

  [[nodiscard]] bool has_ended() const { return ended.size() == blocks.size(); }
  [[nodiscard]] block* find(std::uint32_t number) const;
};

}  // namespace exactdot::simt
