// Views: any stride, byte order and alignment gives the bits of a contiguous copy, in both modes.
//
// The test stores the elements one by one, and keeps a contiguous copy of what the view must read.
// The lengths exceed a tile of order v1 and the chunk that a thread copies; the last one uses several threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exactdot/exactdot.hpp>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "oracle/cases.hpp"

namespace {

using exactdot::any_vector;
using exactdot::errc;
using oracle::difference;

constexpr std::array<std::size_t, 8> lengths = {0, 1, 2, 3, 63, 1025, 5000, 70'001};

/// A view, and its elements in contiguous memory.
template <class T>
struct viewed {
  std::vector<std::byte> bytes;  // the view refers to them
  any_vector view;
  std::vector<T> copy;
};

/// Layout in which a vector is stored.
struct storage {
  std::ptrdiff_t stride;  // in bytes
  bool swapped;
  std::size_t misalignment;
};

std::string description(const storage& storage) {
  return "stride " + std::to_string(storage.stride) + ", swapped " + std::to_string(storage.swapped) +
         ", misalignment " + std::to_string(storage.misalignment);
}

template <class T>
viewed<T> store(const std::vector<T>& values, const storage& storage) {
  const std::size_t n = values.size(), steps = n == 0 ? 0 : n - 1;
  const auto step = static_cast<std::size_t>(storage.stride < 0 ? -storage.stride : storage.stride);
  viewed<T> made;
  made.bytes.resize(steps * step + sizeof(T) + storage.misalignment, std::byte{0xa5});
  std::byte* const first = made.bytes.data() + storage.misalignment + (storage.stride < 0 ? steps * step : 0);
  for (std::size_t i = 0; i < n; ++i) {
    std::array<std::byte, sizeof(T)> element;
    std::memcpy(element.data(), &values[i], sizeof(T));
    if (storage.swapped) std::ranges::reverse(element);
    std::memcpy(first + static_cast<std::ptrdiff_t>(i) * storage.stride, element.data(), sizeof(T));
  }
  made.view = {first, n, exactdot::type_of<T>, storage.stride, storage.swapped};
  made.copy = storage.stride == 0 && n != 0 ? std::vector<T>(n, values.back()) : values;
  return made;
}

template <class T>
std::vector<storage> storages() {
  constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(T));
  std::vector<storage> all;
  for (const std::ptrdiff_t stride : {size, 3 * size, -2 * size, -size, std::ptrdiff_t{0}, size + 1, -size - 3}) {
    for (const bool swapped : {false, true}) {
      for (const std::size_t misalignment : {std::size_t{0}, std::size_t{1}}) {
        all.push_back({stride, swapped, misalignment});
      }
    }
  }
  return all;
}

/// Short vectors are summed by one thread whatever the options.
template <class T>
void expect_bits_of_copies(const viewed<T>& a, const viewed<T>& b, const std::string& name) {
  for (const auto mode : {exactdot::mode::exact, exactdot::mode::fast}) {
    const exactdot::options options{.mode = mode, .threads = 3};
    const auto as_float = exactdot::dot(a.view, b.view, exactdot::element_type::float32, options);
    const auto as_double = exactdot::dot(a.view, b.view, exactdot::element_type::float64, options);
    EXPECT_EQ(difference(exactdot::dot<float>(a.copy, b.copy, options), as_float.template as<float>()), "") << name;
    EXPECT_EQ(difference(exactdot::dot<double>(a.copy, b.copy, options), as_double.template as<double>()), "")
        << name;
  }
  exactdot::accumulator<T> of_views, of_copies;
  of_views.add(a.view, b.view, {.threads = 3});
  of_views.add(a.view, {.threads = 3});
  of_copies.add(a.copy, b.copy, {.threads = 3});
  of_copies.add(a.copy, {.threads = 3});
  EXPECT_TRUE(std::ranges::equal(of_views.words(), of_copies.words())) << name;
}

template <class T>
class views : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(views, element_types);

TYPED_TEST(views, of_any_stride_byte_order_and_alignment_give_the_bits_of_a_copy) {
  for (const std::size_t n : lengths) {
    const auto one = oracle::make_case(oracle::generator_named<TypeParam>("log_uniform"), 5, n);
    const auto& [a, b] = one.check.data();
    const viewed<TypeParam> contiguous = store(b, {static_cast<std::ptrdiff_t>(sizeof(TypeParam)), false, 0});
    for (const storage& storage : storages<TypeParam>()) {
      const viewed<TypeParam> stored = store(a, storage);
      const std::string name = one.name + ", " + description(storage);
      expect_bits_of_copies(stored, contiguous, name + ", a only");
      expect_bits_of_copies(store(b, storage), stored, name + ", both");
      if (this->HasFailure()) return;
    }
  }
}

TYPED_TEST(views, of_typed_strides_step_in_elements) {
  const std::vector<TypeParam> x = {1, 2, 3, 4, 5, 6, 7}, ones(3, 1);
  using exactdot::strided;
  for (const auto mode : {exactdot::mode::exact, exactdot::mode::fast}) {
    EXPECT_EQ(exactdot::dot(strided{x.data(), 3, 3}, ones, {.mode = mode}), 1 + 4 + 7);
    EXPECT_EQ(exactdot::dot(strided{&x[6], 3, -2}, ones, {.mode = mode}), 7 + 5 + 3);
    EXPECT_EQ(exactdot::dot(strided{&x[4], 3, 0}, ones, {.mode = mode}), 15);
    EXPECT_EQ(exactdot::dot<double>(strided{&x[6], 3, -3}, strided{x.data(), 3, 1}, {.mode = mode}), 7 + 8 + 3);
  }
}

TYPED_TEST(views, of_special_values_give_the_bits_of_a_copy) {
  using limits = std::numeric_limits<TypeParam>;
  for (const TypeParam special : {limits::infinity(), -limits::infinity(), limits::quiet_NaN()}) {
    std::vector<TypeParam> values(3000, TypeParam{1});
    values[2990] = special;
    const std::vector<TypeParam> ones(values.size(), TypeParam{1});
    const viewed<TypeParam> contiguous = store(ones, {static_cast<std::ptrdiff_t>(sizeof(TypeParam)), false, 0});
    for (const storage& storage : storages<TypeParam>()) {
      expect_bits_of_copies(store(values, storage), contiguous, description(storage));
    }
  }
}

void expect_sentence(errc code, const std::string& sentence, const std::function<void()>& action) {
  try {
    action();
    ADD_FAILURE() << "not refused: " << sentence;
  } catch (const exactdot::error& refusal) {
    EXPECT_EQ(refusal.code(), code) << refusal.what();
    EXPECT_EQ(std::string(refusal.what()), sentence);
  }
}

/// Expects the refusal of dot and of accumulator<double>, which must not change.
void expect_refused(errc code, const any_vector& a, const any_vector& b, const std::string& sentence) {
  exactdot::accumulator<double> sum;
  sum.add(7.0);
  for (const auto mode : {exactdot::mode::exact, exactdot::mode::fast}) {
    expect_sentence(code, "dot: " + sentence,
                    [&] { (void)exactdot::dot(a, b, exactdot::element_type::float64, {.mode = mode}); });
  }
  expect_sentence(code, "accumulator: " + sentence, [&] { sum.add(a, b); });
  EXPECT_EQ(sum.round<double>(), 7);
}

TEST(view_refusals, have_their_sentence) {
  const std::vector<double> x = {1, 2, 3};
  const any_vector three = exactdot::to_any(x);
  any_vector null = three, shorter = three, reaching = three, falling = three;
  null.data = nullptr;
  shorter.n = 2;
  expect_refused(errc::null_pointer, null, three, "a null pointer for a vector of 3 elements");
  expect_refused(errc::null_pointer, three, null, "a null pointer for a vector of 3 elements");
  null.stride = 0;
  expect_refused(errc::null_pointer, null, three, "a null pointer for a vector of 3 elements");
  expect_refused(errc::size_mismatch, three, shorter, "the vectors differ in length (3 and 2 elements)");
  reaching.stride = std::numeric_limits<std::ptrdiff_t>::max();
  expect_refused(errc::bad_option, reaching, three,
                 "a: 3 elements with a stride of 9223372036854775807 bytes exceed the address space");
  falling.stride = std::numeric_limits<std::ptrdiff_t>::min();
  expect_refused(errc::bad_option, three, falling,
                 "b: 3 elements with a stride of -9223372036854775808 bytes exceed the address space");
}

TEST(view_refusals, of_element_types_have_their_sentence) {
  const std::vector<double> x = {1, 2, 3};
  const std::vector<float> y = {1, 2, 3};
  const any_vector doubles = exactdot::to_any(x), floats = exactdot::to_any(y);
  any_vector unknown = doubles;
  unknown.type = static_cast<exactdot::element_type>(99);
  const auto dot = [](const any_vector& a, const any_vector& b, exactdot::element_type result) {
    (void)exactdot::dot(a, b, result);
  };
  const std::vector<std::int32_t> z = {1, 2, 3};
  const any_vector integers = exactdot::to_any(z);
  const std::string mixed =
      "dot: one vector holds integers (int32), the other floating-point numbers; convert one of them";
  expect_sentence(errc::bad_option, mixed, [&] { dot(doubles, integers, doubles.type); });
  expect_sentence(errc::bad_option, mixed, [&] { dot(integers, floats, doubles.type); });
  expect_sentence(errc::bad_option, "dot: unknown element type 99", [&] { dot(doubles, unknown, doubles.type); });
  expect_sentence(errc::bad_option, "dot: unknown element type 99", [&] { dot(doubles, doubles, unknown.type); });
  exactdot::accumulator<double> sum;
  exactdot::accumulator<float> narrow;
  for (const any_vector& a : {doubles, floats}) {
    expect_sentence(errc::bad_option,
                    "accumulator: the vectors hold float64, this accumulator float32; it takes types whose products "
                    "it holds exactly",
                    [&] { narrow.add(a, doubles); });
  }
  expect_sentence(errc::bad_option, "accumulator: the vectors hold an unknown type, this accumulator float64; it takes types whose "
                  "products it holds exactly",
                  [&] { sum.add(doubles, unknown); });
  expect_sentence(errc::bad_option, "accumulator: the vectors hold an unknown type, this accumulator float64; it takes types whose "
                  "products it holds exactly",
                  [&] { sum.add(unknown); });
}

TEST(view_refusals, do_not_include_null_without_elements) {
  const any_vector empty{nullptr, 0, exactdot::element_type::float64, -8, true};
  for (const auto mode : {exactdot::mode::exact, exactdot::mode::fast}) {
    const auto result = exactdot::dot(empty, empty, exactdot::element_type::float64, {.mode = mode});
    EXPECT_EQ(difference(0.0, result.as<double>()), "");
  }
  exactdot::accumulator<double> sum;
  EXPECT_NO_THROW(sum.add(empty, empty));
  EXPECT_EQ(sum.round<double>(), 0);
}

}  // namespace
