// The simulated device during a launch: threads, warps and blocks, and the scheduler.
//
// One CPU thread runs everything. A simulated thread is ready, parked (it repeats one access until that address
// changes), at a barrier, at a warp collective, at the barrier of its cluster, or exited. Every memory access and
// every call of a CUDA function passes through step(), the scheduling point. A change of threads: one fiber switch.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <exactdot/simt/simulator.hpp>
#include <exactdot/simt/vector_types.hpp>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "accesses.hpp"
#include "costs.hpp"
#include "crash.hpp"
#include "explanations.hpp"
#include "hierarchy.hpp"
#include "launch_parameters.hpp"
#include "memory.hpp"
#include "order.hpp"
#include "random_numbers.hpp"
#include "recording.hpp"
#include "region.hpp"
#include "stream_state.hpp"
#include "symbols.hpp"
#include "unread.hpp"

namespace exactdot::simt {

/// One launch.
class machine {
 public:
  machine(detail::stream_state& stream, const launch_size& size, const kernel_call& call);
  ~machine();
  void run();

  // called by kernels; `caller` is a return address in the kernel
  void access(std::uintptr_t address, std::size_t size, bool write, access_order order, const void* caller);
  void atomic(std::uintptr_t address, std::size_t size, bool reads, bool block_scope, const void* caller);
  void atomic_load(std::uintptr_t address, std::size_t size, bool block_scope, const void* caller);
  std::uint64_t read_clock(const void* caller);
  void memory_changed(std::uintptr_t address);  // after an atomic operation that changed the value
  int barrier(const char* operation, int predicate, int combine, const void* caller);
  std::uint32_t warp_collective(detail::collective_kind kind, std::uint32_t mask, std::uint64_t value,
                                std::uint64_t* values, const void* caller);
  /// Waits until the threads of a tile of more than a warp have called it: `size` threads of the block from a
  /// multiple of it on. Returns what each of them passed.
  const std::vector<std::uint64_t>& tile_collective(const char* operation, std::uint32_t size, std::uint64_t value,
                                                    const void* caller);
  unsigned report_missing_blocks(const char* operation, const void* caller);
  void fence(bool block_scope, const void* caller);
  [[nodiscard]] bool is_shared(std::uintptr_t address) { return locate(address, 1).owner != nullptr; }

  // clusters
  [[nodiscard]] std::uint32_t blocks_per_cluster() const { return blocks_per_cluster_; }
  [[nodiscard]] dim3 cluster_size() const { return cluster_size_; }
  [[nodiscard]] std::uint32_t cluster_rank() const { return current_->parent->rank; }
  void* map_shared(std::uintptr_t address, std::uint32_t rank, const void* caller);
  void cluster_arrive(const char* operation, bool release, const void* caller);
  void cluster_wait(const void* caller);

  // mbarriers
  void initialise_mbarrier(std::uintptr_t address, std::uint32_t count, const void* caller);
  void invalidate_mbarrier(std::uintptr_t address, const void* caller);
  std::uint64_t change_mbarrier(std::uintptr_t address, const mbarrier_change& change, const void* caller);
  bool test_mbarrier(std::uintptr_t address, bool by_parity, std::uint64_t parity_or_state, const char* action,
                     const void* caller);
  void fence_mbarrier_init(const void* caller);
  void fence_async_proxy(const void* caller);

  // asynchronous copies
  void issue_copy(copy_kind kind, const copy_addresses& addresses, std::size_t size, const void* caller);
  void arrive_after_copies(std::uintptr_t barrier, bool counts, const void* caller);
  void commit_copies(copy_kind kind, const void* caller);
  void await_copies(copy_kind kind, std::size_t groups_left, bool reads_only, const void* caller);

  bool count_basic_block(const void* caller);  // false: to be followed by visit_basic_block()
  void visit_basic_block(const void* caller);
  void enter_function(const void* caller) {
    instrumented_ = true;
    current_->calls.push_back(caller);
  }
  void leave_function();
  void keep_failure(std::exception_ptr failure) {  // to be thrown by the launch: the first one
    if (!failure_) failure_ = std::move(failure);
  }
  [[noreturn]] void end_launch();                    // from within a thread
  [[noreturn]] void end_launch_by(fault_kind kind);  // the same, after a fault
  [[noreturn]] void end_by_fault(fault_kind kind, const char* action, const char* reason, const void* caller);
  [[noreturn]] void trap(const char* action, const char* reason, const void* caller);  // reports, ends the launch
  [[noreturn]] void crash(const crash_report& signal);                                 // while kernel code ran
  [[noreturn]] void misaligned(std::uintptr_t address, const char* action, const void* caller);
  [[noreturn]] void stack_array_overrun(const void* caller);
  void index_out_of_bounds(const char* array, const char* file, int line, const std::string& index);
  void report_absent_lane(std::uint32_t mask, std::uint32_t source, const void* caller);
  void report_width(int width, const void* caller);

