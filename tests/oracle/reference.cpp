// See reference.hpp.
#include "oracle/reference.hpp"

#include <fmt/format.h>

#include <vector>

#include "oracle/order_v1.hpp"

namespace oracle {
namespace {

using exactdot::any_scalar;
using exactdot::any_vector;
using exactdot::element_type;

/// work(T{}) with the C++ type of a floating-point type.
template <class Work>
auto with_float(element_type type, Work work) {
  return type == element_type::float32 ? work(float{}) : work(double{});
}

template <class T>
std::vector<T> elements_of(const any_vector& x) {
  std::vector<T> all(x.n);
  for (std::size_t i = 0; i < x.n; ++i) all[i] = as<T>(element_at(x, i));
  return all;
}

/// A number as a result of type R, rounded to nearest; exact in mode exact, where R holds the number.
template <class R>
any_scalar result_of(const number& x, element_type type) {
  return {type, to_bits(x.kind == kind::finite ? static_cast<R>(as<double>(x)) : as<R>(x))};
}

}  // namespace

reference::reference(exactdot::reduction, const any_vector& a, const any_vector& b) : type_(a.type) {
  for (std::size_t i = 0; i < a.n; ++i) sum_.add(element_at(a, i), element_at(b, i));
  fast_ = with_float(type_, [&]<class T>(T) {
    const std::vector<T> x = elements_of<T>(a), y = elements_of<T>(b);
    return number_of(fast_dot<T>(std::span<const T>(x), std::span<const T>(y)));
  });
}

any_scalar reference::exact(element_type result) const {
  return with_float(result, [&]<class R>(R) { return any_scalar{result, to_bits(sum_.round<R>())}; });
}

any_scalar reference::fast(element_type result) const {
  return with_float(result, [&]<class R>(R) { return result_of<R>(fast_, result); });
}

std::string reference::words_fault(std::span<const std::int64_t> words, int times) const {
  const int lowest_exponent = with_float(type_, []<class T>(T) { return format<T>::lowest_product_exponent; });
  const auto limbs = words.first(words.size() - 4);
  const auto counts = words.subspan(limbs.size());
  const special_counts& expected = sum_.specials();
  const mpz_class error = units_of_limbs(limbs, lowest_exponent) - times * sum_.units();
  if (error != 0 && expected == special_counts()) {
    const auto bits = static_cast<int>(mpz_sizeinbase(error.get_mpz_t(), 2));
    return fmt::format("the limbs differ from the sum by about 2^{}", bits + integer_sum::unit_exponent);
  }
  if (counts[0] != times * expected.nans || counts[1] != times * expected.positive_infinities ||
      counts[2] != times * expected.negative_infinities) {
    return fmt::format("the counts of NaN, +inf, -inf are {} {} {}, expected {} times {} {} {}", counts[0], counts[1],
                       counts[2], times, expected.nans, expected.positive_infinities, expected.negative_infinities);
  }
  return counts[3] >= 1 ? "" : fmt::format("the number of states is {}", counts[3]);
}

std::string difference(const any_scalar& expected, const any_scalar& got) {
  if (expected.type == got.type && expected.bits == got.bits) return "";
  return fmt::format("expected {}, got {}", describe(expected), describe(got));
}

}  // namespace oracle
