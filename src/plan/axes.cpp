// Implementation of axes.hpp. Axes are put in order of their strides: if each steps over the whole of those with
// smaller ones, as the digits of a number do, the indices of an address follow one by one, from the greatest stride
// down.
#include <algorithm>
#include <limits>
#include <plan/axes.hpp>
#include <vector>

namespace exactdot::inline v0_3::engine {
namespace {

constexpr auto highest = std::numeric_limits<std::uintptr_t>::max();

std::uint64_t magnitude(std::ptrdiff_t stride) {
  return stride < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(stride) : static_cast<std::uint64_t>(stride);
}

/// An axis with a positive stride.
struct digit {
  std::uint64_t step, n;
};

/// The axes of more than one position by falling stride, of repeated positions one each; nothing is lost but order.
std::vector<digit> digits_of(std::span<const axis> first, std::span<const axis> second) {
  std::vector<digit> digits;
  for (const auto axes : {first, second}) {
    for (const axis& each : axes) {
      if (each.n > 1 && each.stride != 0) digits.push_back({magnitude(each.stride), each.n});
    }
  }
  std::ranges::sort(digits, [](const digit& x, const digit& y) { return x.step > y.step; });
  return digits;
}

/// Whether each digit steps over all smaller ones and an element.
bool are_nested(std::span<const digit> digits, std::size_t size) {
  std::uint64_t width = size;
  for (std::size_t i = digits.size(); i-- != 0;) {
    if (digits[i].step < width) return false;
    width += digits[i].step * (digits[i].n - 1);
  }
  return true;
}

/// Whether an element at a sum of digits overlaps [target, target + bytes), for nested digits.
bool reaches(std::span<const digit> digits, std::uint64_t target, std::size_t size, std::size_t bytes) {
  if (digits.empty()) return target < size;
  const digit& top = digits.front();
  const auto rest = digits.subspan(1);
  std::uint64_t width = size;  // of a block: of the elements with one index of this digit
  for (const digit& each : rest) width += each.step * (each.n - 1);
  std::uint64_t i =
      target < width ? 0 : (target - width) / top.step + 1;  // the first block that ends behind `target`
  for (; i < top.n && i * top.step < target + bytes; ++i) {
    const std::uint64_t begin = i * top.step;
    if (begin >= target || reaches(rest, target - begin, size, bytes)) return true;
  }
  return false;
}

}  // namespace

std::optional<std::size_t> positions_of(std::span<const axis> axes) {
  if (std::ranges::any_of(axes, [](const axis& each) { return each.n == 0; })) return 0;
  std::size_t count = 1;
  for (const axis& each : axes) {
    if (__builtin_mul_overflow(count, each.n, &count)) return std::nullopt;
  }
  return count;
}

std::optional<extent> extent_of(const void* data, std::span<const axis> first, std::span<const axis> second,
                                std::size_t size) {
  std::uint64_t below = 0, above = size;
  for (const auto axes : {first, second}) {
    for (const axis& each : axes) {
      std::uint64_t length = 0;
      std::uint64_t& side = each.stride < 0 ? below : above;
      if (__builtin_mul_overflow(each.n - 1, magnitude(each.stride), &length)) return std::nullopt;
      if (__builtin_add_overflow(side, length, &side)) return std::nullopt;
    }
  }
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  constexpr auto largest_object = static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max());
  if (below > address || above > highest - address || below > largest_object || above > largest_object) {
    return std::nullopt;
  }
  return extent{address - below, address + above};
}

bool may_overlap(const void* data, std::span<const axis> first, std::span<const axis> second, std::size_t size,
                 const void* memory, std::size_t bytes) {
  const auto found = extent_of(data, first, second, size);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  if (!found || begin + bytes <= found->begin || begin >= found->end) return false;
  const auto digits = digits_of(first, second);
  if (!are_nested(digits, size)) return true;
  // an element that begins before `begin` overlaps it if it is nearer than its size
  if (begin >= found->begin) return reaches(digits, begin - found->begin, size, bytes);
  return reaches(digits, 0, size, static_cast<std::size_t>(begin + bytes - found->begin));
}

bool are_separate(std::span<const axis> axes, std::size_t size) {
  const bool repeats = std::ranges::any_of(axes, [](const axis& each) { return each.n > 1 && each.stride == 0; });
  return !repeats && are_nested(digits_of(axes, {}), size);
}

}  // namespace exactdot::inline v0_3::engine
