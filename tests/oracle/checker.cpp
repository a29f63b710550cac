// See checker.hpp.
//
// The constructor computes the expected results before any dot under test runs, so that no test can disturb them.
// Bit patterns and big integers are compared; there is no tolerance.
#include "oracle/checker.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "oracle/order_v1.hpp"

namespace oracle {
namespace {

template <class R, class T>
std::string result_fault(R expected, const vectors<T>& data, const dot_function<R, T>& dot) {
  try {
    return difference(expected, dot(data.a.data(), data.b.data(), data.size()));
  } catch (const std::exception& thrown) {
    return fmt::format("expected {}, but the call threw: {}", describe(expected), thrown.what());
  }
}

}  // namespace

template <class R>
std::string difference(R expected, R got) {
  if (same_bits(expected, got)) return "";
  return fmt::format("expected {}, got {}", describe(expected), describe(got));
}

template <class T>
checker<T>::checker(vectors<T> data) : data_(std::move(data)) {
  for (std::size_t i = 0; i < data_.size(); ++i) sum_.add(data_.a[i], data_.b[i]);
  exact_ = {sum_.round<float>(), sum_.round<double>()};
  fast_ = fast_dot<T>(std::span<const T>(data_.a), std::span<const T>(data_.b));
}

template <class T>
template <class R>
std::string checker<T>::exact_fault(const dot_function<R, T>& dot) const {
  return result_fault(exact_.template as<R>(), data_, dot);
}

template <class T>
template <class R>
std::string checker<T>::fast_fault(const dot_function<R, T>& dot) const {
  return result_fault(is_nan(fast_) ? from_bits<R>(format<R>::quiet_nan) : static_cast<R>(fast_), data_, dot);
}

template <class T>
std::string checker<T>::limbs_fault(std::span<const std::int64_t> limbs, int lowest_exponent) const {
  const mpz_class error = units_of_limbs(limbs, lowest_exponent) - sum_.units();
  if (error == 0) return "";
  return fmt::format("the limbs differ from the sum by {:a} units of 2^{}", error.get_d(),
                     integer_sum::unit_exponent);
}

template <class T>
std::string checker<T>::oracle_fault() const {
  const auto mpfr = exact_dot<wide_sum>(std::span<const T>(data_.a), std::span<const T>(data_.b));
  const std::string as_float = difference(mpfr.as_float, exact_.as_float);
  const std::string as_double = difference(mpfr.as_double, exact_.as_double);
  if (as_float.empty() && as_double.empty()) return "";
  return fmt::format("the oracles differ (expected: MPFR, got: GMP); float: {}; double: {}", as_float, as_double);
}

template std::string difference(float, float);
template std::string difference(double, double);
template class checker<float>;
template class checker<double>;
template std::string checker<float>::exact_fault(const dot_function<float, float>&) const;
template std::string checker<float>::exact_fault(const dot_function<double, float>&) const;
template std::string checker<double>::exact_fault(const dot_function<float, double>&) const;
template std::string checker<double>::exact_fault(const dot_function<double, double>&) const;
template std::string checker<float>::fast_fault(const dot_function<float, float>&) const;
template std::string checker<float>::fast_fault(const dot_function<double, float>&) const;
template std::string checker<double>::fast_fault(const dot_function<float, double>&) const;
template std::string checker<double>::fast_fault(const dot_function<double, double>&) const;

}  // namespace oracle
