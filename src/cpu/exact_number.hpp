// Exact numbers of any length, for formulas of sums that no enclosure decides (core/ratio.hpp): ties, zeros, sums
// beyond the doubles.
//
// Sign and magnitude; the magnitude is a fixed-point number as long as its value needs. Products are schoolbook: a
// hundred nanoseconds for sums of ordinary data, some ten microseconds for data of every exponent.
#pragma once

#include <algorithm>
#include <exactdot/core/quotient.hpp>
#include <utility>
#include <vector>

namespace exactdot::inline v0_3::cpu_engine {

class exact_number {
 public:
  exact_number() = default;
  /// Of a sum: normalised words without special terms.
  exact_number(const core::state_layout& layout, const std::int64_t* words)
      : limbs_(words, words + layout.limbs), lowest_(layout.lowest_exponent) {
    normalise();
  }

  static exact_number of_count(std::uint64_t n) {
    exact_number count(5, 0);
    count.add(n, 0, false), count.normalise();
    return count;
  }

  [[nodiscard]] bool is_zero() const { return limbs_.empty(); }
  [[nodiscard]] bool is_negative() const { return negative_; }

  friend exact_number operator*(const exact_number& a, const exact_number& b) {
    if (a.is_zero() || b.is_zero()) return {};
    exact_number product(a.limbs_.size() + b.limbs_.size() + 4, a.lowest_ + b.lowest_);
    for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
      const auto first = static_cast<std::uint64_t>(a.limbs_[i]);
      for (std::size_t j = 0; first != 0 && j < b.limbs_.size(); ++j) {
        const auto second = static_cast<std::uint64_t>(b.limbs_[j]);
        product.add(static_cast<core::uint128>(first) * second, static_cast<int>(32 * (i + j)), false);
      }
    }
    product.normalise();
    product.negative_ = a.negative_ != b.negative_;
    return product;
  }
  friend exact_number operator+(const exact_number& a, const exact_number& b) {
    if (a.is_zero() || b.is_zero()) return a.is_zero() ? b : a;
    const int lowest = std::min(a.lowest_, b.lowest_), end = std::max(a.end(), b.end());
    exact_number sum(static_cast<std::size_t>((end - lowest) / 32 + 5), lowest);
    for (const exact_number* each : {&a, &b}) {
      for (std::size_t i = 0; i < each->limbs_.size(); ++i) {
        sum.add(static_cast<std::uint64_t>(each->limbs_[i]), each->lowest_ - lowest + static_cast<int>(32 * i),
                each->negative_);
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

  exact_number(std::size_t count, int lowest) : limbs_(count), lowest_(lowest) {}

  /// The magnitude is below 2^this.
  [[nodiscard]] int end() const { return lowest_ + 32 * static_cast<int>(limbs_.size()) + 32; }
  [[nodiscard]] core::fixed_point view() { return {limbs_.data(), static_cast<int>(limbs_.size()), lowest_}; }
  void add(core::uint128 magnitude, int above_lowest, bool negative) {
    core::add<128>(view(), magnitude, lowest_ + above_lowest, negative);
  }
  /// Carries, sign, and no limbs of zero at either end.
  void normalise() {
    core::normalise(view());
    negative_ = !limbs_.empty() && core::is_negative(view());
    if (negative_) core::negate(view());
    while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
    const auto lowest = std::ranges::find_if(limbs_, [](std::int64_t limb) { return limb != 0; });
    lowest_ += 32 * static_cast<int>(lowest - limbs_.begin());
    limbs_.erase(limbs_.begin(), lowest);
  }
  [[nodiscard]] core::basic_digits<max_digits> digits() const {
    exact_number copy(*this);
    return core::digits_of<max_digits>(copy.view());
  }

  std::vector<std::int64_t> limbs_;  // of the magnitude, as of a normalised fixed-point number
  int lowest_ = 0;
  bool negative_ = false;
};

}  // namespace exactdot::inline v0_3::cpu_engine
