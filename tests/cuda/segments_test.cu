// Kernels of segments: stretches of every length, empty, short and long ones mixed, of all of the oracle's kinds of
// data, whose long ones are shared by blocks; offsets that are wrong; a full list.
//
// Sabotage: bounds that are too small, a partial sum left out, a segment left out must give wrong results.
#include <cuda/shape/offsets.cuh>

#include "segment_launch.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

using segments_on_gpu = rows;

/// A term's reductions and result types in turn.
template <input_layout layout = input_layout::contiguous, class T>
void expect_any(const stretches<T>& of, const segment_launch& how, unsigned seed, const std::string& name) {
  constexpr element_type types[] = {type_of<T>, element_type::float32, element_type::float64, type_of<T>,
                                    element_type::bfloat16};
  const element_type type = types[seed % 5];
  switch (seed / 5 % 6) {
    case 0:
      return expect_segments<sum_of_terms<T, core::value>, layout>(of, reduction::sum, type, how, seed, name);
    case 1:
      return expect_segments<sum_of_terms<T, core::value>, layout>(of, reduction::mean, type, how, seed, name);
    case 2:
      return expect_segments<sum_of_terms<T, core::magnitude>, layout>(of, reduction::asum, type, how, seed, name);
    case 3:
      return expect_segments<sum_of_terms<T, core::square>, layout>(of, reduction::nrm2, type, how, seed, name);
    default:
      return expect_segments<sum_of_terms<T, core::product>, layout>(of, reduction::dot, type, how, seed, name);
  }
}

segment_launch random_launch(oracle::rng& random) {
  constexpr element_type types[] = {element_type::int64, element_type::int32, element_type::uint32,
                                    element_type::uint64};
  segment_launch how;
  how.offset_type = types[random.below(4)];
  how.long_from = random.below(3) == 0 ? 20 : 200 + random.below(1500);
  if (random.coin()) how.most_of_warp = random.below(3000);
  how.unit = 1 + random.below(300);
  how.of_warp = 1U << random.below(6);
  how.blocks = static_cast<unsigned>(1 + random.below(3));
  how.split_blocks = static_cast<unsigned>(1 + random.below(7));
  how.open_blocks = static_cast<unsigned>(1 + random.below(4));
  return how;
}

