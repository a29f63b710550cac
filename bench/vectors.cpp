// Allocating and filling the vectors; see vectors.hpp.
//
// The numbers come from the raw outputs of std::mt19937 alone (io/data_source.hpp), so that they are the same with
// every standard library. A block is a whole number of cache lines long, whatever its alignment.
#include "vectors.hpp"

#include <cmath>
#include <cstdlib>
#include <io/data_source.hpp>
#include <limits>
#include <new>
#include <random>
#include <span>
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

/// ±[1, 2)
template <class T>
T significand(std::mt19937& generator) {
  const T x = exactdot::io::draw_uniform<T>(generator);
  return x + std::copysign(T{1}, x);
}

template <class T>
void fill_hostile(const std::string& data, std::span<T> a, std::span<T> b) {
  std::mt19937 generator(42);
  const T huge = sizeof(T) == 4 ? T(1e30) : T(1e300);
  const T tiny = sizeof(T) == 4 ? T(1e-30) : T(1e-300);
  constexpr T least_normal = std::numeric_limits<T>::min();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (data == "subnormal") {
      a[i] = exactdot::io::draw_uniform<T>(generator) * least_normal;
      b[i] = exactdot::io::draw_uniform<T>(generator) * least_normal;
    } else if (data == "alternating") {
      a[i] = (i % 2 == 0 ? huge : tiny) * significand<T>(generator);
      b[i] = significand<T>(generator);
    } else {
      throw std::invalid_argument("unknown data set " + data);
    }
  }
}

template <class T>
void fill(const std::string& data, std::span<T> a, std::span<T> b) {
  using exactdot::io::data_set;
  if (data != "uniform" && data != "wide") return fill_hostile(data, a, b);
  exactdot::io::data_source<T> source({.data = data == "wide" ? data_set::wide : data_set::uniform, .n = a.size()});
  source.next(a, b);
}

}  // namespace

template <class T>
void vectors<T>::release::operator()(T* memory) const {
  std::free(memory);
}

template <class T>
vectors<T>::vectors(const std::string& data, std::size_t n, alignment how)
    : data_(data), n_(n), a_(allocate<T>(n, how)), b_(allocate<T>(n, how)) {
  fill(data, std::span(a_.get(), n), std::span(b_.get(), n));
}

template class vectors<float>;
template class vectors<double>;

}  // namespace bench
