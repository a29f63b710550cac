// GenDot; see ill_conditioned.hpp. Exponents are integers and ldexp scales. The only inexact call of libm is one
// log2, whose last bit changes an exponent with a probability of about 2^-50.
#include <fmt/format.h>

#include <cmath>
#include <exactdot/accumulator.hpp>
#include <io/ill_conditioned.hpp>
#include <utility>

namespace exactdot::io {
namespace {

template <element T>
T draw_scaled(std::mt19937& generator, int exponent) {
  return std::ldexp(draw_uniform<T>(generator), exponent);
}

/// Draws an exponent of the first half: uniform in [0, half_range]; both ends occur.
int first_half_exponent(std::mt19937& generator, std::size_t i, std::size_t half, double half_range) {
  const double fraction = static_cast<double>(generator()) * 0x1p-32;
  if (i == 0 && half > 1) return static_cast<int>(std::round(half_range)) + 1;
  if (i + 1 == half) return 0;
  return static_cast<int>(std::round(fraction * half_range));
}

template <element T>
void shuffle_pairs(std::mt19937& generator, std::vector<T>& a, std::vector<T>& b) {
  for (std::size_t i = a.size(); i > 1; --i) {
    const std::uint64_t high = generator();
    const std::uint64_t random = high << 32 | generator();
    const std::size_t other = random % i;
    std::swap(a[i - 1], a[other]);
    std::swap(b[i - 1], b[other]);
  }
}

void check_cancel(exactdot::monitor* monitor) {
  if (monitor != nullptr && monitor->cancel.load()) throw error(errc::cancelled, "interrupted");
}

}  // namespace

template <element T>
void ill_conditioned(const data_request& request, std::vector<T>& a, std::vector<T>& b) {
  if (!(request.condition >= 1 && request.condition <= max_condition<T>)) {
    throw error(errc::bad_option, fmt::format("condition number {:g}: expected 1 to {:g} for {}", request.condition,
                                              max_condition<T>, name_of(type_of<T>)));
  }
  const std::size_t n = request.n;
  const std::size_t half = (n + 1) / 2;
  const double half_range = std::log2(request.condition) / 2;
  std::mt19937 generator{request.seed};
  a.resize(n);
  b.resize(n);
  accumulator<T> sum;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 4096 == 0) check_cancel(request.monitor);
    if (i < half) {
      const int exponent = first_half_exponent(generator, i, half, half_range);
      a[i] = draw_scaled<T>(generator, exponent);
      b[i] = draw_scaled<T>(generator, exponent);
    } else {
      const auto steps = static_cast<double>(n - half > 1 ? n - half - 1 : 1);
      const int exponent = static_cast<int>(std::round(half_range * (1 - static_cast<double>(i - half) / steps)));
      a[i] = draw_scaled<T>(generator, exponent);
      const double target = std::ldexp(static_cast<double>(draw_uniform<T>(generator)), exponent);
      b[i] = static_cast<T>((target - sum.template round<double>()) / static_cast<double>(a[i]));
    }
    sum.add(a[i], b[i]);
  }
  shuffle_pairs(generator, a, b);
}

template void ill_conditioned<float>(const data_request&, std::vector<float>&, std::vector<float>&);
template void ill_conditioned<double>(const data_request&, std::vector<double>&, std::vector<double>&);

}  // namespace exactdot::io
