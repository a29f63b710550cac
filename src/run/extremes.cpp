// Implementation of exactdot/extremes.hpp.
#include <algorithm>
#include <cpu/environment.hpp>
#include <cpu/reduce.hpp>
#include <exactdot/extremes.hpp>
#include <run/run.hpp>

namespace exactdot::inline v0_3::detail {

found_extremes find_extremes(const any_vector& x, const options& options, with_indices indices,
                             const char* caller) {
  const cpu_engine::standard_arithmetic environment;
  const engine::plan plan = engine::make_plan({caller, reduction::min, x, x, x.type, 0, true}, options);
  if (!plan.on_gpu) return cpu_engine::find_extremes(plan);
  const auto found = [&](reduction what, element_type result) {
    return engine::run(engine::make_plan({caller, what, x, x, result, 0, true}, options));
  };
  found_extremes all{found(reduction::min, x.type), found(reduction::max, x.type)};
  if (indices == with_indices::yes) {
    all.index_of_least = found(reduction::argmin, element_type::uint64);
    all.index_of_greatest = found(reduction::argmax, element_type::uint64);
  }
  return all;
}

std::uint64_t index_of_magnitude(const found_extremes& found, element_type type) {
  const std::uint64_t sign = std::uint64_t{1} << (8 * size_of(type) - 1);
  const std::uint64_t all = sign | (sign - 1);
  // the words of floating-point numbers without their signs ascend as the magnitudes do, NaN's above all
  const auto magnitude = [&](std::uint64_t word) {
    word &= all;
    if (!is_integer(type)) return word & ~sign;
    return is_signed(type) && (word & sign) != 0 ? (~word + 1) & all : word;
  };
  const std::uint64_t least = magnitude(found.least), greatest = magnitude(found.greatest);
  if (least == greatest) return std::min(found.index_of_least, found.index_of_greatest);
  return least > greatest ? found.index_of_least : found.index_of_greatest;
}

}  // namespace exactdot::inline v0_3::detail
