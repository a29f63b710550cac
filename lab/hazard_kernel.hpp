// What a hazard's file needs: CUDA for both worlds, what the simulator found, what a launch cost, a line to enlist.
//
// What only one world has is asked for in templates, by whether the stream has it: so no hazard knows in which
// world it is compiled. In an unnamed namespace, for both worlds meet in one program.
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

constexpr bool on_simt = this_world == world::simt;

template <class Stream>
concept simulated = requires(Stream& stream) {
  stream.how();
};

/// A stream whose schedule comes from the seed, where it can be had.
template <class Stream = gpu::stream>
struct seeded_stream : Stream {
  explicit seeded_stream(std::uint64_t seed) {
    if constexpr (simulated<Stream>) this->how().seed = seed;
  }
};

template <class Access>
fault_place place_of(const Access& one) {
  if (one.what.empty()) return {};
  return {one.file.substr(one.file.rfind('/') + 1), one.line,
          one.what + " by thread " + std::to_string(one.thread.x) + " of block " + std::to_string(one.block.x)};
}

/// What the simulator has found so far, and then forgets; nothing on a GPU, which finds nothing.
template <class Stream>
std::vector<named_fault> take_findings(Stream& stream) {
  std::vector<named_fault> found;
  if constexpr (simulated<Stream>) {
    for (const auto& one : stream.faults()) {
      std::string variable = one.space.empty() || one.space == "array" ? one.space : one.space + " memory";
      if (!one.variable.empty()) variable += ": " + one.variable;
      found.push_back({name_of(one.kind), variable, place_of(one.here), place_of(one.other), one.times});
    }
    stream.clear();
  }
  return found;
}

inline bool has(const std::vector<named_fault>& found, std::string_view kind) {
  for (const named_fault& one : found) {
    if (one.kind == kind) return true;
  }
  return false;
}

/// Microseconds of one call of `enqueue` on a GPU, by the GPU's clock; NaN in the simulator, whose time says
/// nothing.
template <class Stream, class Enqueue>
double microseconds(Stream& stream, const Enqueue& enqueue) {
  if constexpr (simulated<Stream>) {
    return std::numeric_limits<double>::quiet_NaN();
  } else {
    return 1e6 * seconds_a_call(stream, enqueue);
  }
}

template <class... Values>
std::string text_of(const char* format, Values... values) {
  char text[512];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

/// "; 12.3 us" where a time was taken, else nothing.
inline std::string time_text(double microseconds) {
  return microseconds > 0 ? text_of("; %.3g us a launch", microseconds) : "";
}

/// "3, 5 and 8"
template <class Number>
std::string list_of(const std::vector<Number>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + std::to_string(numbers[i]);
  }
  return text;
}

struct enlist_hazard {
  enlist_hazard(const hazard_info& info, hazard_outcome (*run)(const hazard_request&)) {
    add_hazard({info, this_world, run});
  }
};

}  // namespace
}  // namespace exactdot::lab
