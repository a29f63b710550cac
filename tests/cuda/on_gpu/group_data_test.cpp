// Groups in a GPU's memory, each against the oracle's result for its elements: data of all generators in groups of
// every size, in tables and in records, keys of every order and type, every element type; terms of one group that
// are far larger than the others', infinities and NaNs, ties, keys out of range, nothing. Skewed keys:
// group_skew_test.cpp.
#include "cuda/on_gpu/keyed_elements.hpp"
#include "oracle/generators.hpp"

namespace {

using namespace on_gpu;

class cuda_group_data : public needs_gpu {};

/// Each group by the next of the generators, in random order.
template <class T>
keyed_elements of_generators(oracle::rng& random, unsigned first, std::size_t count, std::size_t max_length) {
  const auto all = oracle::generators<T>();
  std::vector<T> a, b;
  std::vector<std::int64_t> keys;
  for (std::size_t group = 0; group < count; ++group) {
    const auto data = all[(first + group) % all.size()].make(random, random.below(max_length + 1));
    a.insert(a.end(), data.a.begin(), data.a.end()), b.insert(b.end(), data.b.begin(), data.b.end());
    keys.insert(keys.end(), data.a.size(), static_cast<std::int64_t>(group));
  }
  for (std::size_t i = keys.size(); i > 1; --i) {
    const std::size_t j = random.below(i);
    std::swap(a[i - 1], a[j]), std::swap(b[i - 1], b[j]), std::swap(keys[i - 1], keys[j]);
  }
  return keyed(a, b, keys, count);
}

/// Of up to 40 groups, or of records; keys of every type that names them.
template <class T>
group_call call_of(unsigned seed, bool of_records) {
  constexpr element_type results[] = {type_of<T>, element_type::float32, element_type::float64, type_of<T>,
                                      element_type::bfloat16};
  constexpr element_type keys[] = {element_type::int32, element_type::int64,  element_type::int16,
                                   element_type::int8,  element_type::uint16, element_type::uint8};
  group_call asked;
  asked.what = sums_of_groups[seed % 8], asked.result = results[seed / 3 % 5];
  asked.key_type = keys[seed / 4 % (of_records ? 3 : 6)], asked.skew = seed / 7 % 4;
  asked.ddof = seed % 3, asked.multiprocessors = static_cast<int>(1 + seed % 4);
  asked.waits = seed / 5 % 3 == 0, asked.schedule = seed;
  return asked;
}

template <class T>
void expect_generators(unsigned cases) {
  for (unsigned seed = 0; seed < cases && !testing::Test::HasFailure(); ++seed) {
    oracle::rng random(seed);
    const std::size_t counts[] = {1, 2, 5, 17, 40};
    const bool of_records = seed / 2 % 2 == 1;
    const auto of = of_generators<T>(random, seed, counts[seed % 5], seed % 3 == 0 ? 200 : 20);
    expect_groups(of_records ? in_records(of) : of, call_of<T>(seed, of_records), "generators");
  }
}

TEST_F(cuda_group_data, of_floats_have_the_bits_of_the_oracle) {
  expect_generators<float>(static_cast<unsigned>(oracle::scaled(40)));
}
TEST_F(cuda_group_data, of_doubles_have_the_bits_of_the_oracle) {
  expect_generators<double>(static_cast<unsigned>(oracle::scaled(40)));
}

std::vector<std::int64_t> keys_of_order(unsigned order, oracle::rng& random, std::size_t n, std::size_t count) {
  std::vector<std::int64_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t orders[] = {random.below(count), i * count / n, count / 2,
                                  i / 8 % count,  // packs of one group, in a warp of several
                                  random.coin() ? 0 : random.below(count)};
    keys[i] = static_cast<std::int64_t>(orders[order]);
  }
  return keys;
}

/// Usual data needs no second look: all sums of floats and doubles, whatever the keys.
template <class T>
void expect_no_open_group(std::size_t n, std::size_t count) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    oracle::rng random(seed);
    const auto keys = keys_of_order(seed / 8, random, n, count);
    const auto of = keyed(uniform_elements<T>(random, n), uniform_elements<T>(random, n), keys, count);
    const bool of_records = (seed + seed / 8) % 2 == 1;
    group_call asked = call_of<T>(seed, of_records);
    asked.result = type_of<T>, asked.waits = false;
    const group_status status = expect_groups(of_records ? in_records(of) : of, asked, "uniform");
    EXPECT_EQ(status.open, 0U) << name_of(asked.what) << ", seed " << seed;
    if (testing::Test::HasFailure()) return;
  }
}
TEST_F(cuda_group_data, that_is_usual_needs_one_look) {
  expect_no_open_group<float>(1500, 13);
  expect_no_open_group<double>(1500, 13);
}

