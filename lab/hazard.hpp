// Registry of the hazards: classic mistakes in parallel sums, each runnable, and the outcome of a run.
//
// A hazard is a file in lab/hazards/. Like a rung it is compiled for the simulator and for a GPU, and registered
// for both backends. This header is plain host C++; the program and the tests use hazards only through it.
#pragma once

#include <cstdint>
#include <exactdot/options.hpp>
#include <lab/registry.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace exactdot::lab {

/// One side of a reported fault: a source line and the access made there.
struct fault_site {
  std::string file;  ///< without its folder; "" if unknown
  int line = 0;
  std::string access;  ///< "read by thread 3 of block 0"; "" if the fault has no such side
};

/// A fault reported by the simulator.
struct reported_fault {
  std::string kind;      ///< "data_race", "barrier_divergence", …
  std::string variable;  ///< "global memory: buffer of 4 bytes + 0"
  fault_site site, other_site;
  std::uint64_t times = 1;
};

/// A number of an outcome: "counted", 88.
struct hazard_figure {
  std::string name;
  double value = 0;
};

/// What a run of a hazard showed.
struct hazard_outcome {
  std::string expected;  ///< what a run must show to demonstrate the hazard
  std::string observed;
  bool completed = true;  ///< false: the watchdog ended the run, as `observed` states
  bool as_expected = false;
  std::vector<reported_fault> detected;
  std::vector<hazard_figure> figures;  ///< the numbers in `observed`, and further ones
  std::vector<std::string> table;      ///< lines to print unchanged
  std::vector<std::string> launches;   ///< of a small run: what distinguishes each launch; empty: its kernel's name
};

/// Name and explanation of a hazard.
struct hazard_info {
  int number = 0;  ///< its place in the list
  const char* name = "";
  const char* file = "";  ///< in lab/hazards/
  /// May hang on a GPU, or end its context: the program runs it there in a separate process under a watchdog.
  bool separate_process = false;
  std::size_t work = 0;     ///< what a run adds to the monitor of its request; 0: nothing, because it is short
  bool mistake = true;      ///< false: a correct kernel, or an illustration
  const char* effect = "";  ///< what goes wrong, as sentences; so are cause and fix
  const char* cause = "";
  const char* fix = "";
};

/// How to run a hazard.
struct hazard_request {
  std::uint64_t seed = 1;  ///< of the simulator's schedule; ignored on a GPU
  int runs = 3;            ///< of hazards whose outcome differs between runs
  bool small = false;      ///< with few threads, to be shown step by step; the outcome may then be unexpected
  exactdot::monitor* monitor = nullptr;  ///< of hazards with `work`: its `done` grows by that, launch by launch

  void add_progress(std::size_t units) const {
    if (monitor != nullptr) monitor->done += units;
  }
};

/// A hazard on one backend.
struct hazard {
  hazard_info info;
  backend target = backend::simt;
  hazard_outcome (*run)(const hazard_request&) = nullptr;
};

/// Adds a hazard to the registry; called at program start by the registration objects.
void add_hazard(const hazard& added);

/// Returns the hazards of `target`, ordered by number; empty if the build lacks that backend.
[[nodiscard]] std::vector<hazard> hazards(backend target);

/// Returns the text, at build time, of a file in lab/hazards/ or of a .cuh file that hazards include; empty if
/// unknown.
[[nodiscard]] std::string_view hazard_source_of(std::string_view file);

/// Returns effect, cause and fix as one text.
[[nodiscard]] std::string explanation_of(const hazard_info& info);

/// Returns the value of the figure `name`; NaN if there is none.
[[nodiscard]] double figure_of(const hazard_outcome& outcome, std::string_view name);

}  // namespace exactdot::lab
