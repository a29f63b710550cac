// The simulator's settings and findings: what a host program says to it and hears from it.
//
// Threads of a block are fibers on one CPU thread; several blocks are resident at once. Which thread goes on after
// each memory access is drawn from a seed: the same seed gives the same run. docs/simt.md says what is modelled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace exactdot::simt {

enum class execution {
  independent,  ///< every thread has its own program counter (Volta and later)
  lock_step     ///< the lanes of a warp take each step together; where they part, one side waits (before Volta)
};

struct settings {
  std::uint64_t seed = 1;
  execution model = execution::independent;
  int resident_blocks = 8;  ///< blocks that make progress at the same time
  /// Steps of one launch, after which it is given up as a livelock.
  std::uint64_t step_budget = std::uint64_t{1} << 32;
  /// Rounds in which all threads only repeat themselves, and a thousand times as many steps, before a livelock is
  /// named.
  std::uint64_t spin_budget = 1000;
  int largest_run = 4;  ///< a thread runs for 1 to so many steps before another may
  bool detect = true;   ///< false: run and schedule only
  /// Independent threads only: who takes each step, by the threads' numbers in the grid, until the list ends and
  /// the seed decides. A step is an access to memory, a barrier, a fence or an exchange, with all that follows it
  /// up to the next. Passed over: threads that wait, are done, or whose block is not resident.
  std::vector<unsigned> script = {};
  bool trace = false;  ///< keep each access for stream::trace()
};

enum class fault_kind {
  data_race,             ///< two unordered accesses, one of them a write, not both atomic
  barrier_divergence,    ///< a barrier that not all threads of the block reach, or at different places
  missing_lanes,         ///< a shuffle, vote or __syncwarp whose mask names lanes that never arrive
  livelock,              ///< the step or spin budget is used up
  deadlock,              ///< every thread waits
  out_of_bounds,         ///< outside of any buffer or shared array
  uninitialised_shared,  ///< a read of shared memory that nobody has written
  uninitialised_global,  ///< a read of device memory that nobody has written
  misaligned,            ///< an address that is no multiple of what its type asks for; the launch ends
  trap                   ///< __trap(), a failed assert, or a crash of the kernel's own; the launch ends
};
[[nodiscard]] const char* name_of(fault_kind kind);

struct index3 {
  unsigned x = 0, y = 0, z = 0;
};

/// One access, or one arrival, of one thread.
struct access {
  index3 block, thread;
  std::string what;  ///< "read", "write", "atomic", "barrier", "shuffle", …
  std::string file;  ///< of the source line; "" if there is no debug information
  int line = 0;
};

struct fault {
  fault_kind kind = fault_kind::data_race;
  std::string space;     ///< "global", "shared" or ""
  std::string variable;  ///< "sums[3]", "buffer of 1024 bytes + 12", or ""
  access here;
  access other;  ///< the access it conflicts with; `what` is "" if there is none
  std::uint64_t times = 1;
  [[nodiscard]] std::string text() const;  ///< one line
};

/// One access of a launch with settings::trace, in the order in which they happened.
struct traced_access {
  unsigned thread = 0;  ///< its number in the grid
  std::string what;     ///< "read", "write" or "atomic"
  std::string file;     ///< of the source line; "" if there is no debug information
  int line = 0;
  std::uintptr_t address = 0;
  std::uint64_t before = 0;  ///< the first 8 bytes, or fewer, that lay there
};

struct counters {
  std::uint64_t launches = 0, blocks = 0, threads = 0;
  std::uint64_t steps = 0;              ///< scheduling points: accesses, atomics, barriers, shuffles
  std::uint64_t reads = 0, writes = 0;  ///< of global memory
  std::uint64_t atomics = 0;            ///< atomic operations executed, of global and shared memory
  std::uint64_t barriers = 0;           ///< barriers that a block has passed
  std::uint64_t shuffles = 0;           ///< warp-wide exchanges, votes and reductions
};

namespace detail {
struct stream_state;
}

/// A simulated device and its queue: launches run at once, in order. Not for two CPU threads at a time.
class stream {
 public:
  explicit stream(const settings& how = {});
  ~stream();
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;

  [[nodiscard]] settings& how();  ///< may be changed between launches
  /// What was found since clear(), each pair of source lines once.
  [[nodiscard]] const std::vector<fault>& faults() const;
  [[nodiscard]] bool has(fault_kind kind) const;
  [[nodiscard]] const counters& counted() const;
  [[nodiscard]] const std::vector<traced_access>& trace() const;
  void clear();  ///< forgets faults, counters and the trace
  [[nodiscard]] int multiprocessors() const { return 4; }
  [[nodiscard]] detail::stream_state& state() { return *state_; }

 private:
  std::unique_ptr<detail::stream_state> state_;
};

}  // namespace exactdot::simt
