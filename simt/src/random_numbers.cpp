// The Mersenne Twister of 64 bits (M. Matsumoto and T. Nishimura, 1998), all numbers of a state at a time: the
// library's branches on a random bit of each, which costs half of a branch miss a number.
#include "random_numbers.hpp"

#include <algorithm>

namespace exactdot::simt {
namespace {

using number = random_numbers::result_type;

/// What follows a number of the state, from the upper bits of it and the lower ones of the next.
number twisted(number upper, number lower, number other) {
  const number both = (upper & ~number{0x7fffffff}) | (lower & 0x7fffffff);
  return other ^ both >> 1 ^ (-(both & 1) & 0xb5026f5aa96619e9U);
}

number tempered(number x) {
  x ^= x >> 29 & 0x5555555555555555U;
  x ^= x << 17 & 0x71d67fffeda60000U;
  x ^= x << 37 & 0xfff7eee000000000U;
  return x ^ x >> 43;
}

}  // namespace

random_numbers::random_numbers(std::uint64_t seed) {
  state_[0] = seed;
  for (std::size_t i = 1; i < size; ++i)
    state_[i] = 6364136223846793005U * (state_[i - 1] ^ state_[i - 1] >> 62) + i;
  drawn_.fill(0);
  draw();
}

void random_numbers::draw() {
  constexpr std::size_t middle = size / 2;
  const std::size_t left = drawn_.size() - next_;  // max_peek; none at first
  std::copy(drawn_.begin() + size, drawn_.end(), drawn_.begin());
  for (std::size_t i = 0; i < middle; ++i) state_[i] = twisted(state_[i], state_[i + 1], state_[i + middle]);
  for (std::size_t i = middle; i < size - 1; ++i) state_[i] = twisted(state_[i], state_[i + 1], state_[i - middle]);
  state_[size - 1] = twisted(state_[size - 1], state_[0], state_[middle - 1]);
  for (std::size_t i = 0; i < size; ++i) drawn_[max_peek + i] = tempered(state_[i]);
  next_ = max_peek - left;
}

}  // namespace exactdot::simt
