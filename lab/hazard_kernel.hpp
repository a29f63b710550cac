// Support for hazard files: CUDA on both backends, the simulator's findings, kernel times, and registration.
//
// Features that only one backend has are selected in templates, by whether the stream provides them. A hazard is
// thus written without reference to its backend. The namespace is unnamed because both backends are linked into one
// program.
#pragma once

#include <cstdio>
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

/// Returns "; 12.3 us a launch"; "" for a NaN.
inline std::string time_text(double microseconds) {
  return microseconds > 0 ? format_text("; %.3g us a launch", microseconds) : "";
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
