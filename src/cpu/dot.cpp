// exactdot::dot on the CPU.
#include <exactdot/dot.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <core/order_v1.hpp>
#include <core/state.hpp>
#include <cpu/engine.hpp>

namespace exactdot {

void detail::throw_size_mismatch(std::size_t a, std::size_t b) {
  throw error(errc::size_mismatch, "dot: the vectors differ in length (" + std::to_string(a) + " and " +
                                       std::to_string(b) + " elements)");
}

namespace cpu {
template <class T>
void exact_state(const T* a, const T* b, std::size_t n, const options& options, std::int64_t* words) {
  for (std::size_t i = 0; i < n; ++i) core::add_term<T>(words, core::exact_product(load(a + i), load(b + i)));
  core::normalise(core::limbs_of<T>(words));
  if (options.monitor != nullptr) options.monitor->done += n;
}
template void exact_state(const float*, const float*, std::size_t, const options&, std::int64_t*);
template void exact_state(const double*, const double*, std::size_t, const options&, std::int64_t*);
}  // namespace cpu

template <element R, element T>
R dot(const T* a, const T* b, std::size_t n, const options& options) {
  if (n != 0 && (a == nullptr || b == nullptr)) throw error(errc::null_pointer, "dot: null pointer");
  if (options.threads < 0) throw error(errc::bad_option, "dot: threads must not be negative");
  if (options.device == device::cuda) throw error(errc::no_device, "dot: this build has no CUDA engine");
  if (options.mode == mode::exact) {
    std::int64_t words[core::layout<T>::words] = {};
    cpu::exact_state(a, b, n, options, words);
    return core::round_state<R, T>(words);
  }
  using order = core::order_v1<T>;
  core::tile_tree<T> tree;
  for (std::size_t start = 0; start < n; start += order::tile) {
    T lane[order::lanes] = {};
    for (std::size_t i = start; i < n && i < start + order::tile; ++i) {
      T& sum = lane[(i - start) % order::lanes];
      sum = std::fma(cpu::load(a + i), cpu::load(b + i), sum);
    }
    for (std::size_t half = order::lanes / 2; half > 0; half /= 2)
      for (std::size_t l = 0; l < half; ++l) lane[l] += lane[l + half];
    tree.push(lane[0]);
  }
  if (options.monitor != nullptr) options.monitor->done += n;
  const R result = static_cast<R>(tree.root());
  return result != result ? core::canonical_nan<R>() : result;
}

template float dot<float, float>(const float*, const float*, std::size_t, const options&);
template double dot<double, float>(const float*, const float*, std::size_t, const options&);
template float dot<float, double>(const double*, const double*, std::size_t, const options&);
template double dot<double, double>(const double*, const double*, std::size_t, const options&);

}  // namespace exactdot
