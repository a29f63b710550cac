// The simulated device while a kernel runs: its threads, warps and blocks, and who may go on.
//
// One CPU thread runs all; a simulated thread is either running, ready, parked (it only repeats itself until a
// certain address changes), waiting for others, or done. Everything that a kernel does to memory, and every call of
// a CUDA function, passes through step(), the only place where another thread may take over.
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
enum class exchange_kind : std::uint8_t;  // on_cpu.hpp
}

enum class state : std::uint8_t { ready, parked, at_barrier, at_exchange, done };

struct thread {
  context where = nullptr;
  void* stack = nullptr;
  block* home = nullptr;
  std::uint32_t in_block = 0;  // linear index; its warp and lane follow
  std::uint32_t number = 0;    // in the grid
  std::uint32_t position = 0;  // in the block's list of those that are ready
  uint3 index{};
  state now = state::ready;

  // where it stands, for lock step and for reports: call sites from the kernel inwards, then the next step's place
  std::vector<const void*> calls;
  const void* place = nullptr;

  // what it waits for
  const char* what = "";
  detail::exchange_kind kind{};
  int predicate = 0;
  std::uint32_t mask = 0, came = 0;
  std::uint64_t value = 0;
  std::uint64_t* values = nullptr;

  // repetition: the same place, address and content again and again
  const void* last_place = nullptr;
  std::uintptr_t last_address = 0;
  std::uint64_t last_content = 0;
  int repeats = 0;

  // order.hpp
  std::uint32_t time = 1;
  std::unique_ptr<std::array<std::uint32_t, 32>> lanes;  // times of the warp's lanes that it knows
  shared_knowledge known, pending, pending_in_block, released, released_in_block;

  [[nodiscard]] std::uint32_t lane() const { return in_block % 32; }
  [[nodiscard]] std::uint32_t warp() const { return in_block / 32; }
};

struct block {
  std::uint32_t number = 0;
  uint3 index{};
  std::vector<thread> threads;
  std::vector<std::uint32_t> ready;         // indices of threads that may run
  std::uint32_t waiting = 0, finished = 0;  // at the barrier, done
  std::uint32_t generation = 1;             // barriers passed, plus 1
  std::uint32_t finished_thread = 0;
  std::vector<std::uint32_t> warp_steps;  // lock step: steps of each warp
  static_shared shared;                   // its copies of the kernel's shared variables
  void* dynamic_shared = nullptr;
  std::unordered_map<std::uintptr_t, shared_knowledge> left;  // by release patterns, for its own acquire patterns
};

/// What is launched: a function for all threads, its arguments, and the kernel that it calls.
struct work {
  const void* kernel;
  void (*body)(void*);
  void* arguments;
  std::size_t argument_bytes;
};

/// One launch at a time.
class machine {
 public:
  machine(detail::stream_state& on, dim3 grid, dim3 block, std::size_t shared_bytes, const work& what);
  ~machine();
  void run();

  // what kernels call; `caller` is a return address in the kernel
  void access(std::uintptr_t address, std::size_t size, bool write, bool strong, const void* caller);
  void atomic(std::uintptr_t address, std::size_t size, bool reads, bool block_scope, const void* caller);
  void changed(std::uintptr_t address);  // an atomic operation has changed what lies there
  int barrier(const char* what, int predicate, int combine, const void* caller);
  std::uint32_t exchange(detail::exchange_kind kind, std::uint32_t mask, std::uint64_t mine, std::uint64_t* values,
                         const void* caller);
  void fence(bool block_scope, const void* caller);
  void visit(const void* caller);  // a basic block: a step in lock step, else only counted
  void enter(const void* caller) { current_->calls.push_back(caller); }
  void leave() {
    if (!current_->calls.empty()) current_->calls.pop_back();
  }
  [[noreturn]] void abandon(std::exception_ptr why);  // ends the launch from within a thread
  [[noreturn]] void trap(const char* what, const char* why, const void* caller);  // a fault, and the launch ends
  [[noreturn]] void crash(std::uintptr_t address);  // a signal came while a kernel's own code ran
  [[noreturn]] void misaligned(std::uintptr_t address, const char* what, const void* caller);
  void index_out_of_bounds(const char* array, const char* file, int line, std::int64_t index);

  [[nodiscard]] thread& current() { return *current_; }
  std::uint32_t active_mask(const void* caller);
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  friend void start_fiber(transfer from);

  // schedule.cpp
  void start_block(std::uint32_t number);
  void finish_block(block& which);
  bool choose();  // the next thread to run; false if none can
  bool choose_by_script();
  bool choose_in_step();  // the same in lock step
  void resume(thread& which);
  void yield();
  void step(const void* caller);
  void enter_block(block& which);
  void make_ready(thread& which);
  void remove_ready(thread& which);

