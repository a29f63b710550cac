// The data sets; see data_source.hpp.
#include <algorithm>
#include <cmath>
#include <io/data_source.hpp>
#include <io/ill_conditioned.hpp>
#include <limits>

namespace exactdot::io {
namespace {

/// Draws ±m·2^e: m uniform in [1, 2), e uniform over all exponents from that of the smallest subnormal up.
/// Subnormals are rounded to their precision.
template <element T>
T draw_wide(std::mt19937& generator) {
  using limits = std::numeric_limits<T>;
  constexpr int lowest = limits::min_exponent - limits::digits;
  constexpr int highest = limits::max_exponent - 1;
  const auto exponent = static_cast<int>(draw_below(generator, highest - lowest + 1)) + lowest;
  const T signed_fraction = draw_uniform<T>(generator);
  // 1 + |fraction| would need one bit more than T has; 1 + k·epsilon is exact.
  const T mantissa = 1 + std::floor(std::abs(signed_fraction) / limits::epsilon()) * limits::epsilon();
  return std::copysign(std::ldexp(mantissa, exponent), signed_fraction);
}

}  // namespace

std::size_t default_length(data_set data) {
  switch (data) {
    case data_set::ones:
      return 1024;
    case data_set::ramp:
      return std::size_t{32} << 20;
    case data_set::ill:
      return std::size_t{1} << 16;
    default:
      return std::size_t{1} << 20;
  }
}

template <>
float draw_uniform<float>(std::mt19937& generator) {
  const auto u = static_cast<std::int32_t>(generator() >> 8);
  return std::ldexp(static_cast<float>(2 * u + 1 - (1 << 24)), -24);
}

template <>
double draw_uniform<double>(std::mt19937& generator) {
  const std::uint64_t high = generator();
  const std::uint64_t low = generator();
  const auto u = static_cast<std::int64_t>(high << 21 | low >> 11);
  return std::ldexp(static_cast<double>(2 * u + 1 - (std::int64_t{1} << 53)), -53);
}

std::uint32_t draw_below(std::mt19937& generator, std::uint64_t bound) {
  return static_cast<std::uint32_t>(generator() * bound >> 32);
}

template <element T>
data_source<T>::data_source(const data_request& request) : request_(request), generator_(request.seed) {
  if (request.data == data_set::ill) ill_conditioned(request, ill_a_, ill_b_);
}

template <element T>
void data_source<T>::next(std::span<T> a, std::span<T> b) {
  monitor* const monitor = request_.monitor;
  if (monitor != nullptr && monitor->cancel.load()) throw error(errc::cancelled, "interrupted");
  draw(a, b);
  position_ += a.size();
  if (monitor != nullptr) monitor->done.fetch_add(a.size(), std::memory_order_relaxed);
}

template <element T>
void data_source<T>::draw(std::span<T> a, std::span<T> b) {
  switch (request_.data) {
    case data_set::uniform:
      for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = draw_uniform<T>(generator_);
        b[i] = draw_uniform<T>(generator_);
      }
      return;
    case data_set::ones:
    case data_set::halves:
      std::fill(a.begin(), a.end(), request_.data == data_set::ones ? T{1} : T{0.5});
      std::fill(b.begin(), b.end(), request_.data == data_set::ones ? T{1} : T{2});
      return;
    case data_set::ramp:
      for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = static_cast<T>(position_ + i);
        b[i] = static_cast<T>(2 * (position_ + i));
      }
      return;
    case data_set::ill:
      std::copy_n(ill_a_.begin() + static_cast<std::ptrdiff_t>(position_), a.size(), a.begin());
      std::copy_n(ill_b_.begin() + static_cast<std::ptrdiff_t>(position_), b.size(), b.begin());
      return;
    case data_set::wide:
      for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = draw_wide<T>(generator_);
        b[i] = draw_wide<T>(generator_);
      }
      return;
  }
}

template class data_source<float>;
template class data_source<double>;

}  // namespace exactdot::io
