// Elements and expectations of tests of states on a GPU: random elements of any type, and words that are compared
// with those of the CPU, and once rounded with the integer oracle's results.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <exactdot/states.hpp>
#include <string>
#include <vector>

#include "oracle/cases.hpp"
#include "oracle/random.hpp"
#include "oracle/reference.hpp"

namespace on_gpu {

using namespace exactdot;

inline constexpr reduction summing[] = {reduction::dot,    reduction::sum,           reduction::asum,
                                 reduction::nrm2,   reduction::mean,          reduction::variance,
                                 reduction::stddev, reduction::sum_of_squares};

/// An array of `n` elements, `stride` of them apart.
struct state_elements {
  element_type type = element_type::float32;
  bool swapped = false;
  std::size_t n = 0;
  std::ptrdiff_t stride = 1;
  std::vector<unsigned char> a, b;

  [[nodiscard]] std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(size_of(type)); }
  [[nodiscard]] any_vector view(const std::vector<unsigned char>& of) const {
    return {of.data(), n, type, stride * size(), swapped};
  }
};

/// Random bits: every exponent, also those of infinities and NaN unless `finite`.
inline state_elements random_elements(oracle::rng& random, element_type type, std::size_t n, bool finite) {
  state_elements made;
  made.type = type, made.n = n;
  made.stride = random.coin() ? 1 : static_cast<std::ptrdiff_t>(1 + random.below(3));
  made.swapped = size_of(type) > 1 && random.below(4) == 0;
  const std::size_t bytes = (n * static_cast<std::size_t>(made.stride) + 1) * size_of(type);
  const bool narrow = random.coin();
  for (auto* to : {&made.a, &made.b}) {
    to->resize(bytes);
    for (std::size_t i = 0; i < bytes; i += size_of(type)) {
      with_element(type, [&]<class T>(T) {
        T value = exactdot::detail::from_word<T>(random.bits());
        if constexpr (floating_element<T>) {
          const bool is_special = !std::isfinite(static_cast<double>(value));
          // of random bits of 64 nearly none are special
          const bool plants = !finite && random.below(60) == 0;
          if (narrow || (finite && is_special)) value = static_cast<T>(static_cast<float>(2 * random.unit() - 1));
          if (plants) value = static_cast<T>(random.coin() ? HUGE_VALF : random.coin() ? -HUGE_VALF : NAN);
        }
        std::memcpy(to->data() + i, &value, sizeof value);
        if (made.swapped) std::reverse(to->data() + i, to->data() + i + sizeof value);
      });
    }
  }
  return made;
}

inline std::string name_of_case(const state_format& of, const std::string& more, unsigned seed) {
  return std::string(name_of(of.what)) + " of " + std::string(name_of(of.type)) +
         (of.form == state_form::full ? ", full, " : ", compact, ") + more + ", seed " + std::to_string(seed);
}

/// Compares words with those of the CPU; with special terms the counts and the results, because limbs mean nothing.
inline void expect_words(const state_format& of, const std::vector<std::int64_t>& found,
                         const std::vector<std::int64_t>& expected, bool finite, const std::string& name) {
  if (finite) {
    ASSERT_EQ(found, expected) << name;
    return;
  }
  const std::size_t count = expected.size() / of.words();
  std::vector<double> here(count), there(count);
  round_states(of, expected, here), round_states(of, found, there);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(here[i]), std::bit_cast<std::uint64_t>(there[i]))
        << name << ", result " << i;
    if (std::isfinite(here[i])) continue;
    const std::size_t last = (i + 1) * of.words() - 1, counts = exactdot::detail::count_words(of.type, of.form);
    for (std::size_t k = 0; k < counts; ++k) ASSERT_EQ(found[last - k], expected[last - k]) << name << ", " << i;
  }
}

/// Compares a state's result with the oracle's for its elements. Of a sum of one call.
inline void expect_oracle(const state_format& of, std::span<const std::int64_t> words, const any_vector& a,
                          const any_vector& b, const std::string& name) {
  double found = 0;
  round_states(of, const_state_span(words), std::span<double>(&found, 1), 1);
  const oracle::reference reference(of.what, a, b, 1);
  const auto expected = reference.exact(element_type::float64);
  ASSERT_TRUE(expected.has_value()) << name;
  ASSERT_EQ(std::bit_cast<std::uint64_t>(found), expected->bits) << name;
}

}  // namespace on_gpu
