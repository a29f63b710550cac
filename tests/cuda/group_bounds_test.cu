// Groups by keys whose data leaves the window of the first look, or that are wrong: terms of one group that are far
// larger than the others', infinities and NaNs, ties, keys out of range, nothing. And sabotage: launches with a
// bound that is too small, without a carry, with too few elements or too little room have to give wrong results.
#include "group_launch.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

class group_bounds : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_gpu(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

group_test test_of(reduction what, element_type result, bool in_shared) {
  group_test test;
  test.what = what, test.result = result, test.in_shared = in_shared, test.room = 100;
  test.second_look_shared = 40 << 10;
  return test;
}

/// Uniform numbers in (-1, 1), in groups of random keys.
template <class T>
struct uniform_groups {
  std::vector<T> x;
  std::vector<std::int64_t> keys;

  uniform_groups(unsigned seed, std::size_t n, std::size_t count) {
    oracle::rng random(seed);
    for (std::size_t i = 0; i < n; ++i) {
      x.push_back(static_cast<T>(2 * random.unit() - 1));
      keys.push_back(static_cast<std::int64_t>(random.below(count)));
    }
  }
};

TEST_F(group_bounds, of_one_group_with_far_larger_numbers_leave_the_others_right) {
  for (const bool in_shared : {true, false}) {
    for (const double size : {1e15, 1e30, 1e-30}) {
      uniform_groups<float> data(1, 500, 10);
      for (std::size_t i = 0; i < data.x.size(); ++i) {
        if (data.keys[i] == 3) data.x[i] *= static_cast<float>(size);
      }
      const auto of = keyed(data.x, {}, data.keys, 10);
      for (const reduction what : {reduction::sum, reduction::mean, reduction::nrm2, reduction::stddev}) {
        expect_groups(of, test_of(what, element_type::float32, in_shared), 1, "outliers");
        expect_groups(of, test_of(what, element_type::float64, in_shared), 1, "outliers");
      }
    }
  }
}

/// The sample takes every second element; the largest is one that it leaves out.
TEST_F(group_bounds, of_terms_above_the_window_get_a_second_look) {
  for (const bool in_shared : {true, false}) {
    uniform_groups<double> data(2, 2 * sampled_terms, 4);
    data.x[4001] = 1e200;
    const auto of = keyed(data.x, {}, data.keys, 4);
    group_test test = test_of(reduction::sum, element_type::float64, in_shared);
    test.threads = 256;
    EXPECT_EQ(expect_groups(of, test, 1, "above"), 1U);
  }
}

TEST_F(group_bounds, have_infinities_and_nans_in_their_own_group_only) {
  const double infinity = HUGE_VAL, nan = NAN;
  for (const bool in_shared : {true, false}) {
    for (const reduction what : {reduction::sum, reduction::asum, reduction::sum_of_squares, reduction::nrm2,
                                 reduction::mean, reduction::variance, reduction::dot}) {
      uniform_groups<double> data(3, 300, 8);
      std::vector<double> b = uniform_groups<double>(4, 300, 8).x;
      const std::pair<std::int64_t, double> specials[] = {{0, infinity},  {1, -infinity}, {2, nan}, {3, infinity},
                                                          {3, -infinity}, {4, infinity},  {4, nan}, {5, 1e300}};
      std::size_t i = 10;
      for (const auto& [group, value] : specials) data.keys[i] = group, data.x[i] = value, ++i;
      data.keys[20] = 6, data.x[20] = infinity, b[20] = 0;
      expect_groups(keyed(data.x, b, data.keys, 8), test_of(what, element_type::float64, in_shared), 1, "specials");
      expect_groups(keyed(data.x, b, data.keys, 8), test_of(what, element_type::float32, in_shared), 1, "specials");
    }
  }
}

/// Half-way between two floats, and next to it by bits below the window.
TEST_F(group_bounds, of_ties_are_rounded_to_even) {
  const std::vector<float> x = {1, 0x1p-24F, 1,          0x1p-24F,     0x1p-120F,
                                1, 0x1p-24F, -0x1p-120F, 1 + 0x1p-23F, 0x1p-24F};
  const std::vector<std::int64_t> keys = {0, 0, 1, 1, 1, 2, 2, 2, 3, 3};
  for (const bool in_shared : {true, false}) {
    expect_groups(keyed(x, {}, keys, 5), test_of(reduction::sum, element_type::float32, in_shared), 1, "ties");
  }
}

TEST_F(group_bounds, of_nothing_have_the_results_of_nothing) {
  for (const bool in_shared : {true, false}) {
    for (const reduction what : {reduction::sum, reduction::mean, reduction::variance, reduction::nrm2}) {
      expect_groups(keyed<float>({}, {}, {}, 3), test_of(what, element_type::float32, in_shared), 1, "nothing");
      expect_groups(keyed<double>({1, 2}, {}, {1, 1}, 40), test_of(what, element_type::float64, in_shared), 1,
                    "nearly nothing");
      expect_groups(keyed<double>({0, -0.0, 0}, {}, {1, 1, 2}, 4), test_of(what, element_type::float64, in_shared),
                    1, "zeros");
    }
  }
}

TEST_F(group_bounds, with_a_key_out_of_range_store_nothing_and_name_the_first) {
  uniform_groups<float> data(5, 200, 6);
  for (const element_type key_type : {element_type::int32, element_type::int64, element_type::uint32,
                                      element_type::int8, element_type::uint8, element_type::int16}) {
    for (const bool in_shared : {true, false}) {
      auto of = keyed(data.x, {}, data.keys, 6);
      of.keys[150] = -1, of.keys[77] = 6, of.keys[199] = size_of(key_type) < 4 ? 100 : 1 << 30;
      group_test test = test_of(reduction::sum, element_type::float32, in_shared);
      test.key_type = key_type;
      group_launcher on;
      const group_outcome found = on.run(of, test);
      EXPECT_EQ(~found.status.bad_key, 77U);
      for (const std::uint64_t word : found.words) EXPECT_EQ(word, unwritten_word & 0xffffffff);
      test.waits = false;  // the others' results are stored
      const group_outcome others = on.run(of, test);
      EXPECT_EQ(~others.status.bad_key, 77U);
      for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(others.words[i], expected_of_group(of, test, i));
      of.skips = true, test.waits = true;
      EXPECT_EQ(expect_groups(of, test, 1, "skipped"), 0U);
    }
  }
}

/// Of which some results have to be wrong.
void expect_wrong(const keyed_elements& of, const group_test& test, const char* name) {
  group_launcher on;
  const group_outcome found = on.run(of, test);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < of.groups; ++i) {
    wrong += found.words[i] != expected_of_group(of, test, i).value_or(0) ? 1 : 0;
  }
  EXPECT_GT(wrong, 0U) << name;
}

