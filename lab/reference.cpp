// Reference results; see reference.hpp.
#include <algorithm>
#include <cmath>
#include <lab/bounds.hpp>
#include <lab/reference.hpp>
#include <lab/ulp_error.hpp>
#include <limits>
#include <type_traits>
#include <vector>

namespace exactdot::lab {
namespace {

template <element T>
long double ulp_of(T x) {
  using limits = std::numeric_limits<T>;
  constexpr int lowest = limits::min_exponent - limits::digits;
  return std::ldexp(1.0L, x == 0 ? lowest : std::max(std::ilogb(x) - (limits::digits - 1), lowest));
}

/// Returns an upper bound on sum |a b|; copies the magnitudes chunk by chunk.
template <element T>
long double sum_of_magnitudes(std::span<const T> a, std::span<const T> b) {
  constexpr std::size_t chunk = std::size_t{1} << 16;
  accumulator<T> sum;
  std::vector<T> x, y;
  const auto magnitude = [](T value) { return std::abs(value); };
  for (std::size_t first = 0; first < a.size(); first += chunk) {
    const std::size_t length = std::min(chunk, a.size() - first);
    x.resize(length), y.resize(length);
    std::ranges::transform(a.subspan(first, length), x.begin(), magnitude);
    std::ranges::transform(b.subspan(first, length), y.begin(), magnitude);
    sum.add(std::span<const T>(x), std::span<const T>(y));
  }
  return sum.template round<double>() * (1 + 1e-15L);
}

}  // namespace

template <element T>
reference<T>::reference(std::span<const T> a, std::span<const T> b, operation op, long double step)
    : op_(op), n_(a.size()), step_(step) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const auto fold = [&](T start, auto combine) {
    for (std::size_t i = 0; i < n_; ++i) start = combine(start, static_cast<T>(a[i] * b[i]));
    value_ = start;
  };
  switch (op) {
    case operation::sum:
      reduce_sum(a, b);
      break;
    case operation::min:
      fold(infinity, [](T x, T y) { return std::min(x, y); });
      break;
    case operation::max:
      fold(-infinity, [](T x, T y) { return std::max(x, y); });
      break;
    case operation::absmax:
      fold(0, [](T x, T y) { return std::max(x, std::abs(y)); });
      break;
    case operation::product:
      reduce_product(a, b);
      break;
  }
  ulp_ = std::isfinite(value_) ? ulp_of(value_) : 0;
}

template <element T>
void reference<T>::reduce_sum(std::span<const T> a, std::span<const T> b) {
  sum_.add(a, b);
  value_ = sum_.template round<T>();
  magnitude_ = sum_of_magnitudes(a, b);
}

template <element T>
void reference<T>::reduce_product(std::span<const T> a, std::span<const T> b) {
  using limits = std::numeric_limits<T>;
  long double significand = 1;
  // up, down: bounds on the exponents of the products of all factors above 1 and of all factors below 1
  std::int64_t exponent = 0, up = 0, down = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const T factor = a[i] * b[i];
    const bool ordinary = std::isfinite(factor) && factor != 0;
    if (!ordinary) in_range_ = false;
    int shift = 0;
    significand = std::frexp(significand * factor, &shift);
    exponent += shift;
    const int size = ordinary ? std::ilogb(factor) : 0;
    up += std::max(size + 1, 0), down += std::min(size, 0);
  }
  in_range_ = in_range_ && up < limits::max_exponent && down > limits::min_exponent;
  const auto clamped = static_cast<int>(std::clamp<std::int64_t>(exponent, -20000, 20000));
  product_ = std::ldexp(significand, clamped);
  value_ = static_cast<T>(product_);
}

template <element T>
long double reference<T>::error_ulps(T x) const {
  if (op_ == operation::sum) return ulp_error(sum_, static_cast<double>(x), type_of<T>);
  if (x == value_ && op_ != operation::product) return 0;
  if (!std::isfinite(x) || !std::isfinite(value_)) {
    return x == value_ ? 0 : std::numeric_limits<long double>::quiet_NaN();
  }
  return std::abs(x - (op_ == operation::product ? product_ : static_cast<long double>(value_))) / ulp_;
}

template <element T>
long double reference<T>::allowed_ulps(const rung_info& info, const launch_config& size) const {
  constexpr long double infinity = std::numeric_limits<long double>::infinity();
  constexpr long double u = std::numeric_limits<T>::epsilon() / 2;
  if (info.error == error_rule::none) return infinity;
  if (op_ == operation::product) {  // two roundings per factor; those of the reference are far smaller
    return in_range_ ? gamma(2 * static_cast<long double>(n_) + 2, u) * std::abs(product_) / ulp_ * (1 + 1e-3L)
                     : infinity;
  }
  if (op_ != operation::sum) return 0;
  if (info.error == error_rule::correctly_rounded) return 0.5L;
  long double limit = std::numeric_limits<T>::max();
  if (info.error == error_rule::in_float) limit = std::numeric_limits<float>::max();
  if (info.error == error_rule::in_double) limit = std::numeric_limits<double>::max();
  if (!std::isfinite(value_) || !(2 * magnitude_ <= limit)) return infinity;
  const auto k = static_cast<long double>(info.roundings != nullptr ? info.roundings(size) : 0);
  const bound_input in{
      n_, k, magnitude_, std::abs(static_cast<long double>(value_)) + ulp_, std::is_same_v<T, float>, step_};
  return absolute_bound(info.error, in) / ulp_;
}

template class reference<float>;
template class reference<double>;

}  // namespace exactdot::lab
