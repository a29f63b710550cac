// Accesses to memory: their kinds, and those that are judged at the next step, when their effect is known.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hierarchy.hpp"

namespace exactdot::simt {

/// How an access relates to accesses of other threads to the same bytes.
enum class access_order : std::uint8_t {
  plain,
  is_volatile,  // does not tear, and orders nothing
  atomic        // a load or store of std::atomic_ref
};

/// One access, as the checks see it.
struct access_kind {
  bool read;  // uses the old content: unwritten bytes are reported
  bool write, atomic, block_scope;
  bool discards_old = false;     // atomic exchange or store: reads, but unwritten bytes are no fault
  const char* action = nullptr;  // for reports, if it is not a plain access
  std::uint32_t agent = 0;       // the agent of the copy; 0: the thread itself
  bool async_proxy = false;
  bool is_volatile = false;
  [[nodiscard]] bool reads() const { return read || discards_old; }
  [[nodiscard]] const char* name() const {
    return action != nullptr ? action : write && reads() ? "atomic" : write ? "write" : "read";
  }
};

/// A racing write, whose value is known when its thread takes its next step.
struct value_comparison {
  const thread* writer = nullptr;
  std::size_t fault = 0;  // index in the stream's list
  std::uintptr_t address = 0;
  std::size_t size = 0;
  unsigned char before[4] = {};
};

/// A word to which atomic functions have added floats or doubles.
struct float_sum {
  const void* site = nullptr;
  std::uint32_t first = 0;  // number of a thread that did
  bool is_double = false, by_several = false;
};

}  // namespace exactdot::simt
