// Interface to an optional GPU engine: a function table that exactdot::cuda registers at startup.
//
// exactdot::exactdot needs no CUDA to build or run. Cost per call: one atomic load without an engine, two with an
// engine but no GPU.
#pragma once

#include <atomic>
#include <memory>
#include <plan/normalise.hpp>
#include <plan/plan.hpp>
#include <span>

namespace exactdot::inline v0_3::engine {

struct batch;

/// A copy of complex numbers in a GPU's memory, each changed, one after the other.
struct number_copy {
  const char* caller;
  pairing how;
  element_type part;  ///< float32 or float64
  bool swapped;       ///< the bytes of each part, which the copy has in the machine's order
  const void* data;
  std::span<const axis> axes;  ///< the last one is the fastest
  std::size_t count;           ///< of numbers: all positions
  int gpu;
};
/// A copy of `count` integers of any width in a GPU's memory as 64-bit ones, a sign extended: each multiplied by two, or
/// each twice.
struct index_copy {
  const void* data;
  element_type type;
  std::ptrdiff_t stride;
  std::size_t count;
  bool multiplies;
  int gpu;
};

struct gpu_engine {
  /// Finds where the inputs lie and decides whether a GPU computes the plan: sets on_gpu, gpu and the operands'
  /// locations. Throws for inputs that no engine can read together.
  void (*choose)(plan&, const options&);
  /// The result's bits.
  std::uint64_t (*reduce)(const plan&);
  /// words += the exact state; normalised on entry and on return.
  void (*add)(const plan&, std::int64_t* words);
  /// As choose, for the inputs, offsets and results of a batch: sets each.on_gpu and each.gpu. Throws for what no
  /// engine computes where it lies.
  void (*choose_batch)(batch&, const options&);
  /// Stores all results.
  void (*reduce_batch)(const batch&);
  bool (*normalise)(const normalise_request&, const options&);  ///< false if no GPU has the arrays
  /// New memory of the GPU, which the last owner frees.
  std::shared_ptr<void> (*copy_numbers)(const number_copy&);
  std::shared_ptr<void> (*copy_indices)(const index_copy&);
};

/// Null in a program that is not linked with a GPU engine.
extern std::atomic<const gpu_engine*> registered_gpu_engine;
/// Whether this machine may have a GPU: a vector can lie in its memory.
extern std::atomic<bool> gpu_may_exist;
/// From this length on a vector in a GPU's memory is recognised, and refused, even with device::cpu.
inline constexpr std::size_t min_checked_length = 4096;

/// Whether such a call asks the GPU engine where its inputs lie.
inline bool asks_gpu_engine(device device, std::size_t n) {
  return gpu_may_exist.load(std::memory_order_relaxed) && (device == device::automatic || n >= min_checked_length);
}

/// The registered engine, if a call on n elements has to ask it. Throws errc::no_device if options.device demands
/// one and the program has none.
[[nodiscard]] const gpu_engine* gpu_engine_to_ask(const char* caller, const options& options, std::size_t n);

}  // namespace exactdot::inline v0_3::engine
