// bench: a device to run rungs on, with what can be counted and timed there.
//
// One implementation a world, each compiled with its world's compiler and enlisted like a rung; the harness knows
// only this. The host's is for rungs without kernels.
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

/// What was counted since begin(); null where the device does not tell.
struct tally {
  std::uint64_t launches = 0;
  std::optional<std::uint64_t> atomics, steps, barriers;
};

/// A fault that the simulator found.
struct finding {
  std::string kind, where, file;
  int line = 0;
  std::string text;
};

/// Device memory that is given back at the end.
class device_memory {
 public:
  virtual ~device_memory() = default;
  [[nodiscard]] virtual void* data() const = 0;
};

class bench {
 public:
  virtual ~bench() = default;
  [[nodiscard]] virtual world where() const = 0;
  [[nodiscard]] virtual std::string name() const = 0;
  /// What else a reader of figures has to know: driver, toolkit, …
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> facts() const { return {}; }
  [[nodiscard]] virtual unsigned multiprocessors() const { return 1; }
  [[nodiscard]] virtual void* stream() { return nullptr; }
  /// Bytes that n bytes of device memory take, and how many there are; 0: as many as the host has.
  [[nodiscard]] virtual std::size_t cost_of(std::size_t bytes) const { return bytes; }
  [[nodiscard]] virtual std::size_t free_bytes() const { return 0; }
  /// Copies to the device. The host's keeps the pointer.
  [[nodiscard]] virtual std::unique_ptr<device_memory> upload(const void* data, std::size_t bytes) = 0;

  /// Starts a run that is its own: forgets counts and findings, takes another schedule where there are several.
  virtual void begin(std::uint64_t seed) = 0;
  [[nodiscard]] virtual tally counted() const { return {}; }
  [[nodiscard]] virtual std::vector<finding> found() const { return {}; }

  /// Seconds of one call of `launch`, warm, the median of several; null where time means nothing.
  [[nodiscard]] virtual std::optional<double> seconds(const std::function<void()>& launch) = 0;
  /// Seconds that reading both arrays takes at least, each of so many bytes.
  [[nodiscard]] virtual std::optional<double> seconds_to_read(const void*, const void*, std::size_t) { return {}; }
};

struct bench_settings {
  bool lock_step = false;  ///< the simulator's warps run as before Volta
};

using bench_maker = std::unique_ptr<bench> (*)(const bench_settings&);

/// Called while the program starts.
struct enlist_bench {
  enlist_bench(world where, bench_maker make);
};

/// Throws errc::no_device, and says why, where this build or this machine does not have it.
[[nodiscard]] std::unique_ptr<bench> open_bench(world where, const bench_settings& settings = {});

}  // namespace exactdot::lab
