// Registry of the ladders: name, promises and limits of each rung, and how to prepare a run of it.
//
// A rung is a file in lab/rungs/. A rung with kernels is compiled twice and registered for both backends, the
// simulator and a GPU; a host rung is registered once. This header is plain host C++ and names no backend's types,
// so that harness, reports and program are compiled once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace exactdot::lab {

/// Where kernels run; host: a rung without kernels.
enum class backend { host, simt, cuda };

/// What a reduction combines: the products a[i]·b[i]; for absmax, their magnitudes.
enum class operation { sum, min, max, absmax, product };
inline constexpr std::string_view operation_names[] = {"sum", "min", "max", "absmax", "product"};

/// How a workload divides its elements. Each field belongs to one workload; a dot product has one result.
struct division {
  std::size_t row_length = 1024;  ///< rows: elements of a row; the last row has the rest
  std::size_t groups = 100;       ///< groups: keys are 0 to groups - 1
};

/// Length of the vectors, blocks, threads per block, and division of one run.
struct launch_config {
  std::size_t n = 0;
  unsigned grid = 1, block = 1;
  division parts = {};
};

/// Block sizes that a rung accepts.
enum class block_rule {
  none,         ///< the rung launches no kernel of its own
  any,          ///< 1 to 1024
  whole_warps,  ///< multiples of 32 up to 1024
  tree,         ///< powers of two from 64 to 1024
  any_tree      ///< powers of two from 2 to 1024
};

/// Default number of blocks of a rung; at most ⌈n / block⌉ except for always_32.
enum class grid_rule {
  none,             ///< the rung launches no kernel of its own
  one_thread_each,  ///< always ⌈n / block⌉: each thread reads one element
  few,              ///< 32
  always_32,        ///< 32, even for fewer elements than threads
  resident,         ///< 8 per multiprocessor
  many,             ///< 32 per multiprocessor
  thread_a_row,     ///< a thread for each row, at most as `many`
  warp_a_row,       ///< 32 threads for each row, at most as `many`
  block_a_row       ///< a block for each row, at most as `many`
};

/// What keeps the bits of a rung's result the same.
enum class determinism {
  none,        ///< the last bits depend on the order in which threads or blocks arrive
  fixed_grid,  ///< the same bits in every run with the same grid and block
  always,      ///< the same bits for every grid and block
};

/// Error bound of a sum. u: unit roundoff; k: the rung's `roundings`; S = sum |a[i]·b[i]|.
/// lab/bounds.cpp gives each formula with its source.
enum class error_rule {
  none,               ///< no bound
  working,            ///< about k·u·S in the type of the data
  in_float,           ///< about k·u·S in float
  in_double,          ///< about k·u·S in double, then one rounding
  kahan,              ///< about (3 + 3k)·u·S; k: levels of merging
  neumaier,           ///< u·|result| + about (k·u)²·S
  fixed_point,        ///< u·|result| + half a step of the fixed-point format for each term
  correctly_rounded,  ///< half an ulp
};

/// Name, promises and limits of a rung.
struct rung_info {
  int number = 0;  ///< its place in the ladder; related rungs share one
  const char* name = "";
  const char* file = "";  ///< in the workload's folder of lab/rungs/; its opening comment explains the rung
  const char* summary = "";
  const char* claim = "";  ///< published figures for this technique
  block_rule blocks = block_rule::none;
  unsigned block = 256;  ///< default threads per block
  grid_rule grid = grid_rule::none;
  determinism same_bits = determinism::none;
  error_rule error = error_rule::working;
  /// Roundings on the longest path from a product to the result, or the k of error_rule.
  std::uint64_t (*roundings)(const launch_config&) = nullptr;
  /// Atomics of one run without contention; null: none.
  std::uint64_t (*atomics)(const launch_config&) = nullptr;
  bool atomics_depend_on_data = false;  ///< `atomics` is null, but there are some
  bool host_finishes = false;           ///< the host copies partial results and adds them
  bool any_operation = false;           ///< supports every operation, not only sum
  bool wrong_on_purpose = false;
  const char* workload = "dot";  ///< what it computes; see workload.hpp
};

