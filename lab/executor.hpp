// Executor: allocates, runs, counts and times rungs on one device.
//
// There is one implementation per backend. Each is compiled with its backend's compiler and registered at program
// start; the harness uses only this interface. The host's executor runs rungs without kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <lab/registry.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace exactdot::lab {

/// What a GPU would have to do for a run, summed over the requests of all its warps. Only the simulator counts
/// this.
struct kernel_costs {
  std::uint64_t requests = 0;                              ///< loads, stores, atomics and shuffles of a warp
  std::uint64_t lanes = 0;                                 ///< active lanes of all requests
  std::uint64_t global_requests = 0;                       ///< loads and stores of global memory
  std::uint64_t sectors = 0;                               ///< of 32 bytes, of these
  std::uint64_t bytes_moved = 0;                           ///< 32 for each sector, also of atomics
  std::uint64_t passes = 0, passes_without_conflicts = 0;  ///< over the banks of shared memory
  std::uint64_t longest_queue = 0;                         ///< most atomics of one launch on one address

  [[nodiscard]] std::optional<double> lanes_per_request() const { return ratio(lanes, requests); }
  [[nodiscard]] std::optional<double> sectors_per_request() const { return ratio(sectors, global_requests); }
  /// 1 without conflicts; null without accesses to shared memory.
  [[nodiscard]] std::optional<double> bank_conflict_degree() const {
    return ratio(passes, passes_without_conflicts);
  }

 private:
  static std::optional<double> ratio(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return {};
    return static_cast<double>(part) / static_cast<double>(whole);
  }
};

/// Events since start_run(); null if the device does not count them.
struct counters {
  std::uint64_t launches = 0;
  std::optional<std::uint64_t> atomics = {}, steps = {}, barriers = {};
  std::optional<kernel_costs> costs = {};  ///< only if count_costs(true) preceded the run
};

/// A fault that the simulator detected.
struct finding {
  std::string kind, thread, file;  ///< thread: its block and index, as text
  int line = 0;
  std::string text;
};

/// Device memory, freed by the destructor.
class device_memory {
 public:
  virtual ~device_memory() = default;
  [[nodiscard]] virtual void* data() const = 0;
};

class executor {
 public:
  virtual ~executor() = default;
  [[nodiscard]] virtual backend target() const = 0;
  [[nodiscard]] virtual std::string name() const = 0;
  /// Further facts for the report: driver, toolkit, …
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> facts() const { return {}; }
  [[nodiscard]] virtual unsigned multiprocessors() const { return 1; }
  [[nodiscard]] virtual void* stream() { return nullptr; }
  /// Bytes of memory that an allocation of `bytes` occupies, including the simulator's shadow memory.
  [[nodiscard]] virtual std::size_t footprint(std::size_t bytes) const { return bytes; }
  /// Free device memory; 0: device memory is host memory.
  [[nodiscard]] virtual std::size_t free_bytes() const { return 0; }
  /// Copies `bytes` bytes to the device. The host's executor keeps the pointer instead.
  [[nodiscard]] virtual std::unique_ptr<device_memory> upload(const void* data, std::size_t bytes) = 0;

  /// Starts an independent run: clears counters and findings; `seed` selects one of the schedules, if there are
  /// several.
  virtual void start_run(std::uint64_t seed) = 0;
  /// Whether following runs count their costs, which slows them down.
  virtual void count_costs(bool /*count*/) {}
  [[nodiscard]] virtual counters read_counters() const { return {}; }
  [[nodiscard]] virtual std::vector<finding> findings() const { return {}; }

  /// Median seconds of one call of `launch`, after warm-up; null if the device has no meaningful clock.
  [[nodiscard]] virtual std::optional<double> seconds_per_call(const std::function<void()>& launch) = 0;
  /// Minimum seconds to read both arrays, of `bytes` bytes each; null without a clock.
  [[nodiscard]] virtual std::optional<double> seconds_to_read(const void* /*a*/, const void* /*b*/,
                                                              std::size_t /*bytes*/) {
    return {};
  }
};

struct executor_settings {
  bool lock_step = false;  ///< simulated warps share one program counter, as before Volta
};

using executor_factory = std::unique_ptr<executor> (*)(const executor_settings&);

/// Registers an executor; one static object per backend, constructed at program start.
struct register_executor {
  register_executor(backend target, executor_factory make);
};

/// Throws errc::no_device, with the reason, if this build or this machine has no such device.
[[nodiscard]] std::unique_ptr<executor> open_executor(backend target, const executor_settings& settings = {});

}  // namespace exactdot::lab
