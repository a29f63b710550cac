// Extreme elements of lines, of every element type, against a loop over core::ordered_key: every length up to 200
// and some beyond, by every number of lanes, of any alignment, stride and byte order; columns; NaNs, zeros,
// infinities, ties, the extreme element at every index. Searches that break ties wrongly, or leave a lane or NaNs'
// payloads out, must be noticed.
#include "line_extremum_launch.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Random elements of few values in some lines; in every third matrix special ones among them.
element_matrix random_lines(const element_info& info, std::size_t count, std::size_t n, std::size_t gap,
                            unsigned seed) {
  element_matrix made =
      lines_of(random_data(info, count * (n + gap) + 1, seed, seed % 2 == 0 ? 0 : 3), count, n, gap);
  if (seed % 3 != 0) return made;
  const std::vector<std::uint64_t> special = special_elements(info);
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < 1 + made.x.bits.size() / 40; ++i) {
    made.x.bits[random() % made.x.bits.size()] = special[random() % special.size()];
  }
  return made;
}

template <class Way>
void expect_every_length(std::size_t first, std::size_t last, std::size_t step = 1) {
  unsigned seed = static_cast<unsigned>(Way::lanes);
  for (std::size_t n = first; n <= last; n += step) {
    const element_info& info = elements[seed % elements.size()];
    expect_extrema<Way>(random_lines(info, 1 + seed % 13, n, seed % 4, seed), seed, "every length");
    if (testing::Test::HasFatalFailure()) return;
    ++seed;
  }
}

TEST_F(line_extrema, of_every_length_are_found_by_few_lanes) {
  expect_every_length<search_by<1>>(1, 200);
  expect_every_length<search_by<2>>(1, 100);
  expect_every_length<search_by<4>>(1, 200);
  expect_every_length<search_by<8, 4>>(1, 200);
  expect_every_length<search_by<8, 4>>(210, 1300, 59);
}

TEST_F(line_extrema, of_every_length_are_found_by_a_warp_or_a_block) {
  expect_every_length<search_by<32>>(1, 200);
  expect_every_length<search_by<32, 1>>(700, 5000, 331);
  expect_every_length<search_by<128>>(1, 200);
  expect_every_length<search_by<64, 1>>(900, 9000, 767);
  expect_every_length<split_rows<16>>(1, 100);
  expect_every_length<split_rows<100>>(900, 9000, 767);
}

template <class Way>
void expect_every_type(std::size_t n, unsigned salt) {
  for_each_type([&](const element_info& info) {
    for (unsigned i = 0; i < 3; ++i) {
      const unsigned seed = salt + 5 * i + static_cast<unsigned>(info.type);
      expect_extrema<Way>(random_lines(info, 7, n + 13 * i, i, seed), seed, "every type");
    }
  });
}

TEST_F(line_extrema, of_every_type_are_found) {
  expect_every_type<search_by<1>>(5, 1);
  expect_every_type<search_by<4>>(40, 2);
  expect_every_type<search_by<8, 4>>(300, 3);
  expect_every_type<search_by<32>>(900, 4);
  expect_every_type<search_by<128>>(2500, 5);
  expect_every_type<split_rows<256>>(2500, 6);
}

/// Backwards, every other element, one element again and again, lines that overlap or run backwards; swapped bytes.
template <class Way>
void expect_any_layout(unsigned salt) {
  unsigned seed = salt;
  for_each_type([&](const element_info& info) {
    for (unsigned i = 0; i < 6; ++i) {
      ++seed;
      const std::size_t n = 1 + seed * 37 % 190, count = 1 + seed % 11;
      element_matrix given = random_lines(info, 3 * count, n, 2, seed);
      given.count = count, given.swapped = seed % 2 == 0;
      given.stride = i % 3 == 0 ? 2 : i % 3 == 1 ? -1 : 0;
      if (i % 3 == 0) given.next *= 2;
      if (i % 3 == 1) given.first = n - 1;
      if (i == 3) given.next = 1;
      if (i == 4) given.first += count * (n + 2), given.next = -given.next;
      if (i == 5) given.next = 0;
      expect_extrema<Way>(given, seed, "any layout");
    }
  });
}