  [[nodiscard]] thread& current() { return *current_; }
  std::uint32_t active_mask(const void* caller);
  [[nodiscard]] bool is_cooperative() const { return stream_.cooperative; }
  [[nodiscard]] std::uint64_t step_budget() const { return settings_.step_budget; }
  [[nodiscard]] std::uint64_t blocks() const { return blocks_; }
  /// A loop in registers takes no time to speak of: it may go on for longer.
  [[nodiscard]] std::uint64_t block_budget() const { return 10 * settings_.step_budget; }
  [[nodiscard]] bool shows_progress() const { return settings_.show_progress; }
  /// The current turn is the last one before the scheduler looks around. Of a signal handler, too.
  void return_to_scheduler() { clock_turn_ = 0; }
  [[nodiscard]] std::uint64_t steps() const { return steps_ + blocks_; }
  /// What clock64() returns.
  [[nodiscard]] std::uint64_t clocks() const { return steps() + idle_clocks_; }

 private:
  friend void start_fiber();

  // residency.cpp
  void start_cluster();
  void start_block(std::uint32_t number, cluster& parent);
  void finish_block(block& finished);
  static void release_stacks(block& finished);
  static void release_block(block& finished);

  // schedule.cpp
  bool choose_thread();  // sets current_; false if no thread is ready
  bool choose_by_script();
  bool choose_lane();  // lock step: the next one of the current step
  bool choose_directly();
  void prefetch_next() const;
  context load_current();
  context end_turn();
  void yield();
  void step(const void* caller);
  void begin_step(const void* caller);
  void exceed_step_budget();
  void load_block(block& next);
  void finish_last_access();
  void make_ready(thread& waiting);
  void remove_ready(thread& stopped);

  // lock_step.cpp
  bool choose_in_lock_step();
  void find_lowest_lanes(const block& parent, std::size_t warp);
  bool park_step(block& parent);

  // repetition.cpp
  void park(thread& self);
  void unpark(std::uintptr_t address);
  void resume_parked(thread& waiting);
  bool resume_or_settle();  // no thread is ready: resumes the parked, or settles incomplete warp collectives
  void report_hang(fault_kind kind);  // livelock or deadlock; ends the launch
  /// Something has changed, if only what a place holds.
  void note_change() { idle_rounds_ = idle_meetings_ = 0, last_progress_ = steps(), states_equal_since_ = 0; }
  /// A thread came to a new place.
  void note_progress() { note_change(), narrow_accesses_ = 0, has_met_ = false; }
  void note_meeting(thread& self, std::uint64_t value, const void* caller);
  void note_fence(const void* caller);
  void compare_states(thread& self, const void* caller);
  void resume_clock_readers();
  void admit_more_blocks();
  void report_endless(std::uint64_t count, const char* what);
  void check_quiet_loop(const void* caller);
  [[nodiscard]] std::uint64_t narrow_budget() const {
    constexpr std::uint64_t steps_per_thread = 50'000;
    const std::uint64_t budget = settings_.narrow_budget + steps_per_thread * threads_per_block_ * resident_.size();
    return has_met_ ? 10 * budget : budget;  // iterations with barriers may be many
  }
  [[nodiscard]] const thread* other_spinning(const thread& spinning) const;
  bool note_known_place(recent_accesses::novelty fresh, const void* caller);
  bool detect_repetition(const location& place, std::uintptr_t address, std::size_t size, const void* caller);

  // barrier.cpp
  [[nodiscard]] static bool same_position(const thread& left, const thread& right);
  void note_arrival(block& parent, const thread& self);
  void release_barrier(block& parent);
  void settle_differences(block& parent);
  [[nodiscard]] const thread* passed_by(const block& parent, const thread& waiting) const;

  // waiting.cpp
  [[nodiscard]] collective_lanes lanes_of_collective(const thread& member) const;
  void complete_collective(block& parent, std::uint32_t warp, std::uint32_t lanes);
  bool settle_collectives(block& parent);
  void check_exited_lanes(const thread& waiting, std::uint32_t arrived);
  void release_tile(tile_barrier& tile);
  void release_tile_if_complete(block& parent, tile_barrier& tile);
  bool settle_tiles(block& parent);
  void thread_exited(thread& finished);
  [[nodiscard]] vector_clock local_clock(const thread& self) const;
  [[nodiscard]] clock_pointer release_clock(const thread& self) const;
  void add_release(clock_sum& sum, thread& self) const;

