// The labelled suite: small kernels, each with the fault that it has, or none.
//
// A file holds a family of kernels and, at its end, their table. A line that takes part in a fault ends in the
// comment `// fault: NAME`, with the names of all rows whose fault it is; so no line is counted by hand. runner.cpp
// runs and judges the rows; main.cpp prints; sabotage.cpp tests the tests. docs/simt.md has the table of results.
// ../on_gpu/suite_on_gpu.cu compiles the same files for a GPU.
#pragma once

#include <exactdot/simt/cuda.hpp>
#include <exactdot/simt/simulator.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace suite {

namespace gpu = exactdot::gpu;
using exactdot::simt::execution;
using exactdot::simt::fault_kind;

/// What every kernel gets.
struct arrays {
  static constexpr int n = 1003;  // no multiple of a warp or of 4
  static constexpr int sum = n * (n - 1) / 2;
  const int* in;  // n numbers: 0, 1, 2 …
  int* out;       // 1024 words, unwritten; a row's result is out[0]
  int* scratch;   // 1024 words, unwritten
  int* zeros;     // 256 words, zero
  int* host;      // memory of the host
};

using kernel = void (*)(arrays);

/// Models in which a row is faulty, or runs.
enum class models { both, independent, lock_step };
[[nodiscard]] inline bool holds(models some, execution model) {
  return some == models::both || (some == models::lock_step) == (model == execution::lock_step);
}

struct shape {
  dim3 grid = 1, block = 1;
  unsigned cluster = 1;            // blocks of a cluster
  std::size_t shared = 0;          // bytes of dynamic shared memory
  std::optional<int> result = {};  // out[0] of a correct run
  models faulty_in = models::both;
  models runs_in = models::both;
};

struct row {
  std::string family, name;
  std::string file;
  kernel run = nullptr;
  shape size;
  std::optional<fault_kind> fault;  // none: the kernel is correct
  std::set<int> lines;              // with the comment
  [[nodiscard]] bool is_faulty(execution model) const { return fault && holds(size.faulty_in, model); }
};

[[nodiscard]] std::vector<row>& rows();

/// Adds rows to the suite: `const family table = family("…", __FILE__).pair(…).correct(…);`
class family {
 public:
  family(std::string name, const std::string& file);
  /// A faulty kernel and its correct twin.
  family& pair(const std::string& name, kernel faulty, kernel correct, fault_kind kind, const shape& size);
  family& faulty(const std::string& name, kernel run, fault_kind kind, const shape& size);
  family& correct(const std::string& name, kernel run, const shape& size);

 private:
  std::string name_, file_;
};

}  // namespace suite
