// Recording of one launch; see exactdot/simt/recording.hpp. The machine owns it while a recorder exists.
//
// A step is noted when its access is about to execute. Its value afterwards is read before any thread's next step:
// until then no other thread runs.
#pragma once

#include <array>
#include <cstdint>
#include <exactdot/simt/recording.hpp>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "copies.hpp"
#include "recorded_requests.hpp"
#include "symbols.hpp"

namespace exactdot::simt {

/// A line of a launch's files.
struct recorded_line {
  int file = -1, line = 0;
};

class recording {
 public:
  recording(detail::recorder_state& state, recorded_launch& launch);

  /// A step of a thread. `turn`: a number that the lanes of one step in lock step share; 0: a turn of its own.
  /// Returns the step, to complete; null if it is left out.
  recorded_step* note(unsigned thread, step_kind kind, const char* action, recorded_line line, std::uint64_t turn);
  /// Returns the line of a return address. `look_up` finds it, once for each.
  template <class LookUp>
  recorded_line line_at(const void* place, LookUp look_up) {
    const auto [at, fresh] = lines_.try_emplace(place);
    if (fresh) {
      const source_line found = look_up();
      at->second = {index_of_file(found.file), found.line};
    }
    return at->second;
  }
  /// The access of that step. `contents`: where its bytes are for the thread's block.
  template <class Name>
  void note_access(recorded_step& step, const location& place, Name name, std::uintptr_t contents,
                   std::size_t size) {
    step.array = index_of_array(place);
    if (step.array < 0) step.array = add_array(place, name(), contents);
    note_values(step, place, contents, size);
  }
  /// The request that an access to shared memory belongs to, of shown and of left out threads.
  int note_request(const request_log::access& each);
  /// The thread waits: instead of its last access or, in lock step, after it.
  void turn_into_spin(unsigned thread);
  /// What follows from the last step, in its turn.
  void note_consequence(unsigned thread, step_kind kind, std::uint32_t mask = 0);
  /// The thread exits: in the turn of the last step, unless that is another thread's.
  void note_exit(unsigned thread, std::uint64_t turn);
  void finish_step();  // reads the value afterwards
  /// A thread has used an entry of a script, or would have.
  void note_entry(unsigned thread) {
    if (launch_.dropped_steps == 0 && entries_ <= max_entries) ++entries_, launch_.schedule.push_back(thread);
  }

  void note_fault(unsigned thread, std::size_t fault);
  void note_other_side(unsigned thread, unsigned other);
  void merge_fault(std::size_t removed, std::size_t kept);
  void note_skipped(std::size_t position, unsigned thread, const char* reason);
  void finish(const std::vector<fault>& faults);
  [[nodiscard]] bool is_of(const recorded_launch& launch) const { return &launch_ == &launch; }

 private:
  static constexpr std::size_t none = ~std::size_t{0}, max_entries = 20000;

  /// The steps around the first finding are chosen once both of its sides are known. Until then those of all
  /// threads are held, and of those that leave, the first ones of the first threads.
  struct first_steps {
    std::vector<recorded_step> steps;
    std::uint64_t dropped = 0, of_others = 0;
  };
  struct array_bytes {
    std::vector<unsigned char> bytes;
    std::vector<bool> is_written;
  };

  [[nodiscard]] bool is_chosen_block(unsigned thread) const;
  [[nodiscard]] bool is_first_thread(unsigned thread) const;
  [[nodiscard]] std::vector<unsigned> first_threads() const;
  [[nodiscard]] std::vector<unsigned> threads_around(const std::vector<unsigned>& involved) const;
  [[nodiscard]] recorded_step* last_step(unsigned thread);
  void offer(const recorded_step& step);  // to the first steps
  void leave_out(std::size_t count);      // of the oldest steps
  void forget_arrays();
  void apply_before(const recorded_step& step);
  void join_with_wait();
  [[nodiscard]] std::uint64_t number_left_out(const fault_site& site) const;
  void decide();
  void show(std::vector<unsigned> threads);
  [[nodiscard]] bool is_shown(unsigned thread) const { return thread < is_shown_.size() && is_shown_[thread]; }
  void keep_selected(std::size_t front);
  void finish_undecided();
  void finish_decided();
  void forget_requests();
  void finish_requests();
  int index_of_file(const std::string& file);
  [[nodiscard]] int index_of_array(const location& place) const;
  int add_array(const location& place, const std::string& name, std::uintptr_t contents);
  void note_values(recorded_step& step, const location& place, std::uintptr_t contents, std::size_t size);

  detail::recorder_state& state_;
  recorded_launch& launch_;
  std::size_t limit_;  // of the steps
  std::unordered_map<const void*, recorded_line> lines_;
  std::unordered_map<unsigned, std::size_t> last_steps_;  // of each thread, counted from the launch's first step
  std::size_t left_out_ = 0;                              // of the oldest steps
  std::map<std::pair<std::uintptr_t, std::uint32_t>, int> arrays_;
  std::size_t unfinished_ = none;
  std::uintptr_t contents_ = 0;  // of the unfinished step
  std::uint64_t turn_ = 0, lock_step_turn_ = 0;
  unsigned turn_thread_ = ~0U;
  std::size_t entries_ = 0;

  // A thread that waits at an access makes it when it goes on. If it finds what was there before, the two are one
  // step.
  std::unordered_set<unsigned> waiting_;
  std::size_t resumed_ = none;  // the step that such an access has become
  std::size_t waited_ = none;   // its thread's last step before, counted from the launch's first one

  request_log requests_;
  first_steps first_;
  std::unordered_map<unsigned, thread_before> before_;  // threads that have not exited
  std::vector<bool> has_exited_;                        // by thread
  // of the accesses before the steps that are kept, by thread, file and line: the number of the last one
  std::map<std::array<std::int64_t, 3>, std::uint64_t> left_out_accesses_;
  std::vector<array_bytes> contents_before_;  // of the arrays, as far as steps that were left out change them
  std::size_t fault_step_ = none;             // of the first finding
  bool is_decided_ = false;
  std::vector<bool> is_shown_;  // by thread, once decided
};

namespace detail {
struct recorder_state {
  recorder_settings settings;
  std::vector<recorded_launch> launches;
  recorded_launch spare;  // records a launch that is kept only if it has a new finding
  std::size_t dropped_launches = 0, launch_count = 0;
  recording* current = nullptr;
  const std::vector<fault>* faults = nullptr;  // of the current launch's stream
  [[nodiscard]] recorded_launch* next_launch();
  void finish_launch();
};
}  // namespace detail

/// The recorder; null if there is none. Read and written between launches.
inline detail::recorder_state* active_recorder = nullptr;

}  // namespace exactdot::simt
