// Computations on vectors in host memory: where a call releases the GIL, and where it leaves its thread, is decided
// here.
//
// Short calls do neither; long ones do both, so that other threads run and Ctrl-C ends the call.
#pragma once

#include <algorithm>
#include <cpu/environment.hpp>
#include <cstdlib>
#include <exactdot/options.hpp>
#include <python/src/gil.hpp>
#include <python/src/operand.hpp>
#include <python/src/worker.hpp>

namespace exactdot::python {

/// Below this length releasing the GIL costs more than the reduction itself.
inline constexpr std::size_t min_length_without_gil = 2048;

/// Whether work on these vectors leaves the calling thread. The memory that is touched counts: a view with a stride
/// of a page reads a page, perhaps from a disk, for each element. `b`: null for one input.
inline bool is_long_call(const operand& a, const operand* b) {
  std::size_t reach = sizeof(double);
  for (const operand* input : {&a, b}) {
    if (input != nullptr) reach = std::max(reach, static_cast<std::size_t>(std::abs(input->stride)));
  }
  return a.n >= min_long_call() * sizeof(double) / reach;
}

/// Calls work(options), without the GIL if the call is long enough and, for long calls, so that a signal can end
/// it; in the caller's floating-point environment in every case. With the GIL held on entry and on return.
template <class Work>
void compute(const operand& a, const operand* b, const options& given, const Work& work) {
  if (a.n < min_length_without_gil) return work(given);
  if (!is_long_call(a, b)) {
    const gil_release released;
    return work(given);
  }
  const cpu_engine::caller_environment environment;
  const bool done = run_interruptibly([&](monitor& monitor) {
    const auto arithmetic = environment.enter();
    options monitored = given;
    monitored.monitor = &monitor;
    work(monitored);
  });
  if (done) return;
  options single = given;  // if there is no thread for a worker, starting OpenMP's would end the process
  single.threads = 1;
  const gil_release released;
  work(single);
}

}  // namespace exactdot::python
