// Recorder: the steps of launches, with the values before and after each, for programs that show a run.
//
// A recorder records the launches of the process, on every stream, while it exists. It is bounded: what exceeds its
// limits is counted, not recorded. Of a launch that is longer, the steps around the first finding are kept, of the
// threads that it names and their neighbours; without a finding the first steps of the first threads. Of too many
// launches, those with new findings replace the last ones without. Not recorded: asynchronous copies, mbarriers and
// barriers of clusters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exactdot/simt/simulator.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace exactdot::simt {

/// Limits of a recorder, and settings of the launches that it records.
struct recorder_settings {
  std::size_t max_steps = 3000;         ///< of each launch
  std::size_t max_total_steps = 12000;  ///< of all launches
  unsigned max_threads = 128;           ///< of each launch: those of the first finding, or the first ones
  std::size_t max_launches = 8;
  std::size_t max_array_bytes = 4096;      ///< of the initial values of each array
  std::size_t max_watched_steps = 32768;   ///< held until a finding decides which are kept; 0: keep the first
  std::vector<unsigned> blocks = {};       ///< to record, by their number in the grid; empty: all
  std::vector<std::size_t> numbers = {};   ///< of the launches to record, from 1; empty: all
  std::optional<int> max_run_length = {};  ///< of every launch; null: that of its stream
  std::vector<unsigned> script = {};       ///< settings::script of the first launch; empty: that of its stream
  std::optional<execution> model = {};     ///< of every launch; null: that of its stream
};

/// What a thread does in a step, or what follows from it.
enum class step_kind : std::uint8_t {
  read,
  write,
  atomic,
  barrier,     ///< the thread arrives
  collective,  ///< a warp collective: the thread arrives
  fence,
  spin,  ///< the thread has repeated its last accesses; it waits until one of the words changes
  // Consequences of a step, in its turn:
  opened,     ///< the barrier of the thread's block lets all threads pass
  completed,  ///< a warp collective lets the lanes of `mask` of the thread's warp pass
  exited
};

/// Up to 16 bytes of memory, in its order.
struct recorded_value {
  std::array<std::uint64_t, 2> words{};
  bool is_written = true;  ///< false: some of the bytes were never written
};

/// One action of one thread: an access to memory, a barrier, a fence, a warp collective, or a consequence of these.
struct recorded_step {
  std::uint64_t turn = 0;  ///< never decreases; in lock step, lanes of a warp that act together have the same
  unsigned thread = 0;     ///< its number in the grid
  step_kind kind = step_kind::read;
  std::string action;            ///< "read", "__syncthreads", "shuffle", …
  int file = -1;                 ///< index in recorded_launch::files; -1: unknown
  int line = 0;                  ///< in that file, from 1; 0: unknown
  int array = -1;                ///< index in recorded_launch::arrays; -1: no access
  std::size_t offset = 0;        ///< in the array, in bytes
  std::size_t size = 0;          ///< of the access, in bytes
  recorded_value before, after;  ///< of the accessed bytes; the same for a read
  std::uint32_t mask = 0;        ///< of a completed warp collective: the lanes that pass
  int fault = -1;                ///< index in recorded_launch::faults; -1: none
  std::size_t entries = 0;       ///< so many of recorded_launch::schedule lead to the state after this step
  int other_thread = -1;         ///< of a race; -1: unknown
  int request = -1;              ///< index in recorded_launch::requests; -1: no access to shared memory
};

/// A buffer, a shared variable of one block, or a global variable.
struct recorded_array {
  std::string name;                    ///< of a variable; "" for a buffer; "dynamic shared memory"
  bool shared = false;                 ///< false: global memory
  unsigned block = 0;                  ///< if shared: number of the block
  std::uintptr_t address = 0;          ///< of its first byte
  std::size_t bytes = 0;               ///< its size
  std::vector<unsigned char> initial;  ///< the first bytes at its first recorded access
  std::vector<bool> is_written;        ///< per four bytes of `initial`
};

