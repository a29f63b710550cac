// Recording of one launch; see exactdot/simt/recording.hpp. The machine owns it while a recorder exists.
//
// A step is noted when its access is about to execute. Its value afterwards is read before any thread's next step:
// until then no other thread runs.
#pragma once

#include <cstdint>
#include <exactdot/simt/recording.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "copies.hpp"
#include "symbols.hpp"

namespace exactdot::simt {

class recording {
 public:
  recording(detail::recorder_state& state, recorded_launch& launch) : state_(state), launch_(launch) {}

  /// A step of a thread. `turn`: a number that the lanes of one step in lock step share; 0: a turn of its own.
  /// Returns the step, to complete; null if it is left out.
  recorded_step* note(unsigned thread, step_kind kind, const char* action, const source_line& line,
                      std::uint64_t turn);
  /// The access of that step. `contents`: where its bytes are for the thread's block.
  void note_access(recorded_step& step, const location& place, const std::string& name, std::uintptr_t contents,
                   std::size_t size);
  /// The thread waits: instead of its last access or, in lock step, after it.
  void turn_into_spin(unsigned thread);
  /// What follows from the last step, in its turn.
  void note_consequence(unsigned thread, step_kind kind, std::uint32_t mask = 0);
  /// The thread exits: in the turn of the last step, unless that is another thread's.
  void note_exit(unsigned thread, std::uint64_t turn);
  void finish_step();  // reads the value afterwards
  /// A thread has used an entry of a script, or would have.
  void note_entry(unsigned thread) {
    if (launch_.dropped_steps == 0 && launch_.steps_of_others == 0) launch_.schedule.push_back(thread);
  }

  void note_fault(unsigned thread, std::size_t fault);
  void note_other_side(unsigned thread, unsigned other);
  void merge_fault(std::size_t removed, std::size_t kept);
  void note_skipped(std::size_t position, unsigned thread, const char* reason);
  void finish(const std::vector<fault>& faults);

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  int index_of_file(const std::string& file);
  int index_of_array(const location& place, const std::string& name, std::uintptr_t contents);

  detail::recorder_state& state_;
  recorded_launch& launch_;
  std::map<unsigned, std::size_t> last_steps_;  // of each thread
  std::map<std::pair<std::uintptr_t, std::uint32_t>, int> arrays_;
  std::size_t unfinished_ = none;
  std::uintptr_t contents_ = 0;  // of the unfinished step
  std::uint64_t turn_ = 0, lock_step_turn_ = 0;
  unsigned turn_thread_ = ~0U;
};

namespace detail {
struct recorder_state {
  recorder_settings settings;
  std::vector<recorded_launch> launches;
  std::size_t dropped_launches = 0, total_steps = 0;
  bool is_first = true;
};
}  // namespace detail

/// The recorder; null if there is none. Read and written between launches.
inline detail::recorder_state* active_recorder = nullptr;

}  // namespace exactdot::simt
