// The least or greatest element and its lowest index: blocks whose least key is found by a loop that compilers
// vectorise; only a block that improves the result is searched for the index. Cost: some 4 operations per vector.
#if defined(EXACTDOT_CPU_EXTREMUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_EXTREMUM_INL_H_
#undef EXACTDOT_CPU_EXTREMUM_INL_H_
#else
#define EXACTDOT_CPU_EXTREMUM_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <exactdot/core/extremum.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t extremum_block = 1024;

template <class T, bool greatest>
extreme extremum(const void* x, std::size_t n) {
  using word = typename detail::unsigned_of<sizeof(T)>::type;
  extreme best;
  bool none = true;
  for (std::size_t start = 0; start < n; start += extremum_block) {
    const std::size_t count = std::min(n - start, extremum_block);
    const char* const block = static_cast<const char*>(x) + start * sizeof(T);
    word keys[extremum_block];
    word least = static_cast<word>(~word{0});
    for (std::size_t i = 0; i < count; ++i) {
      word bits;
      std::memcpy(&bits, block + i * sizeof(T), sizeof bits);  // any alignment
      keys[i] = core::ordered_key<T, greatest>(bits);
      least = std::min(least, keys[i]);
    }
    if (!none && least >= best.key) continue;
    none = false;
    best.key = least;
    best.index = start + static_cast<std::size_t>(std::find(keys, keys + count, least) - keys);
  }
  return best;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
