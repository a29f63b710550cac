// Groups whose results are added to what is there, and rows with weights: every result is the sum of big integers
// of its elements (of their products) and of the value that was there, rounded once, whichever way the engine
// takes. What has no elements keeps its bits, and so does all if the call fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <exactdot/exactdot.hpp>
#include <string>
#include <vector>

#include "oracle/cases.hpp"
#include "oracle/random.hpp"
#include "oracle/reference.hpp"
#include "property/keyed_elements.hpp"

namespace {

using namespace keyed;

/// What a call has; b: of dots, one weight for each row, or one factor for each element.
struct keyed_call {
  reduction what = reduction::sum;
  element_type type = element_type::float64, other = element_type::float64, result = element_type::float64;
  std::size_t n = 1, columns = 1, groups = 1;
  order keys = order::random;
  bool by_columns = false, has_weights = false, weights_first = false, swapped = false, outside = false,
       adds = true;
  int threads = 1, spread = 0;

  [[nodiscard]] std::string text() const {
    return std::string(name_of(what)) + " of " + std::string(name_of(type)) + " and " +
           std::string(name_of(other)) + " to " + std::string(name_of(result)) + ", " + std::to_string(n) +
           " rows of " + std::to_string(columns) + (by_columns ? " by columns" : "") + ", " +
           std::to_string(groups) + " groups, order " + std::to_string(static_cast<int>(keys)) +
           (has_weights ? ", weights" : "") + ", " + std::to_string(threads) + " threads";
  }
};

/// The elements of an input, and its axes.
struct keyed_input {
  random_elements x;
  axis column, row;

  keyed_input(rng& random, const keyed_call& call, element_type type, bool is_weight)
      : x(random, type, call.n * (is_weight ? 1 : call.columns), true, call.spread) {
    const auto size = static_cast<std::ptrdiff_t>(size_of(type));
    const auto across = static_cast<std::ptrdiff_t>(call.by_columns ? call.n : 1);
    const auto along = static_cast<std::ptrdiff_t>(call.by_columns ? 1 : call.columns);
    column = {call.columns, is_weight ? 0 : across * size};
    row = {call.n, is_weight ? size : along * size};
  }
  [[nodiscard]] any_grid view() const { return {x.bytes.data(), x.type, {&column, 1}, {&row, 1}, false}; }
  /// The elements of a column in some rows.
  [[nodiscard]] std::vector<std::byte> at(std::size_t k, const std::vector<std::size_t>& rows) const {
    const std::size_t size = size_of(x.type);
    std::vector<std::byte> copied(rows.size() * size + 1);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::ptrdiff_t offset =
          static_cast<std::ptrdiff_t>(k) * column.stride + static_cast<std::ptrdiff_t>(rows[i]) * row.stride;
      std::memcpy(&copied[i * size], x.bytes.data() + offset, size);
    }
    return copied;
  }
};

/// The bits of a value of a result type that is there: of any size, special, or near what is given, negated.
std::uint64_t old_value(rng& random, element_type type, std::uint64_t near) {
  const element_info& info = info_of(type);
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - 8 * info.bytes), sign = (all >> 1) + 1;
  if (is_integer(type)) {
    if (random.coin()) return (0 - near + random.below(3)) & all;
    return random.coin()
               ? static_cast<std::uint64_t>(static_cast<std::int64_t>(random.bits()) >> random.between(1, 60))
               : random.below(100);
  }
  switch (random.below(12)) {
    case 0:
      return random.coin() ? 0 : sign;
    case 1:
      return random.bits() & all;  // any, NaNs among them
    case 2:
      return (core::infinity_word(core::format_of(type), random.coin()));
    case 3:
      return random.below(4) | (random.coin() ? sign : 0);  // subnormal
    case 4:
    case 5:
    case 6:
      return near ^ sign;
    case 7:
      return (near ^ sign) + random.below(3);
    case 8:
      return near;
    default:
      break;
  }
  const exactdot::core::result_rule rule(exactdot::core::finish::round, core::format_of(type));
  return core::round_finite(rule.format(), std::ldexp(2 * random.unit() - 1, random.between(-8, 8)));
}

void store_bits(std::byte* to, std::uint64_t bits, std::size_t size, bool swapped) {
  std::memcpy(to, &bits, size);
  if (swapped) std::reverse(to, to + size);
}

