// The simulated device during a launch: threads, warps and blocks, and the scheduler.
//
// One CPU thread runs everything. A simulated thread is ready, parked (it repeats one access until that address
// changes), at a barrier, at a warp collective, or exited. Every memory access and every call of a CUDA function
// passes through step(), the scheduling point. Cost of a change of threads: two fiber switches.
#pragma once

#include <array>
#include <cstdint>
#include <exactdot/simt/simulator.hpp>
#include <exactdot/simt/vector_types.hpp>
#include <exception>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "fiber.hpp"
#include "memory.hpp"
#include "order.hpp"
#include "region.hpp"
#include "shared_memory.hpp"

namespace exactdot::simt {

struct block;
namespace detail {
enum class collective_kind : std::uint8_t;  // on_cpu.hpp
}

enum class thread_status : std::uint8_t { ready, parked, at_barrier, at_collective, exited };

struct thread {
  context fiber = nullptr;
  void* stack = nullptr;
  block* parent = nullptr;
  std::uint32_t index_in_block = 0;  // linear; determines warp and lane
  std::uint32_t number = 0;          // in the grid
  std::uint32_t ready_position = 0;  // in block::ready
  uint3 index{};
  thread_status status = thread_status::ready;

  // position in the program, for lock step and for reports: return addresses
  std::vector<const void*> call_stack;  // outermost first
  const void* program_counter = nullptr;

  // the barrier or warp collective that the thread waits at
  const char* operation = "";
  detail::collective_kind kind{};
  int predicate = 0;
  std::uint32_t mask = 0, arrived_mask = 0;
  std::uint64_t value = 0;
  std::uint64_t* values = nullptr;

  // repetition: consecutive accesses with the same caller, address and content
  const void* last_caller = nullptr;
  std::uintptr_t last_address = 0;
  std::uint64_t last_content = 0;
  int repeats = 0;

  // happens-before order (order.hpp)
  std::uint32_t time = 1;
  std::unique_ptr<std::array<std::uint32_t, 32>> lane_times;  // times of the warp's lanes, from __syncwarp
  clock_pointer clock;
  clock_pointer pending, pending_in_block;    // acquired by atomics, not yet by a fence
  clock_pointer released, released_in_block;  // by the last fence

  [[nodiscard]] std::uint32_t lane() const { return index_in_block % 32; }
  [[nodiscard]] std::uint32_t warp() const { return index_in_block / 32; }
};

struct block {
  std::uint32_t number = 0;
  uint3 index{};
  std::vector<thread> threads;
  std::vector<std::uint32_t> ready;       // indices of threads that can run
  std::uint32_t waiting = 0, exited = 0;  // threads at the barrier; threads that have exited
  std::uint32_t generation = 1;           // barriers passed, plus 1
  std::uint32_t last_exited = 0;          // index of the thread
  std::vector<std::uint32_t> warp_steps;  // lock step: steps of each warp
  static_shared shared;                   // the block's copies of the kernel's shared variables
  void* dynamic_shared = nullptr;
  std::unordered_map<std::uintptr_t, clock_pointer> released_clocks;  // by address; for this block's acquires
};

/// A kernel call: the kernel, a function that each thread calls, and its arguments.
struct kernel_call {
  const void* kernel;
  void (*body)(void*);
  void* arguments;
  std::size_t argument_bytes;
};

/// One launch.
class machine {
 public:
  machine(detail::stream_state& stream, dim3 grid, dim3 block, std::size_t shared_bytes, const kernel_call& call);
  ~machine();
  void run();

  // called by kernels; `caller` is a return address in the kernel
  void access(std::uintptr_t address, std::size_t size, bool write, bool strong, const void* caller);
  void atomic(std::uintptr_t address, std::size_t size, bool reads, bool block_scope, const void* caller);
  void memory_changed(std::uintptr_t address);  // after an atomic operation that changed the value
  int barrier(const char* operation, int predicate, int combine, const void* caller);
  std::uint32_t warp_collective(detail::collective_kind kind, std::uint32_t mask, std::uint64_t value,
                                std::uint64_t* values, const void* caller);
  void fence(bool block_scope, const void* caller);
  void visit_basic_block(const void* caller);  // a step in lock step, else only counted
  void enter_function(const void* caller) { current_->call_stack.push_back(caller); }
  void leave_function() {
    if (!current_->call_stack.empty()) current_->call_stack.pop_back();
  }
  [[noreturn]] void end_launch(std::exception_ptr failure);                            // from within a thread
  [[noreturn]] void trap(const char* action, const char* reason, const void* caller);  // reports, ends the launch
  [[noreturn]] void crash(std::uintptr_t address);  // on a signal while kernel code ran
  [[noreturn]] void misaligned(std::uintptr_t address, const char* action, const void* caller);
  void index_out_of_bounds(const char* array, const char* file, int line, std::int64_t index);

  [[nodiscard]] thread& current() { return *current_; }
  std::uint32_t active_mask(const void* caller);
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  friend void start_fiber(transfer from);

  // schedule.cpp
  void start_block(std::uint32_t number);
  void finish_block(block& finished);
  bool choose_thread();  // sets current_; false if no thread is ready
  bool choose_by_script();
  bool choose_in_lock_step();
  void resume(thread& next);
  void yield();
  void step(const void* caller);
  void load_block(block& next);
  void make_ready(thread& waiting);
  void remove_ready(thread& stopped);

