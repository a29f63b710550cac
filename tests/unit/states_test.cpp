// The C++ interface of states: sizes, values, what is refused, and that a failed call writes nothing.
// property/states_test.cpp compares the words with the oracle's.
#include <gtest/gtest.h>

#include <cmath>
#include <exactdot/exactdot.hpp>
#include <fstream>
#include <limits>
#include <span>
#include <sstream>
#include <vector>

#include "unit/expect_error.hpp"

namespace {

using namespace exactdot;
using unit::expect_error;

using words_of_states = std::vector<std::int64_t>;
const std::vector<float> matrix = {1, 2, 3, 4, 5, 6};  // 2 rows of 3
constexpr std::size_t full = state_words<float>(reduction::sum);
constexpr state_format of_sums{reduction::sum, element_type::float32};

/// In a constant expression, which the compiler refuses where it shifts too far or overflows.
constexpr bool have_limbs() {
  for (std::size_t i = 0; i != std::size(elements); ++i)
    for (const state_form form : {state_form::full, state_form::compact})
      for (const bool are_products : {false, true}) {
        const auto type = static_cast<element_type>(i);
        const detail::limb_range limbs = detail::limbs_of(type, are_products, form);
        if (limbs.first < 0 || limbs.count < 1) return false;
        if (limbs.first + limbs.count > detail::limbs_of(type, are_products, state_form::full).count) return false;
      }
  return true;
}
static_assert(have_limbs());

TEST(states, sizes) {
  EXPECT_EQ(full, accumulator<float>::word_count);
  EXPECT_EQ(state_words<double>(reduction::dot), accumulator<double>::word_count);
  EXPECT_EQ(state_words<float16>(reduction::variance), moments<float16>::word_count);
  EXPECT_EQ(state_words<std::int64_t>(reduction::mean), 1 + accumulator<std::int64_t>::word_count);
  EXPECT_EQ(state_words<float>(reduction::max), 0);
  EXPECT_EQ((state_format{reduction::sum, static_cast<element_type>(99)}.words()), 0);
  EXPECT_EQ((state_format{static_cast<reduction>(99), element_type::float32}.words()), 0);
  EXPECT_EQ((state_format{reduction::sum, element_type::float32, static_cast<state_form>(9)}.words()), 0);
}

/// The table of docs/shapes.md, from the code.
TEST(states, sizes_are_those_of_the_documents) {
  std::ifstream file(EXACTDOT_SHAPES_PAGE);
  std::stringstream page;
  page << file.rdbuf();
  std::string table =
      "<!-- begin state sizes -->\n| elements | form | `sum`, `asum` | `dot`, `sum_of_squares`, `nrm2` "
      "| `mean` | `variance`, `stddev` |\n|---|---|---|---|---|---|\n";
  for (const auto& [name, type] :
       {std::pair{"float32", element_type::float32}, std::pair{"float64", element_type::float64},
        std::pair{"float16", element_type::float16}, std::pair{"bfloat16", element_type::bfloat16},
        std::pair{"float8_e4m3fn", element_type::float8_e4m3fn}, std::pair{"float8_e5m2", element_type::float8_e5m2},
        std::pair{"integers of 8 bits", element_type::int8}, std::pair{"of 16 bits", element_type::uint16},
        std::pair{"of 32 bits", element_type::int32}, std::pair{"of 64 bits", element_type::uint64}}) {
    for (const state_form form : {state_form::full, state_form::compact}) {
      table += "| " + std::string(name) + " | " + (form == state_form::full ? "full" : "compact");
      for (const reduction what : {reduction::sum, reduction::dot, reduction::mean, reduction::variance}) {
        table += " | " + std::to_string(state_format{what, type, form}.words());
      }
      table += " |\n";
    }
  }
  table += "<!-- end state sizes -->";
  EXPECT_NE(page.str().find(table), std::string::npos) << "docs/shapes.md should have\n" << table;
}

TEST(states, are_added_merged_and_rounded) {
  words_of_states words(2 * full), others(2 * full);
  sum_into(rows{matrix.data(), 2, 3}, words);
  sum_into(rows{matrix.data(), 2, 2, 3}, words);  // two states of each row
  std::vector<double> out(2);
  round_states(of_sums, words, out);
  EXPECT_EQ(out, (std::vector<double>{9, 24}));
  asum_into(columns{matrix.data(), 2, 1, 3}, std::span(others).first(full));
  merge_states(of_sums, others, words);
  round_states(of_sums, words, out);
  EXPECT_EQ(out, (std::vector<double>{14, 24}));  // the second state of `others` is empty
  normalise_states(of_sums, words);
  EXPECT_EQ(words[full - 1], 1);
  EXPECT_EQ(words[2 * full - 1], 1);
}

TEST(states, of_nothing) {
  words_of_states words(2 * state_words<float>(reduction::variance));
  std::vector<float> out(2, 9);
  const state_format of{reduction::variance, element_type::float32};
  round_states(of, words, out);  // no state at all
  EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]));
  moments_into(rows{matrix.data(), 2, 0, 3}, words);
  round_states(of, reduction::mean, words, out);
  EXPECT_TRUE(std::isnan(out[0]));
  round_states(of, reduction::nrm2, words, out);
  EXPECT_EQ(out, (std::vector<float>{0, 0}));
  sum_into(rows<float>{nullptr, 0, 3}, {});
  round_states(of_sums, {}, std::span<float>{});
  merge_states(of_sums, {}, {}), normalise_states(of_sums, {});
  const std::vector<std::int32_t> no_keys;
  words_of_states groups(3 * full);
  sum_into(exactdot::groups{std::span<const float>{}, no_keys, 3}, groups);
  std::vector<float> sums(3, 9);
  round_states(of_sums, groups, sums);
  EXPECT_EQ(sums, (std::vector<float>{0, 0, 0}));
}