  // repetition.cpp
  void park(std::uintptr_t address);
  void unpark(std::uintptr_t address);
  bool unstick();  // nobody can run: wakes the parked, or settles exchanges that cannot complete
  void give_up(fault_kind kind);
  void progress() { rounds_in_vain_ = 0, last_progress_ = steps_; }
  void notice_repetition(std::uintptr_t address, std::size_t size, const void* caller);

  // waiting.cpp
  void release_barrier(block& which);
  struct meeting {
    std::uint32_t arrived, expected;  // lanes
  };
  [[nodiscard]] meeting meeting_of(const thread& here) const;
  void complete_exchange(block& which, std::uint32_t warp, std::uint32_t lanes);
  bool settle_exchanges(block& which);
  void thread_done(thread& which);

  // detect.cpp
  struct access_kind {
    bool read;  // and looks at what it reads: an exchange may meet what nobody wrote
    bool write, atomic, block_scope;
    bool exchange = false;
    [[nodiscard]] bool reads() const { return read || exchange; }
    [[nodiscard]] const char* name() const { return write && reads() ? "atomic" : write ? "write" : "read"; }
  };
  [[nodiscard]] bool is_local(std::uintptr_t address) const;
  region* find_region(std::uintptr_t address, std::size_t size);
  region* begin_access(std::uintptr_t address, std::size_t size, const access_kind& how, const void* caller);
  [[nodiscard]] bool looks_shared(std::uintptr_t address) const;
  void stray(std::uintptr_t address, std::size_t size, const access_kind& how, const void* caller);
  void examine(region& where, std::uintptr_t address, std::size_t size, const access_kind& how, const void* caller);
  void synchronise_through(std::uintptr_t address, bool shared, const access_kind& how);
  [[nodiscard]] bool ordered(const record& before) const;
  [[nodiscard]] bool conflicts(const record& before, const record& now) const;
  [[nodiscard]] std::uint32_t time_now(const thread& which) const;
  [[nodiscard]] std::string name_of_address(std::uintptr_t address) const;
  [[nodiscard]] static bool same_place(const thread& left, const thread& right);
  void keep_trace(std::uintptr_t address, std::size_t size, const char* what, const void* caller);
  fault* add_fault(fault_kind kind, const void* here, const void* other);
  void report(fault_kind kind, bool shared, std::uintptr_t address, const char* what, const void* caller,
              const record* other, const char* other_what);
  void report_waiting(fault_kind kind, const thread& here, const char* what, const thread* other,
                      const char* other_what);
  [[nodiscard]] index3 block_index(std::uint32_t number) const;
  [[nodiscard]] index3 thread_index(std::uint32_t in_block) const;

  detail::stream_state& on_;
  settings how_;
  dim3 grid_, block_size_;
  std::uint32_t threads_a_block_;
  std::size_t shared_bytes_;
  work work_;
  shared_module module_;         // where the kernel's shared and global variables live
  std::vector<region> globals_;  // the latter

  std::vector<std::unique_ptr<block>> resident_;
  std::uint64_t next_block_ = 0, block_count_ = 0;
  thread* current_ = nullptr;
  block* loaded_ = nullptr;  // whose shared variables are in place
  block* favourite_ = nullptr;
  int favour_ = 0;
  context scheduler_ = nullptr;
  std::mt19937_64 random_;
  int run_left_ = 0;
  std::size_t script_position_ = 0;
  std::vector<std::uint32_t> group_;  // lock step: lanes of the present step still to run
  std::uint32_t group_mask_ = 0;      // and all of its lanes
  block* group_block_ = nullptr;
  std::uint64_t steps_ = 0;
  std::uint64_t rounds_in_vain_ = 0, last_progress_ = 0;
  bool given_up_ = false;
  std::exception_ptr failure_;

  std::unordered_map<std::uintptr_t, shared_knowledge> left_;  // by release patterns of the device's scope
  std::unordered_map<std::uintptr_t, std::vector<thread*>> parked_;
};

/// The launch under way on this CPU thread, null outside; and whether a kernel's own code is running now, not the
/// simulator's.
extern constinit thread_local guarded<machine*> running;
extern constinit thread_local guarded<bool> in_kernel;

/// Runs the simulator's code on behalf of a kernel. What it throws ends the launch and is thrown there: the
/// kernel's frames are never unwound, for compilers do not expect instrumentation to throw.
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
  running->abandon(failure);
}

namespace detail {
struct stream_state {
  settings how;
  std::vector<fault> faults;
  std::vector<traced_access> trace;
  std::map<std::tuple<fault_kind, const void*, const void*>, std::size_t> known_faults;
  counters counted;
};
}  // namespace detail

}  // namespace exactdot::simt
