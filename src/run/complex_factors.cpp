// Implementation of complex_factors.hpp.
#include <new>
#include <plan/axes.hpp>
#include <plan/gpu_engine.hpp>
#include <plan/thread_count.hpp>
#include <plan/threads.hpp>
#include <run/complex_factors.hpp>
#include <string>

namespace exactdot::inline v0_3::engine {
namespace {

template <class T, pairing how>
void copy_numbers(bool swapped, const char* from, std::ptrdiff_t step, std::size_t n, T* to) noexcept {
  constexpr auto gapless = static_cast<std::ptrdiff_t>(2 * sizeof(T));
  if (swapped) return copy_changed<T, how, true>(from, step, n, to);
  if (step == gapless) return copy_changed<T, how, false>(from, gapless, n, to);  // a constant: vector registers
  copy_changed<T, how, false>(from, step, n, to);
}

template <class T>
void copy_numbers(pairing how, bool swapped, const void* data, std::ptrdiff_t step, std::size_t n, void* to) noexcept {
  const auto* const from = static_cast<const char*>(data);
  auto* const target = static_cast<T*>(to);
  if (how == pairing::conjugate) return copy_numbers<T, pairing::conjugate>(swapped, from, step, n, target);
  if (how == pairing::exchanged) return copy_numbers<T, pairing::exchanged>(swapped, from, step, n, target);
  if (how == pairing::turned) return copy_numbers<T, pairing::turned>(swapped, from, step, n, target);
  copy_numbers<T, pairing::none>(swapped, from, step, n, target);
}

/// Copies `count` numbers from index `first` on, which counts along the axes.
void copy_range(pairing how, const any_grid& x, std::span<const axis> axes, std::size_t first, std::size_t count,
                char* to) noexcept {
  const element_type part = part_of(x.type);
  const axis innermost = axes.empty() ? axis{1, 0} : axes.back();
  while (count != 0) {
    const std::size_t within = first % innermost.n, run = std::min(count, innermost.n - within);
    std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(within) * innermost.stride;
    std::size_t outer = first / innermost.n;
    for (std::size_t k = axes.size(); k-- > 1; outer /= axes[k - 1].n) {
      offset += static_cast<std::ptrdiff_t>(outer % axes[k - 1].n) * axes[k - 1].stride;
    }
    copy_changed(how, part, x.swapped, after(x.data, offset), innermost.stride, run, to);
    first += run, count -= run, to += run * 2 * size_of(part);
  }
}

std::shared_ptr<void> copy_on_cpu(pairing how, const any_grid& x, std::span<const axis> axes, std::size_t count,
                                  const options& options) {
  const std::size_t bytes = 2 * size_of(part_of(x.type));
  const std::shared_ptr<std::byte[]> memory(new std::byte[std::max<std::size_t>(count * bytes, 1)]);
  engine::for_shares(count, engine::min_share, engine::threads_for(2 * count, options.threads),
                     [&](std::size_t start, std::size_t length, int) noexcept {
                       copy_range(how, x, axes, start, length, reinterpret_cast<char*>(&memory[start * bytes]));
                     });
  return {memory, memory.get()};
}

}  // namespace

void require_complex_reduction(reduction what, const char* caller) {
  if (is_known(what) && core::info_of(what).takes_complex()) return;
  throw_error(errc::bad_option, caller,
                      "complex numbers have sum, mean, asum, sum_of_squares, nrm2 and dot, not " +
                          std::string(is_known(what) ? name_of(what) : "an unknown reduction"));
}

void copy_changed(pairing how, element_type part, bool swapped, const void* from, std::ptrdiff_t step, std::size_t n,
                  void* to) noexcept {
  if (part == element_type::float32) return copy_numbers<float>(how, swapped, from, step, n, to);
  copy_numbers<double>(how, swapped, from, step, n, to);
}

std::vector<axis> with_parts(std::span<const axis> axes, std::ptrdiff_t stride) {
  std::vector<axis> made(axes.begin(), axes.end());
  made.push_back({2, stride});
  return made;
}

copied_numbers::copied_numbers(pairing how, const any_grid& x, int gpu, const options& options, const char* caller,
                               bool in_one_piece)
    : type_(x.type), results_(x.results.begin(), x.results.end()), elements_(x.elements.begin(), x.elements.end()) {
  const std::size_t bytes = 2 * size_of(part_of(x.type));
  std::size_t count = 1;
  std::vector<axis> read;  // the axes that are copied, from the outermost on
  const auto set_strides = [&](std::vector<axis>& axes, bool repeats_once) {
    for (std::size_t k = axes.size(); k-- != 0;) {
      axis& each = axes[k];
      const bool is_copied = each.n != 1 && (each.stride != 0 || !repeats_once);
      if (is_copied) read.insert(read.begin(), each);
      each.stride = is_copied ? static_cast<std::ptrdiff_t>(count * bytes) : 0;
      if (!is_copied) continue;
      if (__builtin_mul_overflow(count, each.n, &count) || count > PTRDIFF_MAX / (2 * bytes)) throw std::bad_alloc();
    }
  };
  set_strides(elements_, !in_one_piece);
  set_strides(results_, true);
  if (gpu < 0) {
    memory_ = copy_on_cpu(how, x, read, count, options);
  } else {
    const engine::gpu_engine& on = *engine::registered_gpu_engine.load(std::memory_order_acquire);
    memory_ = on.copy_numbers({caller, how, part_of(x.type), x.swapped, x.data, read, count, gpu});
  }
}

}  // namespace exactdot::inline v0_3::engine
