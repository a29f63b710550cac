// A packed vector goes to exactdot::dot as it is. Any other is copied piece by piece into a packed one; the pieces'
// exact states are merged, and in mode fast, where a piece is a power of two of tiles, their sums are nodes of the
// same tree that order v1 prescribes. So the bits are those of the packed copy.
#include <algorithm>
#include <array>
#include <core/order_v1.hpp>
#include <core/rounding.hpp>
#include <cstring>
#include <exactdot/dot.hpp>
#include <limits>
#include <optional>
#include <python/src/gil.hpp>
#include <python/src/host_dot.hpp>
#include <python/src/worker.hpp>
#include <vector>

namespace exactdot::python {
namespace {

/// Below this length letting go of the GIL costs more than the dot itself.
constexpr std::size_t shortest_without_gil = 2048;

/// Calls work(options), without the GIL where that pays and, for long calls, where a signal can end it.
template <class Work>
void compute(std::size_t n, const options& given, const Work& work) {
  if (n < shortest_without_gil) return work(given);
  if (n < shortest_long_call()) {
    const gil_release others_may_run;
    return work(given);
  }
  run_interruptibly([&](monitor& watch) {
    options watched = given;
    watched.monitor = &watch;
    work(watched);
  });
}

template <class T>
T swap_bytes(T value) {
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  bits word;
  std::memcpy(&word, &value, sizeof(T));
  word = sizeof(T) == 4 ? static_cast<bits>(__builtin_bswap32(static_cast<std::uint32_t>(word)))
                        : static_cast<bits>(__builtin_bswap64(word));
  std::memcpy(&value, &word, sizeof(T));
  return value;
}

/// A vector read in pieces.
template <class T>
class pieces {
 public:
  pieces(const operand& from, std::size_t length)
      : from_(from), packed_(from.is_packed() ? 0 : std::min(length, from.n)) {}

  const T* at(std::size_t start, std::size_t count) {
    const char* source = static_cast<const char*>(from_.data) + static_cast<std::ptrdiff_t>(start) * from_.stride;
    if (packed_.empty()) return reinterpret_cast<const T*>(source);
    for (std::size_t i = 0; i < count; ++i, source += from_.stride) std::memcpy(&packed_[i], source, sizeof(T));
    if (from_.swapped) std::transform(packed_.begin(), packed_.end(), packed_.begin(), swap_bytes<T>);
    return packed_.data();
  }

 private:
  const operand& from_;
  std::vector<T> packed_;
};

template <class T>
std::size_t piece_length(const options& options) {
  constexpr std::size_t tiles_in_cache = 8;
  return core::order_v1<T>::tile * (options.device == device::cuda ? 128 * tiles_in_cache : tiles_in_cache);
}

/// Calls step(x, y, count) for every piece of a and of b, until the monitor says cancel.
template <class T, class Step>
void for_pieces(const operand& a, const operand& b, const options& options, Step step) {
  const std::size_t length = piece_length<T>(options);
  pieces<T> left(a, length), right(b, length);
  for (std::size_t start = 0; start < a.n; start += length) {
    if (options.monitor != nullptr && options.monitor->cancel) throw error(errc::cancelled, "dot: cancelled");
    const std::size_t count = std::min(length, a.n - start);
    step(left.at(start, count), right.at(start, count), count);
  }
}

/// The pieces are short; a look at the monitor before each is enough.
options for_one_piece(const options& given) {
  options own = given;
  own.monitor = nullptr;
  return own;
}

template <class T>
void add_pieces(accumulator<T>& sum, const operand& a, const operand& b, const options& options) {
  const auto own = for_one_piece(options);
  for_pieces<T>(a, b, options, [&](const T* x, const T* y, std::size_t count) {
    sum.add(std::span(x, count), std::span(y, count), own);
  });
}

template <class R, class T>
R dot_in_pieces(const operand& a, const operand& b, const options& options) {
  if (options.mode == mode::exact) {
    accumulator<T> sum;
    add_pieces(sum, a, b, options);
    return sum.template round<R>();
  }
  const auto own = for_one_piece(options);
  core::tile_tree<T> tree;
  for_pieces<T>(a, b, options,
                [&](const T* x, const T* y, std::size_t count) { tree.push(dot<T>(x, y, count, own)); });
  const T sum = tree.root();
  return sum != sum ? core::canonical_nan<R>() : static_cast<R>(sum);
}

template <class R, class T>
double dot_of(const operand& a, const operand& b, const options& given) {
  R result{};
  compute(a.n, given, [&](const options& options) {
    result = a.is_packed() && b.is_packed()
                 ? dot<R>(static_cast<const T*>(a.data), static_cast<const T*>(b.data), a.n, options)
                 : dot_in_pieces<R, T>(a, b, options);
  });
  return result;
}

}  // namespace

double host_dot(const operand& a, const operand& b, dtype result, const options& options) {
  if (a.type == dtype::float32) {
    return result == dtype::float32 ? dot_of<float, float>(a, b, options) : dot_of<double, float>(a, b, options);
  }
  return result == dtype::float32 ? dot_of<float, double>(a, b, options) : dot_of<double, double>(a, b, options);
}

template <element T>
void host_add(accumulator<T>& sum, const operand& a, const operand* b, const options& given) {
  T one = 1;
  operand ones;  // a plain sum is a dot with a vector of ones that has a stride of zero
  ones.type = a.type;
  ones.data = &one;
  ones.n = a.n;
  accumulator<T> own;
  compute(a.n, given, [&](const options& options) {
    if (b == nullptr) return add_pieces(own, a, ones, options);
    if (!a.is_packed() || !b->is_packed()) return add_pieces(own, a, *b, options);
    own.add(std::span(static_cast<const T*>(a.data), a.n), std::span(static_cast<const T*>(b->data), a.n), options);
  });
  sum.merge(own);
}

template void host_add(accumulator<float>&, const operand&, const operand*, const options&);
template void host_add(accumulator<double>&, const operand&, const operand*, const options&);

}  // namespace exactdot::python