/// A pointer among the arguments of a kernel, if its source was compiled by simtcc.
struct recorded_pointer {
  std::string name;
  std::uintptr_t address = 0;
  char kind = 0;            ///< of its elements: 'i', 'u', 'f'; 0: another type
  std::size_t element = 0;  ///< bytes; 0: unknown
};

/// What the lanes of a warp read or write at one place of the code together, in shared memory.
struct recorded_request {
  unsigned lanes = 0;   ///< that make it, also if their steps are left out
  unsigned degree = 0;  ///< of the bank conflict: words that they want of one bank; 1: none
  unsigned bank = 0;    ///< one with so many
};

/// A thread before the first recorded step, if steps before it were left out.
struct thread_before {
  unsigned thread = 0;
  bool has_exited = false;
  bool has_passed = false;  ///< the barrier or the warp collective at which it last arrived
  recorded_step last;       ///< unless it has exited
};

/// An entry of a script that could not be used.
struct skipped_entry {
  std::size_t position = 0;  ///< in the script, from 0
  unsigned thread = 0;       ///< that it names
  std::string reason;        ///< "it has exited", …
};

/// A launch of a kernel: its shape, its arrays with their initial values, its steps, its findings, and what was
/// left out.
struct recorded_launch {
  std::size_t number = 0;    ///< among the launches of the recorder, from 1
  std::string kernel, file;  ///< without namespaces and parameters; "" without debug information
  int line = 0;              ///< of the kernel
  execution model = execution::independent;
  std::uint64_t seed = 0;    ///< of the schedule's random part
  bool is_scripted = false;  ///< a script decides the first steps
  index3 grid, block;        ///< blocks, and threads of a block, in each dimension
  unsigned threads = 0;      ///< of all blocks
  unsigned threads_per_block = 0;
  std::vector<std::uintptr_t> pointers;          ///< among the kernel's arguments, to device memory, in their order
  std::vector<recorded_pointer> named_pointers;  ///< of a kernel that simtcc compiled; else empty
  std::vector<unsigned> shown_threads;           ///< whose steps are recorded, ascending
  std::vector<std::string> files;                ///< paths of the sources that steps name
  std::vector<recorded_array> arrays;            ///< in the order of their first recorded access
  std::vector<thread_before> before;             ///< threads with steps before the first recorded one
  std::vector<recorded_step> steps;
  std::vector<recorded_request> requests;  ///< of the steps
  /// A script that repeats the run as far as it is recorded; independent threads only. Empty if the first steps are
  /// left out.
  std::vector<unsigned> schedule;
  std::vector<fault> faults;  ///< sighted in this launch
  /// Of each fault: the number of its other side among the steps before the recorded ones; 0 if it is not there.
  std::vector<std::uint64_t> other_sides_left_out;
  std::size_t first_fault = 0;           ///< number of faults that the stream had before
  std::uint64_t skipped_steps = 0;       ///< of all threads, before the recorded ones
  std::uint64_t dropped_steps = 0;       ///< of the shown threads, after the recorded ones
  std::uint64_t steps_of_others = 0;     ///< of threads that are not shown, since the first recorded step
  std::optional<skipped_entry> skipped;  ///< the first entry of the script that could not be used
};

namespace detail {
struct recorder_state;
}

/// Records from construction to destruction. One at a time: a second one throws std::logic_error.
class recorder {
 public:
  explicit recorder(const recorder_settings& settings = {});
  ~recorder();
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;

  [[nodiscard]] const std::vector<recorded_launch>& launches() const;
  [[nodiscard]] std::size_t dropped_launches() const;  ///< beyond max_launches, or not among the numbers
  [[nodiscard]] std::size_t launch_count() const;      ///< of all launches
  /// Ends the recording of a launch that still runs, for a program that is about to end.
  void finish();

 private:
  std::unique_ptr<detail::recorder_state> state_;
};

}  // namespace exactdot::simt
