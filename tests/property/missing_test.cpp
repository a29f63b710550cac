// Reductions of some elements (exactdot/missing.hpp) have the oracle's bits for the elements that stay: every
// reduction and element type, masks of any stride, NaNs of one or both inputs and of one or both parts, vectors,
// rows, columns, segments and groups, strides, byte orders, both modes. What stays is found here, element by
// element, by the oracle's reader.
#include <gtest/gtest.h>

#include <cstring>
#include <exactdot/exactdot.hpp>
#include <numeric>
#include <vector>

#include "oracle/reference.hpp"
#include "table/complex_parts.hpp"
#include "table/table.hpp"

namespace {

using namespace exactdot;
using oracle::rng;

bool has_mode_fast(reduction what) { return !has_ddof(what) && what < reduction::weighted_mean; }

bool is_nan(const any_vector& x, std::size_t i) {
  if (!is_complex(x.type)) return oracle::element_at(x, i).kind == oracle::kind::nan;
  const element_type part = part_of(x.type);
  const auto* const data = static_cast<const char*>(x.data);
  return is_nan({data, x.n, part, x.stride, x.swapped}, i) ||
         is_nan({data + size_of(part), x.n, part, x.stride, x.swapped}, i);
}

/// The elements of x at some places, and perhaps one more; contiguous, in the byte order of x.
struct copied_elements {
  std::vector<std::byte> bytes;
  any_vector view;

  copied_elements(const any_vector& x, const std::vector<std::size_t>& places, const std::byte* more)
      : bytes((places.size() + 1) * size_of(x.type)) {
    const std::size_t size = size_of(x.type);
    std::size_t n = 0;
    for (const std::size_t place : places) {
      std::memcpy(&bytes[n++ * size],
                  static_cast<const char*>(x.data) + static_cast<std::ptrdiff_t>(place) * x.stride, size);
    }
    if (more != nullptr) std::memcpy(&bytes[n++ * size], more, size);
    view = {bytes.data(), n, x.type, static_cast<std::ptrdiff_t>(size), x.swapped};
    view.conjugated = x.conjugated;
  }
};

/// Data of the table's generators in a layout of the table's, with NaNs among them, and a mask.
class case_of_missing {
 public:
  case_of_missing(const table::row& tested, unsigned index, std::size_t n)
      : random(index), what(tested.what), two_(inputs_of(what) == 2) {
    table::input data = table::make_input(tested, random.below(table::generator_count()), index, n);
    plant_nans(data.a, tested.type), plant_nans(data.b, tested.other);
    const table::layout& layout = table::layouts[index % table::layouts.size()];
    a_.emplace(data.a, tested.type, layout.stride_a, layout.swapped_a, layout.misaligned, index % 5);
    if (two_) b_.emplace(data.b, tested.other, layout.stride_b, layout.swapped_b, layout.misaligned, index % 3);
    a = a_->view(), b = two_ ? b_->view() : a;
    a.conjugated = tested.is_complex() && two_ && random.coin();
    mask_stride = std::vector<std::ptrdiff_t>{1, 3, -1, 0}[random.below(4)];
    flags.resize(3 * a.n + 1);
    for (auto& flag : flags) flag = random.below(4) == 0 ? 0 : static_cast<std::uint8_t>(random.below(255) + 1);
    filter.skips_nan = random.coin();
    if (random.below(3) != 0) filter.where.data = flags.data() + (mask_stride < 0 && a.n != 0 ? a.n - 1 : 0);
    if (gives_element(what) && random.coin()) {
      std::vector<std::byte> one(size_of(a.type), std::byte{0x31});
      filter.initial = any_scalar{a.type, 0};
      std::memcpy(&filter.initial->bits, one.data(), one.size());
      initial = std::move(one);  // all bytes are equal: the same in both orders
    }
    ddof = has_ddof(what) ? static_cast<std::int64_t>(random.below(3)) : 0;
    const std::vector<element_type> types = table::result_types(tested);
    result = part = types[random.below(types.size())];
    if (tested.is_complex() && detail::gives_complex(what)) {
      part = random.coin() ? element_type::float32 : element_type::float64;
      result = complex_type_of(part);
    }
  }