TEST(states, segments_and_groups) {
  const std::vector<std::int32_t> offsets = {0, 1, 1, 6}, keys = {1, 0, 1, 0, 1, 0};
  words_of_states words(3 * full);
  sum_into(segments{matrix, offsets}, words);
  std::vector<float> out(3);
  round_states(of_sums, words, out);
  EXPECT_EQ(out, (std::vector<float>{1, 0, 20}));
  words_of_states dots(2 * full);
  dot_into(groups{matrix, keys, 2}, matrix, dots);
  dot_into(segments{matrix, std::vector<std::int32_t>{0, 3, 6}}, matrix, dots);
  std::vector<double> of_dots(2);
  round_states({reduction::dot, element_type::float32}, dots, of_dots);
  EXPECT_EQ(of_dots, (std::vector<double>{56 + 14, 35 + 77}));
  mean_into(groups{matrix, keys, 2}, dots = words_of_states(2 * state_words<float>(reduction::mean)));
  round_states({reduction::mean, element_type::float32}, dots, of_dots);
  EXPECT_EQ(of_dots, (std::vector<double>{4, 3}));
}

TEST(states, wrong_sizes) {
  words_of_states words(2 * full + 1);
  expect_error(errc::size_mismatch, "sum_into: 49 words given for 2 states of 24 words", [&] {
    sum_into(rows{matrix.data(), 2, 3}, words);
  });
  expect_error(errc::size_mismatch, "48 words given for 2 states of 16 words", [&] {
    sum_into(rows{matrix.data(), 2, 3}, std::span(words).first(2 * full), state_form::compact);
  });
  expect_error(errc::size_mismatch, "24 words given for 2 states",
               [&] { merge_states(of_sums, std::span(words).first(full), std::span(words).last(2 * full)); });
  expect_error(errc::size_mismatch, "round_states: 49 words are no whole number of states", [&] {
    std::vector<float> out(2);
    round_states(of_sums, words, out);
  });
  expect_error(errc::size_mismatch, "the numbers of states and of results differ: (2,) and (3,)", [&] {
    std::vector<float> out(3);
    round_states(of_sums, std::span(words).first(2 * full), out);
  });
  expect_error(errc::size_mismatch, "convert_states", [&] {
    convert_states(of_sums, std::span(words).first(full), state_form::compact, std::span(words).last(full));
  });
  EXPECT_EQ(words, words_of_states(2 * full + 1));
}

