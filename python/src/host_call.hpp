// Calls with vectors in host memory: decides which calls release the GIL and which run on a worker thread.
//
// Short calls do neither. Longer ones release the GIL, so that other threads run. Long ones run on a worker, so
// that Ctrl-C ends them.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <exactdot/options.hpp>
#include <python/src/gil.hpp>
#include <python/src/imported_array.hpp>
#include <python/src/worker.hpp>

namespace exactdot::python {

/// Below this length releasing the GIL costs more than the reduction itself.
inline constexpr std::size_t min_length_without_gil = 2048;

/// Whether work on these vectors runs on a worker. The memory touched decides: a view with a stride of a page reads
/// a page, perhaps from a disk, per element. `b`: null for one input.
inline bool is_long_call(const imported_array& a, const imported_array* b) {
  std::size_t bytes_per_element = sizeof(double);
  for (const imported_array* input : {&a, b}) {
    if (input != nullptr)
      bytes_per_element = std::max(bytes_per_element, static_cast<std::size_t>(std::abs(input->stride)));
  }
  return a.n >= min_long_call * sizeof(double) / bytes_per_element;
}

/// Calls work(options) on the calling thread or on a worker. A signal can end work on a worker. n: elements that are read in all. The GIL is held on entry and on return.
template <class Work>
void compute(std::size_t n, bool is_long, const options& given, const Work& work) {
  if (n < min_length_without_gil) return work(given);
  if (!is_long) {
    const gil_release gil_released;
    return work(given);
  }
  const bool done = run_interruptibly([&](monitor& monitor) {
    options monitored = given;
    monitored.monitor = &monitor;
    work(monitored);
  });
  if (done) return;
  const gil_release gil_released;  // the system has no thread for a worker: Ctrl-C waits for the end of the call
  work(given);
}

template <class Work>
void compute(const imported_array& a, const imported_array* b, const options& given, const Work& work) {
  compute(a.n, is_long_call(a, b), given, work);
}

}  // namespace exactdot::python