TEST_F(cuda_group_data, of_every_element_type_have_the_bits_of_the_oracle) {
  for (const auto& [a, b] : {std::pair{element_type::float16, element_type::float16},
                             {element_type::bfloat16, element_type::bfloat16},
                             {element_type::float8_e4m3fn, element_type::float8_e5m2},
                             {element_type::float32, element_type::float64},
                             {element_type::float16, element_type::float64},
                             {element_type::int8, element_type::int16},
                             {element_type::int32, element_type::uint32},
                             {element_type::int64, element_type::int64},
                             {element_type::uint64, element_type::uint8}}) {
    for (unsigned seed = 0; seed < static_cast<unsigned>(oracle::scaled(16)); ++seed) {
      oracle::rng random(seed);
      keyed_elements of;
      of.type_a = a, of.type_b = b, of.groups = 1 + random.below(9);
      of.stride = static_cast<std::ptrdiff_t>(1 + random.below(3)), of.swapped = random.below(3) == 0;
      const bool is_small = random.coin(), of_records = seed / 2 % 2 == 1;
      const std::size_t n = 1 + random.below(300), places = n * static_cast<std::size_t>(of.stride);
      of.a = random_elements(random, a, places, is_small, of.swapped);
      of.b = random_elements(random, b, places, is_small, of.swapped);
      for (std::size_t i = 0; i < n; ++i) of.keys.push_back(static_cast<std::int64_t>(random.below(of.groups)));
      group_call asked = call_of<float>(seed, of_records);
      const bool is_plain = core::info_of(asked.what).finish == core::finish::round;
      if (is_integer(a) && is_plain && seed % 2 == 0) {
        asked.result = seed % 4 == 0 ? element_type::int64 : element_type::uint64;
        asked.waits = false;  // results that do not fit are 0
      }
      expect_groups(of_records ? in_records(of) : of, asked, "any type");
      if (HasFailure()) return;
    }
  }
}

/// A call of a reduction in tables, and one in records.
void expect_both(const keyed_elements& of, reduction what, element_type result, const std::string& name,
                 bool waits = false) {
  group_call asked;
  asked.what = what, asked.result = result, asked.waits = waits;
  expect_groups(of, asked, name);
  expect_groups(in_records(of), asked, name + ", records");
}

/// Uniform numbers in (-1, 1), in groups of random keys.
template <class T>
struct uniform_groups {
  std::vector<T> x;
  std::vector<std::int64_t> keys;

  uniform_groups(unsigned seed, std::size_t n, std::size_t count) {
    oracle::rng random(seed);
    for (std::size_t i = 0; i < n; ++i) {
      x.push_back(oracle::random_uniform<T>(random));
      keys.push_back(static_cast<std::int64_t>(random.below(count)));
    }
  }
};

TEST_F(cuda_group_data, of_one_group_with_far_larger_numbers_leave_the_others_right) {
  for (const double size : {1e15, 1e30, 1e-30}) {
    uniform_groups<float> data(1, 500, 10);
    for (std::size_t i = 0; i < data.x.size(); ++i) {
      if (data.keys[i] == 3) data.x[i] *= static_cast<float>(size);
    }
    const auto of = keyed(data.x, {}, data.keys, 10);
    expect_both(of, reduction::sum, element_type::float32, "outliers");
    expect_both(of, reduction::mean, element_type::float64, "outliers", true);
    expect_both(of, reduction::nrm2, element_type::float64, "outliers");
    expect_both(of, reduction::stddev, element_type::float32, "outliers");
  }
}

/// The sample takes every second element; the largest is one that it leaves out.
TEST_F(cuda_group_data, of_terms_above_the_window_get_a_second_look) {
  constexpr std::size_t sampled_terms = std::size_t{1} << 14;
  uniform_groups<double> data(2, 2 * sampled_terms, 4);
  data.x[4001] = 1e200;
  group_call asked;
  asked.result = element_type::float64;
  const auto of = keyed(data.x, {}, data.keys, 4);
  EXPECT_EQ(expect_groups(of, asked, "above").open, 1U);
  EXPECT_EQ(expect_groups(in_records(of), asked, "above").open, 1U);
}

