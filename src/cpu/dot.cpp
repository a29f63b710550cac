// exactdot::dot: checks the arguments and, where no GPU takes over (offload.hpp), computes on the CPU: splits the
// work among threads, and takes the cheapest road that is proven right.
//
// Mode exact: while the vectors are in cache, an approximation with an error bound that leaves no doubt about the
// rounding (approximate-inl.h, approximation.hpp); else, or if it does, the exact state (accumulate-inl.h), rounded
// once.
#include <algorithm>
#include <atomic>
#include <core/order_v1.hpp>
#include <core/state.hpp>
#include <cpu/approximation.hpp>
#include <cpu/engine.hpp>
#include <cpu/environment.hpp>
#include <cpu/kernels.hpp>
#include <cpu/offload.hpp>
#include <cpu/team.hpp>
#include <exactdot/dot.hpp>
#include <string>
#include <vector>

namespace exactdot {
namespace cpu_engine {
namespace {

/// Vectors up to this length are taken to be in cache. Above, the exact state costs no more than the approximation:
/// both wait for memory.
template <class T>
inline constexpr std::size_t largest_in_cache = (std::size_t{1} << 21) / sizeof(T);

}  // namespace

template <class T>
void check_arguments(const T* a, const T* b, std::size_t n, const options& options) {
  if (n != 0 && (a == nullptr || b == nullptr)) {
    throw error(errc::null_pointer, "dot: a null pointer for a vector of " + std::to_string(n) + " elements");
  }
  if (options.mode != mode::exact && options.mode != mode::fast) {
    throw error(errc::bad_option, "dot: unknown mode; use mode::exact or mode::fast");
  }
  if (options.threads < 0) {
    throw error(errc::bad_option,
                "dot: threads is " + std::to_string(options.threads) + "; use 0 (automatic) or more");
  }
  if (options.device != device::cpu && options.device != device::automatic && options.device != device::cuda) {
    throw error(errc::bad_option, "dot: unknown device; use device::automatic, device::cpu or device::cuda");
  }
}

template void check_arguments(const float*, const float*, std::size_t, const options&);
template void check_arguments(const double*, const double*, std::size_t, const options&);

namespace {

template <class T>
bool accumulate(const kernels<T>& kernel, const T* a, const T* b, std::size_t n, std::int64_t* words,
                bool may_give_up) noexcept {
  if (arithmetic_is_standard()) return kernel.accumulate(a, b, n, words, may_give_up);
  while (n != 0) {
    const std::size_t count = std::min<std::size_t>(n, core::additions_between_normalisations);
    add_integer_products(a, b, count, words);
    core::normalise(core::limbs_of<T>(words));
    a += count, b += count, n -= count;
  }
  return true;
}

/// Whether an approximation can decide a rounding to R: a sum of float products is known to about 2^-53 only.
template <class R, class T>
inline constexpr bool can_decide = core::traits<R>::precision <= core::traits<T>::precision;

/// result = the exact sum rounded to R, from an approximation. False if that cannot be done with certainty.
template <class R, class T>
bool approximate(const T* a, const T* b, std::size_t n, const options& options, R& result) {
  const auto& kernel = current_kernels<T>();
  const auto part = [&](const T* x, const T* y, std::size_t count, approximation& sum) noexcept {
    return arithmetic_is_standard() && kernel.approximate(x, y, count, sum);
  };
  approximation sum;
  const int threads = threads_for(n, options);
  if (threads == 1) return part(a, b, n, sum) && round_if_certain(sum, result);
  std::vector<approximation> parts(static_cast<std::size_t>(threads));
  std::atomic<bool> all{true};
  for_parts(n, 1, threads, [&](std::size_t start, std::size_t count, int index) noexcept {
    if (!part(a + start, b + start, count, parts[static_cast<std::size_t>(index)])) all = false;
  });
  if (!all) return false;
  for (const approximation& other : parts) add(sum, other);
  return round_if_certain(sum, result);
}

template <class R, class T>
R exact(const T* a, const T* b, std::size_t n, const options& options) {
  if (n == 0) return R{0};
  R result;
  // A watched computation makes one pass, so that its progress only grows.
  const bool may_approximate = options.monitor == nullptr && can_decide<R, T>;
  const bool in_cache = n <= largest_in_cache<T>;
  if (may_approximate && in_cache && approximate(a, b, n, options, result)) return result;
  std::int64_t words[core::layout<T>::words] = {};
  if (!exact_state(a, b, n, options, words, may_approximate && !in_cache)) {
    if (approximate(a, b, n, options, result)) return result;
    std::fill(std::begin(words), std::end(words), 0);
    exact_state(a, b, n, options, words);
  }
  return core::round_state<R, T>(words);
}

/// Order v1 on several threads: each reduces whole subtrees of `grain` tiles; their sums are the leaves of the rest
/// of the tree.
template <class T>
T fast_in_parts(const T* a, const T* b, std::size_t n, const options& options) {
  const auto& kernel = current_kernels<T>();
  constexpr std::size_t grain = 16 * core::order_v1<T>::tile;
  std::vector<T> subtree((n + grain - 1) / grain);
  const caller_environment environment;
  for_parts(n, grain, threads_for(n, options), [&](std::size_t start, std::size_t count, int) noexcept {
    const auto own = environment.enter();
    watched(start, count, options.monitor, [&](std::size_t from, std::size_t length) {
      for (std::size_t i = from; i < from + length; i += grain) {
        subtree[i / grain] = kernel.fast(a + i, b + i, std::min(grain, from + length - i));
      }
    });
  });
  throw_if_cancelled(options);
  core::tile_tree<T> tree;
  for (const T sum : subtree) tree.push(sum);
  return tree.root();
}

template <class T>
T fast(const T* a, const T* b, std::size_t n, const options& options) {
  const bool at_once = options.monitor == nullptr && threads_for(n, options) == 1;
  return at_once ? current_kernels<T>().fast(a, b, n) : fast_in_parts(a, b, n, options);
}

}  // namespace

template <class T>
bool exact_state(const T* a, const T* b, std::size_t n, const options& options, std::int64_t* words,
                 bool may_give_up) {
  const auto& kernel = current_kernels<T>();
  const int threads = threads_for(n, options);
  constexpr std::size_t count_of_words = core::layout<T>::words;
  std::vector<std::int64_t> others(static_cast<std::size_t>(threads - 1) *
                                   count_of_words);  // the first part uses `words`
  std::atomic<bool> all{true};
  for_parts(n, 1, threads, [&](std::size_t start, std::size_t count, int index) noexcept {
    std::int64_t own[count_of_words] = {};
    std::int64_t* const sum = index == 0 ? words : own;
    watched(start, count, options.monitor, [&](std::size_t from, std::size_t length) {
      if (!accumulate(kernel, a + from, b + from, length, sum, may_give_up)) all = false;
    });
    if (index != 0) std::copy_n(own, count_of_words, &others[static_cast<std::size_t>(index - 1) * count_of_words]);
  });
  throw_if_cancelled(options);
  for (std::size_t i = 0; i < others.size(); i += count_of_words) core::merge<T>(words, &others[i]);
  core::normalise(core::limbs_of<T>(words));
  return all;
}

template bool exact_state(const float*, const float*, std::size_t, const options&, std::int64_t*, bool);
template bool exact_state(const double*, const double*, std::size_t, const options&, std::int64_t*, bool);

}  // namespace cpu_engine

void detail::throw_size_mismatch(std::size_t a, std::size_t b) {
  throw error(errc::size_mismatch, "dot: the vectors differ in length (" + std::to_string(a) + " and " +
                                       std::to_string(b) + " elements)");
}

template <element R, element T>
R dot(const T* a, const T* b, std::size_t n, const options& options) {
  cpu_engine::check_arguments(a, b, n, options);
  if (const auto* const gpu = cpu_engine::gpu_for(a, b, n, options)) {
    return std::get<cpu_engine::gpu_engine::dot<R, T>>(gpu->dots)(a, b, n, options);
  }
  if (options.mode == mode::exact) return cpu_engine::exact<R>(a, b, n, options);
  const T sum = cpu_engine::fast(a, b, n, options);
  return sum != sum ? core::canonical_nan<R>() : static_cast<R>(sum);
}

template float dot<float, float>(const float*, const float*, std::size_t, const options&);
template double dot<double, float>(const float*, const float*, std::size_t, const options&);
template float dot<float, double>(const double*, const double*, std::size_t, const options&);
template double dot<double, double>(const double*, const double*, std::size_t, const options&);

}  // namespace exactdot
