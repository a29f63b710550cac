// State of an mbarrier (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier").
//
// A phase completes when no arrival is pending and its transaction count is zero; then the next one begins. The
// eight bytes in shared memory hold a word that identifies the last change, no more.
#pragma once

#include <cstdint>
#include <string>

#include "order.hpp"
#include "shadow.hpp"

namespace exactdot::simt {

struct mbarrier_state {
  static constexpr std::uint32_t max_count = (1U << 20) - 1;  // of arrivals, and of bytes in either direction

  std::uint32_t id = 0;  // its key in clocks; entries: 1 the initialisation, p + 2 the completion of phase p
  bool live = false;     // initialised and not invalidated
  std::uint32_t count = 0, pending = 0;
  std::int64_t bytes =
      0;  // transaction count: expected and not arrived; negative: arrived before they were expected
  std::uint32_t phase = 0;
  std::uint64_t word = 0;  // content of the eight bytes

  access_record initialised, last_change;
  const char* last_action = "";
  access_record last_copy;  // that has signalled bytes
  clock_sum arriving;       // released by arrivals in this phase
  clock_pointer completed;  // and up to the last complete phase

  [[nodiscard]] std::uint64_t key() const { return vector_clock::mbarrier_bit | id; }
  [[nodiscard]] bool is_complete() const { return pending == 0 && bytes == 0; }
};

/// Returns "phase 3 (parity 1), pending: 1 of 2 arrivals, 64 bytes".
[[nodiscard]] std::string text_of_phase(const mbarrier_state& barrier);

/// What a thread's call does to an mbarrier.
struct mbarrier_change {
  const char* action;
  std::uint32_t arrivals = 0;
  std::int64_t expected_bytes = 0;
  bool drops = false;  // later phases expect one arrival less
};

}  // namespace exactdot::simt