TEST_F(group_bounds, that_are_sabotaged_are_wrong) {
  for (const bool in_shared : {true, false}) {
    // bits below the window decide, and are not said to be missing
    const auto cancels = keyed<float>({1e30F, -1e30F, 1e-30F, 1}, {}, {0, 0, 0, 1}, 2);
    group_test test = test_of(reduction::sum, element_type::float32, in_shared);
    expect_groups(cancels, test, 1, "not sabotaged");
    test.before_finish = [](group_job&, group_job& copied) { copied.to.flags[0] = copied.to.flags[1] = 0; };
    expect_wrong(cancels, test, "a bound too small");

    // so many equal terms that the room of the window is needed
    const auto equal = keyed(std::vector<float>(3000, 1.9F), {}, std::vector<std::int64_t>(3000, 1), 2);
    test = test_of(reduction::sum, element_type::float32, in_shared);
    EXPECT_EQ(expect_groups(equal, test, 1, "not sabotaged"), 0U);
    test.before = [](group_job& job) { job.scheme.bits[0] += 12; };
    if (in_shared) expect_wrong(equal, test, "too little room");

    const uniform_groups<float> data(6, 400, 5);
    const auto of = keyed(data.x, {}, data.keys, 5);
    test = test_of(reduction::mean, element_type::float32, in_shared);
    EXPECT_EQ(expect_groups(of, test, 1, "not sabotaged"), 0U);
    test.before_finish = [](group_job& job, group_job& copied) {
      wide_unsigned* const count =
          job.scheme.in_shared ? copied.to.counts : copied.to.sums + job.scheme.lanes[0] - 1;
      --*count;
    };
    expect_wrong(of, test, "a count too low");
    test.before_finish = [](group_job& job, group_job& copied) { copied.to.sums[2 * job.in.groups] -= 1; };
    if (in_shared) expect_wrong(of, test, "a carry dropped");  // records have none
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
