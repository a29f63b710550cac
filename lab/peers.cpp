// Textbook sums and dot products; see peers.hpp. The build disables contraction, so a·b + c has two roundings.
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

template <class T>
T term_of(term added, const T* a, const T* b, std::size_t i) {
  const T x = load(a + i);
  return added == term::product ? x * load(b + i) : added == term::value ? x : std::abs(x);
}

}  // namespace

template <element Sum, element T>
Sum plain_loop(term added, const T* a, const T* b, std::size_t n) {
  // the type of products and of additions before they are rounded
  using wider = std::conditional_t<std::is_same_v<Sum, double>, double, T>;
  auto sum = static_cast<Sum>(0.0F);
  for (std::size_t i = 0; i < n; ++i) {
    wider next = added == term::product ? static_cast<wider>(load(a + i)) * static_cast<wider>(load(b + i))
                                        : static_cast<wider>(term_of(added, a, b, i));
    next += static_cast<wider>(sum);
    sum = static_cast<Sum>(next);
  }
  return sum;
}

template <element T>
T compensated_loop(term added, const T* a, const T* b, std::size_t n) {
  T sum = 0;
  T errors = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const T next_term = term_of(added, a, b, i);
    const T term_error = added == term::product ? std::fma(load(a + i), load(b + i), -next_term) : T{0};
    const T next = sum + next_term;  // TwoSum: next + sum_error is sum + next_term exactly
    const T virtual_term = next - sum;
    const T sum_error = (sum - (next - virtual_term)) + (next_term - virtual_term);
    sum = next;
    errors += sum_error + term_error;
  }
  return sum + errors;
}

template <element T>
float float_loop(const T* a, const T* b, std::size_t n) {
  return plain_loop<float>(term::product, a, b, n);
}

template <element T>
double double_loop(const T* a, const T* b, std::size_t n) {
  return plain_loop<double>(term::product, a, b, n);
}

template <element T>
T dot2(const T* a, const T* b, std::size_t n) {
  return compensated_loop(term::product, a, b, n);
}

template float16 plain_loop(term, const float*, const float*, std::size_t);
template bfloat16 plain_loop(term, const float*, const float*, std::size_t);
template float plain_loop(term, const float*, const float*, std::size_t);
template float plain_loop(term, const double*, const double*, std::size_t);
template double plain_loop(term, const float*, const float*, std::size_t);
template double plain_loop(term, const double*, const double*, std::size_t);
template float compensated_loop(term, const float*, const float*, std::size_t);
template double compensated_loop(term, const double*, const double*, std::size_t);
template float float_loop(const float*, const float*, std::size_t);
template float float_loop(const double*, const double*, std::size_t);
template double double_loop(const float*, const float*, std::size_t);
template double double_loop(const double*, const double*, std::size_t);
template float dot2(const float*, const float*, std::size_t);
template double dot2(const double*, const double*, std::size_t);

}  // namespace exactdot::lab
