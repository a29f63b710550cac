// Allocates and fills the vectors; see vectors.hpp.
//
// The numbers derive from the raw output of std::mt19937 (io/data_source.hpp), so they are the same with every
// standard library. Each chunk has its own generator, so the number of threads does not change the numbers. An
// allocation is a whole number of cache lines, whatever its alignment.
#include "vectors.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <io/data_source.hpp>
#include <limits>
#include <new>
#include <random>
#include <span>
#include <stdexcept>
#include <thread>

namespace bench {
namespace {

using exactdot::io::data_set;
using exactdot::io::data_source;

constexpr std::size_t chunk = std::size_t{1} << 20;
constexpr std::size_t ill_period = chunk;

template <class T>
T* allocate(std::size_t n, alignment placement) {
  const std::size_t bytes = (n * sizeof(T) + 63) / 64 * 64;
  void* memory = placement == alignment::cache_line ? std::aligned_alloc(64, bytes) : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<T*>(memory);
}

/// Elements first … first + a.size() - 1 of vectors of n elements.
template <class T>
struct vector_range {
  std::span<T> a, b;
  std::size_t first, n;
  std::uint32_t seed;
};

/// Draws a number from (-2, -1] or [1, 2).
template <class T>
T significand(std::mt19937& generator) {
  const T x = exactdot::io::draw_uniform<T>(generator);
  return x + std::copysign(T{1}, x);
}

template <class T>
constexpr T huge = std::numeric_limits<T>::max() > 1e300 ? T(1e300) : T(1e30);

template <data_set data, class T>
void fill_from_source(const vector_range<T>& range) {
  data_source<T> source({.data = data, .n = range.a.size(), .seed = range.seed});
  source.next(range.a, range.b);
}

template <class T>
void fill_subnormal(const vector_range<T>& range) {
  std::mt19937 generator(range.seed);
  for (std::size_t i = 0; i < range.a.size(); ++i) {
    range.a[i] = exactdot::io::draw_uniform<T>(generator) * std::numeric_limits<T>::min();
    range.b[i] = exactdot::io::draw_uniform<T>(generator) * std::numeric_limits<T>::min();
  }
}

template <class T>
void fill_alternating(const vector_range<T>& range) {
  std::mt19937 generator(range.seed);
  for (std::size_t i = 0; i < range.a.size(); ++i) {
    range.a[i] = (i % 2 == 0 ? huge<T> : 1 / huge<T>)*significand<T>(generator);
    range.b[i] = significand<T>(generator);
  }
}

template <class T>
void fill_one_huge(const vector_range<T>& range) {
  fill_from_source<data_set::uniform>(range);
  const std::size_t middle = range.n / 2;
  if (range.first <= middle && middle < range.first + range.a.size()) range.a[middle - range.first] = huge<T>;
}

/// Fills a[i] = m·2^e in n steps through all normal exponents e; m increases from 1 to 1.5 within each exponent.
template <class T>
void fill_sorted(const vector_range<T>& range) {
  using limits = std::numeric_limits<T>;
  constexpr int lowest = limits::min_exponent, exponents = limits::max_exponent - limits::min_exponent - 2;
  std::mt19937 generator(range.seed);
  for (std::size_t i = 0; i < range.a.size(); ++i) {
    const double step = static_cast<double>(range.first + i) / static_cast<double>(range.n) * exponents;
    const double whole = std::floor(step);
    range.a[i] = std::ldexp(static_cast<T>(1 + (step - whole) / 2), lowest + static_cast<int>(whole));
    range.b[i] = significand<T>(generator);
  }
}

/// Condition number 10^exponent.
template <int exponent, class T>
void fill_ill(const vector_range<T>& range) {
  const std::size_t period = std::min(ill_period, range.n);
  data_source<T> source({.data = data_set::ill, .n = period, .condition = exponent == 20 ? 1e20 : 1e40});
  std::vector<T> a(period), b(period);
  source.next(a, b);
  for (std::size_t i = 0; i < range.a.size(); ++i) range.a[i] = a[i % period], range.b[i] = b[i % period];
}

template <class T>
using filler = void (*)(const vector_range<T>&);

template <class T>
filler<T> filler_of(const std::string& data) {
  if (data == "uniform") return fill_from_source<data_set::uniform, T>;
  if (data == "wide") return fill_from_source<data_set::wide, T>;
  if (data == "subnormal") return fill_subnormal<T>;
  if (data == "alternating") return fill_alternating<T>;
  if (data == "one_huge") return fill_one_huge<T>;
  if (data == "sorted") return fill_sorted<T>;
  if (data == "ill") return fill_ill<20, T>;
  if (data == "ill_deep") return fill_ill<40, T>;
  throw std::invalid_argument("unknown data set " + data);
}

template <class T>
void fill(filler<T> fill_range, std::span<T> a, std::span<T> b) {
  const std::size_t chunks = (a.size() + chunk - 1) / chunk;
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < chunks; i = next++) {
      const std::size_t first = i * chunk, length = std::min(chunk, a.size() - first);
      fill_range({a.subspan(first, length), b.subspan(first, length), first, a.size(),
                  42 + static_cast<std::uint32_t>(i)});
    }
  };
  std::vector<std::jthread> workers;
  const std::size_t threads = std::min<std::size_t>(chunks, std::thread::hardware_concurrency());
  for (std::size_t i = 1; i < threads; ++i) workers.emplace_back(work);
  work();
}

}  // namespace

template <class T>
void vectors<T>::release::operator()(T* memory) const {
  std::free(memory);
}

template <class T>
vectors<T>::vectors(const std::string& data, std::size_t n, alignment placement) : data_(data), n_(n) {
  const filler<T> fill_range = filler_of<T>(data);
  a_.reset(allocate<T>(n, placement));
  b_.reset(allocate<T>(n, placement));
  fill<T>(fill_range, std::span(a_.get(), n), std::span(b_.get(), n));
}

template class vectors<float>;
template class vectors<double>;

}  // namespace bench
