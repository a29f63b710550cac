// Groups by keys of several columns: each result has the bits of the same call on its column alone, for every order
// of memory, any number of threads and keys in any order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <exactdot/exactdot.hpp>
#include <string>
#include <vector>

#include "oracle/cases.hpp"
#include "oracle/random.hpp"
#include "property/keyed_elements.hpp"
#include "property/matrices.hpp"

namespace {

using namespace keyed;

/// Columns of values: results of each lie beside each other.
TEST(groups, of_columns) {
  rng random(12);
  const std::size_t n = 3000, columns = 5, groups = 30;
  std::vector<double> x(n * columns);
  for (double& each : x) each = std::ldexp(random.unit() - 0.5, random.between(-60, 60));
  for (const bool sorted : {false, true}) {
    auto keys = make_keys(random, n, groups, sorted ? order::sorted : order::random, false);
    const axis of_columns{columns, 8}, of_elements{n, static_cast<std::ptrdiff_t>(8 * columns)};
    const any_grid grid{x.data(), element_type::float64, {&of_columns, 1}, {&of_elements, 1}};
    const any_keys given{keys.data(), n, element_type::int64, 8, groups, false};
    const axis places[] = {{groups, static_cast<std::ptrdiff_t>(8 * columns)}, {columns, 8}};
    for (const reduction what : {reduction::sum, reduction::variance, reduction::max}) {
      std::vector<double> out(groups * columns);
      reduce(what, grid, given, {out.data(), element_type::float64, places});
      for (std::size_t k = 0; k < columns; ++k) {
        std::vector<double> one(groups), column(n);
        for (std::size_t i = 0; i < n; ++i) column[i] = x[i * columns + k];
        const axis in_line{groups, 8};
        reduce(what, to_any(column), given, {one.data(), element_type::float64, {&in_line, 1}});
        for (std::size_t g = 0; g < groups; ++g) ASSERT_EQ(out[g * columns + k], one[g]) << name_of(what);
      }
    }
  }
}

/// Columns beside each other, more than are read at a time, of every element type, swapped or not, apart or not.
TEST(groups, of_many_columns_are_those_of_each) {
  rng random(15);
  for (int i = 0; i < oracle::scaled(60); ++i) {
    const element_type type = elements[random.below(elements.size())].type;
    const std::size_t n = 1 + random.below(1500), columns = 2 + random.below(20), apart = 1 + random.below(2);
    const std::size_t groups = std::array<std::size_t, 4>{1, 9, 200, 3000}[random.below(4)];
    const std::size_t size = size_of(type), row = columns * apart + random.below(3);
    random_elements all(random, type, n * row, true, random.coin() ? 0 : 14);
    all.swapped = random.below(4) == 0 && is_integer(type);
    const bool outside = random.coin();
    const auto keys = make_keys(random, n, groups, static_cast<order>(random.below(orders)), outside);
    const bool is_full = !counted_places(keys, groups).any_empty();
    const axis of_columns{columns, static_cast<std::ptrdiff_t>(size * apart)},
        of_elements{n, static_cast<std::ptrdiff_t>(size * row)};
    const any_grid grid{all.bytes.data(), type, {&of_columns, 1}, {&of_elements, 1}, all.swapped};
    const any_keys given{keys.data(), n, element_type::int64, 8, groups, outside};
    const axis places[] = {{groups, static_cast<std::ptrdiff_t>(8 * columns)}, {columns, 8}}, in_line{groups, 8};
    for (const reduction what :
         {reduction::sum, reduction::mean, reduction::asum, reduction::variance, reduction::nrm2, reduction::max}) {
      if (gives_element(what) && !is_full) continue;
      const element_type result = gives_element(what) ? type : element_type::float64;
      std::vector<std::uint64_t> out(groups * columns), one(groups);
      const options options{.threads = 1 + static_cast<int>(random.below(3))};
      reduce(what, grid, given, {out.data(), result, places}, options, 1);
      for (std::size_t k = 0; k < columns; ++k) {
        const any_vector column{all.bytes.data() + k * apart * size, n, type, of_elements.stride, all.swapped};
        reduce(what, column, given, {one.data(), result, {&in_line, 1}}, {}, 1);
        for (std::size_t g = 0; g < groups; ++g)
          ASSERT_EQ(out[g * columns + k], one[g]) << name_of(what) << " of " << name_of(type) << ", group " << g;
      }
    }
  }
}

/// A matrix of any type and order of memory, and the keys of its rows.
struct keyed_matrix {
  element_type type;
  std::size_t n, columns, groups;
  bool by_columns, swapped;
  std::vector<std::int64_t> keys;
  std::vector<std::byte> bytes;

  [[nodiscard]] std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(size_of(type)); }
  [[nodiscard]] axis rows() const {
    return {n, by_columns ? size() : size() * static_cast<std::ptrdiff_t>(columns + gap)};
  }
  [[nodiscard]] axis row() const {
    return {columns, by_columns ? size() * static_cast<std::ptrdiff_t>(n) : size()};
  }
  [[nodiscard]] const std::byte* column(std::size_t k) const {
    return bytes.data() + static_cast<std::ptrdiff_t>(k) * row().stride;
  }
  std::size_t gap;  ///< elements between rows
};