TEST(states, overlap) {
  words_of_states words(2 * full);
  words_of_states held(2 * state_words<std::int64_t>(reduction::sum));
  const std::int64_t* const inside = held.data() + 13;  // in the second state, behind its first word
  expect_error(errc::bad_option, "results lie within x", [&] { sum_into(rows{inside, 2, 1}, held); });
  sum_into(rows{inside, 2, 1}, std::span(words).first(held.size()));
  std::ranges::fill(words, 0);
  const std::vector<std::int64_t> x(2);
  expect_error(errc::bad_option, "the keys", [&] {
    sum_into(groups{x, std::span<const std::int64_t>(held).first(2), 2}, held);
  });
  expect_error(errc::bad_option, "the two arrays of states overlap",
               [&] { merge_states(of_sums, std::span(words).first(full), std::span(words).subspan(1, full)); });
  expect_error(errc::bad_option, "the two arrays of states overlap", [&] {
    convert_states(of_sums, std::span(words).first(full), state_form::compact, std::span(words).first(16));
  });
  expect_error(errc::bad_option, "results lie within the states",
               [&] { round_states(of_sums, words, std::span(reinterpret_cast<double*>(words.data()), 2)); });
}

TEST(states, no_states) {
  words_of_states words(2 * full), untouched = words;
  words[3] = untouched[3] = -1;  // no canonical limb is negative
  expect_error(errc::bad_option, "sum_into: state 0: these words are not a sum of accumulator states", [&] {
    sum_into(rows{matrix.data(), 2, 3}, words);
  });
  std::vector<float> out(2, 5);
  expect_error(errc::bad_option, "round_states: state 0", [&] { round_states(of_sums, words, out); });
  EXPECT_EQ(out, (std::vector<float>{5, 5}));
  EXPECT_EQ(words, untouched);
  words = words_of_states(2 * full);
  words[2 * full - 1] = (std::int64_t{1} << 31) - 1;
  untouched = words;
  expect_error(errc::headroom, "sum_into: state 1: the sum of more than 2^31 - 1 states; call normalise_states",
               [&] {
                 sum_into(rows{matrix.data(), 2, 3}, words);
               });
  EXPECT_EQ(words, untouched);
  normalise_states(of_sums, words);
  sum_into(rows{matrix.data(), 2, 3}, words);
  words_of_states all(state_words<float>(reduction::variance));
  moments_into(rows{matrix.data(), 1, 6}, all);
  const state_format of{reduction::variance, element_type::float32};
  const auto refuses = [&](std::size_t word, std::int64_t value, errc code, const char* phrase) {
    auto changed = all;
    changed[word] = value;
    std::vector<double> results(1);
    expect_error(code, phrase, [&] { round_states(of, changed, results); });
  };
  refuses(0, -1, errc::bad_option, "state 0: the count is negative");
  refuses(full, 2, errc::bad_option, "its two sums were merged from different numbers of states");
  refuses(0, 1, errc::bad_option, "state 0: these words are the moments of no elements");
  all[0] = std::numeric_limits<std::int64_t>::max();
  expect_error(errc::headroom, "more than 2^63 - 1 elements", [&] {
    moments_into(rows{matrix.data(), 1, 6}, all);
  });
}

TEST(states, whose_sum_is_none) {
  for (const std::int64_t sign : {1, -1}) {
    words_of_states from(full), into(full);
    from[full - 5] = into[full - 5] = sign << 62;  // the greatest last limb of a state
    from[full - 1] = into[full - 1] = 1;
    const words_of_states before = into;
    expect_error(errc::headroom, "merge_states: state 0: the sum exceeds the headroom",
                 [&] { merge_states(of_sums, from, into); });
    EXPECT_EQ(into, before);
    from[full - 5] = -sign;
    merge_states(of_sums, from, into);
  }
}

