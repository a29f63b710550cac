// Textbook dot products; see peers.hpp. The build disables contraction, so a·b + c has two roundings.
#include <cmath>
#include <cstring>
#include <lab/peers.hpp>
#include <type_traits>

namespace exactdot::lab {
namespace {

template <class T>
T load(const T* x) {
  T value;
  std::memcpy(&value, x, sizeof value);
  return value;
}

template <class Accumulator, class T>
Accumulator loop(const T* a, const T* b, std::size_t n) {
  using wider = std::common_type_t<Accumulator, T>;
  Accumulator sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum = static_cast<Accumulator>(sum + static_cast<wider>(load(a + i)) * static_cast<wider>(load(b + i)));
  }
  return sum;
}

}  // namespace

template <element T>
float float_loop(const T* a, const T* b, std::size_t n) {
  return loop<float>(a, b, n);
}

template <element T>
double double_loop(const T* a, const T* b, std::size_t n) {
  return loop<double>(a, b, n);
}

template <element T>
T dot2(const T* a, const T* b, std::size_t n) {
  T sum = 0;
  T errors = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const T x = load(a + i);
    const T y = load(b + i);
    const T product = x * y;
    const T product_error = std::fma(x, y, -product);
    const T next = sum + product;  // TwoSum: next + sum_error is sum + product exactly
    const T added = next - sum;
    const T sum_error = (sum - (next - added)) + (product - added);
    sum = next;
    errors += sum_error + product_error;
  }
  return sum + errors;
}

template float float_loop(const float*, const float*, std::size_t);
template float float_loop(const double*, const double*, std::size_t);
template double double_loop(const float*, const float*, std::size_t);
template double double_loop(const double*, const double*, std::size_t);
template float dot2(const float*, const float*, std::size_t);
template double dot2(const double*, const double*, std::size_t);

}  // namespace exactdot::lab