/// Seconds in which the host completed a result.
struct finish_times {
  double copy = 0;  ///< of the partial results to the host
  double add = 0;   ///< of combining them there
};

/// A rung that is ready to launch: its memory is allocated, its vectors are on the device.
template <class T>
class prepared_rung {
 public:
  virtual ~prepared_rung() = default;
  virtual void launch() = 0;  ///< enqueues the timed work; callable repeatedly, also during graph capture
  virtual T result() = 0;     ///< waits for the device, copies the result, and completes it on the host if needed
  virtual std::vector<T> results() { return {result()}; }  ///< the same, of a workload with several results
  /// Of the last result(); zeros unless the host completes it.
  [[nodiscard]] virtual finish_times last_finish() const { return {}; }
};

/// The vectors, the operation and the launch of one run.
template <class T>
struct rung_input {
  void* stream = nullptr;  ///< the gpu::stream of the rung's backend; null on the host
  const T* a = nullptr;    ///< in the memory of that backend
  const T* b = nullptr;
  operation op = operation::sum;
  launch_config config;
  std::size_t results = 1;              ///< number of results, as the rung's workload determines it
  const std::uint32_t* keys = nullptr;  ///< group of each element of a, in the same memory; null without groups
};

/// Allocates what the rung needs; launches nothing.
template <class T>
using rung_factory = std::function<std::unique_ptr<prepared_rung<T>>(const rung_input<T>&)>;

/// A rung on one backend.
struct rung {
  rung_info info;
  backend target = backend::host;
  rung_factory<float> prepare_float;
  rung_factory<double> prepare_double;

  [[nodiscard]] std::unique_ptr<prepared_rung<float>> prepare(const rung_input<float>& input) const {
    return prepare_float(input);
  }
  [[nodiscard]] std::unique_ptr<prepared_rung<double>> prepare(const rung_input<double>& input) const {
    return prepare_double(input);
  }
};

/// Adds a rung to the registry; called at program start by the registration objects.
void add_rung(const rung& added);

/// Returns the rungs of `target` and of the host over a workload, ordered by number, then by name. Without that
/// backend in the build only host rungs remain.
[[nodiscard]] std::vector<rung> ladder(backend target, std::string_view workload = "dot");

/// Returns why the rung cannot run with `block` threads per block; empty if it can.
[[nodiscard]] std::string block_size_error(const rung_info& info, unsigned block);

/// Returns the fewest threads per block that the rung accepts.
[[nodiscard]] unsigned smallest_block(const rung_info& info);

/// Returns the launch for n elements; block = 0 or grid = 0 selects the rung's default.
[[nodiscard]] launch_config choose_launch_config(const rung_info& info, std::size_t n, unsigned block,
                                                 unsigned grid, unsigned multiprocessors,
                                                 const division& parts = {});

/// Returns the text, at build time, of a file in lab/rungs/ or below, or of a lab/*.cuh that rungs include; empty
/// if unknown.
[[nodiscard]] std::string_view source_of(std::string_view file);

// Counts from which the rungs compute `roundings`.
[[nodiscard]] constexpr std::uint64_t threads_of(const launch_config& config) {
  return std::uint64_t{config.grid} * config.block;
}
/// Elements per thread, rounded up: the longest chain of additions in a thread.
[[nodiscard]] constexpr std::uint64_t chain_length(const launch_config& config) {
  return (config.n + threads_of(config) - 1) / threads_of(config);
}
/// Rows of workload rows.
[[nodiscard]] constexpr std::size_t rows_of(std::size_t n, const division& parts) {
  return n / parts.row_length + (n % parts.row_length != 0);
}
/// Elements of a row per thread, rounded up, if so many threads share a row.
[[nodiscard]] constexpr std::uint64_t chain_of_row(const launch_config& config, std::uint64_t threads) {
  return (config.parts.row_length + threads - 1) / threads;
}
/// Levels of a binary tree with that many leaves.
[[nodiscard]] constexpr std::uint64_t tree_depth(std::uint64_t leaves) {
  std::uint64_t count = 0;
  while ((std::uint64_t{1} << count) < leaves) ++count;
  return count;
}

}  // namespace exactdot::lab