TEST_F(line_extrema, of_any_layout_are_found) {
  expect_any_layout<search_by<8, 4, input_layout::any>>(10);
  expect_any_layout<search_by<32, 4, input_layout::any>>(200);
  expect_any_layout<search_by<128, 2, input_layout::any>>(400);
  for_each_type([](const element_info& info) {  // rows that blocks share, backwards
    element_matrix given = random_lines(info, 5, 300, 2, 9);
    given.first += 4 * 302, given.next = -given.next;
    expect_extrema<split_rows<32>>(given, 9, "backwards");
  });
}

template <class Way>
void expect_columns(std::size_t most, std::size_t longest, unsigned salt) {
  unsigned seed = salt;
  for_each_type([&](const element_info& info) {
    for (unsigned i = 0; i < 4; ++i) {
      ++seed;
      element_matrix given = random_lines(info, 1 + seed * 31 % most, 1 + seed * 17 % longest, 0, seed);
      given.swapped = seed % 4 == 0;
      expect_extrema<Way>(transposed(given), seed, "columns");
    }
  });
}

TEST_F(line_extrema, of_columns_are_found) {
  expect_columns<search_columns<256, 32, 1, 1, 4>>(70, 200, 1);
  expect_columns<search_columns<128, 8, 1, 4>>(70, 300, 100);
  expect_columns<search_columns<128, 8, 5, 2>>(50, 400, 300);
  expect_columns<search_columns<64, 32, 2, 2>>(150, 90, 400);
  expect_columns<short_columns<64, 4>>(500, 20, 200);
  expect_columns<short_columns<64, 1>>(150, 20, 500);
}

/// One best element at every index of a line; a second one behind it.
template <class Way>
void expect_every_index(std::size_t n, bool columns = false) {
  for_each_type([&](const element_info& info) {
    const rank_rule rule = rank_rule_of(info.type, true);
    const std::uint64_t best = element_below_nan(rule, rule.first_nan - 1), common = element_below_nan(rule, 5);
    element_matrix given = lines_of({info.type, std::vector<std::uint64_t>(n * n, common)}, n, n);
    for (std::size_t i = 0; i < n; ++i) given.x.bits[i * n + i] = given.x.bits[i * n + (i + n) / 2] = best;
    if (columns) given = transposed(given);
    line_launcher on(3);
    const auto found = on.results<Way>(given, reduction::argmax, 2, 1);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(found[i], i) << info.name << ", " << Way::lanes << " lanes";
  });
}

TEST_F(line_extrema, are_found_at_every_index) {
  expect_every_index<search_by<1>>(40);
  expect_every_index<search_by<4>>(70);
  expect_every_index<search_by<8, 4>>(150);
  expect_every_index<search_by<32>>(170);
  expect_every_index<search_by<64>>(170);
  expect_every_index<search_by<8, 4, input_layout::any>>(100);
  expect_every_index<split_rows<7>>(100);
  expect_every_index<search_columns<128, 32, 1, 1>>(70, true);
  expect_every_index<search_columns<64, 8, 4, 1>>(50, true);
  expect_every_index<short_columns<64, 1>>(40, true);
}

/// Of equal elements the first counts, also of those of the lowest rank, which fill the lanes of no element, and of
/// NaNs of different signs and payloads.
template <class Way>
void expect_first_of_equals(bool columns = false) {
  for_each_type([&](const element_info& info) {
    for (const std::uint64_t value : special_elements(info)) {
      element_matrix given = lines_of({info.type, std::vector<std::uint64_t>(3 * 45, value)}, 3, 45);
      if (info.exponent_bits != 0) {  // zeros of both signs; NaNs behind each other
        for (std::size_t k = 0; k < 45; ++k) {
          given.x.bits[45 + k] = k % 5 == 3 ? 0 : sign_of(info);
          given.x.bits[90 + k] = k < 17 ? value : infinity_of(info) + 1 + k % 3 + (k % 2) * sign_of(info);
        }
      }
      if (columns) given = transposed(given);
      expect_extrema<Way>(given, static_cast<unsigned>(value % 7), "equal elements");
    }
  });
}

