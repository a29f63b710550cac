// See bounded.hpp.
#include <cpu/environment.hpp>
#include <cpu/kernels.hpp>
#include <run/bounded.hpp>
#include <run/run.hpp>

namespace exactdot::inline v0_3::engine {

bool bound_short_sum(reduction what, const any_vector& a, const any_vector& b, element_type result,
                     const options& options, core::enclosure& sum) {
  const bool suits = a.type == core::carrier_of(a.type) && a.type == b.type && a.n == b.n && is_contiguous(a) &&
                     is_contiguous(b) && bounded_sum_can_decide(a.type, result) && !is_integer(result) &&
                     is_short_call(a.data, b.data, a.n, options);
  if (!suits) return false;
  const cpu_engine::standard_arithmetic environment;
  cpu_engine::bounded_sum found;
  if (!cpu_engine::current_kernels(a.type, core::info_of(what).term).bounded(a.data, b.data, a.n, nullptr, found))
    return false;
  const auto total = core::two_sum(found.head, found.tail);
  const core::enclosure value{total.value, total.error, found.bound};
  const bool in_range =
      value.head == 0 || (core::magnitude_of(value.head) > 0x1p-660 && core::magnitude_of(value.head) < 0x1p860);
  if (found.exponent != 0 || !value.is_finite() || !in_range) return false;
  sum = value;
  return true;
}

}  // namespace exactdot::inline v0_3::engine
