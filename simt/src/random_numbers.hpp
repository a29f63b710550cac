// The random numbers of a launch's seed, with a look at those that come next.
//
// They are drawn ahead of their use, many at a time, so that the scheduler can tell which thread it will probably
// choose next, and have its memory brought into the cache meanwhile. The sequence is that of std::mt19937_64.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>

namespace exactdot::simt {

class random_numbers {
 public:
  using result_type = std::mt19937_64::result_type;
  explicit random_numbers(std::uint64_t seed) : engine_(seed) {
    for (result_type& number : drawn_) number = engine_();
  }
  static constexpr result_type min() { return std::mt19937_64::min(); }
  static constexpr result_type max() { return std::mt19937_64::max(); }
  result_type operator()() {
    const result_type number = drawn_[next_++];
    if (next_ == drawn_.size() - max_peek) [[unlikely]]
      draw();
    return number;
  }
  /// Returns the i-th of the numbers that come next, i < max_peek.
  [[nodiscard]] result_type peek(std::size_t i) const { return drawn_[next_ + i]; }

 private:
  static constexpr std::size_t max_peek = 3;
  void draw() {
    auto at = std::copy(drawn_.begin() + next_, drawn_.end(), drawn_.begin());
    std::generate(at, drawn_.end(), std::ref(engine_));
    next_ = 0;
  }
  std::mt19937_64 engine_;
  std::array<result_type, 128> drawn_{};
  std::size_t next_ = 0;
};

}  // namespace exactdot::simt
