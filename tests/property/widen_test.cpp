// The conversions of narrow elements to their carriers: the bits of the scalar conversion for every pattern of up to 16 bits
// and for selected 32-bit ones, at every alignment and length of the rest, on every instruction set, in any
// floating-point environment.
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cpu/kernels.hpp>
#include <exactdot/core/convert.hpp>

#include "oracle/generators.hpp"

namespace {

using namespace exactdot;
using namespace exactdot::cpu_engine;
namespace core = exactdot::core;

template <class Element>
using word_of = typename detail::unsigned_of<sizeof(Element)>::type;

/// Every pattern of up to 16 bits; of longer ones the ends of the range, powers of two and random ones.
template <class Element>
std::vector<word_of<Element>> patterns() {
  std::vector<word_of<Element>> all;
  if constexpr (sizeof(Element) <= 2) {
    for (unsigned word = 0; word >> 8 * sizeof(Element) == 0; ++word) all.push_back(static_cast<word_of<Element>>(word));
  } else {
    oracle::rng random(7);
    for (int bit = 0; bit < 32; ++bit) {
      for (const std::uint32_t near : {~std::uint32_t{0}, 0U, 1U}) all.push_back((std::uint32_t{1} << bit) + near);
    }
    for (int i = 0; i < 1000; ++i) all.push_back(static_cast<std::uint32_t>(random.bits()));
  }
  return all;
}

/// The bits of a carrier; the same for all NaNs.
template <class T>
auto bits_of(T x) {
  return x != x ? std::bit_cast<typename core::format<T>::bits>(std::numeric_limits<T>::quiet_NaN())
                : std::bit_cast<typename core::format<T>::bits>(x);
}

template <class Element>
void check(engine::widening widen, const std::vector<word_of<Element>>& words, std::size_t first, std::size_t n,
           std::size_t misaligned) {
  using carrier = core::carrier_for<Element>;
  std::vector<char> bytes(n * sizeof(Element) + misaligned + 1);  // never without memory
  std::memcpy(bytes.data() + misaligned, &words[first], n * sizeof(Element));
  std::vector<carrier> found(n + 1, carrier{-7});
  widen(bytes.data() + misaligned, n, found.data());
  for (std::size_t i = 0; i < n; ++i) {
    const auto expected = core::carrier_value<carrier, Element>(words[first + i], 0);
    ASSERT_EQ(bits_of(found[i]), bits_of(expected)) << name_of(type_of<Element>) << ' ' << words[first + i];
  }
  ASSERT_EQ(found[n], carrier{-7}) << "written behind the end";
}

template <class Element>
void check_all(const instruction_set& set) {
  const engine::widening widen = set.widenings[static_cast<std::size_t>(type_of<Element>)];
  if (widen == nullptr) return;
  const auto words = patterns<Element>();
  check<Element>(widen, words, 0, words.size(), 0);
  for (std::size_t n = 0; n <= 40; ++n) {
    for (std::size_t misaligned = 0; misaligned < sizeof(Element); ++misaligned) {
      check<Element>(widen, words, n, n, misaligned);
    }
  }
}

/// Converts all patterns, without a look at the results.
template <class Element>
void convert_all(const instruction_set& set) {
  const engine::widening widen = set.widenings[static_cast<std::size_t>(type_of<Element>)];
  if (widen == nullptr) return;
  const auto words = patterns<Element>();
  std::vector<core::carrier_for<Element>> found(words.size());
  widen(words.data(), words.size(), found.data());
}

void convert_all(const instruction_set& set) {
  convert_all<float16>(set), convert_all<bfloat16>(set), convert_all<std::int8_t>(set);
  convert_all<std::uint8_t>(set), convert_all<std::int16_t>(set), convert_all<std::uint16_t>(set);
  convert_all<std::int32_t>(set), convert_all<std::uint32_t>(set);
  convert_all<float8_e4m3fn>(set), convert_all<float8_e5m2>(set);
}

void check_all(const instruction_set& set) {
  SCOPED_TRACE(set.name);
  check_all<float16>(set), check_all<bfloat16>(set), check_all<std::int8_t>(set), check_all<std::uint8_t>(set);
  check_all<std::int16_t>(set), check_all<std::uint16_t>(set), check_all<std::int32_t>(set);
  check_all<std::uint32_t>(set), check_all<float8_e4m3fn>(set), check_all<float8_e5m2>(set);
}

TEST(widenings, have_the_bits_of_the_scalar_conversion_in_any_rounding_mode) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    for (const int mode : {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}) {
      std::fesetround(mode);
      check_all(*set);
      std::fesetround(FE_TONEAREST);
    }
  }
}

#if defined(__GLIBC__) && defined(__x86_64__)
TEST(widenings, raise_no_exception) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    std::feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_ALL_EXCEPT);
    convert_all(*set);  // an exception would end the program
    fedisableexcept(FE_ALL_EXCEPT);
    EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0) << set->name;
  }
}
#endif

TEST(widenings, exist_for_all_narrow_types_on_every_instruction_set_but_the_portable_one) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    const bool vectors = std::string(set->name) != "portable";
    for (const element_info& each : elements) {
      const bool narrow = !is_carrier(each.type) && core::parts_of(each.type) == 1;
      EXPECT_EQ(set->widenings[static_cast<std::size_t>(each.type)] != nullptr, vectors && narrow) << each.name;
    }
  }
}

}  // namespace