/// One call, compared with the sums of big integers.
void check(rng& random, const keyed_call& call) {
  const bool two = call.what == reduction::dot;
  const keyed_input a(random, call, call.type, false), b(random, call, call.other, call.has_weights);
  const auto keys = make_keys(random, call.n, call.groups, call.keys, call.outside);
  const counted_places places(keys, call.groups);
  const std::size_t size = size_of(call.result), count = call.groups * call.columns;
  std::vector<std::byte> before(count * size + 1), after, expected;
  std::vector<oracle::reference> sums;
  bool fits = true;
  expected = before;
  for (std::size_t g = 0; g < call.groups; ++g) {
    for (std::size_t k = 0; k < call.columns; ++k) {
      const auto& rows = places.of_group[g];
      const auto of_a = a.at(k, rows), of_b = two ? b.at(k, rows) : of_a;
      const auto line = [&](const std::vector<std::byte>& bytes, element_type type) {
        return any_vector{bytes.data(), rows.size(), type, static_cast<std::ptrdiff_t>(size_of(type))};
      };
      oracle::reference sum(call.what, line(of_a, call.type), line(of_b, two ? call.other : call.type));
      std::byte* const at = &before[(g * call.columns + k) * size];
      std::byte* const to = &expected[(g * call.columns + k) * size];
      const auto alone = sum.exact(call.result);
      const std::uint64_t old = old_value(random, call.result, alone ? alone->bits : 0);
      store_bits(at, old, size, call.swapped);
      if (call.adds) sum.add(oracle::decode(call.result, old));
      const auto found = sum.exact(call.result);
      const bool keeps = call.adds && rows.empty();
      if (!keeps && !found) fits = false;
      if (keeps || found) store_bits(to, keeps ? old : found->bits, size, call.swapped);
    }
  }
  after = before;
  const axis out[] = {{call.groups, static_cast<std::ptrdiff_t>(size * call.columns)},
                      {call.columns, static_cast<std::ptrdiff_t>(size)}};
  const any_results to{after.data(), call.result, out, call.swapped, false, call.adds};
  const any_keys given{keys.data(), call.n, element_type::int64, 8, call.groups, call.outside};
  std::string failure;
  try {
    const options options{.threads = call.threads};
    if (!two) reduce(call.what, a.view(), given, to, options);
    if (two && call.weights_first) dot(b.view(), a.view(), given, to, options);
    if (two && !call.weights_first) dot(a.view(), b.view(), given, to, options);
  } catch (const error& thrown) {
    failure = thrown.what();
  }
  ASSERT_EQ(failure.empty(), fits) << failure << call.text();
  if (!fits) expected = before;
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(std::memcmp(&after[i * size], &expected[i * size], size), 0)
        << call.text() << ", group " << i / call.columns << " of " << places.of_group[i / call.columns].size()
        << " elements, column " << i % call.columns;
  }
}

/// A type of results that sums of such elements have.
element_type result_of(rng& random, reduction what, element_type a, element_type b) {
  const bool are_integers = is_integer(a) && (what != reduction::dot || is_integer(b));
  if (are_integers && random.coin()) return random.below(4) == 0 ? element_type::uint64 : element_type::int64;
  constexpr element_type floats[] = {element_type::float32,       element_type::float64,
                                     element_type::float16,       element_type::bfloat16,
                                     element_type::float8_e4m3fn, element_type::float8_e5m2};
  return floats[random.below(random.coin() ? 2 : std::size(floats))];
}

keyed_call random_call(rng& random) {
  constexpr reduction sums[] = {reduction::sum, reduction::dot, reduction::asum, reduction::sum_of_squares};
  keyed_call call;
  call.what = sums[random.below(std::size(sums))];
  call.type = elements[random.below(elements.size())].type;
  call.other = random.coin() ? call.type : elements[random.below(elements.size())].type;
  if (is_integer(call.type) != is_integer(call.other)) call.other = call.type;
  call.result = result_of(random, call.what, call.type, call.other);
  call.keys = static_cast<order>(random.below(orders));
  call.by_columns = random.below(4) == 0;
  call.has_weights = random.coin();
  call.weights_first = random.coin();
  call.swapped = random.below(8) == 0;
  call.outside = random.below(3) == 0;
  call.adds = random.below(4) != 0;
  call.threads = 1 + static_cast<int>(random.below(3));
  call.spread = random.coin() ? 0 : 14;
  return call;
}

TEST(groups, are_added_to_what_is_there) {
  rng random(31);
  for (int i = 0; i < oracle::scaled(6000); ++i) {
    keyed_call call = random_call(random);
    call.n = 1 + random.below(random.below(10) == 0 ? 2000 : 120);
    call.groups = 1 + random.below(random.below(4) == 0 ? 300 : 12);
    call.has_weights = false;
    check(random, call);
    if (HasFatalFailure()) return;
  }
}

TEST(groups, of_rows_have_weights_and_are_added_to_what_is_there) {
  rng random(32);
  for (int i = 0; i < oracle::scaled(4000); ++i) {
    keyed_call call = random_call(random);
    call.columns = 1 + random.below(random.below(4) == 0 ? 40 : 6);
    call.n = 1 + random.below(random.below(10) == 0 ? 1000 : 60);
    call.groups = 1 + random.below(random.below(4) == 0 ? 200 : 9);
    check(random, call);
    if (HasFatalFailure()) return;
  }
}

/// Every group has an element or a few, or there are few groups of many rows, on several threads.
TEST(groups, of_many_rows_have_weights_and_are_added_to_what_is_there) {
  rng random(33);
  for (int i = 0; i < oracle::scaled(60); ++i) {
    keyed_call call = random_call(random);
    call.columns = 1 + random.below(5);
    call.n = 2000 + random.below(20'000);
    call.groups = std::array<std::size_t, 5>{1, 2, 300, 2000, 9000}[random.below(5)];
    check(random, call);
    if (HasFatalFailure()) return;
  }
}

/// Long groups are shared by all threads.
TEST(groups, of_many_elements_are_added_to_what_is_there) {
  rng random(34);
  for (int i = 0; i < oracle::scaled(24); ++i) {
    keyed_call call = random_call(random);
    call.n = 300'000 + random.below(100'000);
    call.groups = 1 + random.below(3);
    call.has_weights = false;
    check(random, call);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
