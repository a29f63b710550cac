// Exact numbers of any length, for formulas of sums that no enclosure decides (core/ratio.hpp): ties, zeros, sums
// beyond the doubles.
//
// Sign and magnitude; the magnitude is a fixed-point number as long as its value needs, of at most the longest
// formula, in a buffer of its own: no thread allocates. Products are schoolbook: a hundred nanoseconds for sums of
// ordinary data, some ten microseconds for data of every exponent.
#pragma once

#include <algorithm>
#include <exactdot/core/quotient.hpp>

namespace exactdot::inline v0_3::cpu_engine {

class exact_number {
 public:
  exact_number() = default;
  /// Of a sum in units of 2^unit, a multiple of 32: normalised words without special terms.
  exact_number(const core::state_layout& layout, const std::int64_t* words, int unit = 0)
      : count_(layout.limbs), lowest_(layout.lowest_exponent + unit) {
    std::copy_n(words, count_, limbs_);
    normalise();
  }
  exact_number(const exact_number& other)
      : count_(other.count_), lowest_(other.lowest_), negative_(other.negative_) {
    std::copy_n(other.limbs_, count_, limbs_);
  }
  exact_number& operator=(const exact_number&) = delete;

  static exact_number of_count(std::uint64_t n) {
    exact_number count(5, 0);
    count.add(n, 0, false), count.normalise();
    return count;
  }

  [[nodiscard]] bool is_zero() const { return count_ == 0; }
  [[nodiscard]] bool is_negative() const { return negative_; }

  friend exact_number operator*(const exact_number& a, const exact_number& b) {
    if (a.is_zero() || b.is_zero()) return {};
    exact_number product(a.count_ + b.count_ + 4, a.lowest_ + b.lowest_);
    for (int i = 0; i < a.count_; ++i) {
      const auto first = static_cast<std::uint64_t>(a.limbs_[i]);
      for (int j = 0; first != 0 && j < b.count_; ++j) {
        const auto second = static_cast<std::uint64_t>(b.limbs_[j]);
        product.add(static_cast<core::uint128>(first) * second, 32 * (i + j), false);
      }
    }
    product.normalise();
    product.negative_ = a.negative_ != b.negative_;
    return product;
  }
  friend exact_number operator+(const exact_number& a, const exact_number& b) {
    if (a.is_zero() || b.is_zero()) return a.is_zero() ? b : a;
    const int lowest = std::min(a.lowest_, b.lowest_), end = std::max(a.end(), b.end());
    exact_number sum((end - lowest) / 32 + 5, lowest);
    for (const exact_number* each : {&a, &b}) {
      for (int i = 0; i < each->count_; ++i) {
        sum.add(static_cast<std::uint64_t>(each->limbs_[i]), each->lowest_ - lowest + 32 * i, each->negative_);
      }
    }
    sum.normalise();
    return sum;
  }
  friend exact_number operator-(const exact_number& a, exact_number b) {
    b.negative_ = !b.negative_;
    return a + b;
  }

  /// The magnitude of numerator/divisor, leading bits of at least 32·places − 33; neither is 0.
  template <int places>
  [[nodiscard]] static core::wide quotient(const exact_number& numerator, const exact_number& divisor) {
    return core::divide<places>(numerator.digits(), divisor.digits());
  }

 private:
  /// Of the greatest formula, the square of n·Σxy − Σx·Σy of doubles: four sums, and the factors n.
  static constexpr int max_digits = 4 * core::max_state_words + 16;

  exact_number(int count, int lowest) : count_(count), lowest_(lowest) { std::fill_n(limbs_, count, 0); }

  /// The magnitude is below 2^this.
  [[nodiscard]] int end() const { return lowest_ + 32 * count_ + 32; }
  [[nodiscard]] core::fixed_point view() { return {limbs_, count_, lowest_}; }
  void add(core::uint128 magnitude, int above_lowest, bool negative) {
    core::add<128>(view(), magnitude, lowest_ + above_lowest, negative);
  }
  /// Carries, sign, and no limbs of zero at either end.
  [[gnu::noinline]] void normalise() {
    core::normalise(view());
    negative_ = core::is_negative(view());
    if (negative_) core::negate(view());
    while (count_ != 0 && limbs_[count_ - 1] == 0) --count_;
    int lowest = 0;
    while (lowest < count_ && limbs_[lowest] == 0) ++lowest;
    std::copy(limbs_ + lowest, limbs_ + count_, limbs_);
    count_ -= lowest, lowest_ += 32 * lowest;
  }
  [[nodiscard]] core::basic_digits<max_digits> digits() const {
    // which is read only
    return core::digits_of<max_digits>({const_cast<std::int64_t*>(limbs_), count_, lowest_});
  }

  int count_ = 0, lowest_ = 0;
  std::int64_t limbs_[max_digits];  // of the magnitude, as of a normalised fixed-point number; the first count_
  bool negative_ = false;
};

}  // namespace exactdot::inline v0_3::cpu_engine