  // cluster.cpp
  void find_distributed(location& found);
  void check_remote(const location& place, const access_kind& kind, const void* caller);
  [[nodiscard]] static clock_pointer clock_of_block(const block& finished);
  [[nodiscard]] access_record exit_of(const block& finished) const;
  void check_remote_accesses(block& finished);
  void release_cluster_barrier(cluster& members);
  void thread_left_cluster(thread& finished);
  bool settle_cluster_barrier(cluster& members);
  [[nodiscard]] unsigned char* storage_of(const location& place);

  // mbarrier.cpp
  mbarrier_state* find_mbarrier(const location& place);
  mbarrier_state* begin_mbarrier_access(location& place, std::uintptr_t address, const access_kind& kind,
                                        const void* caller);
  void apply_change(const location& place, mbarrier_state& barrier, std::uint32_t arrivals, std::int64_t bytes);
  void note_change(const location& place, mbarrier_state& barrier);
  bool report_stuck_mbarrier();

  // copies.cpp
  [[nodiscard]] copy_agent& agent(std::uint32_t id) { return agents_[id - 1]; }
  [[nodiscard]] const copy_agent& agent(std::uint32_t id) const { return agents_[id - 1]; }
  void check_copy_alignment(copy_kind kind, const copy_addresses& addresses, std::size_t size, const void* caller);
  std::uint32_t agent_for(copy_kind kind, const void* caller);
  location begin_copy_end(std::uintptr_t address, std::size_t size, bool shared, const access_kind& kind,
                          const void* caller);
  location find_copy_barrier(std::uintptr_t address, const char* action, const void* caller);
  [[nodiscard]] static copy_groups& groups_of(thread& issuer, copy_kind kind);
  void schedule_transfer(std::uint32_t id, transfer next);
  void complete_due_copies();
  bool complete_earliest_copy();  // false if no copy is in flight
  bool complete_one(std::uint32_t id);
  void complete_all(std::uint32_t id);
  void finish_transfer(std::uint32_t id, const transfer& done);
  void signal_barrier(std::uint32_t id, const transfer& done);
  [[nodiscard]] static bool is_signalled(const copy_agent& by, const clock_pointer& known);
  void end_copies_of(block& finished);
  [[nodiscard]] bool copy_happens_before_current(const access_record& earlier) const;
  [[nodiscard]] bool precedes_async_proxy(const access_record& earlier) const;

  // detect.cpp
  [[nodiscard]] bool is_local(std::uintptr_t address) const;
  [[nodiscard]] const void* shadow_of(std::uintptr_t address) const;
  location locate(std::uintptr_t address, std::size_t size);
  location locate_inline(std::uintptr_t address, std::size_t size);
  region* find_variable(std::uintptr_t address);
  location judge_access(std::uintptr_t address, std::size_t size, const access_kind& kind, const void* caller);
  location judge_any_access(std::uintptr_t address, std::size_t size, const access_kind& kind, const void* caller);
  void judge_plain_access(std::uintptr_t address, std::size_t size, bool write, access_order order,
                          const void* caller);
  location begin_access(std::uintptr_t address, std::size_t size, const access_kind& kind, const void* caller);
  [[nodiscard]] bool looks_shared(std::uintptr_t address) const;
  void report_out_of_bounds(std::uintptr_t address, std::size_t size, const access_kind& kind, const void* caller);
  void synchronise_through(const location& place, const access_kind& kind);
  void synchronise_through_rest(location place, std::size_t size, const access_kind& kind);
  void check_access(const location& place, std::size_t size, const access_kind& kind, const void* caller);
  void judge_bytes(const location& place, std::size_t size, const access_kind& kind, const void* caller);
  void check_unwritten(const location& place, std::size_t size, const access_kind& kind, const void* caller);