TEST_F(cuda_group_data, have_infinities_and_nans_in_their_own_group_only) {
  const double infinity = HUGE_VAL, nan = NAN;
  for (const reduction what : {reduction::sum, reduction::asum, reduction::sum_of_squares, reduction::nrm2,
                               reduction::mean, reduction::variance, reduction::dot}) {
    uniform_groups<double> data(3, 300, 8);
    std::vector<double> b = uniform_groups<double>(4, 300, 8).x;
    const std::pair<std::int64_t, double> specials[] = {{0, infinity},  {1, -infinity}, {2, nan}, {3, infinity},
                                                        {3, -infinity}, {4, infinity},  {4, nan}, {5, 1e300}};
    std::size_t i = 10;
    for (const auto& [group, value] : specials) data.keys[i] = group, data.x[i] = value, ++i;
    data.keys[20] = 6, data.x[20] = infinity, b[20] = 0;
    expect_both(keyed(data.x, b, data.keys, 8), what, element_type::float64, "specials");
    expect_both(keyed(data.x, b, data.keys, 8), what, element_type::float32, "specials", true);
  }
}

/// Half-way between two floats, and next to it by bits below the window.
TEST_F(cuda_group_data, of_ties_are_rounded_to_even) {
  const std::vector<float> x = {1, 0x1p-24F, 1,          0x1p-24F,     0x1p-120F,
                                1, 0x1p-24F, -0x1p-120F, 1 + 0x1p-23F, 0x1p-24F};
  expect_both(keyed(x, {}, {0, 0, 1, 1, 1, 2, 2, 2, 3, 3}, 5), reduction::sum, element_type::float32, "ties");
}

TEST_F(cuda_group_data, of_which_bits_below_the_window_decide_have_a_second_look) {
  expect_both(keyed<float>({1e30F, -1e30F, 1e-30F, 1}, {}, {0, 0, 0, 1}, 2), reduction::sum, element_type::float32,
              "cancels");
}

/// The largest sum of equal terms fits the window's room, and needs it.
TEST_F(cuda_group_data, of_many_equal_terms_need_one_look) {
  const auto of = keyed(std::vector<float>(3000, 1.9F), {}, std::vector<std::int64_t>(3000, 1), 2);
  EXPECT_EQ(expect_groups(of, {}, "equal").open, 0U);
  EXPECT_EQ(expect_groups(in_records(of), {}, "equal").open, 0U);
}

/// As many open groups as two passes of the second look take: equal elements, whose variance no bound decides.
TEST_F(cuda_group_data, of_many_open_groups_take_several_passes) {
  const std::size_t count = at_most(60000, 40);
  std::vector<double> x;
  std::vector<std::int64_t> keys;
  for (std::size_t i = 0; i < 2 * count; ++i) {
    x.push_back(0.1 * static_cast<double>(i % count));
    keys.push_back(static_cast<std::int64_t>(i % count));
  }
  expect_groups(keyed(x, {}, keys, count), {.what = reduction::variance, .result = element_type::float64},
                "passes");
}

TEST_F(cuda_group_data, of_nothing_have_the_results_of_nothing) {
  for (const reduction what : {reduction::sum, reduction::mean, reduction::variance, reduction::nrm2}) {
    expect_both(keyed<float>({}, {}, {}, 3), what, element_type::float32, "nothing");
    expect_both(keyed<double>({1, 2}, {}, {1, 1}, 40), what, element_type::float64, "nearly nothing");
    expect_both(keyed<double>({0, -0.0, 0}, {}, {1, 1, 2}, 4), what, element_type::float64, "zeros");
  }
}

TEST_F(cuda_group_data, with_a_key_out_of_range_name_the_first_and_store_nothing_if_they_wait) {
  uniform_groups<float> data(5, 200, 6);
  bool of_records = false;
  for (const element_type key_type : {element_type::int32, element_type::int64, element_type::uint32,
                                      element_type::int8, element_type::uint8, element_type::int16}) {
    of_records = !of_records && size_of(key_type) > 1;
    auto of = keyed(data.x, {}, data.keys, 6);
    if (of_records) of = in_records(of);
    of.keys[150] = -1, of.keys[77] = static_cast<std::int64_t>(of.groups);
    of.keys[199] = size_of(key_type) < 4 ? of.keys[77] : 1 << 30;
    group_call asked;
    asked.key_type = key_type, asked.waits = true;
    const group_outcome refused = run(of, asked);
    EXPECT_EQ(refused.error, errc::bad_option);
    EXPECT_NE(refused.message.find("key 77 is "), std::string::npos) << refused.message;
    for (const std::uint64_t word : refused.words) EXPECT_EQ(word, unwritten_word & 0xffffffff);
    asked.waits = false;  // the others' results are stored
    const group_outcome others = run(of, asked);
    EXPECT_EQ(~others.status.bad_key, 77U);
    EXPECT_EQ(others.error, errc::bad_option);
    EXPECT_EQ(others.words, expected_of_groups(of, asked));
    of.skips = true;
    EXPECT_EQ(expect_groups(of, asked, "skipped").open, 0U);
  }
}

