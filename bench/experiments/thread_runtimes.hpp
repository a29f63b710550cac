// The ways to run a dot product on several threads that thread_runtimes compares.
#pragma once

#include <span>
#include <string>

namespace thread_runtimes {

struct runtime {
  const char* name;
  const char* title;
  bool passive;  ///< runs with OMP_WAIT_POLICY=passive
  double (*dot)(const float* a, const float* b, std::size_t n);
};

/// The first is one thread, the last the library's own choice (threads = 0).
extern const std::span<const runtime> runtimes;

/// The tables of times of all runtimes: isolated calls, and calls in a row beside 0, 1 and 2 processes per
/// processor that compute all the time. `program`: this one.
void print_times(const std::string& program, bool quick);
/// The table of what happens if no thread can be started, and in a forked child.
void print_failures();
/// Prints the times of one runtime, per sample a line: log2 n, nanoseconds a call with one thread, with the
/// runtime. Called in a child process.
void measure(const runtime& measured, bool quick, bool pauses);

}  // namespace thread_runtimes