  // races.cpp
  void check_races(const location& place, std::size_t size, const access_kind& kind, const void* caller);
  [[nodiscard]] access_record record_of(const access_kind& kind, const void* caller) const;
  [[nodiscard]] bool precedes_in_block(const access_record& earlier) const;
  [[nodiscard]] bool happens_before_current(const access_record& earlier) const;
  [[nodiscard]] bool is_covered(const access_record& earlier, const clock_pointer& clock) const;
  [[nodiscard]] bool clock_covers(const access_record& earlier, const vector_clock& clock) const;
  [[nodiscard]] bool conflicts(const access_record& earlier, const access_record& current);
  [[nodiscard]] bool conflicts_by_clock(access_record earlier, access_record current);
  void report_conflict(const location& place, const access_kind& kind, access_record current,
                       const access_record& other, bool other_writes);
  [[nodiscard]] bool stands_for(const access_record& current, const access_record& earlier) const;
  [[nodiscard]] std::pair<const access_record*, bool> find_race(region& range, shadow_cell& cell,
                                                                const access_record& current, bool writes);
  void record_write(region& range, shadow_cell& cell, const access_record& current, bool raced);
  void record_read(region& range, shadow_cell& cell, const access_record& current);
  [[nodiscard]] std::uint32_t time_of(const thread& member) const;
  [[nodiscard]] race_relation relation_to(const access_record& earlier, const access_record& current) const;

  // launch_order.cpp
  void check_other_launch(const location& place, const char* action, const access_record& current,
                          const shadow_cell& cell, bool writes);
  void check_other_readers(const location& place, const char* action, const access_record& current);
  [[nodiscard]] static bool races_with(const access_record& current, const access_record& other);
  void report_unordered(const location& place, const char* action, const access_record& current,
                        const access_of_launch& other, const char* other_action);

  // unread.cpp
  void note_highest_read(region& range, std::uintptr_t address, std::size_t size) const;
  void note_exchange(const region& range, const access_record& written);
  void note_seen();
  void note_result(const region& range, const access_kind& kind);
  void note_unread_shared(const block& finished);
  void note_unread_shared(const block& finished, const region& range);
  void add_shared_note(std::uintptr_t address, const access_record& write, const std::string& cause);
  void publish_shared_notes();

  // locks.cpp
 public:
  void note_atomic(std::uintptr_t address, bool changed);

 private:
  void note_atomic_site(const void* caller);
  void note_locked_access(std::uintptr_t address, const void* site);
  void add_atomic_facts(race_facts& facts, const access_record& current, const access_record& other,
                        bool one_reads) const;
  [[nodiscard]] bool has_fenced(std::uint32_t number) const;
  void keep_float_sums();

  // struct_copy.cpp
  bool begin_struct_copy(const location& place, std::size_t size, const void* caller);
  bool continues_copy(std::size_t size, bool write, access_order order, const void* caller);
  void access_after_read(std::uintptr_t address, std::size_t size, bool write, access_order order,
                         const void* caller);
  void report_unwritten(const struct_copy& copy);
  void finish_struct_copy();

  // volatile_accesses.cpp
  void note_volatile_conflict(const location& place, const access_record& current, bool writes,
                              const access_record& other);
  void forget_polled(std::uintptr_t address, std::size_t size, const void* caller);
  void accept_fenced_flags(bool block_scope);
  void accept_used_flags(block& parent);
  void forget_explained(std::uint32_t number, std::uint32_t other);
  void report_volatile_conflicts(block& finished);
  void report_volatile(const volatile_conflict& found);
  [[nodiscard]] bool released_volatile(const location& place, std::uint32_t writer) const;

  // costs.cpp
  void note_cost(cost_kind kind, std::uintptr_t address, std::size_t size, const void* caller);
  void observe(const location& place, std::uintptr_t address, std::size_t size, const access_kind& kind,
               const void* caller);

  // recording.cpp
  void start_recording();
  void finish_recording();
  [[nodiscard]] std::uint64_t recorded_turn() const;
  void record_step(step_kind kind, const char* action, const void* caller);
  void record_access(const location& place, std::uintptr_t address, std::size_t size, const access_kind& kind,
                     const void* caller);

  // reports.cpp
  [[nodiscard]] std::string name_of_address(std::uintptr_t address) const;
  [[nodiscard]] source_line line_of(const void* caller) const;
  /// Returns the innermost return address of a thread's calls whose line is the user's, from `caller` outwards.
  [[nodiscard]] const void* attributed(const thread& self, const void* caller) const {
    return is_user_code(caller) ? caller : calling_user_code(self, caller);
  }
  [[nodiscard]] const void* calling_user_code(const thread& self, const void* caller) const;
  [[nodiscard]] fault_site site_of(std::uint32_t number, const char* action, const void* caller) const;
  void append_trace(std::uintptr_t address, std::size_t size, const char* action, const void* caller);
  fault* add_fault(fault_kind kind, const void* site, const void* other_site, std::string_view action = "",
                   std::string_view other_action = "");
  fault* add_fault(fault_kind kind, const void* key, const void* other_key, std::string_view action,
                   std::string_view other_action, const source_line& line, const source_line& other_line);
  void report_race(const location& place, const char* action, const access_record& current,
                   const access_record& other, const char* other_action, race_relation relation);
  void compare_values_written(std::uintptr_t address, const access_record& current, std::size_t fault);
  void finish_comparison();
  void absorb_unwritten_read(const access_record& read, std::size_t race);
  void report(fault_kind kind, const location& place, const char* action, const void* caller,
              const access_record* other = nullptr, const char* other_action = "", const std::string& detail = "");
  fault* report_waiting(fault_kind kind, const thread& waiting, const char* action, const thread* other,
                        const char* other_action);
  [[nodiscard]] index3 block_index(std::uint32_t number) const;
  [[nodiscard]] index3 thread_index(std::uint32_t index_in_block) const;