TEST_F(line_extrema, are_the_first_of_equal_elements) {
  expect_first_of_equals<search_by<1>>();
  expect_first_of_equals<search_by<8, 4>>();
  expect_first_of_equals<search_by<64>>();
  expect_first_of_equals<search_by<8, 4, input_layout::any>>();
  expect_first_of_equals<split_rows<10>>();
  expect_first_of_equals<search_columns<128, 8, 1, 4>>(true);
  expect_first_of_equals<search_columns<64, 8, 3, 1>>(true);
  expect_first_of_equals<short_columns<64, 4>>(true);
}

/// Searches that are wrong on purpose, made of the kernels' parts.
enum class mistake { none, last_index, missing_lane };

/// Lanes of which one does the work of its neighbour, if a lane is missing.
template <bool misses_lane>
struct team_of_eight : lane_team<8> {
  [[nodiscard]] __device__ std::size_t first_thread() const {
    const std::size_t lane = threadIdx.x % 8;
    return misses_lane && lane == 5 ? 4 : lane;
  }
};

template <mistake made>
__global__ void search_wrongly(element_lines in, rank_rule rule, extremum_results out) {
  const team_of_eight<made == mistake::missing_lane> team;
  for (std::size_t i = threadIdx.x / 8; i < in.count; i += 4) {
    packed_part<4, 2, unsigned, team_of_eight<made == mistake::missing_lane>> part(in.line(i), team, rule);
    const unsigned rank = max_of_team(lane_team<8>{}, part.template highest<true>(), nullptr);
    const unsigned index = part.index_of(rank);
    const unsigned lowest = ~max_of_team(lane_team<8>{}, ~index, nullptr);
    const unsigned highest = max_of_team(lane_team<8>{}, index == ~0U ? 0U : index, nullptr);
    if (threadIdx.x % 8 == 0) {
      store_best<4>(out, i, rule,
                    extremum_candidate<unsigned>{rank, made == mistake::last_index ? highest : lowest});
    }
  }
}

template <mistake made>
std::size_t wrong_with(const element_matrix& of, reduction what, rank_rule (*change)(rank_rule)) {
  line_launcher on;
  constexpr auto kernel = search_wrongly<made>;
  return wrong_results(of, what, on.results_of(of, what, 1, [&](const element_lines& in, rank_rule rule, auto to) {
    gpu::launch(kernel, 1, 32, 0, on.stream(), in, change(rule), to);
  }));
}

TEST_F(line_extrema, that_are_wrong_are_noticed) {
  const element_info& info = info_of(element_type::float32);
  const auto unchanged = [](rank_rule rule) { return rule; };
  const auto with_payloads = [](rank_rule rule) {
    rule.first_nan = rule.ones;
    return rule;
  };
  const element_matrix ties = lines_of(random_data(info, 40 * 50, 1, 3), 40, 50);
  element_matrix nans = lines_of(random_data(info, 40 * 50, 2), 40, 50);
  for (std::size_t i = 0; i < 40; ++i) {
    nans.x.bits[50 * i + i] = i % 2 == 0 ? 0x7fffffff : 0xffffffff, nans.x.bits[50 * i + 49] = 0xffc00001;
  }
  for (const element_matrix& each : {ties, nans}) {
    for (const reduction what : four) EXPECT_EQ(wrong_with<mistake::none>(each, what, unchanged), 0U);
  }
  EXPECT_GT(wrong_with<mistake::last_index>(ties, reduction::argmax, unchanged), 30U);
  const element_matrix longer = lines_of(random_data(info, 40 * 400, 3), 40, 400);
  EXPECT_EQ(wrong_with<mistake::none>(longer, reduction::max, unchanged), 0U);
  EXPECT_GT(wrong_with<mistake::missing_lane>(longer, reduction::max, unchanged), 0U);
  EXPECT_GT(wrong_with<mistake::none>(nans, reduction::argmax, with_payloads), 30U);
  EXPECT_EQ(wrong_with<mistake::none>(nans, reduction::max, with_payloads), 40U);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