keyed_matrix random_matrix(rng& random, element_type type, std::size_t n, std::size_t groups, order which) {
  keyed_matrix made{type,
                    n,
                    1 + random.below(20),
                    groups,
                    random.below(4) == 0,
                    random.below(4) == 0,
                    {},
                    {},
                    random.coin() ? 0 : random.below(3)};
  const random_elements x(random, type, n * (made.columns + made.gap) + 1, true, random.coin() ? 0 : 14);
  made.bytes = x.bytes;
  if (made.swapped) {
    for (std::size_t i = 0; i + size_of(type) <= made.bytes.size(); i += size_of(type))
      std::reverse(&made.bytes[i], &made.bytes[i] + size_of(type));
  }
  made.keys = make_keys(random, n, groups, which, false);
  return made;
}

/// Columns of values: results of each lie beside each other, and are those of the column alone.
void check_columns(rng& random, reduction what, const keyed_matrix& x, int threads) {
  if (gives_element(what) && counted_places(x.keys, x.groups).any_empty()) return;
  const element_type result = gives_element(what)  ? x.type
                              : random.coin()      ? element_type::float64
                              : is_integer(x.type) ? element_type::int64
                                                   : element_type::float32;
  if (is_integer(result) && !gives_element(what) && (!gives_sum(what) || x.type == element_type::uint64)) return;
  const std::size_t size = size_of(result);
  const axis rows = x.rows(), row = x.row();
  const any_grid grid{x.bytes.data(), x.type, {&row, 1}, {&rows, 1}, x.swapped};
  const any_keys given{x.keys.data(), x.n, element_type::int64, 8, x.groups, false};
  const axis places[] = {{x.groups, static_cast<std::ptrdiff_t>(size * x.columns)},
                         {x.columns, static_cast<std::ptrdiff_t>(size)}};
  std::vector<std::byte> out(x.groups * x.columns * size + 1), one(x.groups * size + 1);
  const auto run = [](auto call) -> std::string {
    try {
      call();
    } catch (const error& failure) {
      return failure.what();
    }
    return "";
  };
  const std::string failed = run([&] {
    reduce(what, grid, given, {out.data(), result, places}, {.threads = threads}, 1);
  });
  for (std::size_t k = 0; k < x.columns; ++k) {
    const any_vector column{x.column(k), x.n, x.type, rows.stride, x.swapped};
    const axis in_line{x.groups, static_cast<std::ptrdiff_t>(size)};
    const std::string failed_alone = run([&] {
      reduce(what, column, given, {one.data(), result, {&in_line, 1}}, {}, 1);
    });
    if (!failed_alone.empty()) {
      ASSERT_NE(failed, "") << failed_alone;
    }
    if (!failed.empty()) continue;
    for (std::size_t g = 0; g < x.groups; ++g) {
      ASSERT_EQ(std::memcmp(&out[(g * x.columns + k) * size], &one[g * size], size), 0)
          << name_of(what) << " of " << name_of(x.type) << " to " << name_of(result) << ", group " << g << " of "
          << x.groups << ", column " << k << " of " << x.columns << ", " << x.n << " rows, " << threads
          << " threads";
    }
  }
}

TEST(groups, of_any_columns) {
  rng random(12);
  for (int i = 0; i < oracle::scaled(1500); ++i) {
    const auto what = static_cast<reduction>(random.below(without_indices));
    if (what == reduction::dot) continue;
    const element_type type = elements[random.below(elements.size())].type;
    const std::size_t n = 1 + random.below(random.below(8) == 0 ? 6000 : 300);
    const std::size_t groups = 1 + random.below(random.below(4) == 0 ? 2 * n : 9);
    const auto x = random_matrix(random, type, n, groups, static_cast<order>(random.below(orders)));
    check_columns(random, what, x, 1 + static_cast<int>(random.below(3)));
    if (HasFatalFailure()) return;
  }
}

/// Groups of more rows than are gathered at a time, on several threads.
TEST(groups, of_any_columns_with_many_elements) {
  rng random(18);
  for (int i = 0; i < oracle::scaled(60); ++i) {
    const auto what = static_cast<reduction>(random.below(without_indices));
    if (what == reduction::dot) continue;
    const element_type type = elements[random.below(elements.size())].type;
    const std::size_t n = 20'000 + random.below(60'000);
    const std::size_t groups = std::array<std::size_t, 4>{1, 2, 300, 50'000}[random.below(4)];
    const auto x = random_matrix(random, type, n, groups, static_cast<order>(random.below(orders)));
    check_columns(random, what, x, 1 + static_cast<int>(random.below(3)));
    if (HasFatalFailure()) return;
  }
}

/// Threads that add rows wherever they lie share the sums of all groups, and decide them at the same time. A race
/// is reported by ThreadSanitizer (make tsan); it rarely changes a result.
TEST(groups, of_different_sizes_decided_by_several_threads) {
  rng random(19);
  const std::size_t n = 100'000, groups = 1000, columns = 7;
  std::vector<double> x(n * columns), shared(groups * columns), alone(groups * columns);
  for (double& each : x) each = static_cast<double>(random.below(1000));
  const auto keys = make_keys(random, n, groups, order::random, false);
  const axis column{columns, 8}, rows{n, 8 * columns};
  const axis places[] = {{groups, 8 * columns}, {columns, 8}};
  const any_grid grid{x.data(), element_type::float64, {&column, 1}, {&rows, 1}};
  const any_keys given{keys.data(), n, element_type::int64, 8, groups, false};
  for (const reduction what : {reduction::variance, reduction::stddev, reduction::mean}) {
    reduce(what, grid, given, {alone.data(), element_type::float64, places}, {.threads = 1}, 1);
    for (int i = 0; i < oracle::scaled(100); ++i) {
      std::ranges::fill(shared, -1.0);
      reduce(what, grid, given, {shared.data(), element_type::float64, places}, {.threads = 2}, 1);
      ASSERT_EQ(shared, alone) << name_of(what);
    }
  }
}

}  // namespace
