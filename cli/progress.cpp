// The progress line; see progress.hpp.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cli/progress.hpp>
#include <cstdio>
#include <utility>

namespace exactdot::cli {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

progress::progress(std::string text, const exactdot::monitor& monitor, std::size_t total)
    : text_(std::move(text)), monitor_(monitor), total_(total), start_(monitor.done.load()) {
  if (isatty(STDERR_FILENO) == 1) thread_ = std::thread([this] { run(); });
}

progress::~progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void progress::set_text(std::string text) {
  const std::lock_guard lock(mutex_);
  text_ = std::move(text);
}

void progress::run() {
  const auto begin = clock::now();
  std::unique_lock lock(mutex_);
  if (wake_.wait_for(lock, 1s, [this] { return stop_; })) return;
  do {
    show(std::chrono::duration<double>(clock::now() - begin).count());
  } while (!wake_.wait_for(lock, 200ms, [this] { return stop_; }));
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

void progress::show(double seconds) {
  std::string line = fmt::format("\rexactdot: {}", text_);
  if (total_ != 0) {
    const double share =
        std::min(1.0, static_cast<double>(monitor_.done.load() - start_) / static_cast<double>(total_));
    line += fmt::format(" {:.0f} %", 100 * share);
    if (share > 0) line += fmt::format(", {:.0f} s left", seconds / share - seconds);
  } else {
    line += fmt::format(" {:.0f} s", seconds);
  }
  std::fputs((line + "\033[K").c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace exactdot::cli