  [[nodiscard]] bool stays(std::size_t i) const {
    const auto* const mask = static_cast<const std::uint8_t*>(filter.where.data);
    if (mask != nullptr && mask[static_cast<std::ptrdiff_t>(i) * mask_stride] == 0) return false;
    return !filter.skips_nan || !(is_nan(a, i) || (two_ && is_nan(b, i)));
  }
  /// Empty if the result in memory is that of the elements at `places` that stay.
  [[nodiscard]] std::string fault(const std::vector<std::size_t>& places, mode mode,
                                  const std::byte* stored) const {
    std::vector<std::size_t> left;
    for (const std::size_t place : places) {
      if (stays(place)) left.push_back(place);
    }
    const std::byte* const more = initial.empty() ? nullptr : initial.data();
    const copied_elements of_a(a, left, more), of_b(b, left, more);
    for (const oracle::reference& reference : table::references({what, of_a.view, of_b.view, part, mode, ddof})) {
      auto expected = mode == mode::exact ? reference.exact(part) : reference.fast(part);
      if (!expected) return "the oracle's result overflows";
      if (gives_index(what)) {
        const std::size_t place = left.at(expected->as<std::uint64_t>());
        expected->bits = static_cast<std::uint64_t>(std::ranges::find(places, place) - places.begin());
      }
      any_scalar found{part, 0};
      std::memcpy(&found.bits, stored, size_of(part));
      const std::string difference = oracle::difference(*expected, found);
      if (!difference.empty()) return difference;
      stored += size_of(part);
    }
    return "";
  }
  /// Whether some result has no element left.
  [[nodiscard]] bool is_empty(const std::vector<std::size_t>& places) const {
    const bool needs_one = gives_element(what) || gives_index(what);
    return needs_one && initial.empty() && std::ranges::none_of(places, [&](std::size_t i) { return stays(i); });
  }
  [[nodiscard]] mode any_mode(bool of_groups = false) {
    const bool has = has_mode_fast(what) && (!of_groups || is_integer(a.type) || gives_element(what));
    return has && random.coin() ? mode::fast : mode::exact;
  }

  rng random;
  reduction what;
  any_vector a, b;
  std::vector<std::uint8_t> flags;
  std::ptrdiff_t mask_stride = 1;
  element_filter filter;
  std::vector<std::byte> initial;
  std::int64_t ddof = 0;
  element_type result = element_type::float64, part = result;  // part: of a complex result

 private:
  void plant_nans(std::vector<std::byte>& bytes, element_type type) {
    if (is_integer(type)) return;
    const std::size_t size = size_of(part_of(type));
    for (std::size_t i = 0; i < bytes.size(); i += size) {  // of complex numbers some of either part
      if (random.below(6) == 0) std::memset(&bytes[i], 0xff, size);
    }
  }
  bool two_;
  std::optional<table::placed_vector> a_, b_;
};

/// Compares results with the oracle's; `compute` stores them. Each result is that of some places.
template <class Compute>
void check(case_of_missing& x, mode mode, const std::vector<std::vector<std::size_t>>& places, const char* shape,
           const Compute& compute) {
  std::vector<std::byte> out(places.size() * size_of(x.result) + 1);
  const axis to{places.size(), static_cast<std::ptrdiff_t>(size_of(x.result))};
  const std::string name = std::string(name_of(x.what)) + " of " + std::string(name_of(x.a.type)) + ", " + shape;
  const bool is_empty = std::ranges::any_of(places, [&](const auto& each) { return x.is_empty(each); });
  try {
    compute(any_results{out.data(), x.result, {&to, 1}});
  } catch (const error& thrown) {
    if (thrown.code() == errc::overflow && is_integer(x.result)) return;
    ASSERT_TRUE(is_empty && thrown.code() == errc::empty_input) << name << ": " << thrown.what();
    return;
  }
  ASSERT_FALSE(is_empty) << name;
  for (std::size_t i = 0; i < places.size(); ++i) {
    ASSERT_EQ(x.fault(places[i], mode, &out[i * size_of(x.result)]), "")
        << name << ", result " << i << " of " << places.size();
  }
}

std::vector<std::size_t> range(std::size_t first, std::size_t n, std::size_t step = 1) {
  std::vector<std::size_t> places(n);
  for (std::size_t i = 0; i < n; ++i) places[i] = first + i * step;
  return places;
}

void check_vector(case_of_missing& x) {
  const mode mode = x.any_mode();
  const axis elements[] = {{x.a.n, x.a.stride}}, of_b[] = {{x.b.n, x.b.stride}}, flags[] = {{x.a.n, x.mask_stride}};
  element_filter filter = x.filter;
  filter.where.elements = flags;
  check(x, mode, {range(0, x.a.n)}, "a vector", [&](const any_results& to) {
    detail::reduce_kept_grid(x.what, {x.a.data, x.a.type, {}, elements, x.a.swapped, x.a.conjugated},
                             {x.b.data, x.b.type, {}, of_b, x.b.swapped}, filter, {to.data, to.type, {}},
                             {.mode = mode}, x.ddof);
  });
}

/// As a matrix of m rows, of which the rows or the columns are reduced.
void check_lines(case_of_missing& x, bool of_columns) {
  const std::size_t m = 1 + x.random.below(5), n = x.a.n / m;
  const auto lines = [&](std::ptrdiff_t stride) {
    const axis rows{m, static_cast<std::ptrdiff_t>(n) * stride}, columns{n, stride};
    return of_columns ? std::pair{columns, rows} : std::pair{rows, columns};
  };
  const auto of_a = lines(x.a.stride), of_b = lines(x.b.stride), of_mask = lines(x.mask_stride);
  const mode mode = x.any_mode();
  element_filter filter = x.filter;
  filter.where.results = {&of_mask.first, 1}, filter.where.elements = {&of_mask.second, 1};
  std::vector<std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < of_a.first.n; ++i) {
    places.push_back(of_columns ? range(i, m, n) : range(i * n, n));
  }
  const auto grid = [](const any_vector& of, const std::pair<axis, axis>& axes) {
    return any_grid{of.data, of.type, {&axes.first, 1}, {&axes.second, 1}, of.swapped, of.conjugated};
  };
  check(x, mode, places, of_columns ? "columns" : "rows", [&](const any_results& to) {
    detail::reduce_kept_grid(x.what, grid(x.a, of_a), grid(x.b, of_b), filter, to, {.mode = mode}, x.ddof);
  });
}

