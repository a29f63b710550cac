// progress: a line on the terminal for work that lasts over a second.
//
// A thread of its own looks at a monitor now and then, so that the work itself does nothing for it. On
// anything but a terminal it stays silent.
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
  /// Shows "exactdot: WHAT 42 %" by monitor.done / total; just the seconds when total is 0. `monitor` must
  /// outlive this object.
  progress(std::string what, const exactdot::monitor& monitor, std::size_t total);
  /// Removes the line.
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  /// What to show from here on.
  void say(std::string what);

 private:
  void run();
  void show(double seconds);

  std::string what_;
  const exactdot::monitor& monitor_;
  const std::size_t total_;
  const std::size_t start_;  // monitor.done at the beginning
  std::mutex mutex_;         // guards what_ and stop_
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace exactdot::cli
