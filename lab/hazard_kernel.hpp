// Support for hazard files: CUDA on both backends, the simulator's findings, kernel times, and registration.
//
// Features that only one backend has are selected in templates, by whether the stream provides them. A hazard is
// thus written without reference to its backend. The namespace is unnamed because both backends are linked into one
// program.
#pragma once

#include <cstdio>
#include <exactdot/error.hpp>
#include <exactdot/simt/cuda.hpp>
#include <lab/hazard.hpp>
#include <lab/rung.hpp>
#include <limits>
#include <string>
#include <vector>

#if defined(__CUDACC__)
#include <lab/on_gpu/replay.cuh>
#endif

namespace exactdot::lab {
namespace {

constexpr bool on_simt = this_backend == backend::simt;

template <class Stream>
concept simulated = requires(Stream& stream) {
  stream.settings();
};

/// A stream whose schedule the seed selects, if the backend supports it.
template <class Stream = gpu::stream>
struct seeded_stream : Stream {
  explicit seeded_stream(std::uint64_t seed) {
    if constexpr (simulated<Stream>) this->settings().seed = seed;
  }
};

template <class Access>
fault_site site_of(const Access& access) {
  if (access.action.empty()) return {};
  return {access.file.substr(access.file.rfind('/') + 1), access.line,
          access.action + " by thread " + std::to_string(access.thread.x) + " of block " +
              std::to_string(access.block.x)};
}

/// Returns the simulator's findings since the last call and clears them; empty on a GPU.
template <class Stream>
std::vector<reported_fault> take_findings(Stream& stream) {
  std::vector<reported_fault> found;
  if constexpr (simulated<Stream>) {
    for (const auto& fault : stream.faults()) {
      std::string variable = fault.space.empty() || fault.space == "array" ? fault.space : fault.space + " memory";
      if (!fault.variable.empty()) variable += ": " + fault.variable;
      found.push_back({name_of(fault.kind), variable, site_of(fault.site), site_of(fault.other_site), fault.times});
    }
    stream.clear();
  }
  return found;
}

inline bool has(const std::vector<reported_fault>& found, std::string_view kind) {
  for (const reported_fault& fault : found) {
    if (fault.kind == kind) return true;
  }
  return false;
}

/// Appends the faults of a further run.
inline void add_findings(hazard_outcome& outcome, const std::vector<reported_fault>& found) {
  outcome.detected.insert(outcome.detected.end(), found.begin(), found.end());
}

/// What the simulator counts for the accesses to one kind of memory.
struct access_costs {
  double requests = 0, sectors = 0, passes = 0, ideal_passes = 0;
};

/// Returns the costs since the simulator's last clear() of an action, or "" for all, in "global" or "shared"
/// memory; zeros on a GPU.
template <class Stream>
access_costs counted_costs(const Stream& stream, std::string_view space, std::string_view action) {
  access_costs total;
  if constexpr (simulated<Stream>) {
    for (const auto& line : stream.costs()) {
      if (line.space != space || (!action.empty() && line.action != action)) continue;
      total.requests += static_cast<double>(line.requests);
      total.sectors += static_cast<double>(line.sectors);
      total.passes += static_cast<double>(line.wavefronts);
      total.ideal_passes += static_cast<double>(line.ideal);
    }
  }
  return total;
}

/// Returns what one call of `enqueue` costs on the simulator; zeros on a GPU, where `enqueue` is not called.
template <class Stream, class Enqueue>
access_costs costs_of(Stream& stream, std::string_view space, std::string_view action, const Enqueue& enqueue) {
  const access_costs before = counted_costs(stream, space, action);
  if constexpr (simulated<Stream>) {
    stream.settings().profile = true;
    enqueue();
    stream.settings().profile = false;
  }
  const access_costs after = counted_costs(stream, space, action);
  return {after.requests - before.requests, after.sectors - before.sectors, after.passes - before.passes,
          after.ideal_passes - before.ideal_passes};
}

/// Returns the message of the error that ended `function`; "" if it returned.
template <class Function>
std::string error_of(const Function& function) {
  try {
    function();
    return "";
  } catch (const error& fault) {
    return fault.what();
  }
}

/// Fills a buffer with ones.
inline void fill_ones(gpu::buffer<float>& x) {
  const std::vector<float> ones(x.size(), 1.0F);
  x.copy_from(ones.data(), ones.size());
}

/// Returns the microseconds of one call of `enqueue` by the GPU's clock; NaN on the simulator, which has no
/// meaningful time.
template <class Stream, class Enqueue>
double microseconds(Stream& stream, const Enqueue& enqueue) {
  if constexpr (simulated<Stream>) {
    return std::numeric_limits<double>::quiet_NaN();
  } else {
    return 1e6 * median_replay_seconds(stream, enqueue);
  }
}

template <class... Values>
std::string format_text(const char* format, Values... values) {
  char text[512];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

/// Returns "; 12.3 µs a launch"; "" for a NaN.
inline std::string time_text(double microseconds) {
  return microseconds > 0 ? format_text("; %.3g µs a launch", microseconds) : "";
}

/// Formats "3, 5 and 8".
template <class Number>
std::string list_of(const std::vector<Number>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + std::to_string(numbers[i]);
  }
  return text;
}

struct register_hazard {
  register_hazard(const hazard_info& info, hazard_outcome (*run)(const hazard_request&)) {
    add_hazard({info, this_backend, run});
  }
};

}  // namespace
}  // namespace exactdot::lab
