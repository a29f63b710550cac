#include "vectors.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <random>
#include <stdexcept>

namespace bench {
namespace {

template <class T>
T* allocate(std::size_t n, alignment how) {
  const std::size_t bytes = (n * sizeof(T) + 63) / 64 * 64;
  void* memory = how == alignment::cache_line ? std::aligned_alloc(64, bytes) : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<T*>(memory);
}

template <class T>
class source {
 public:
  T uniform() { return static_cast<T>(2 * fraction_(engine_) - 1); }
  T significand() { return std::copysign(static_cast<T>(1 + fraction_(engine_)), uniform()); }

  /// exponents log-uniform over all normal and subnormal numbers
  T wide() {
    using limits = std::numeric_limits<T>;
    const int lowest = limits::min_exponent - limits::digits;
    const int span = limits::max_exponent - lowest;
    return std::ldexp(significand(), lowest + static_cast<int>(engine_() % static_cast<unsigned>(span)));
  }

  T subnormal() { return uniform() * std::numeric_limits<T>::min(); }

 private:
  std::mt19937 engine_{42};
  std::uniform_real_distribution<double> fraction_{0, 1};
};

template <class T>
void fill(const std::string& data, std::size_t n, T* a, T* b) {
  source<T> numbers;
  const T huge = sizeof(T) == 4 ? T(1e30f) : T(1e300);
  const T tiny = sizeof(T) == 4 ? T(1e-30f) : T(1e-300);
  for (std::size_t i = 0; i < n; ++i) {
    if (data == "uniform") {
      a[i] = numbers.uniform(), b[i] = numbers.uniform();
    } else if (data == "wide") {
      a[i] = numbers.wide(), b[i] = numbers.wide();
    } else if (data == "subnormal") {
      a[i] = numbers.subnormal(), b[i] = numbers.subnormal();
    } else if (data == "alternating") {
      a[i] = (i % 2 == 0 ? huge : tiny) * numbers.significand(), b[i] = numbers.significand();
    } else {
      throw std::invalid_argument("unknown data set " + data);
    }
  }
}

}  // namespace

template <class T>
void vectors<T>::release::operator()(T* memory) const {
  std::free(memory);
}

template <class T>
vectors<T>::vectors(const std::string& data, std::size_t n, alignment how)
    : data_(data), n_(n), a_(allocate<T>(n, how)), b_(allocate<T>(n, how)) {
  fill(data, n, a_.get(), b_.get());
}

template class vectors<float>;
template class vectors<double>;

}  // namespace bench
