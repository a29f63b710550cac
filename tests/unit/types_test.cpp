// Types and forms of a call: every type that is an element type to a user, pointers with a length, options with and
// without ddof, other names.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <exactdot/exactdot.hpp>
#include <span>
#include <vector>

namespace {

using namespace exactdot;

template <class T>
class twins : public testing::Test {};
using twin_types = testing::Types<long, unsigned long, long long, unsigned long long, std::int64_t, std::uint64_t,
                                  int, std::size_t, std::ptrdiff_t>;
TYPED_TEST_SUITE(twins, twin_types);

/// Wherever a view, a result, a key, an offset, an accumulator is taken.
TYPED_TEST(twins, are_element_types_everywhere) {
  const std::vector<TypeParam> x = {3, 5, 7}, keys = {0, 1, 0}, offsets = {0, 1, 3};
  static_assert(element<TypeParam> && sizeof(type_of<TypeParam>) == 1);
  EXPECT_EQ(size_of(type_of<TypeParam>), sizeof(TypeParam));
  EXPECT_EQ(is_signed(type_of<TypeParam>), std::is_signed_v<TypeParam>);
  EXPECT_EQ(sum(x), 15);
  EXPECT_EQ(dot(x, std::array<std::int8_t, 3>{1, 1, 2}), 22);
  EXPECT_EQ(dot(strided{x.data(), 2, 2}, std::span(x).first(2)), 44);
  EXPECT_EQ(mean(x), 5.0);
  static_assert(std::is_same_v<decltype(min(x)), TypeParam>);
  EXPECT_EQ(max(x), TypeParam{7});
  EXPECT_EQ(argmax(x), 2u);
  if constexpr (sizeof(TypeParam) == 8) {
    EXPECT_EQ(sum<TypeParam>(x), TypeParam{15});
    std::vector<TypeParam> sums(2);
    sum(groups{x, keys, 2}, sums);
    EXPECT_EQ(sums, (std::vector<TypeParam>{10, 5}));
    sum(segments{x, offsets}, sums);
    EXPECT_EQ(sums, (std::vector<TypeParam>{3, 12}));
    group_sizes(keys, 2, sums);
    EXPECT_EQ(sums, (std::vector<TypeParam>{2, 1}));
    sum(columns{x.data(), 1, 2, 2}, sums);
    EXPECT_EQ(sums, (std::vector<TypeParam>{3, 5}));
  }
  accumulator<TypeParam> total;
  total.add(x), total.add(TypeParam{2}), total += accumulator<TypeParam>();
  EXPECT_EQ(static_cast<double>(total), 17);
  EXPECT_EQ(reduce(x, std::plus<>(), TypeParam{}), TypeParam{15});
}

#if defined(__FLT16_MANT_DIG__)
TEST(twins_of_float16, are_float16) {
  const std::vector<_Float16> x = {1, static_cast<_Float16>(0.5F)};
  static_assert(type_of<_Float16> == element_type::float16);
  static_assert(std::is_same_v<decltype(sum(x)), _Float16> && std::is_same_v<decltype(mean(x)), _Float16>);
  EXPECT_EQ(static_cast<float>(sum(x)), 1.5F);
  EXPECT_EQ(static_cast<float>(mean<_Float16>(x)), 0.75F);
  EXPECT_EQ(static_cast<float>(dot(x, x)), 1.25F);
}
#endif

template <class T>
concept is_element = element<T>;
TEST(types, without_numbers_or_a_format_of_their_own_are_refused) {
  static_assert(!is_element<bool> && !is_element<char> && !is_element<std::byte> && !is_element<long double>);
  static_assert(!is_element<char8_t> && !is_element<wchar_t> && !is_element<const double> && !is_element<void*>);
  static_assert(!vector_view<std::vector<bool>> && !vector_view<std::vector<long double>>);
}

TEST(calls, take_a_pointer_and_a_length) {
  const std::vector<double> x = {1, -2, 4};
  const double* const p = x.data();
  const std::size_t n = x.size();
  EXPECT_EQ(sum(p, n), sum(x));
  EXPECT_EQ(sum<float>(p, 2), -1.0F);
  EXPECT_EQ(asum(p, n), asum(x));
  EXPECT_EQ(sum_of_squares(p, n), sum_of_squares(x));
  EXPECT_EQ(nrm2(p, n, {.threads = 1}), nrm2(x));
  EXPECT_EQ(mean(p, n), mean(x));
  EXPECT_EQ(variance(p, n), variance(x));
  EXPECT_EQ(variance(p, n, 1), variance(x, 1));
  EXPECT_EQ(variance(p, n, {.threads = 1}), variance(x));
  EXPECT_EQ(stddev(p, n, 1, {.threads = 1}), stddev(x, 1));
  EXPECT_EQ(min(p, n), -2);
  EXPECT_EQ(max(p, n), 4);
  EXPECT_EQ(argmin(p, n), 1u);
  EXPECT_EQ(argmax(p, n), 2u);
  EXPECT_EQ(dot(p, p, n), 21);
  const float y[] = {1, 1, 2};
  EXPECT_EQ(dot(p, y, n), 7);
  EXPECT_EQ(sum(y), 4);
  EXPECT_EQ(sum(y, 2), 2);
}

TEST(calls, take_options_with_and_without_ddof) {
  const std::vector<double> x = {1, 2, 4};
  std::vector<double> out(1);
  EXPECT_EQ(variance(x, {.threads = 1}), variance(x));
  EXPECT_EQ(variance(x, {}), variance(x));
  EXPECT_EQ(variance(x, 1, {.threads = 1}), variance(x, 1));
  EXPECT_EQ(stddev<float>(x, {.threads = 1}), stddev<float>(x));
  EXPECT_NE(variance(x, 1), variance(x));
  variance(rows{x.data(), 1, 3}, out, {.threads = 1});
  EXPECT_EQ(out[0], variance(x));
  variance(rows{x.data(), 1, 3}, out, 1, {.threads = 1});
  EXPECT_EQ(out[0], variance(x, 1));
  stddev(rows{x.data(), 1, 3}, out, 1);
  EXPECT_EQ(out[0], stddev(x, 1));
}

TEST(names, have_aliases) {
  const std::vector<double> x = {3, 4, 0};
  std::vector<double> out(1);
  EXPECT_EQ(norm(x), 5);
  EXPECT_EQ(norm<float>(x.data(), 2), 5.0F);
  norm(rows{x.data(), 1, 3}, out);
  EXPECT_EQ(out[0], 5);
  EXPECT_EQ(var(x, 1), variance(x, 1));
  EXPECT_EQ(var(x, {.threads = 1}), variance(x));
  EXPECT_EQ(var(x.data(), 3, 1), variance(x, 1));
  EXPECT_EQ(standard_deviation(x), stddev(x));
  standard_deviation(rows{x.data(), 1, 3}, out, 1);
  EXPECT_EQ(out[0], stddev(x, 1));
  for (const auto& [name, what] : {std::pair{"norm", reduction::nrm2},
                                   {"l2", reduction::nrm2},
                                   {"nrm2", reduction::nrm2},
                                   {"l1", reduction::asum},
                                   {"var", reduction::variance},
                                   {"std", reduction::stddev},
                                   {"variance", reduction::variance},
                                   {"stdev", reduction::stddev},
                                   {"standard_deviation", reduction::stddev}}) {
    EXPECT_EQ(reduction_named(name), what) << name;
  }
  EXPECT_EQ(name_of(reduction::nrm2), std::string("nrm2"));
  EXPECT_FALSE(reduction_named("norm2x"));
}

/// Offsets are integers of any width, in either byte order.
TEST(types, offsets_of_every_integer_type) {
  const std::vector<double> x = {1, 2, 4, 8, 16, 32};
  const std::vector<double> expected = {6, 56};
  const auto check = [&]<class Offset>(Offset) {
    std::vector<Offset> given = {1, 3, 6};
    std::vector<double> out(2);
    sum(segments{x, given}, out);
    EXPECT_EQ(out, expected);
    for (Offset& each : given) std::reverse(reinterpret_cast<char*>(&each), reinterpret_cast<char*>(&each + 1));
    out = {7, 7};
    reduce(reduction::sum, to_any(x), any_offsets{given.data(), 2, type_of<Offset>, sizeof(Offset), true},
           detail::result_line(out).view());
    EXPECT_EQ(out, expected);
  };
  check(std::int8_t{}), check(std::int16_t{}), check(std::int32_t{}), check(std::int64_t{});
  check(std::uint8_t{}), check(std::uint16_t{}), check(std::uint32_t{}), check(std::uint64_t{});
}

}  // namespace
