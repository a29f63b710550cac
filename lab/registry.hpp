// The ladder's registry: what each rung is called, promises and takes, and how to start it.
//
// A rung is a file of lab/rungs/. Those with kernels are compiled twice, for the simulator and for a GPU, and
// enlist in both worlds; those of the host enlist once. Everything here is plain host C++ that knows neither world,
// so the harness, the report and the program are compiled once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace exactdot::lab {

enum class world { host, simt, cuda };

/// What a reduction combines: the products a[i]·b[i], or for absmax their magnitudes.
enum class operation { sum, min, max, absmax, product };
inline constexpr std::string_view operation_names[] = {"sum", "min", "max", "absmax", "product"};

/// The size of one launch.
struct shape {
  std::size_t n = 0;
  unsigned grid = 1, block = 1;
};

enum class block_rule {
  none,         ///< no kernel of ours
  any,          ///< 1 to 1024
  whole_warps,  ///< multiples of 32 up to 1024
  tree          ///< powers of two from 64 to 1024
};

/// How many blocks a rung gets when nobody asks for a number; ⌈n / block⌉ at most.
enum class grid_rule {
  none,             ///< no kernel of ours
  one_thread_each,  ///< ⌈n / block⌉, always: a thread takes one element
  few,              ///< 32
  always_32,        ///< 32, however few elements there are
  resident,         ///< 8 a multiprocessor
  many              ///< 32 a multiprocessor
};

enum class determinism {
  none,        ///< the last bits depend on who comes first
  fixed_grid,  ///< the same bits every run, for one grid and block
  always,      ///< the same bits for every grid and block too
};

/// How the error of a sum is bounded; u is the unit roundoff, k the rung's `roundings`, S = sum |a[i]·b[i]|.
/// lab/bounds.cpp states each formula and its source.
enum class error_rule {
  none,               ///< promises nothing
  working,            ///< about k·u·S in the type of the data
  in_float,           ///< about k·u·S in float
  in_double,          ///< about k·u·S in double, then one rounding
  kahan,              ///< about (3 + 3k)·u·S, k levels of merging
  neumaier,           ///< u·|result| + about (k·u)²·S
  correctly_rounded,  ///< half an ulp
};

struct rung_info {
  int number = 0;
  const char* name = "";
  const char* file = "";  ///< in lab/rungs/; its opening comment explains the rung
  const char* notice = "";
  const char* claim = "";  ///< what texts and talks say of it
  block_rule blocks = block_rule::none;
  unsigned block = 256;  ///< when nobody asks for another
  grid_rule grid = grid_rule::none;
  determinism same_bits = determinism::none;
  error_rule error = error_rule::working;
  /// Roundings on the longest way from a product to the result, or what else error_rule calls k.
  std::uint64_t (*roundings)(const shape&) = nullptr;
  std::uint64_t (*atomics)(const shape&) = nullptr;  ///< of one run that meets nobody; null: none
  bool host_finishes = false;                        ///< partial results are copied to the host and added there
  bool any_operation = false;                        ///< takes every operation, not only sum
  bool wrong_on_purpose = false;
};

/// A rung at work: its memory is allocated, its vectors lie on the device.
template <class T>
class attempt {
 public:
  virtual ~attempt() = default;
  virtual void launch() = 0;  ///< enqueues what is timed; may be called again and again, also while captured
  virtual T result() = 0;     ///< waits, copies, and finishes on the host what is finished there
};

template <class T>
struct task {
  void* stream = nullptr;  ///< the gpu::stream of the rung's world; null on the host
  const T* a = nullptr;    ///< in that device's memory
  const T* b = nullptr;
  operation op = operation::sum;
  shape size;
};

template <class T>
using starter = std::function<std::unique_ptr<attempt<T>>(const task<T>&)>;

struct rung {
  rung_info info;
  world where = world::host;
  starter<float> start_float;
  starter<double> start_double;

  [[nodiscard]] std::unique_ptr<attempt<float>> start(const task<float>& what) const { return start_float(what); }
  [[nodiscard]] std::unique_ptr<attempt<double>> start(const task<double>& what) const {
    return start_double(what);
  }
};

/// Called while the program starts, by each rung's enlisting object.
void add_rung(const rung& one);

/// The rungs that run in `where` and those of the host, by number, then name. Empty of kernels where the program
/// was built without that world.
[[nodiscard]] std::vector<rung> ladder(world where);

/// Why a rung cannot use blocks of that many threads; empty when it can.
[[nodiscard]] std::string refusal(const rung_info& info, unsigned block);

/// The launch that a rung gets for n elements; 0 asks for the rung's own choice.
[[nodiscard]] shape choose_shape(const rung_info& info, std::size_t n, unsigned block, unsigned grid,
                                 unsigned multiprocessors);

/// The text of a file of lab/rungs/, or of one that their kernels share (lab/*.cuh), as it was when this was built;
/// empty for an unknown one.
[[nodiscard]] std::string_view source_of(std::string_view file);

// Counts for `roundings`.
[[nodiscard]] constexpr std::uint64_t threads_of(const shape& s) { return std::uint64_t{s.grid} * s.block; }
/// Elements that the busiest thread takes.
[[nodiscard]] constexpr std::uint64_t chain(const shape& s) { return (s.n + threads_of(s) - 1) / threads_of(s); }
/// Levels of a binary tree over so many leaves.
[[nodiscard]] constexpr std::uint64_t levels(std::uint64_t leaves) {
  std::uint64_t count = 0;
  while ((std::uint64_t{1} << count) < leaves) ++count;
  return count;
}

}  // namespace exactdot::lab