/// Random bits of any type, some of them special values and ends of the range. No group is empty.
keyed_elements elements_with_extremes(oracle::rng& random, element_type type, std::size_t n, std::size_t count) {
  keyed_elements made;
  made.type_a = made.type_b = type, made.groups = count;
  made.stride = static_cast<std::ptrdiff_t>(1 + random.below(2)), made.swapped = random.below(3) == 0;
  const std::size_t size = size_of(type), places = n * static_cast<std::size_t>(made.stride);
  for (std::size_t i = 0; i < places; ++i) {
    std::uint64_t word = random.bits();
    if (random.below(8) == 0) word = 0 - random.below(2);
    if (random.below(8) == 0) word = std::uint64_t{1} << (8 * size - 1);
    if (!is_integer(type) && random.below(9) == 0) word = core::infinity_word(core::format_of(type), random.coin());
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&word);
    made.a.insert(made.a.end(), bytes, bytes + size);
    if (made.swapped) std::reverse(made.a.end() - static_cast<std::ptrdiff_t>(size), made.a.end());
  }
  made.b = made.a;
  for (std::size_t i = 0; i < n; ++i) {
    made.keys.push_back(static_cast<std::int64_t>(i < count ? i : random.below(count)));
  }
  return made;
}

group_call extremum_call(unsigned seed, element_type type) {
  group_call asked;
  asked.what = seed % 2 == 0 ? reduction::min : reduction::max, asked.result = type;
  asked.key_type = seed % 3 == 0 ? element_type::int32 : element_type::int64;
  asked.skew = seed % 4, asked.waits = seed / 4 % 2 == 1, asked.schedule = seed;
  return asked;
}

TEST_F(cuda_group_data, have_the_extrema_of_the_oracle) {
  for (const element_info& info : elements) {
    for (unsigned seed = 0; seed < 6; ++seed) {
      oracle::rng random(seed);
      const std::size_t count = seed < 4 ? 1 + random.below(20) : groups_of_records();
      const auto of = elements_with_extremes(random, info.type, count + random.below(100), count);
      expect_groups(of, extremum_call(seed, info.type), "random");
      if (HasFailure()) return;
    }
  }
}

TEST_F(cuda_group_data, of_empty_groups_name_the_first_and_store_nothing_if_they_wait) {
  for (const element_type type : {element_type::float32, element_type::int64, element_type::uint8}) {
    for (unsigned seed = 0; seed < 2; ++seed) {
      oracle::rng random(seed);
      keyed_elements of = elements_with_extremes(random, type, 50, 9);
      for (std::int64_t& key : of.keys) key = key == 4 || key == 6 ? 8 : key;
      group_call asked = extremum_call(seed, type);
      asked.waits = true;
      const group_outcome found = run(of, asked);
      EXPECT_EQ(found.error, errc::empty_input);
      EXPECT_NE(found.message.find("group 4 is empty"), std::string::npos) << found.message;
      for (const std::uint64_t word : found.words) {
        EXPECT_EQ(word, unwritten_word & ~std::uint64_t{0} >> (64 - 8 * size_of(type)));
      }
      asked.waits = false;
      const group_outcome others = run(of, asked);
      EXPECT_EQ(~others.status.empty_group, 4U);
      std::vector<std::uint64_t> expected = expected_of_groups(of, asked);
      expected[4] = expected[6] = is_integer(type) ? 0 : core::nan_word(core::format_of(type));
      EXPECT_EQ(others.words, expected);
    }
  }
}

TEST_F(cuda_group_data, count_elements) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    oracle::rng random(seed);
    const std::size_t count = seed % 4 == 3 ? groups_of_records() : 1 + random.below(70), n = random.below(400);
    keyed_elements of;
    of.groups = count, of.type_a = of.type_b = element_type::uint8, of.a.resize(n), of.b.resize(n), of.skips = true;
    std::vector<std::uint64_t> expected(count);
    for (std::size_t i = 0; i < n; ++i) {
      const bool is_outside = seed % 5 == 0 && random.below(9) == 0;
      of.keys.push_back(is_outside ? -1 : static_cast<std::int64_t>(random.below(count)));
      if (!is_outside) ++expected[static_cast<std::size_t>(of.keys.back())];
    }
    group_call asked = extremum_call(seed, element_type::int64);
    asked.what = reduction::sum, asked.counts = true, asked.waits = false;
    EXPECT_EQ(run(of, asked).words, expected) << "seed " << seed;
  }
}

}  // namespace
