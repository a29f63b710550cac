// Settings, findings and counters of the simulator: its interface to host programs.
//
// The threads of a block are fibers on one CPU thread; several blocks are resident at once. After each memory
// access the seed decides which thread continues: the same seed gives the same run. docs/simt.md describes what is
// modelled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exactdot/simt/costs.hpp>
#include <memory>
#include <string>
#include <vector>

namespace exactdot::simt {

enum class execution {
  independent,  ///< every thread has its own program counter (Volta and later)
  lock_step     ///< the lanes of a warp take each step together; after a divergence one side waits (before Volta)
};

struct settings {
  std::uint64_t seed = 1;
  execution model = execution::independent;
  int resident_blocks = 8;  ///< blocks that make progress at the same time
  /// Blocks that do so if all threads of fewer repeat themselves: they may wait for a block that has not started.
  int max_resident_blocks = 0;
  /// Maximum number of steps of a launch; beyond it, or beyond ten times as many basic blocks, a livelock is
  /// reported.
  std::uint64_t step_budget = std::uint64_t{1} << 32;
  /// Rounds in which all threads only repeat themselves, their registers and stacks at last too, and 1000 times as
  /// many steps, before a livelock is reported.
  std::uint64_t spin_budget = 1000;
  /// Accesses, and 50,000 more a resident thread, by which every thread only comes back to the same few places,
  /// whatever these hold, before a livelock is reported; with barriers or collectives between them, ten times as many.
  std::uint64_t narrow_budget = 20'000'000;
  const char* budget_name = "settings::step_budget, settings::narrow_budget";  ///< in that report
  int max_run_length = 4;  ///< a thread runs for 1 to this many steps before another may
  bool detect = true;      ///< false: run and schedule only
  /// Independent threads only. The thread of each step, by its number in the grid; after the list the seed decides.
  /// A step is a memory access, a barrier, a fence or a warp collective, with all code up to the next step. Entries
  /// are skipped if the thread waits, has exited, or its block is not resident.
  std::vector<unsigned> script = {};
  bool trace = false;          ///< record each access for stream::trace()
  bool profile = false;        ///< count the costs of each line for stream::costs()
  bool show_progress = false;  ///< of a long launch, a line to stderr every ten seconds of processor time
};

enum class fault_kind {
  data_race,                ///< two unordered accesses, at least one a write, not both atomic
  barrier_divergence,       ///< a barrier that some threads of the block do not reach, or reach at another line
  missing_lanes,            ///< a warp collective whose mask has lanes that never arrive, or lacks the caller; a
                            ///< shuffle that reads a lane that is not in the mask or has ended
  invalid_width,            ///< a shuffle whose width is no power of two up to 32
  livelock,                 ///< the step or spin budget is used up
  deadlock,                 ///< every thread waits
  out_of_bounds,            ///< outside of any buffer or shared array
  uninitialised_shared,     ///< a read of unwritten shared memory
  uninitialised_global,     ///< a read of unwritten device memory
  misaligned,               ///< an address that is no multiple of the type's alignment; the launch ends
  constant_write,           ///< a kernel's write to a __constant__ variable
  trap,                     ///< __trap(), a failed assert, or a crash in kernel code; the launch ends
  absent_block,             ///< shared memory of a block that may not have started or may have ended
  mbarrier_uninitialised,   ///< an operation on an mbarrier whose initialisation does not precede it, or that was
                            ///< overwritten
  mbarrier_reinitialised,   ///< an initialisation of a live mbarrier
  mbarrier_overflow,        ///< more arrivals than pending, or a count beyond its range
  mbarrier_bytes,           ///< a phase whose expected bytes never arrive, or more bytes than expected
  mbarrier_phase,           ///< a wait for a phase whose arrivals are missing, or for one long past
  missing_proxy_fence,      ///< no fence.proxy.async between a plain write and a bulk copy of the same bytes
  host_access,              ///< simtcc: host code that uses device memory
  refused_launch,           ///< simtcc: a launch that was refused, whose error the program never asked for
  missing_synchronisation,  ///< simtcc: an access by the host, or a copy, that no call orders after a kernel's
  second_free,              ///< simtcc: memory that was released before
  unread_shared,            ///< a note: data in shared memory that no thread reads
  unread_global,            ///< a note: the end of a buffer's data, which no kernel reads
  failed_call,              ///< a note, simtcc: a call that failed, whose error the program never asked for
  order_dependent           ///< a note, simtcc: a float sum by atomics that differs between seeds
};
inline constexpr fault_kind last_fault_kind = fault_kind::order_dependent;
[[nodiscard]] const char* name_of(fault_kind kind);
/// Returns whether findings of this kind may be what the programmer wants: stream::notes() has them.
[[nodiscard]] bool is_note(fault_kind kind);

/// Dynamic shared memory that a launch gets without an attribute (CUDA C++ Programming Guide, "Compute
/// Capabilities").
inline constexpr std::size_t default_shared_bytes = std::size_t{48} << 10;

struct index3 {
  unsigned x = 0, y = 0, z = 0;
};

/// One thread at one source line: an access, a barrier, a warp collective or an exit. Or a call by host code.
struct fault_site {
  index3 block, thread;
  std::string action;  ///< "read", "write", "atomic", "__syncthreads", "shuffle", …
  std::string file;    ///< of the source line; "" without debug information
  int line = 0;
  bool by_host = false;  ///< block and thread mean nothing
};

/// What two racing writes store.
enum class written_values { unknown, same, different };

struct fault {
  fault_kind kind = fault_kind::data_race;
  std::string space;     ///< "global", "shared", "array" or ""
  std::string variable;  ///< "sums + 12 bytes", "buffer of 1024 bytes + 12", or ""
  fault_site site;
  fault_site other_site;   ///< what it conflicts with; `action` is "" if there is none
  std::string cause, fix;  ///< which order is missing, and what supplies it; "" if the rest says all
  written_values values = written_values::unknown;
  std::uint64_t times = 1;                 ///< sightings
  [[nodiscard]] std::string text() const;  ///< one line
};

/// One access of a launch with settings::trace, in the order of the run.
struct traced_access {
  unsigned thread = 0;  ///< its number in the grid
  std::string action;   ///< "read", "write" or "atomic"
  std::string file;     ///< of the source line; "" without debug information
  int line = 0;
  std::uintptr_t address = 0;
  std::uint64_t before = 0;  ///< the first 8 bytes, or fewer, at the address before the access
};

struct counters {
  std::uint64_t launches = 0, blocks = 0, threads = 0;
  std::uint64_t steps = 0;              ///< scheduling points: accesses, barriers, fences, collectives
  std::uint64_t reads = 0, writes = 0;  ///< of global memory
  std::uint64_t atomics = 0;            ///< atomic operations on global and shared memory
  std::uint64_t barriers = 0;           ///< barriers that a block or a cluster has passed
  std::uint64_t warp_collectives = 0;   ///< shuffles, votes, matches, reductions, __syncwarp: calls by threads
  std::uint64_t copies = 0;             ///< asynchronous copies
};

namespace detail {
struct stream_state;
}

/// A simulated device and its queue. Launches run at once, in order. Not for use by two CPU threads at a time.
class stream {
 public:
  explicit stream(const simt::settings& settings = {});
  ~stream();
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;

  [[nodiscard]] simt::settings& settings();  ///< may be changed between launches
  /// Faults since clear(); each pair of source lines once, whatever was accessed and in which order.
  [[nodiscard]] const std::vector<fault>& faults() const;
  [[nodiscard]] bool has(fault_kind kind) const;
  /// What may be a mistake: data that nothing reads. Buffers count when they are released.
  [[nodiscard]] const std::vector<fault>& notes() const;
  [[nodiscard]] const counters& counted() const;
  [[nodiscard]] const std::vector<traced_access>& trace() const;
  /// With settings::profile: what each line of each kernel has cost since clear().
  [[nodiscard]] const std::vector<line_costs>& costs() const;
  void clear();  ///< removes faults, notes, counters, costs and the trace
  [[nodiscard]] int multiprocessors() const { return 4; }
  [[nodiscard]] detail::stream_state& state() { return *state_; }

 private:
  std::unique_ptr<detail::stream_state> state_;
};

}  // namespace exactdot::simt
