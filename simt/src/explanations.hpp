// What findings say beyond the place: which order is missing, and what fixes it.
//
// The words are CUDA's. A cause or fix is a clause without a full stop; fault::text() puts them after the sites.
#pragma once

#include <cstdint>
#include <exactdot/simt/simulator.hpp>
#include <string>

namespace exactdot::simt {

/// Who the two sides of a race are, or what keeps them from being ordered.
enum class race_relation : std::uint8_t {
  lanes,           // of one warp; the first three are in order of their width
  threads,         // of one block
  blocks,          // threads of two blocks
  running_copy,    // an asynchronous copy that has not been awaited
  early_copy,      // an asynchronous copy that starts before the other side is done
  narrow_scope,    // atomics with _block in two blocks
  one_atomic,      // an atomic function and a plain access
  missing_acquire  // a flag was read, but no fence follows
};

struct race_facts {
  race_relation relation = race_relation::blocks;
  bool both_volatile = false;
  bool is_update = false;     // both write on one line, and one had read the word, as in `*sum += x`
  bool is_overwrite = false;  // two writes, and neither thread has read the word
  bool in_lock = false;       // both sides hold the same lock
  bool is_guess = false;      // a plain read, and a compare and swap
  bool after_fence = false;   // one of the two has executed a fence
};

/// What the sightings of one race have shown.
struct race_sightings {
  race_relation widest;
  bool has_update = false;  // two threads write the word, and one had read it
};

/// Fills in the cause and the fix of a data race.
void explain_race(fault& found, const race_facts& facts);

/// The cause of a fault between two streams.
inline constexpr const char* unordered_streams = "nothing orders the streams of the two";

/// Returns what fixes a fault of this kind; "" if the finding says all.
[[nodiscard]] const char* fix_of(fault_kind kind);

}  // namespace exactdot::simt
