// A packed vector goes to exactdot::dot as it is. Any other is copied piece by piece into a packed one, by several
// threads; the pieces' exact states are merged, and in mode fast, where a piece is a power of two of tiles, their
// sums are nodes of the same tree that order v1 prescribes. So the bits are those of the packed copy.
#include <algorithm>
#include <bit>
#include <core/order_v1.hpp>
#include <core/rounding.hpp>
#include <cpu/engine.hpp>
#include <cpu/environment.hpp>
#include <cpu/team.hpp>
#include <cstdlib>
#include <cstring>
#include <exactdot/dot.hpp>
#include <exception>
#include <python/src/gil.hpp>
#include <python/src/host_dot.hpp>
#include <python/src/number.hpp>
#include <python/src/worker.hpp>
#include <utility>
#include <vector>

namespace exactdot::python {
namespace {

/// Below this length letting go of the GIL costs more than the dot itself.
constexpr std::size_t shortest_without_gil = 2048;

/// Whether work on these vectors leaves the calling thread. What it reads counts: a view with a stride of a page
/// reads a page, perhaps from a disk, for each element.
bool is_long_call(const operand& a, const operand& b) {
  std::size_t reach = sizeof(double);
  for (const operand* one : {&a, &b}) reach = std::max(reach, static_cast<std::size_t>(std::abs(one->stride)));
  return a.n >= shortest_long_call() * sizeof(double) / reach;
}

/// Calls work(options), without the GIL where that pays and, for long calls, where a signal can end it; in the
/// caller's floating-point environment wherever it runs.
template <class Work>
void compute(const operand& a, const operand& b, const options& given, const Work& work) {
  if (a.n < shortest_without_gil) return work(given);
  if (!is_long_call(a, b)) {
    const gil_release others_may_run;
    return work(given);
  }
  const cpu_engine::caller_environment environment;
  const bool done = run_interruptibly([&](monitor& watch) {
    const auto arithmetic = environment.enter();
    options watched = given;
    watched.monitor = &watch;
    work(watched);
  });
  if (done) return;
  options alone = given;  // where there is no thread for a worker, OpenMP's would end the process
  alone.threads = 1;
  const gil_release others_may_run;
  work(alone);
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

/// A vector read in pieces of at most `length` elements: its own memory, or a packed copy.
template <class T>
class pieces {
 public:
  pieces(const operand& from, std::size_t length)
      : from_(from), packed_(from.is_packed() ? 0 : std::min(length, from.n)) {}

  const T* at(std::size_t start, std::size_t count) {
    const char* source = static_cast<const char*>(from_.data) + static_cast<std::ptrdiff_t>(start) * from_.stride;
    if (packed_.empty()) return reinterpret_cast<const T*>(source);
    if (from_.stride == 0) {
      if (!is_filled_) copy(source, packed_.size());
      is_filled_ = true;
    } else {
      copy(source, count);
    }
    return packed_.data();
  }

 private:
  void copy(const char* source, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, source += from_.stride) std::memcpy(&packed_[i], source, sizeof(T));
    if (from_.swapped) std::transform(packed_.begin(), packed_.end(), packed_.begin(), swap_bytes<T>);
  }

  const operand& from_;
  std::vector<T> packed_;
  bool is_filled_ = false;
};

/// One call's division into pieces and, on a CPU, into parts that run on threads of their own.
template <class T>
struct division {
  division(std::size_t n, const options& options)
      : length(core::order_v1<T>::tile * (options.device == device::cuda ? tiles_for_a_gpu : tiles_in_cache)),
        group(length * std::bit_ceil(n / length / most_groups + 1)),
        groups((n + group - 1) / group),
        parts(options.device == device::cuda ? 1 : cpu_engine::threads_for(n, options)) {}