template <class T>
void expect_every_length(unsigned salt) {
  oracle::rng random(salt);
  std::vector<std::size_t> lengths(201);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = i;
  for (const std::size_t n : {256, 300, 511, 777, 1000, 1025, 2050, 3000}) lengths.push_back(n);
  for (unsigned i = 0; i < 6; ++i) {
    random.shuffle(lengths);
    const auto given = stretches_of<T>(random, lengths, random.below(50), random.below(4));
    expect_any(given, random_launch(random), 5 * i + salt, "every length");
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(segments_on_gpu, of_every_length_equal_vectors) {
  expect_every_length<float>(100);
  expect_every_length<double>(203);
}

template <input_layout layout, class T>
void expect_mixed(int repeats, unsigned salt) {
  for (int i = 0; i < oracle::scaled(repeats); ++i) {
    const auto seed = static_cast<unsigned>(7 * i) + salt;
    oracle::rng random(seed);
    std::vector<std::size_t> lengths(random.below(80));
    for (std::size_t& n : lengths) {
      const std::size_t most[] = {1, 4, 40, 400, 3000};
      n = random.below(most[random.below(random.below(5) + 1)]);
    }
    segment_launch how = random_launch(random);
    if (layout == input_layout::any) how.stride = 1 + static_cast<std::ptrdiff_t>(random.below(3));
    expect_any<layout>(stretches_of<T>(random, lengths, random.below(50), random.below(4)), how, seed, "mixed");
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(segments_on_gpu, of_mixed_lengths_equal_vectors) {
  expect_mixed<input_layout::contiguous, float>(60, 1000);
  expect_mixed<input_layout::contiguous, double>(60, 2000);
}

TEST_F(segments_on_gpu, of_any_stride_equal_vectors) {
  expect_mixed<input_layout::any, float>(20, 3000);
  expect_mixed<input_layout::any, double>(20, 4000);
}

/// One that all blocks have, between short ones; and many that begin and end in every block.
TEST_F(segments_on_gpu, of_which_some_are_huge_equal_vectors) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    oracle::rng random(seed);
    std::vector<std::size_t> lengths(60, seed % 2);
    lengths[seed] = 20000;
    if (seed > 4) lengths.assign(20, 700 + 100 * seed);
    segment_launch how = random_launch(random);
    how.long_from = 100, how.split_blocks = 5 + seed;
    expect_any(stretches_of<float>(random, lengths, 9 * seed), how, 11 * seed, "huge");
    expect_any(stretches_of<double>(random, lengths, 9 * seed), how, 13 * seed, "huge");
    if (HasFatalFailure()) return;
  }
}

TEST_F(segments_on_gpu, that_find_the_list_full_are_summed_all_the_same) {
  oracle::rng random(5);
  const std::vector<std::size_t> lengths = {3, 400, 0, 5000, 70, 1500, 2000};
  const auto given = stretches_of<double>(random, lengths, 0);
  segment_launch how;
  how.listed = max_long_lines, how.follows = false;
  const core::result_rule rule(core::finish::round, core::format_of(element_type::float64));
  const auto found = run_segments<sum_of_terms<double, core::value>, input_layout::contiguous>(given, rule, how, 1);
  for (std::size_t i = 0; i < given.count(); ++i) {
    const auto right = i == 2 ? word_of_nothing : expected(given, reduction::sum, element_type::float64, i);
    EXPECT_EQ(found.words[i], right) << i;
  }
  EXPECT_EQ(found.state.listed, how.listed);
  const std::vector<std::size_t> many(max_long_lines + 100, 2);  // all of them long
  segment_launch of_many;
  of_many.long_from = 1, of_many.unit = 1, of_many.split_blocks = 7;
  expect_segments<sum_of_terms<float, core::value>>(stretches_of<float>(random, many, 3), reduction::sum,
                                                    element_type::float32, of_many, 2, "many");
}

TEST_F(segments_on_gpu, with_wrong_offsets_are_named_and_the_others_are_right) {
  oracle::rng random(6);
  const std::vector<std::size_t> lengths = {3, 40, 5, 600, 7, 1500, 20};
  for (const element_type type : {element_type::int32, element_type::int64}) {
    auto given = stretches_of<float>(random, lengths, 0);
    const auto right = given;
    given.offsets[3] = 2;                   // segment 2 decreases; 3 is long, and not the one it was
    given.offsets[5] = given.a.size() + 1;  // 4 passes the end, and 5 decreases
    given.offsets[6] = ~std::uint64_t{0};   // so does 6, if -1 is below 0
    segment_launch how;
    how.offset_type = type;
    const core::result_rule rule(core::finish::round, core::format_of(element_type::float32));
    const auto found =
        run_segments<sum_of_terms<float, core::value>, input_layout::contiguous>(given, rule, how, 1);
    EXPECT_EQ(~found.bad_segment, 2U);
    for (const std::size_t i : {2, 4, 5, 6}) EXPECT_EQ(found.words[i], word_of_bad) << i;
    for (const std::size_t i : {0, 1, 3}) {
      EXPECT_EQ(found.words[i], expected(given, reduction::sum, element_type::float32, i)) << i;
    }
    EXPECT_EQ(found.state.listed, 0U);
  }
}

TEST_F(segments_on_gpu, with_wrong_offsets_are_found_by_the_check) {
  gpu::stream stream;
  const std::vector<std::int32_t> offsets = {0, 4, 4, 10, 3, 20, 21};
  gpu::buffer<std::int32_t> on_device(stream, offsets.size());
  on_device.copy_from(offsets.data(), offsets.size());
  const offset_array given{reinterpret_cast<const char*>(on_device.data()), 4, false, true};
  const auto lowest = [&](std::size_t count, std::uint64_t length, bool finds_empty = false) {
    gpu::buffer<wide_unsigned> status(stream, 1);
    status.fill_zero();
    constexpr auto kernel = check_offsets_kernel;
    wide_unsigned* const none = nullptr;
    gpu::launch(kernel, 2, 64, 0, stream, given, count, length, finds_empty ? none : status.data(),
                finds_empty ? status.data() : none);
    wide_unsigned found = 0;
    status.copy_to(&found, 1);
    return ~found;
  };
  EXPECT_EQ(lowest(6, 100), 3U);
  EXPECT_EQ(lowest(3, 100), ~wide_unsigned{0});  // none
  EXPECT_EQ(lowest(3, 9), 2U);
  EXPECT_EQ(lowest(0, 0), ~wide_unsigned{0});
  EXPECT_EQ(lowest(6, 100, true), 1U);
  EXPECT_EQ(lowest(1, 100, true), ~wide_unsigned{0});
}

/// How many results differ from vector calls.
template <class Kind, class T>
std::size_t wrong_segments(const stretches<T>& given, reduction what, const segment_launch& how) {
  const core::result_rule rule(core::info_of(what).finish, core::format_of(type_of<T>));
  const auto found = run_segments<Kind, input_layout::contiguous>(given, rule, how, 1, what == reduction::dot);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < given.count(); ++i) wrong += found.words[i] != expected(given, what, type_of<T>, i);
  return wrong;
}

TEST_F(segments_on_gpu, need_their_bounds) {
  // 1 + 2^-53, a tie of doubles, less 5·2^-106; then terms of 3/4·2^-107, which the correction loses; `distance`
  // elements apart, so that one lane has them
  for (const std::size_t distance : {2, 16, 64}) {
    stretches<double> given;
    const std::size_t n = distance == 2 ? 16 : distance == 16 ? 368 : 1500;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t place = k / distance;
        const double value = place == 0 ? 1.0 : place == 1 ? 0x1p-53 : place == 2 ? -5 * 0x1p-106 : 0.75 * 0x1p-107;
        given.a.push_back(k % distance == 0 && place < 23 ? value : 0.0), given.b.push_back(1.0);
      }
      given.offsets.push_back(given.a.size());
    }
    segment_launch how;
    how.long_from = 100000;
    using products = sum_of_terms<double, core::product>;
    EXPECT_EQ((wrong_segments<products>(given, reduction::dot, how)), 0U) << distance;
    if (distance == 2) continue;  // too few terms to be lost
    how.bound = {1e-5};
    EXPECT_EQ((wrong_segments<products>(given, reduction::dot, how)), 3U) << distance;
  }
}

TEST_F(segments_on_gpu, miss_a_partial_sum_or_a_segment_that_is_left_out) {
  oracle::rng random(7);
  stretches<float> given;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < 1000; ++k) given.a.push_back(static_cast<float>(random.unit()) + 1);
    given.offsets.push_back(given.a.size());
  }
  given.b = given.a;
  segment_launch how;
  how.unit = 8, how.split_blocks = 3;  // every block boundary lies within a segment
  using sums = sum_of_terms<float, core::value>;
  EXPECT_EQ((wrong_segments<sums>(given, reduction::sum, how)), 0U);
  how.left_out = 1;
  EXPECT_EQ((wrong_segments<sums>(given, reduction::sum, how)), 1U);
  how.left_out = 0, how.arrived = 1;  // the first of two blocks takes itself for the last
  EXPECT_EQ((wrong_segments<sums>(given, reduction::sum, how)), 2U);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
