// The least or greatest element of each group: a table of keys (extremum-inl.h), of which each element lowers one.
//
// No branch: whether an element is its group's best so far cannot be predicted. Cost: the keys' registers, and some
// ns an element for a load, a minimum and a store.
#if defined(EXACTDOT_CPU_GROUP_EXTREMA_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_GROUP_EXTREMA_INL_H_
#undef EXACTDOT_CPU_GROUP_EXTREMA_INL_H_
#else
#define EXACTDOT_CPU_GROUP_EXTREMA_INL_H_
#endif

#include <cpu/extremum-inl.h>
#include <hwy/cache_control.h>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

template <class T, bool greatest>
void add_group_extrema(const void* x, const std::uint32_t* slots, std::size_t n, void* table) {
  using keys_of = element_keys<T, greatest>;
  using word = typename keys_of::word;
  const typename keys_of::tag d;
  constexpr std::size_t block = 256;
  HWY_ALIGN word key[block];
  const keys_of keys(static_cast<const char*>(x));
  auto* const best = static_cast<word*>(table);
  for (std::size_t first = 0; first < n; first += block) {
    const std::size_t count = std::min(block, n - first), width = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + width <= count; i += width) hn::Store(keys.vector(first + i), d, key + i);
    for (; i < count; ++i) key[i] = keys.scalar(first + i);
    for (i = 0; i < count; ++i) {
      hwy::Prefetch(best + slots[first + i + group_slots_ahead]);
      word& to = best[slots[first + i]];
      to = key[i] < to ? key[i] : to;
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
