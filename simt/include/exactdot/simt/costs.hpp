// Costs of a kernel, counted per source line: what a GPU would have to do, not how long it takes.
//
// With settings::profile the simulator groups the accesses of a warp into requests, as a GPU does, and counts for
// each request the 32-byte sectors of global memory that it touches, or how often the banks of shared memory have
// to be read for it. docs/simt.md, "Costs", defines a request of independent threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace exactdot::simt {

/// What the accesses of one kind at one source line of a kernel cost, over all launches.
struct line_costs {
  std::string kernel;
  std::string file;  ///< "" without debug information
  int line = 0;
  std::string action;  ///< "read", "write", "atomic", "copy", "barrier" or "collective"
  std::string space;   ///< "global", "shared" or ""

  std::uint64_t requests = 0;       ///< of a warp
  std::uint64_t lanes = 0;          ///< active lanes of all requests
  std::uint64_t bytes = 0;          ///< that the lanes read or write
  std::uint64_t sectors = 0;        ///< of 32 bytes, in global memory
  std::uint64_t wavefronts = 0;     ///< passes over the banks of shared memory
  std::uint64_t ideal = 0;          ///< the passes that as many bytes need without a conflict
  std::uint64_t longest_queue = 0;  ///< most atomic operations of one launch on one address

  [[nodiscard]] double sectors_per_request() const { return ratio(sectors, requests); }
  [[nodiscard]] double lanes_per_request() const { return ratio(lanes, requests); }
  /// Bank-conflict degree: 1 without conflicts.
  [[nodiscard]] double degree() const { return ratio(wavefronts, ideal); }
  /// By which tables are sorted: sectors, passes over the banks, atomic operations; of the rest the requests.
  [[nodiscard]] std::uint64_t cost() const {
    return action == "atomic" ? lanes : sectors + wavefronts != 0 ? sectors + wavefronts : requests;
  }

 private:
  static double ratio(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};

/// Returns a table of the lines by kernel, the most expensive first; "" if there are none.
[[nodiscard]] std::string cost_table(std::vector<line_costs> lines);

}  // namespace exactdot::simt
