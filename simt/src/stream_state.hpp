// State of a stream that outlives its launches: settings, findings, trace, costs, counters.
#pragma once

#include <cstddef>
#include <exactdot/simt/recording.hpp>
#include <exactdot/simt/simulator.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "explanations.hpp"

namespace exactdot::simt::detail {

struct stream_state {
  simt::settings settings;
  std::vector<fault> faults, notes;
  std::vector<traced_access> trace;
  std::vector<line_costs> costs;
  // of each fault, by its return addresses and action, and by its source lines and actions: the index in `faults`;
  // a race has no action, as either side may come first
  std::map<std::tuple<fault_kind, const void*, const void*, std::string_view>, std::size_t> known_faults;
  std::map<std::tuple<fault_kind, std::string, std::string>, std::size_t> known_lines;
  std::unordered_map<std::size_t, race_sightings> races;  // of data races
  /// A float sum by atomics, at the end of its launch.
  struct sum {
    std::uint32_t launch;
    std::uint64_t offset, buffer_bytes;
    std::string file;
    int line;
    double value;
  };
  std::vector<sum> sums;  // if keeps_sums
  bool keeps_sums = false;
  counters counted;
  std::optional<fault_kind> ended_by;            // the fault that ended the last launch early
  std::function<bool(std::uint32_t)> is_unordered;  // whether nothing orders a launch before the next; empty: all are
  bool cooperative = false;                      // the launch is a cooperative one
  bool incomplete = false;                       // some launch was not seen to its end: what nothing read says nothing
  std::vector<recorded_pointer> named_pointers;  // of the next launch, for a recorder
};

}  // namespace exactdot::simt::detail
