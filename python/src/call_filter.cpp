// Implementation of call_filter.hpp.
#include <python/src/call_filter.hpp>
#include <string>

namespace exactdot::python {

std::vector<axis> axes_of_mask(const vectors& inputs, const imported_array* where) {
  std::vector<axis> axes = inputs.first.all_axes();
  const std::vector<axis> given = where != nullptr ? where->all_axes() : std::vector<axis>();
  if (given.size() > axes.size()) inputs.refuse(false, "where has more dimensions than the first array");
  const std::size_t missing = axes.size() - given.size();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const axis mask = i < missing ? axis{1, 0} : given[i - missing];
    if (mask.n != 1 && mask.n != axes[i].n) {
      inputs.refuse(false, "where does not broadcast to the shape of the first array: " + std::to_string(mask.n) +
                               " positions for " + std::to_string(axes[i].n) + " along axis " + std::to_string(i));
    }
    axes[i].stride = mask.n == 1 ? 0 : mask.stride;
  }
  return axes;
}

void intersect(std::vector<std::uint8_t>& flags, const vectors& inputs, const imported_array& where) {
  const std::vector<axis> mask = axes_of_mask(inputs, &where);
  for (std::size_t i = 0; i < flags.size(); ++i) {
    std::ptrdiff_t offset = 0;
    for (std::size_t k = mask.size(), left = i; k-- != 0; left /= mask[k].n) {
      offset += static_cast<std::ptrdiff_t>(left % mask[k].n) * mask[k].stride;
    }
    flags[i] &= static_cast<const char*>(where.data)[offset] != 0 ? 1 : 0;
  }
}

}  // namespace exactdot::python