  // repetition.cpp
  void park(std::uintptr_t address);
  void unpark(std::uintptr_t address);
  bool resume_or_settle();  // no thread is ready: resumes the parked, or settles incomplete warp collectives
  void report_hang(fault_kind kind);  // livelock or deadlock; ends the launch
  void note_progress() { idle_rounds_ = 0, last_progress_ = steps_; }
  void detect_repetition(std::uintptr_t address, std::size_t size, const void* caller);

  // waiting.cpp
  void release_barrier(block& parent);
  struct collective_lanes {
    std::uint32_t arrived, expected;  // masks
  };
  [[nodiscard]] collective_lanes lanes_of_collective(const thread& member) const;
  void complete_collective(block& parent, std::uint32_t warp, std::uint32_t lanes);
  bool settle_collectives(block& parent);
  void thread_exited(thread& finished);

  // detect.cpp
  struct access_kind {
    bool read;  // uses the old content: unwritten bytes are reported
    bool write, atomic, block_scope;
    bool discards_old = false;  // atomic exchange or store: reads, but unwritten bytes are no fault
    [[nodiscard]] bool reads() const { return read || discards_old; }
    [[nodiscard]] const char* name() const { return write && reads() ? "atomic" : write ? "write" : "read"; }
  };
  [[nodiscard]] bool is_local(std::uintptr_t address) const;
  region* find_region(std::uintptr_t address, std::size_t size);
  region* begin_access(std::uintptr_t address, std::size_t size, const access_kind& kind, const void* caller);
  [[nodiscard]] bool looks_shared(std::uintptr_t address) const;
  void report_out_of_bounds(std::uintptr_t address, std::size_t size, const access_kind& kind, const void* caller);
  void check_access(region& range, std::uintptr_t address, std::size_t size, const access_kind& kind,
                    const void* caller);
  void synchronise_through(std::uintptr_t address, bool shared, const access_kind& kind);
  [[nodiscard]] bool happens_before_current(const access_record& earlier) const;
  [[nodiscard]] bool conflicts(const access_record& earlier, const access_record& current) const;
  [[nodiscard]] std::uint32_t time_of(const thread& member) const;
  [[nodiscard]] std::string name_of_address(std::uintptr_t address) const;
  [[nodiscard]] static bool same_position(const thread& left, const thread& right);
  void append_trace(std::uintptr_t address, std::size_t size, const char* action, const void* caller);
  fault* add_fault(fault_kind kind, const void* site, const void* other_site);
  void report(fault_kind kind, bool shared, std::uintptr_t address, const char* action, const void* caller,
              const access_record* other, const char* other_action);
  void report_waiting(fault_kind kind, const thread& waiting, const char* action, const thread* other,
                      const char* other_action);
  [[nodiscard]] index3 block_index(std::uint32_t number) const;
  [[nodiscard]] index3 thread_index(std::uint32_t index_in_block) const;

  detail::stream_state& stream_;
  settings settings_;
  dim3 grid_, block_size_;
  std::uint32_t threads_per_block_;
  std::size_t shared_bytes_;
  kernel_call call_;
  shared_module module_;         // holds the kernel's shared and global variables
  std::vector<region> globals_;  // the global ones

  std::vector<std::unique_ptr<block>> resident_;
  std::uint64_t next_block_ = 0, block_count_ = 0;
  thread* current_ = nullptr;
  block* loaded_block_ = nullptr;     // its shared variables are in place
  block* preferred_block_ = nullptr;  // threads are drawn from it for the next preferred_turns_
  int preferred_turns_ = 0;
  context scheduler_ = nullptr;
  std::mt19937_64 random_;
  int steps_left_ = 0;  // of the current thread before another may run
  std::size_t script_position_ = 0;
  std::vector<std::uint32_t> step_lanes_;  // lock step: lanes of the current step that have not run yet
  std::uint32_t step_mask_ = 0;            // and all lanes of the step
  block* step_block_ = nullptr;
  std::uint64_t steps_ = 0;
  std::uint64_t idle_rounds_ = 0, last_progress_ = 0;  // rounds without progress; step of the last progress
  bool ended_ = false;
  std::exception_ptr failure_;

  std::unordered_map<std::uintptr_t, clock_pointer> released_clocks_;  // by address, of device scope
  std::unordered_map<std::uintptr_t, std::vector<thread*>> parked_;    // by address
};

/// The current launch of this CPU thread, null outside of launches; and whether kernel code runs, not the
/// simulator.
extern constinit thread_local guarded<machine*> running;
extern constinit thread_local guarded<bool> in_kernel;

/// Runs simulator code on behalf of a kernel. An exception ends the launch, which rethrows it. It never unwinds the
/// kernel's frames: compilers do not expect instrumentation to throw.
template <class Action>
auto as_simulator(Action action) {
  in_kernel = false;
  std::exception_ptr failure;
  try {
    if constexpr (std::is_void_v<decltype(action())>) {
      action();
      in_kernel = true;
      return;
    } else {
      auto result = action();
      in_kernel = true;
      return result;
    }
  } catch (...) {
    failure = std::current_exception();
  }
  running->end_launch(failure);
}

namespace detail {
struct stream_state {
  simt::settings settings;
  std::vector<fault> faults;
  std::vector<traced_access> trace;
  std::map<std::tuple<fault_kind, const void*, const void*>, std::size_t> known_faults;
  counters counted;
};
}  // namespace detail

}  // namespace exactdot::simt
