// Stand-in for the header of this name that comes with NVIDIA's samples: stopwatches of the host, in milliseconds.
#pragma once

#include <chrono>

class StopWatchInterface {
 public:
  void start() {
    started_ = clock::now();
    running_ = true;
  }
  void stop() {
    if (!running_) return;
    total_ += since_start();
    running_ = false;
    ++sessions_;
  }
  void reset() {
    total_ = 0, sessions_ = 0;
    if (running_) started_ = clock::now();
  }
  float getTime() { return total_ + (running_ ? since_start() : 0.0F); }
  float getAverageTime() { return sessions_ == 0 ? 0.0F : total_ / static_cast<float>(sessions_); }

 private:
  using clock = std::chrono::steady_clock;
  float since_start() const { return std::chrono::duration<float, std::milli>(clock::now() - started_).count(); }
  clock::time_point started_;
  float total_ = 0;
  int sessions_ = 0;
  bool running_ = false;
};
using StopWatchLinux = StopWatchInterface;

inline bool sdkCreateTimer(StopWatchInterface** timer) {
  *timer = new StopWatchInterface;
  return true;
}
inline bool sdkDeleteTimer(StopWatchInterface** timer) {
  delete *timer;
  *timer = nullptr;
  return true;
}
inline bool sdkStartTimer(StopWatchInterface** timer) { return *timer != nullptr && ((*timer)->start(), true); }
inline bool sdkStopTimer(StopWatchInterface** timer) { return *timer != nullptr && ((*timer)->stop(), true); }
inline bool sdkResetTimer(StopWatchInterface** timer) { return *timer != nullptr && ((*timer)->reset(), true); }
inline float sdkGetTimerValue(StopWatchInterface** timer) { return *timer == nullptr ? 0.0F : (*timer)->getTime(); }
inline float sdkGetAverageTimerValue(StopWatchInterface** timer) {
  return *timer == nullptr ? 0.0F : (*timer)->getAverageTime();
}
