// The seam to a GPU engine: a table that the CUDA engine puts here while a program that is linked with it starts.
//
// So exactdot::exactdot needs nothing of CUDA, at build time or at run time, and who links exactdot::cuda has the
// GPU in exactdot::dot and in accumulators. Without a table a call pays one load for the question; with one, but no
// GPU in the machine, two.
#pragma once

#include <atomic>
#include <core/state.hpp>
#include <cstddef>
#include <cstdint>
#include <exactdot/error.hpp>
#include <exactdot/options.hpp>
#include <tuple>

namespace exactdot::cpu_engine {

struct gpu_engine {
  /// a·b, rounded to R.
  template <class R, class T>
  using dot = R (*)(const T* a, const T* b, std::size_t n, const options&);
  /// words += the exact state of a·b; normalised on entry and on return.
  template <class T>
  using add_state = void (*)(const T* a, const T* b, std::size_t n, const options&, std::int64_t* words);

  /// Whether this call is better computed on a GPU, or can be computed nowhere else. Not asked with device::cuda.
  /// Throws errc::bad_option for a vector in a GPU's memory with device::cpu, where it looks.
  bool (*takes)(const void* a, const void* b, std::size_t n, std::size_t element_bytes, const options&);
  std::tuple<dot<float, float>, dot<double, float>, dot<float, double>, dot<double, double>> dots;
  std::tuple<add_state<float>, add_state<double>> states;
};

/// Null in a program that is not linked with a GPU engine.
extern std::atomic<const gpu_engine*> linked_gpu_engine;
/// Whether this machine may have a GPU: a vector can lie in its memory.
extern std::atomic<bool> gpu_possible;
/// From this length on a vector in a GPU's memory is recognised, and refused, even with device::cpu.
inline constexpr std::size_t always_looked_at = 4096;

[[noreturn]] void throw_no_gpu_engine();

/// The engine that is to compute this call; null: the CPU's.
template <class T>
const gpu_engine* gpu_for(const T* a, const T* b, std::size_t n, const options& options) {
  const gpu_engine* const engine = linked_gpu_engine.load(std::memory_order_acquire);
  if (options.device == device::cuda && engine == nullptr) throw_no_gpu_engine();
  if (engine == nullptr || options.device == device::cuda) return engine;
  const bool ask = gpu_possible.load(std::memory_order_relaxed) && n != 0 &&
                   (options.device == device::automatic || n >= always_looked_at);
  return ask && engine->takes(a, b, n, sizeof(T), options) ? engine : nullptr;
}

/// How many threads the CPU engine would use.
int threads_that_pay(std::size_t n, const options& options);

/// memcpy by several threads: one cannot read memory as fast as a GPU takes it.
void copy_by_threads(void* to, const void* from, std::size_t bytes, const options& options) noexcept;

}  // namespace exactdot::cpu_engine
