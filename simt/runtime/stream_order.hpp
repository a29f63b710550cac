// Which work is ordered after which: streams, events and the calls that wait, as vector clocks.
//
// All work runs at its call, in the order of the program, so the values are those of a run that waits everywhere.
// What the program left unordered is found by comparing clocks: an access of the host, a copy or
// a launch, and the launch that last touched the same word (its shadow memory). CUDA C++ Programming Guide, "Default
// Stream" and "Implicit Synchronization".
#pragma once

#include <cstdint>
#include <exactdot/simt/runtime/streams.hpp>
#include <map>
#include <vector>

namespace exactdot::simt {

/// Of each stream, by its number: how much of its work is known to be done.
using work_clock = std::map<unsigned, std::uint64_t>;

class stream_order {
 public:
  struct operation {
    unsigned stream = 0;
    std::uint64_t number = 0;  // of the work of its stream; 0: none
  };

  /// The next work of a stream.
  operation begin(cudaStream_t stream);
  /// Whether the work is done before the work that has just begun on a stream; before what the host does now.
  [[nodiscard]] bool precedes(const operation& earlier, cudaStream_t stream);
  [[nodiscard]] bool precedes_host(const operation& earlier) const { return is_known(earlier, host_); }
  /// Whether all work so far is done before the last work of a stream.
  [[nodiscard]] bool all_precede(cudaStream_t stream);

  void synchronise();                     // the host waits for all work
  void synchronise(cudaStream_t stream);  // … for a stream's
  void synchronise(const work_clock& done) { join(host_, done); }
  [[nodiscard]] const work_clock& clock_of(cudaStream_t stream);
  void wait(cudaStream_t stream, const work_clock& done) { join(state_of(stream).clock, done); }
  /// A later stream goes on with the number of one that is destroyed, so that clocks stay short: its work is taken
  /// for ordered after that of the earlier one.
  void forget(cudaStream_t stream);

 private:
  struct stream_state {
    unsigned number = 0;
    bool blocking = true;  // ordered with the legacy default stream
    work_clock clock;
  };
  stream_state& state_of(cudaStream_t stream);
  static void join(work_clock& known, const work_clock& other);
  [[nodiscard]] static bool is_known(const operation& earlier, const work_clock& clock);

  std::map<cudaStream_t, stream_state> streams_;
  std::vector<std::uint64_t> begun_;  // work of each stream, by its number
  std::vector<unsigned> free_numbers_;
  work_clock host_;
};

/// Whether a stream was created with cudaStreamNonBlocking.
[[nodiscard]] bool is_non_blocking(cudaStream_t stream);

}  // namespace exactdot::simt
