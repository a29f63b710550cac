// The threads of a block that can run: added, removed and drawn in constant time.
//
// They lie apart from the threads themselves: to draw a thread, or to take one out, touches no other's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace exactdot::simt {

class ready_threads {
 public:
  /// Of a block of so many threads, of which all can run.
  void fill(std::uint32_t count) {
    list_.resize(count), positions_.resize(count);
    std::iota(list_.begin(), list_.end(), 0U);
    std::iota(positions_.begin(), positions_.end(), 0U);
  }
  void add(std::uint32_t thread) {
    positions_[thread] = static_cast<std::uint32_t>(list_.size());
    list_.push_back(thread);
  }
  void remove(std::uint32_t thread) {  // the last one takes its place
    const std::uint32_t last = list_.back(), position = positions_[thread];
    list_[position] = last, positions_[last] = position;
    list_.pop_back();
  }
  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] std::size_t size() const { return list_.size(); }
  [[nodiscard]] std::uint32_t operator[](std::size_t i) const { return list_[i]; }

 private:
  std::vector<std::uint32_t> list_, positions_;  // positions_: of each thread in the list
};

}  // namespace exactdot::simt
