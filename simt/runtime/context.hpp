// The one simulated device of a program that simtcc compiled: its stream of launches, its errors and its memory.
//
// All CUDA streams are this stream. An error of a kernel is pending until a call waits for the device; from then on
// every call returns it, as on a GPU.
#pragma once

#include <exactdot/simt/runtime/device.hpp>
#include <exactdot/simt/runtime/memory.hpp>
#include <exactdot/simt/simulator.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "settings.hpp"
#include "stream_order.hpp"

namespace exactdot::simt {

enum class memory_use { device, managed, page_locked };
struct allocation {
  std::size_t bytes;
  memory_use use;
};

/// A launch that was refused, until the program asks for its error.
struct refused_launch {
  std::string file;  // "" if there is none
  int line = 0;
  std::string reason;
};

/// Held by every call of the runtime that reads or changes its state, and during a launch: host threads take turns.
class runtime_lock {
 public:
  runtime_lock() : held_(mutex()) { ++depth; }
  /// Of an access by host code, which does not wait for a launch.
  explicit runtime_lock(std::try_to_lock_t attempt) : held_(mutex(), attempt) { depth += is_held() ? 1 : 0; }
  ~runtime_lock() { depth -= is_held() ? 1 : 0; }
  runtime_lock(const runtime_lock&) = delete;
  runtime_lock& operator=(const runtime_lock&) = delete;
  [[nodiscard]] bool is_held() const { return held_.owns_lock(); }
  /// Whether this thread held it before: the runtime itself is at work, or calls a function of the program.
  [[nodiscard]] bool is_nested() const { return is_held() && depth > 1; }

 private:
  static inline int depth = 0;  // under the lock
  static std::recursive_mutex& mutex() {
    static auto& of_process = *new std::recursive_mutex;
    return of_process;
  }
  std::unique_lock<std::recursive_mutex> held_;
};

/// Device memory that a copy or fill reads or writes, for the checks of its order: all of `bytes`, or of every `pitch`
/// bytes the first `width`.
struct copied_range {
  std::uintptr_t first;
  std::size_t bytes;
  bool write;
  const char* action;
  const void* caller;
  std::size_t pitch = 0, width = 0;

  [[nodiscard]] bool intersects(std::uintptr_t begin, std::uintptr_t end) const;
  [[nodiscard]] bool overlaps(const copied_range& other) const;
};

/// A call that failed, until the program asks for its error.
struct failed_call {
  cudaError_t error = cudaSuccess;  // cudaSuccess: there is none
  std::string file;
  int line = 0;
};

class region;
struct access_record;

class runtime_context {
 public:
  static runtime_context& instance();

  program_settings settings;
  simt::stream stream;
  std::map<const void*, allocation> allocations;  // by first address
  std::map<std::uintptr_t, std::size_t>
      symbols;  // bytes of the device's variables of which the program has the address
  std::size_t allocated = 0;
  std::map<const void*, std::size_t> shared_limits;  // raised limits of dynamic shared memory, by kernel
  refused_launch unseen;
  failed_call failed;
  stream_order order;
  cudaStream_t current_stream = nullptr;  // of the work that runs now
  bool in_callback = false;               // a function of the host runs as work of a stream
  bool elapsed_time_used = false;

  /// Notes the result of a call: it becomes the last error if it is one. Returns it, or the device's error.
  cudaError_t finish(cudaError_t result);
  /// A call that waits for the device: surfaces the error of a kernel.
  cudaError_t wait();
  /// After a launch: its fault, if it was ended by one, becomes pending.
  void note_launch();
  cudaError_t last_error(bool reset);
  [[nodiscard]] bool device_failed() const { return failure_ != cudaSuccess; }

  /// Returns the allocation that holds the address; allocations.end() if there is none.
  [[nodiscard]] std::map<const void*, allocation>::const_iterator find(const void* address) const;
  /// Returns address and bytes of the variable of the device that holds the address, if the program got it from
  /// cudaGetSymbolAddress.
  [[nodiscard]] std::optional<std::pair<std::uintptr_t, std::size_t>> find_symbol(std::uintptr_t address) const;
  /// Adds a fault of host code at a call's return address. Each call is reported once and then counted. Returns it
  /// if it is new, else null.
  fault* report(fault_kind kind, const std::string& variable, const char* action, const void* caller);

  // order_checks.cpp
  /// Work on the current stream, or on another one, begins: a copy or fill, or an allocation, which counts as one; a launch,
  /// before it and after it. A stream releases memory.
  void begin_copy(const copied_range& range);
  void begin_copy_on(const copied_range& range, cudaStream_t of);
  void begin_release(const copied_range& range, cudaStream_t of);
  void begin_launch(cudaStream_t of);
  void check_copies_before(cudaStream_t of);
  void check_host_order(const region& buffer, std::uintptr_t address, bool write, const void* caller);

 private:
  runtime_context();
  void note_failure(cudaError_t error);
  [[nodiscard]] stream_order::operation operation_of(std::uint32_t launch) const;
  [[nodiscard]] static fault_site host_site(const char* action, const void* caller);
  void check_range(const copied_range& range);
  void report_unordered(const region& buffer, std::uintptr_t address, const fault_site& host,
                        const fault_site& kernel, const char* cause);
  struct noted_copy {
    copied_range range;
    stream_order::operation work;
  };
  std::vector<noted_copy> unordered_copies_;       // that the host has not waited for
  std::vector<stream_order::operation> launches_;  // by their number
  cudaError_t last_ = cudaSuccess, pending_ = cudaSuccess, failure_ = cudaSuccess;
};

/// Bytes of device memory: what cudaMemGetInfo reports.
std::size_t device_memory_bytes();

/// Limits of a compute capability (CUDA C++ Programming Guide, "Compute Capabilities").
struct architecture_limits {
  unsigned architecture;
  int threads_per_multiprocessor, blocks_per_multiprocessor;
  std::size_t shared_per_multiprocessor, shared_per_block;  // the latter with an opt-in by cudaFuncSetAttribute
};
const architecture_limits& limits_of(unsigned architecture);
inline constexpr int multiprocessors = 4;

/// Reports host code that uses a variable of the device by its name, if the address is in one.
void check_device_variable(std::uintptr_t address, const char* action, bool write, const void* caller);

/// Returns the innermost return address whose line is the user's, of the calls that lead to this one of host code.
const void* user_call(const void* caller);

/// Returns the first address of the kernel that contains this address.
const void* kernel_at(const void* address);
inline cudaError_t finish(cudaError_t result) { return runtime_context::instance().finish(result); }

}  // namespace exactdot::simt
