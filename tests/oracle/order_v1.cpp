// See order_v1.hpp.
//
// node(k, j) is the sum of tiles j·2^k … (j + 1)·2^k - 1. folded(t, l, s) is lane l of tile t after the halving
// step s, so the sum of the tile is folded(t, 0, 1).
#include "oracle/order_v1.hpp"

#include <cmath>

#include "oracle/bits.hpp"

namespace oracle {
namespace {

template <class T>
class order_v1_tree {
 public:
  order_v1_tree(std::span<const T> a, std::span<const T> b) : a_(a), b_(b) {}

  [[nodiscard]] T root() const {
    if (a_.empty()) return T{0};
    int levels = 0;
    while ((std::size_t{1} << levels) < tile_count()) ++levels;
    return node(levels, 0);
  }

 private:
  static constexpr std::size_t lanes = order_v1_lanes<T>;
  static constexpr std::size_t tile_size = order_v1_tile<T>;

  [[nodiscard]] std::size_t tile_count() const { return (a_.size() + tile_size - 1) / tile_size; }

  [[nodiscard]] T node(int level, std::size_t j) const {
    if (level == 0) return folded(j, 0, 1);
    const T left = node(level - 1, 2 * j);
    const bool right_exists = ((2 * j + 1) << (level - 1)) < tile_count();
    return right_exists ? left + node(level - 1, 2 * j + 1) : left;
  }

  [[nodiscard]] T folded(std::size_t tile, std::size_t lane, std::size_t step) const {
    if (step == lanes) return lane_sum(tile, lane);
    return folded(tile, lane, 2 * step) + folded(tile, lane + step, 2 * step);
  }

  [[nodiscard]] T lane_sum(std::size_t tile, std::size_t lane) const {
    T sum = 0;
    for (std::size_t row = 0; row < order_v1_tile_rows; ++row) {
      const std::size_t i = tile * tile_size + row * lanes + lane;
      if (i < a_.size()) sum = std::fma(a_[i], b_[i], sum);
    }
    return sum;
  }

  std::span<const T> a_;
  std::span<const T> b_;
};

}  // namespace

template <class R, class T>
R fast_dot(std::span<const T> a, std::span<const T> b) {
  const R result = static_cast<R>(order_v1_tree<T>(a, b).root());
  return is_nan(result) ? from_bits<R>(format<R>::quiet_nan) : result;
}

template float fast_dot(std::span<const float>, std::span<const float>);
template double fast_dot(std::span<const float>, std::span<const float>);
template float fast_dot(std::span<const double>, std::span<const double>);
template double fast_dot(std::span<const double>, std::span<const double>);

}  // namespace oracle
