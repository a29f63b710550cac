// The ends of the compact forms: the least and the greatest terms, and the greatest number of them, are held; one
// limb less at either end would lose them; one more term than the headroom is an error.
#include <gtest/gtest.h>

#include <plan/state_words.hpp>

#include "property/state_data.hpp"
#include "unit/expect_error.hpp"

namespace {

using namespace states_test;

/// The least positive and the greatest finite element; of signed integers the most negative one too.
template <class T>
std::vector<T> extreme_elements() {
  constexpr const element_info& info = info_of(type_of<T>);
  if constexpr (is_integer(type_of<T>)) {
    return {T{1}, std::numeric_limits<T>::max(), std::numeric_limits<T>::min()};
  } else {
    using bits = typename detail::unsigned_of<sizeof(T)>::type;
    const int unused =
        type_of<T> == element_type::float8_e4m3fn ? 0 : info.precision - 1;  // it has one NaN, no infinity
    const auto greatest =
        static_cast<bits>((std::uint64_t{1} << (8 * sizeof(T) - 1)) - (std::uint64_t{1} << unused) - 1);
    const auto sign = static_cast<bits>(std::uint64_t{1} << (8 * sizeof(T) - 1));
    return {std::bit_cast<T>(bits{1}), std::bit_cast<T>(greatest),
            std::bit_cast<T>(static_cast<bits>(greatest | sign)), std::bit_cast<T>(static_cast<bits>(sign | 1))};
  }
}

template <class T>
std::vector<std::int64_t> state_of(reduction what, T x, state_form form) {
  std::vector<std::int64_t> words(state_words<T>(what, form));
  const rows one{&x, 1, 1};
  if (what == reduction::dot) {
    dot_into(one, one, words, form);
  } else if (what == reduction::sum) {
    sum_into(one, words, form);
  } else {
    sum_of_squares_into(one, words, form);
  }
  return words;
}

oracle::number number_of_element(element_type type, const void* x) { return oracle::element_at({x, 1, type}, 0); }

/// Doubles a state 63 times, as 2^63 equal terms would; every step is the oracle's. The next one is refused.
template <class T>
void fill_headroom(reduction what, T x) {
  const state_format of{what, type_of<T>, state_form::compact};
  expected_state expected(what, type_of<T>);
  const oracle::number number = number_of_element(type_of<T>, &x);
  expected.add(number, number);
  auto words = state_of(what, x, of.form);
  ASSERT_EQ(words, expected.words(of.form));
  for (int i = 0; i < 63; ++i) {
    merge_states(of, words, words);
    normalise_states(of, words);
    expected.merge(expected);
    ASSERT_EQ(words, expected.words(of.form)) << info_of(of.type).name << ", " << name_of(what) << ", 2^" << i + 1;
  }
  const state_format full{what, of.type, state_form::full};
  std::vector<std::int64_t> all(full.words());
  convert_states(of, words, state_form::full, all);
  EXPECT_EQ(all, expected.words(state_form::full));
}

TEST(state_extremes, hold_2_to_the_63_extreme_terms) {
  for (const element_info& info : elements) {
    with_element(info.type, []<class T>(T) {
      for (const T x : extreme_elements<T>()) {
        for (const reduction what : {reduction::sum, reduction::dot, reduction::sum_of_squares})
          fill_headroom(what, x);
      }
    });
  }
}

/// Of floating-point types twice as much is just beyond: 2^64 terms of nearly 2^emax.
TEST(state_extremes, refuse_more_than_their_headroom) {
  for (const element_info& info : elements) {
    if (is_integer(info.type)) continue;
    with_element(info.type, []<class T>(T) {
      const state_format of{reduction::sum, type_of<T>, state_form::compact};
      auto words = state_of(reduction::sum, extreme_elements<T>()[1], of.form);
      for (int i = 0; i < 63; ++i) merge_states(of, words, words), normalise_states(of, words);
      merge_states(of, words, words);
      const auto before = words;
      unit::expect_error(errc::headroom, "state 0: the sum exceeds the headroom",
                         [&] { normalise_states(of, words); });
      EXPECT_EQ(words, before);
      double out = 7;
      unit::expect_error(errc::headroom, "exceeds", [&] { round_states(of, words, std::span(&out, 1)); });
      EXPECT_EQ(out, 7);
    });
  }
}

/// A full state of a layout with these limbs, or that it does not fit.
bool fits(const core::state_layout& full, const std::vector<std::int64_t>& words, core::state_layout shorter) {
  std::int64_t moved[core::max_state_words];
  return engine::move_limbs(full, words.data(), shorter, moved);
}

/// Sabotage: forms that lack the first or the last limb of the compact one do not hold the extremes. (Of integers
/// the first limb has bit 0.)
TEST(state_extremes, one_limb_less_would_lose_them) {
  for (const element_info& info : elements) {
    with_element(info.type, []<class T>(T) {
      const std::vector<T> extremes = extreme_elements<T>();
      const core::state_layout full = core::layout_of(type_of<T>);
      for (const reduction what : {reduction::sum, reduction::dot}) {
        const core::state_layout exact = engine::stored_state({what, type_of<T>, state_form::compact}).of[0].layout;
        core::state_layout without_first = exact, without_last = exact;
        without_first.lowest_exponent += 32, --without_first.limbs;
        --without_last.limbs;
        // the last limb is as wide as the term itself needs, in the smallest shorter form with room for 2^31 in it
        without_last.highest_exponent = exact.lowest_exponent + 32 * without_last.limbs - 1 - core::headroom_bits;
        const auto least = state_of(what, extremes[0], state_form::full);
        auto greatest = state_of(what, extremes[1], state_form::full);
        EXPECT_TRUE(fits(full, least, exact) && fits(full, greatest, exact));
        EXPECT_FALSE(fits(full, least, without_first));
        const state_format of{what, type_of<T>, state_form::full};
        for (int i = 0; i < 63; ++i) merge_states(of, greatest, greatest), normalise_states(of, greatest);
        EXPECT_TRUE(fits(full, greatest, exact));
        EXPECT_FALSE(fits(full, greatest, without_last));
      }
    });
  }
}

/// What is no sum of such terms does not fit the compact form.
TEST(state_extremes, other_sums_are_refused) {
  const state_format full{reduction::sum, element_type::float16, state_form::full};
  std::vector<std::int64_t> words(full.words()), compact(full.words(), 5);
  const float tiny = 0x1p-149F;
  sum_into(rows{&tiny, 1, 1}, words);  // a sum of floats
  const auto to = std::span(compact).first(state_words<float16>(reduction::sum, state_form::compact));
  unit::expect_error(errc::bad_option, "does not fit into the compact form",
                     [&] { convert_states(full, words, state_form::compact, to); });
  EXPECT_EQ(compact, std::vector<std::int64_t>(full.words(), 5));
}

}  // namespace
