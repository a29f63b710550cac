// Asynchronous copies: transfers that an agent executes at later steps.
//
// An agent is a group of cp.async or one bulk copy. Shadow memory names the agent in the records of its reads and
// writes (order.hpp). Nothing is ordered after such a record until the copy is awaited: by the issuing thread,
// which makes it an access of that thread, or through a phase of an mbarrier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "order.hpp"
#include "shadow.hpp"

namespace exactdot::simt {

class region;
struct block;
struct thread;

/// A place in memory, by the address that its owner uses.
struct location {
  region* range = nullptr;
  std::uintptr_t address = 0;
  block* owner = nullptr;  // of shared memory; null: global memory
};

enum class copy_kind : std::uint8_t {
  cp_async,    // completes by groups
  bulk,        // completes by an mbarrier
  bulk_group,  // bulk, completes by groups
};

/// As a kernel passes them.
struct copy_addresses {
  std::uintptr_t to, from;
  std::uintptr_t barrier;  // 0: none
};

/// One copy, or (size 0) the arrival of cp.async copies at an mbarrier.
struct transfer {
  location to, from;
  std::size_t size = 0;
  location barrier;  // range null: none
  std::uint32_t signalled_bytes = 0;
  std::uint32_t phase = 0;           // of the mbarrier when the copy was issued
  std::vector<std::uint32_t> after;  // agents whose transfers precede this arrival
};

struct copy_agent {
  copy_kind kind{};
  thread* issuer = nullptr;
  const void* caller = nullptr;
  bool closed = false;    // takes no more copies
  location shared_place;  // of the last bulk copy
  std::vector<transfer> pending;
  access_record read_awaited, write_awaited;  // the wait of the issuing thread; thread 0: none yet
  struct phase_of_mbarrier {
    std::uint32_t mbarrier, phase;
  };
  std::vector<phase_of_mbarrier> signalled;  // phases that its completion precedes

  [[nodiscard]] const char* action(bool write) const {
    if (kind == copy_kind::cp_async) return write ? "write of cp.async" : "read of cp.async";
    return write ? "write of cp.async.bulk" : "read of cp.async.bulk";
  }
};

/// Groups of a thread's copies: agents that it has committed, oldest first, and the open group.
struct copy_groups {
  std::deque<std::vector<std::uint32_t>> committed;
  std::vector<std::uint32_t> open;
};

/// What a thread that uses mbarriers or asynchronous copies remembers.
struct asynchronous_state {
  copy_groups cp_async, bulk;
  clock_pointer initialised,
      fenced;  // mbarriers that it has initialised; those before its last fence.mbarrier_init
};

}  // namespace exactdot::simt
