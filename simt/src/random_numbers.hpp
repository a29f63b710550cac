// The random numbers of a launch's seed, with a look at those that come next.
//
// They are drawn ahead of their use, many at a time, so that the scheduler can tell which thread it will probably
// choose next, and have its memory brought into the cache meanwhile. The sequence is that of std::mt19937_64.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace exactdot::simt {

class random_numbers {
 public:
  using result_type = std::mt19937_64::result_type;
  explicit random_numbers(std::uint64_t seed);
  result_type operator()() {
    const result_type number = drawn_[next_++];
    if (next_ == size) [[unlikely]]
      draw();
    return number;
  }
  /// The order of std::shuffle in GCC's library since GCC 11: a seed's schedule depends on no other library,
  /// either.
  void shuffle(std::vector<std::uint32_t>& list) {
    std::size_t next = 1;
    if (list.size() % 2 == 0 && !list.empty()) std::swap(list[next++], list[below(2)]);
    for (; next < list.size(); next += 2) {  // one number places two elements
      const std::uint64_t places = below((next + 1) * (next + 2));
      std::swap(list[next], list[places / (next + 2)]);
      std::swap(list[next + 1], list[places % (next + 2)]);
    }
  }
  /// Returns the i-th of the numbers that come next, i < max_peek.
  [[nodiscard]] result_type peek(std::size_t i) const { return drawn_[next_ + i]; }

 private:
  static constexpr std::size_t max_peek = 3;
  /// Returns a number below a bound, each as often (Lemire, "Fast random integer generation in an interval", 2019).
  std::uint64_t below(std::uint64_t bound) {
    unsigned __int128 product = static_cast<unsigned __int128>((*this)()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) [[unlikely]] {
      const std::uint64_t uneven = -bound % bound;
      while (static_cast<std::uint64_t>(product) < uneven)
        product = static_cast<unsigned __int128>((*this)()) * bound;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }
  void draw();

  static constexpr std::size_t size = 312;
  std::array<result_type, size> state_;
  std::array<result_type, size + max_peek> drawn_;
  std::size_t next_ = size + max_peek;  // none yet
};

}  // namespace exactdot::simt