  static constexpr std::size_t tiles_in_cache = 8, tiles_for_a_gpu = 128 * tiles_in_cache, most_groups = 1024;
  std::size_t length;  // of a piece; a power of two of tiles, so that its sum is a node of order v1
  std::size_t group;   // elements whose pieces one part takes; a power of two of pieces
  std::size_t groups;
  int parts;
};

template <class T>
struct piece {
  std::span<const T> a, b;
  std::size_t start, part;
};

/// Calls step(piece, options) for every piece of a and b, until the monitor says cancel.
template <class T, class Step>
void for_pieces(const operand& a, const operand& b, const division<T>& how, const options& given, Step step) {
  options own = given;  // the pieces are short; a look at the monitor before each is enough
  own.monitor = nullptr;
  own.threads = given.device == device::cuda ? given.threads : 1;
  std::vector<std::pair<pieces<T>, pieces<T>>> readers;
  for (int part = 0; part < how.parts; ++part) {
    readers.emplace_back(pieces<T>(a, how.length), pieces<T>(b, how.length));
  }
  std::vector<std::exception_ptr> failures(readers.size());
  const cpu_engine::caller_environment environment;
  const auto work = [&](std::size_t start, std::size_t count, int part) {
    auto& [left, right] = readers[static_cast<std::size_t>(part)];
    for (std::size_t i = start; i < start + count; i += how.length) {
      if (given.monitor != nullptr && given.monitor->cancel) return;
      const std::size_t length = std::min(how.length, start + count - i);
      step(piece<T>{{left.at(i, length), length}, {right.at(i, length), length}, i, static_cast<std::size_t>(part)},
           own);
    }
  };
  cpu_engine::for_parts(a.n, how.group, how.parts, [&](std::size_t start, std::size_t count, int part) noexcept {
    const auto arithmetic = environment.enter();
    try {
      work(start, count, part);
    } catch (...) {
      failures[static_cast<std::size_t>(part)] = std::current_exception();
    }
  });
  for (const auto& failure : failures) {
    if (failure != nullptr) std::rethrow_exception(failure);
  }
  cpu_engine::throw_if_cancelled(given);
}

template <class T>
void add_pieces(accumulator<T>& sum, const operand& a, const operand& b, const options& given) {
  const division<T> how(a.n, given);
  std::vector<accumulator<T>> sums(static_cast<std::size_t>(how.parts));
  for_pieces<T>(a, b, how, given,
                [&](const piece<T>& at, const options& own) { sums[at.part].add(at.a, at.b, own); });
  for (const auto& part : sums) sum.merge(part);
}

template <class R, class T>
R dot_in_pieces(const operand& a, const operand& b, const options& given) {
  if (given.mode == mode::exact) {
    accumulator<T> sum;
    add_pieces(sum, a, b, given);
    return sum.template round<R>();
  }
  const division<T> how(a.n, given);
  std::vector<core::tile_tree<T>> trees(static_cast<std::size_t>(how.parts));
  std::vector<T> sums(how.groups);
  for_pieces<T>(a, b, how, given, [&](const piece<T>& at, const options& own) {
    core::tile_tree<T>& tree = trees[at.part];
    tree.push(dot<T>(at.a, at.b, own));
    const std::size_t end = at.start + at.a.size();
    if (end % how.group != 0 && end != a.n) return;
    sums[at.start / how.group] = tree.root();
    tree = {};
  });
  core::tile_tree<T> whole;
  for (const T sum : sums) whole.push(sum);
  const T sum = whole.root();
  return sum != sum ? core::canonical_nan<R>() : static_cast<R>(sum);
}

template <class R, class T>
double dot_of(const operand& a, const operand& b, const options& given) {
  R result{};
  compute(a, b, given, [&](const options& options) {
    result = a.is_packed() && b.is_packed()
                 ? dot<R>(static_cast<const T*>(a.data), static_cast<const T*>(b.data), a.n, options)
                 : dot_in_pieces<R, T>(a, b, options);
  });
  return to_python(result);
}

}  // namespace

double host_dot(const operand& a, const operand& b, dtype result, const options& options) {
  return with_type(a.type, [&]<class T>(T) {
    return with_type(result, [&]<class R>(R) { return dot_of<R, T>(a, b, options); });
  });
}

template <element T>
void host_add(accumulator<T>& sum, const operand& a, const operand* b, const options& given) {
  T one = 1;
  operand ones;  // a plain sum is a dot with a vector of ones that has a stride of zero
  ones.type = a.type;
  ones.data = &one;
  ones.n = a.n;
  accumulator<T> own;
  compute(a, b == nullptr ? ones : *b, given, [&](const options& options) {
    if (b == nullptr) return add_pieces(own, a, ones, options);
    if (!a.is_packed() || !b->is_packed()) return add_pieces(own, a, *b, options);
    own.add(std::span(static_cast<const T*>(a.data), a.n), std::span(static_cast<const T*>(b->data), a.n), options);
  });
  sum.merge(own);
}

template void host_add(accumulator<float>&, const operand&, const operand*, const options&);
template void host_add(accumulator<double>&, const operand&, const operand*, const options&);

}  // namespace exactdot::python