/// One result of all axes of a matrix, whose columns are the inner axis.
void check_axes(case_of_missing& x) {
  const std::size_t m = 1 + x.random.below(5), n = x.a.n / m;
  const auto axes = [&](std::ptrdiff_t stride) {
    return std::vector<axis>{{n, stride}, {m, static_cast<std::ptrdiff_t>(n) * stride}};
  };
  const std::vector<axis> of_a = axes(x.a.stride), of_b = axes(x.b.stride), of_mask = axes(x.mask_stride);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < n * m; ++i) places.push_back(i / m + i % m * n);
  element_filter filter = x.filter;
  filter.where.elements = of_mask;
  const mode mode = x.any_mode();
  check(x, mode, {places}, "axes", [&](const any_results& to) {
    detail::reduce_kept_grid(x.what, {x.a.data, x.a.type, {}, of_a, x.a.swapped, x.a.conjugated},
                             {x.b.data, x.b.type, {}, of_b, x.b.swapped}, filter, {to.data, to.type, {}},
                             {.mode = mode}, x.ddof);
  });
}

void check_segments(case_of_missing& x) {
  std::vector<std::int32_t> offsets;
  for (std::size_t i = 0; i < 1 + x.random.below(6); ++i) {
    offsets.push_back(static_cast<std::int32_t>(x.random.below(x.a.n + 1)));
  }
  std::ranges::sort(offsets);
  std::vector<std::vector<std::size_t>> places;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    places.push_back(
        range(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(offsets[i + 1] - offsets[i])));
  }
  const axis flags[] = {{x.a.n, x.mask_stride}};
  element_filter filter = x.filter;
  filter.where.elements = flags;
  const mode mode = x.any_mode();
  check(x, mode, places, "segments", [&](const any_results& to) {
    detail::reduce_kept_segments(x.what, x.a, x.b, {offsets.data(), offsets.size() - 1, element_type::int32, 4},
                                 filter, to, {.mode = mode}, x.ddof);
  });
}

void check_groups(case_of_missing& x) {
  if (gives_index(x.what)) return;
  const std::size_t groups = 1 + x.random.below(7);
  std::vector<std::int16_t> keys(x.a.n);
  std::vector<std::vector<std::size_t>> places(groups);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = static_cast<std::int16_t>(static_cast<int>(x.random.below(groups + 1)) - 1);
    if (keys[i] >= 0) places[static_cast<std::size_t>(keys[i])].push_back(i);
  }
  const axis flags[] = {{x.a.n, x.mask_stride}};
  element_filter filter = x.filter;
  filter.where.elements = flags;
  const mode mode = x.any_mode(true);
  const detail::element_line a(x.a), b(x.b);
  check(x, mode, places, "groups", [&](const any_results& to) {
    detail::reduce_kept_groups(x.what, a.view(), b.view(),
                               {keys.data(), keys.size(), element_type::int16, 2, groups, true}, filter, to,
                               {.mode = mode}, x.ddof);
  });
}

class missing : public testing::TestWithParam<table::row> {};

TEST_P(missing, elements_are_not_there) {
  for (int i = 1; i <= oracle::scaled(60); ++i) {
    const std::size_t n = std::vector<std::size_t>{0, 1, 2, 7, 40, 300, 1500}[static_cast<std::size_t>(i) % 7];
    case_of_missing x(GetParam(), static_cast<unsigned>(i), n);
    check_vector(x);
    check_lines(x, false), check_lines(x, true);
    check_axes(x);
    check_segments(x);
    check_groups(x);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(table, missing, testing::ValuesIn(table::rows()),
                         [](const testing::TestParamInfo<table::row>& each) { return each.param.name(); });

}  // namespace
