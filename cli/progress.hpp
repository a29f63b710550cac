// progress: a line on the terminal for work that takes more than a second.
//
// A separate thread polls a monitor five times per second, so the work has no cost. If stderr is not a terminal,
// nothing is printed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exactdot/options.hpp>
#include <mutex>
#include <string>
#include <thread>

namespace exactdot::cli {

class progress {
 public:
  /// Prints "exactdot: TEXT 42 %", the percentage of `total` in monitor.done; the seconds if `total` is 0.
  /// `monitor` must outlive this object.
  progress(std::string text, const exactdot::monitor& monitor, std::size_t total);
  /// Removes the line.
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  /// Replaces the text.
  void set_text(std::string text);

 private:
  void run();
  void show(double seconds);

  std::string text_;
  const exactdot::monitor& monitor_;
  const std::size_t total_;
  const std::size_t start_;  // monitor.done at the beginning
  std::mutex mutex_;         // guards text_ and stop_
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace exactdot::cli