/// Integers are never NaN or infinite: words that count such terms would round to any number.
TEST(states, no_states_of_integers) {
  const std::vector<std::int64_t> x = {3, 4};
  for (const reduction what : {reduction::sum, reduction::mean}) {
    const state_format of{what, element_type::int64};
    words_of_states words(of.words());
    reduce_into(what, any_grid{x.data(), of.type, {}, std::array{axis{2, 8}}}, words);
    for (std::size_t count = words.size() - 4; count < words.size() - 1; ++count) {
      words_of_states changed = words, to(state_words<std::int64_t>(what, state_form::compact));
      changed[count] = 1;
      constexpr auto phrase = "state 0: these words are not a sum of accumulator states";
      std::vector<double> out(1);
      expect_error(errc::bad_option, phrase, [&] { round_states(of, changed, out); });
      expect_error(errc::bad_option, phrase, [&] { convert_states(of, changed, state_form::compact, to); });
      if (what != reduction::sum) continue;
      expect_error(errc::bad_option, "a limb or a count is impossible",
                   [&] { accumulator<std::int64_t> refused(changed); });
    }
  }
}

TEST(states, what_has_none) {
  words_of_states words(2 * full);
  const std::vector<double> doubles(6);
  const axis results{2, 12}, elements{3, 4}, doubles_of{2, 24}, in_row{3, 8};
  const any_grid x{matrix.data(), element_type::float32, {&results, 1}, {&elements, 1}},
      y{doubles.data(), element_type::float64, {&doubles_of, 1}, {&in_row, 1}};
  expect_error(errc::bad_option, "max has no states", [&] { reduce_into(reduction::max, x, words); });
  expect_error(errc::bad_option, "dot takes two vectors", [&] { reduce_into(reduction::dot, x, words); });
  expect_error(errc::bad_option, "unknown reduction", [&] { reduce_into(static_cast<reduction>(77), x, words); });
  expect_error(errc::bad_option, "unknown form",
               [&] { reduce_into(reduction::sum, x, words, static_cast<state_form>(7)); });
  expect_error(errc::bad_option, "the vectors hold float32 and float64; states are of one element type",
               [&] { dot_into(x, y, words); });
  expect_error(errc::bad_option, "threads is -1",
               [&] { reduce_into(reduction::sum, x, words, state_form::full, {.threads = -1}); });
  expect_error(errc::no_device, "no CUDA engine",
               [&] { reduce_into(reduction::sum, x, words, state_form::full, {.device = device::cuda}); });
  expect_error(errc::null_pointer, "a null pointer for 2 vectors", [&] {
    sum_into(rows<float>{nullptr, 2, 3}, words);
  });
  std::vector<float> out(2);
  expect_error(errc::bad_option, "states of sum have no nrm2",
               [&] { round_states(of_sums, reduction::nrm2, words, out); });
  std::vector<std::int64_t> whole(2);
  expect_error(errc::bad_option, "sum of float32 cannot be rounded to int64",
               [&] { round_states(of_sums, words, whole); });
  expect_error(errc::bad_option, "ddof is -1", [&] { round_states(of_sums, words, out, -1); });
  EXPECT_EQ(words, words_of_states(2 * full));
}

TEST(states, integer_results) {
  const std::vector<std::int64_t> x = {std::numeric_limits<std::int64_t>::max(), 1, 5, 6};
  const state_format of{reduction::sum, element_type::int64, state_form::compact};
  words_of_states words(2 * of.words());
  sum_into(rows{x.data(), 2, 2}, words, state_form::compact);
  std::vector<std::int64_t> out = {3, 4};
  expect_error(errc::overflow, "round_states: state 0: the sum does not fit into int64",
               [&] { round_states(of, words, out); });
  EXPECT_EQ(out, (std::vector<std::int64_t>{3, 4}));
  std::vector<std::uint64_t> unsigned_out(2);
  round_states(of, words, unsigned_out);
  EXPECT_EQ(unsigned_out, (std::vector<std::uint64_t>{std::uint64_t{1} << 63, 11}));
}

TEST(states, cancelled_before_it_began) {
  words_of_states words(2 * full);
  monitor watched;
  watched.cancel = true;
  expect_error(errc::cancelled, "cancelled", [&] {
    sum_into(rows{matrix.data(), 2, 3}, words, state_form::full, {.monitor = &watched});
  });
  EXPECT_EQ(words, words_of_states(2 * full));
  watched.cancel = false;
  sum_into(rows{matrix.data(), 2, 3}, words, state_form::full, {.monitor = &watched});
  EXPECT_EQ(watched.done, 6);
}

}  // namespace
