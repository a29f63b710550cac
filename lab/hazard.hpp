// The hazards' registry: classic ways to get a parallel sum wrong, each of them runnable, and what came of a run.
//
// A hazard is a file of lab/hazards/, compiled like a rung for the simulator and for a GPU, and enlisted in both
// worlds. Plain host C++ that knows neither: the program and the tests see hazards only through this.
#pragma once

#include <cstdint>
#include <lab/registry.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace exactdot::lab {

/// One side of a named_fault: a line of a kernel, and who was there.
struct fault_place {
  std::string file;  ///< without its folder; "" if not known
  int line = 0;
  std::string what;  ///< "read by thread 3 of block 0"; "" if there is no such side
};

/// What the simulator has named.
struct named_fault {
  std::string kind;      ///< "data_race", "barrier_divergence", …
  std::string variable;  ///< "global memory: buffer of 4 bytes + 0"
  fault_place here, other;
  std::uint64_t times = 1;
};

struct hazard_figure {
  std::string name;
  double value = 0;
};

struct hazard_outcome {
  std::string expected;  ///< what must be seen if this hazard is what it claims to be
  std::string observed;
  bool ran = true;  ///< false: the watchdog stopped it; `observed` says so
  bool as_expected = false;
  std::vector<named_fault> detected;
  std::vector<hazard_figure> figures;  ///< the numbers in `observed`, and more
  std::vector<std::string> table;      ///< lines to show as they are
};

struct hazard_info {
  int number = 0;
  const char* name = "";
  const char* file = "";  ///< in lab/hazards/
  bool may_hang = false;  ///< on a GPU: the program runs it in a process of its own, under a watchdog
  const char* does = "";
  const char* why = "";
  const char* cure = "";
};

struct hazard_request {
  std::uint64_t seed = 1;  ///< of the simulator's schedule; a GPU has none
  int runs = 3;            ///< of hazards whose outcome changes from run to run
};

struct hazard {
  hazard_info info;
  world where = world::simt;
  hazard_outcome (*run)(const hazard_request&) = nullptr;
};

/// Called while the program starts, by each hazard's enlisting object.
void add_hazard(const hazard& one);

/// The hazards that run in `where`, by number. Empty where the program was built without that world.
[[nodiscard]] std::vector<hazard> hazards(world where);

/// Does, why and cure as one text.
[[nodiscard]] std::string explanation_of(const hazard_info& info);

/// The value of that name; NaN where there is none.
[[nodiscard]] double figure_of(const hazard_outcome& seen, std::string_view name);

}  // namespace exactdot::lab
