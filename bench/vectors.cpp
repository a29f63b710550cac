// Allocating and filling the vectors; see vectors.hpp.
//
// The numbers come from the raw outputs of std::mt19937 alone (io/data_source.hpp), so that they are the same with
// every standard library; each chunk from a generator of its own, so that threads can share the work and the number
// of them changes nothing. A block is a whole number of cache lines long, whatever its alignment.
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
constexpr std::size_t ill_period = 1024;

template <class T>
T* allocate(std::size_t n, alignment how) {
  const std::size_t bytes = (n * sizeof(T) + 63) / 64 * 64;
  void* memory = how == alignment::cache_line ? std::aligned_alloc(64, bytes) : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<T*>(memory);
}

/// Part of the vectors: elements first … first + a.size() - 1 of n.
template <class T>
struct part {
  std::span<T> a, b;
  std::size_t first, n;
  std::uint32_t seed;
};

/// ±[1, 2)
template <class T>
T significand(std::mt19937& generator) {
  const T x = exactdot::io::draw_uniform<T>(generator);
  return x + std::copysign(T{1}, x);
}

template <class T>
constexpr T huge = sizeof(T) == 4 ? T(1e30) : T(1e300);

template <data_set data, class T>
void fill_from_source(const part<T>& to) {
  data_source<T> source({.data = data, .n = to.a.size(), .seed = to.seed});
  source.next(to.a, to.b);
}

template <class T>
void fill_subnormal(const part<T>& to) {
  std::mt19937 generator(to.seed);
  for (std::size_t i = 0; i < to.a.size(); ++i) {
    to.a[i] = exactdot::io::draw_uniform<T>(generator) * std::numeric_limits<T>::min();
    to.b[i] = exactdot::io::draw_uniform<T>(generator) * std::numeric_limits<T>::min();
  }
}

template <class T>
void fill_alternating(const part<T>& to) {
  std::mt19937 generator(to.seed);
  for (std::size_t i = 0; i < to.a.size(); ++i) {
    to.a[i] = (i % 2 == 0 ? huge<T> : 1 / huge<T>)*significand<T>(generator);
    to.b[i] = significand<T>(generator);
  }
}

template <class T>
void fill_one_huge(const part<T>& to) {
  fill_from_source<data_set::uniform>(to);
  const std::size_t where = to.n / 2;
  if (to.first <= where && where < to.first + to.a.size()) to.a[where - to.first] = huge<T>;
}

/// a[i] = m·2^e of the i-th of n steps through all normal exponents, m growing from 1 to 2 within each.
template <class T>
void fill_sorted(const part<T>& to) {
  using limits = std::numeric_limits<T>;
  constexpr int lowest = limits::min_exponent, exponents = limits::max_exponent - limits::min_exponent - 2;
  std::mt19937 generator(to.seed);
  for (std::size_t i = 0; i < to.a.size(); ++i) {
    const double step = static_cast<double>(to.first + i) / static_cast<double>(to.n) * exponents;
    const double whole = std::floor(step);
    to.a[i] = std::ldexp(static_cast<T>(1 + (step - whole) / 2), lowest + static_cast<int>(whole));
    to.b[i] = significand<T>(generator);
  }
}

template <int exponent, class T>
void fill_ill(const part<T>& to) {
  const std::size_t period = std::min(ill_period, to.n);
  data_source<T> source({.data = data_set::ill, .n = period, .condition = exponent == 16 ? 1e16 : 1e40});
  std::vector<T> a(period), b(period);
  source.next(a, b);
  for (std::size_t i = 0; i < to.a.size(); ++i) to.a[i] = a[i % period], to.b[i] = b[i % period];
}

template <class T>
using filler = void (*)(const part<T>&);

template <class T>
filler<T> filler_of(const std::string& data) {
  if (data == "uniform") return fill_from_source<data_set::uniform, T>;
  if (data == "wide") return fill_from_source<data_set::wide, T>;
  if (data == "subnormal") return fill_subnormal<T>;
  if (data == "alternating") return fill_alternating<T>;
  if (data == "one_huge") return fill_one_huge<T>;
  if (data == "sorted") return fill_sorted<T>;
  if (data == "ill") return fill_ill<16, T>;
  if (data == "ill_deep") return fill_ill<40, T>;
  throw std::invalid_argument("unknown data set " + data);
}

template <class T>
void fill(filler<T> with, std::span<T> a, std::span<T> b) {
  const std::size_t chunks = (a.size() + chunk - 1) / chunk;
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < chunks; i = next++) {
      const std::size_t first = i * chunk, length = std::min(chunk, a.size() - first);
      with({a.subspan(first, length), b.subspan(first, length), first, a.size(),
            42 + static_cast<std::uint32_t>(i)});
    }
  };
  std::vector<std::jthread> team;
  const std::size_t helpers = std::min<std::size_t>(chunks, std::thread::hardware_concurrency());
  for (std::size_t i = 1; i < helpers; ++i) team.emplace_back(work);
  work();
}

}  // namespace

template <class T>
void vectors<T>::release::operator()(T* memory) const {
  std::free(memory);
}

template <class T>
vectors<T>::vectors(const std::string& data, std::size_t n, alignment how) : data_(data), n_(n) {
  const filler<T> with = filler_of<T>(data);
  a_.reset(allocate<T>(n, how));
  b_.reset(allocate<T>(n, how));
  fill<T>(with, std::span(a_.get(), n), std::span(b_.get(), n));
}

template class vectors<float>;
template class vectors<double>;

}  // namespace bench
