// accumulator<T>: the exact state of a sum of products, as integers.
//
// A fixed-point number of signed 64-bit limbs, radix 2^32, low limb first, that covers every bit a
// product of two T can have plus headroom for 2^63 terms; then the numbers of NaNs, +infs and -infs
// seen, and the number of states merged. Adding two states elementwise merges them, so any engine that
// sums int64 arrays (MPI, NCCL, SQL) distributes an exact dot. Idea: Kulisch's long accumulator.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exactdot/element.hpp>
#include <exactdot/error.hpp>
#include <exactdot/options.hpp>
#include <span>

namespace exactdot {

/// Value semantics. One object must not be used by two threads at once, not even to read: reading may normalise it.
/// All members but the constructor and clear() throw errc::headroom, and lose nothing, when the sum passes 2^63
/// largest products.
template <element T>
class accumulator {
 public:
  static constexpr std::size_t limb_count = sizeof(T) == 4 ? 20 : 134;
  /// limbs, then NaNs, +infs, -infs, and the number of states merged (1 for a single one)
  static constexpr std::size_t word_count = limb_count + 4;
  /// The weight of bit 0 of limb 0 is 2^lowest_exponent: the last bit of a product of two subnormals.
  static constexpr int lowest_exponent = sizeof(T) == 4 ? -298 : -2148;

  accumulator() noexcept;

  /// The state whose words these are: the words of one accumulator, or the elementwise sum of the words
  /// of up to 2^31 - 1 of them. Throws errc::size_mismatch unless words.size() == word_count, and
  /// errc::headroom when more states than that were summed or the sum is beyond 2^63 largest products.
  explicit accumulator(std::span<const std::int64_t> words);

  void add(T a, T b);  ///< adds a·b exactly. Cost: a few nanoseconds
  void add(T x);       ///< adds x exactly
  /// Adds the products a[i]·b[i] (a, b of the same length) on the device that exactdot::dot would use, at its
  /// speed. options.mode is not looked at. Throws as exactdot::dot does, and then adds nothing.
  void add(std::span<const T> a, std::span<const T> b, const options& options = {});
  void add(std::span<const T> x);  ///< adds every x[i] (a plain sum), in host memory

  /// Adds the other state. Throws errc::headroom, and leaves this state as it was, if the magnitude would pass
  /// 2^63 largest products. Cost: word_count integer additions.
  void merge(const accumulator& other);

  /// The canonical words of this state: every limb but the last in [0, 2^32), the states word 1. Two
  /// accumulators hold the same sum if and only if their words are equal. Valid until the next change.
  [[nodiscard]] std::span<const std::int64_t> words() const;

  /// The sum rounded once to R (float or double), to nearest, ties to even; special values by docs/contract.md.
  template <element R>
  [[nodiscard]] R round() const;

  void clear() noexcept;  ///< back to the empty sum

 private:
  void normalise() const;

  mutable std::array<std::int64_t, word_count> words_;
  mutable std::uint64_t pending_;  // additions since the last normalisation
};

extern template class accumulator<float>;
extern template class accumulator<double>;

}  // namespace exactdot