  detail::stream_state& stream_;
  device_memory& memory_ = device_memory::instance();
  settings settings_;
  dim3 grid_, block_size_, cluster_size_;
  std::uint32_t threads_per_block_, blocks_per_cluster_;
  std::size_t shared_bytes_;
  kernel_call call_;
  shared_module module_;                  // holds the kernel's shared and global variables
  std::vector<region> globals_;           // the global ones
  std::unique_ptr<cost_counter> costs_;   // null without settings::profile
  std::unique_ptr<recording> recording_;  // null without a recorder
  bool observed_ = false;                 // by the trace, the costs or a recorder

  std::map<const void*, shared_line> shared_lines_;  // by the write's caller

  std::vector<std::unique_ptr<cluster>> clusters_;  // with resident blocks
  std::vector<std::unique_ptr<block>> resident_;
  std::uint64_t next_cluster_ = 0, cluster_count_ = 0;
  std::size_t slots_;  // for resident blocks
  thread* current_ = nullptr;
  block* loaded_block_ = nullptr;     // its shared variables are in place
  block* preferred_block_ = nullptr;  // threads are drawn from it for the next preferred_turns_
  int preferred_turns_ = 0;
  std::size_t ready_count_ = 0;  // threads of all blocks
  context scheduler_ = nullptr;
  context* kept_ = nullptr;  // where the context of the thread is kept whose turn has ended
  random_numbers random_;
  int steps_left_ = 0;  // of the current thread before another may run
  std::size_t script_position_ = 0;
  std::vector<std::uint32_t> step_lanes_;  // lock step: lanes of the current step that have not run yet
  std::uint32_t step_mask_ = 0;            // and all lanes of the step
  block* step_block_ = nullptr;
  std::uint64_t steps_ = 0;                            // other than basic blocks
  std::uint64_t blocks_ = 0;                           // basic blocks
  std::uint64_t idle_rounds_ = 0, last_progress_ = 0;  // rounds without a change; step of the last one
  std::uint64_t states_equal_since_ = 0;          // round since which registers and stacks repeat; 0: not looked at
  std::uint64_t states_span_ = 1;                 // most accesses of a loop that repeats itself
  std::uint64_t narrow_accesses_ = 0;             // since the last one to a new place
  bool has_met_ = false;                          // a thread has come to a barrier or a collective meanwhile
  std::uint64_t idle_meetings_ = 0;               // barriers and collectives since something has changed
  std::uint64_t clock_turn_ = ~std::uint64_t{0};  // step at which threads that wait for the clock run again
  std::uint64_t idle_clocks_ = 0;                 // by which the clock is ahead of the steps
  value_comparison comparison_;
  struct_copy copy_;
  bool instrumented_ = false;  // a function or basic block of the kernel has called the simulator
  bool ended_ = false;
  bool found_fault_ = false;                                      // in this launch
  std::unordered_map<const void*, std::uintptr_t> locked_sites_;  // accesses under a lock: the lock's address
  std::unordered_set<const void*> compare_sites_;                 // compare and swap
  std::map<std::uintptr_t, float_sum> float_sums_;                // words to which atomics added floats
  std::unordered_map<std::uintptr_t, access_of_launch> other_readers_;  // of words of other streams' launches
  std::exception_ptr failure_;

  std::vector<std::pair<std::uint32_t, const void*>>
      exited_leaders_;  // of cooperative launches: threads, last places
  std::unordered_map<std::uintptr_t, clock_pointer> released_clocks_;  // by address, of device scope
  std::unordered_map<std::uintptr_t, std::vector<thread*>> parked_;    // by address

  std::deque<copy_agent> agents_;                          // of this launch; the first has the number 1
  std::multimap<std::uint64_t, std::uint32_t> in_flight_;  // agent of each transfer, by the step at which it is due
  clock_joins joined_;
  std::uint32_t mbarriers_initialised_ = 0;
  std::uint64_t mbarrier_changes_ = 0;
};

}  // namespace exactdot::simt
