// The search for an extreme element, packed and of any layout, against a loop over core::ordered_key: every element
// type, lengths and alignments around packs and batches, the extreme at every index, NaNs, zeros, ties, both ends
// of the order; and the exchange between blocks.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "extremum_launch.cuh"
#include "missing_gpu.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

constexpr std::array four = {reduction::min, reduction::max, reduction::argmin, reduction::argmax};

void expect_all_four(extremum_launcher& on, const data& x, grid shape, std::size_t skew = 0) {
  on.place(x, skew);
  for (const reduction what : four) {
    const std::uint64_t right = expected(x, what);
    const auto report = [&](const char* kernel) {
      return std::string(name_of(x.type)) + ", " + kernel + ", reduction " +
             std::to_string(static_cast<int>(what)) + ", n " + std::to_string(x.bits.size()) + ", " +
             std::to_string(shape.blocks) + " blocks of " + std::to_string(shape.threads) + ", skew " +
             std::to_string(skew);
    };
    EXPECT_EQ(on.packed(what, shape), right) << report("packed");
    if (x.bits.size() % 3 == 1) EXPECT_EQ(on.any(what, shape), right) << report("any layout");
  }
}

class extremum : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_gpu(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

TEST(rank_rule, orders_elements_like_their_keys_and_restores_them) {
  for_each_type([](const element_info& info) {
    std::vector<std::uint64_t> bits = special_elements(info);
    for (const std::uint64_t each : random_data(info, 100, 1).bits) bits.push_back(each);
    if (info.bytes <= 2) {
      for (std::uint64_t each = 0; each <= ones_of(info); ++each) bits.push_back(each);
    }
    for (const bool greatest : {false, true}) {
      const rank_rule rule = rank_rule_of(info.type, greatest);
      for (std::size_t i = 0; i < bits.size(); ++i) {
        const std::uint64_t x = bits[i], y = bits[i * 7919 % bits.size()];
        const std::uint64_t key_x = key_of(info.type, greatest, x), key_y = key_of(info.type, greatest, y);
        const std::uint64_t rank_x = rank_of(rule, x), rank_y = rank_of(rule, y);
        ASSERT_EQ(rank_x > rank_y, key_x < key_y) << info.name << ' ' << x << ' ' << y;
        ASSERT_EQ(rank_x == rank_y, key_x == key_y) << info.name << ' ' << x << ' ' << y;
        ASSERT_EQ(element_of_rank(rule, rank_x), element_of(info.type, greatest, key_x)) << info.name << ' ' << x;
      }
      EXPECT_EQ(rank_of(rule, rule.last & rule.ones), 0U) << info.name;
    }
  });
}

TEST_F(extremum, is_found_around_packs_and_batches_of_any_alignment) {
  for_each_type([](const element_info& info) {
    extremum_launcher on(info.bytes);
    const std::size_t pack = 16 / info.bytes, row = 32 * pack;  // of a warp's load
    unsigned seed = 0;
    for (const std::size_t n : {std::size_t{1}, pack - 1, pack, pack + 1, 2 * pack + 1, row - 1, row, row + 1,
                                2 * row - 1, 2 * row + pack, 4 * row + 3, 9 * row + 5, 13 * row}) {
      if (n == 0) continue;
      for (const std::size_t skew : {std::size_t{0}, std::size_t{1}, pack - 1}) {
        ++seed;
        const grid shape{1 + seed % 3, seed % 2 == 0 ? 32 : 96};
        expect_all_four(on, random_data(info, n, seed, seed % 2 == 0 ? 0 : 3), shape, skew);
      }
    }
  });
}

/// A warp may do many batches; other loads in flight, and the configurations of the tuning table.
TEST_F(extremum, is_found_by_any_number_of_loads_in_flight) {
  for_each_type([](const element_info& info) {
    extremum_launcher on(4);
    const data x = random_data(info, 9000 / info.bytes, 5, 40);
    on.place(x, 1);
    for (const reduction what : four) {
      EXPECT_EQ(on.packed<1>(what, {2, 32}), expected(x, what)) << info.name;
      EXPECT_EQ(on.packed<4>(what, {1, 64}), expected(x, what)) << info.name;
      EXPECT_EQ(on.packed<8>(what, {1, 256}), expected(x, what)) << info.name;
    }
  });
}

TEST_F(extremum, is_found_at_every_index) {
  for_each_type([](const element_info& info) {
    extremum_launcher on(7);
    const std::size_t pack = 16 / info.bytes, n = 2 * 32 * pack + pack / 2 + 3;
    const std::size_t step = info.bytes == 1 ? 7 : info.bytes == 2 ? 3 : 1;
    for (const bool greatest : {false, true}) {
      const rank_rule rule = rank_rule_of(info.type, greatest);
      const std::uint64_t best = element_below_nan(rule, rule.first_nan - 1), common = element_below_nan(rule, 5);
      for (std::size_t i = 0; i < n; i += step) {
        data x{info.type, std::vector<std::uint64_t>(n, common)};
        x.bits[i] = best, x.bits[(i + n) / 2] = best, x.bits[n - 1] = best;
        on.place(x, i % pack);
        const grid shape{1 + static_cast<unsigned>(i % 2), 32};
        const reduction index = greatest ? reduction::argmax : reduction::argmin;
        ASSERT_EQ(on.packed<1>(index, shape), i) << info.name;
        const reduction element = greatest ? reduction::max : reduction::min;
        if (i % 5 == 0) ASSERT_EQ(on.packed<1>(element, shape), best) << info.name << ' ' << i;
      }
    }
  });
}

TEST_F(extremum, is_right_for_special_elements_in_any_order) {
  for_each_type([](const element_info& info) {
    extremum_launcher on(9);
    const std::vector<std::uint64_t> special = special_elements(info);
    std::mt19937 random(3);
    for (unsigned round = 0; round < 30; ++round) {
      // the first rounds have no NaN, or few
      data x = random_data(info, 40 + random() % 300, round, round % 3);
      for (unsigned k = 0; k < round % 6; ++k)
        x.bits[random() % x.bits.size()] = special[random() % special.size()];
      expect_all_four(on, x, {1 + round % 2, round % 4 == 0 ? 64 : 32}, round % 5 % (16 / info.bytes));
    }
  });
}

/// Of equal elements the first counts, also of those that rank lowest or highest, which fill the lanes of no
/// element.
TEST_F(extremum, is_the_first_of_equal_elements) {
  for_each_type([](const element_info& info) {
    extremum_launcher on(2);
    const std::size_t pack = 16 / info.bytes;
    for (const std::uint64_t value : special_elements(info)) {
      for (const std::size_t n : {std::size_t{1}, 2 * pack + 1, 70 * pack + 1}) {
        const data x{info.type, std::vector<std::uint64_t>(n, value)};
        expect_all_four(on, x, {1 + static_cast<unsigned>(n % 3), 32}, value % pack);
      }
    }
  });
}

TEST_F(extremum, distinguishes_zeros_and_takes_the_first_nan) {
  for_each_type([](const element_info& info) {
    if (info.exponent_bits == 0) return;
    extremum_launcher on(3);
    const std::uint64_t sign = sign_of(info), infinity = infinity_of(info);
    const std::uint64_t canonical = core::nan_word(core::format_of(info.type));
    data zeros{info.type, std::vector<std::uint64_t>(100, sign)};
    zeros.bits[33] = zeros.bits[77] = 0;
    on.place(zeros, 0);
    EXPECT_EQ(on.packed(reduction::max, {1, 32}), 0U) << info.name;
    EXPECT_EQ(on.packed(reduction::argmax, {1, 32}), 33U) << info.name;
    EXPECT_EQ(on.packed(reduction::min, {1, 32}), sign) << info.name;
    EXPECT_EQ(on.packed(reduction::argmin, {1, 32}), 0U) << info.name;
    for (const std::uint64_t later :
         {infinity + 1, canonical, sign | (infinity + 1), sign | canonical, ones_of(info)}) {
      for (const std::uint64_t first : {infinity + 1, sign - 1, sign | canonical, ones_of(info)}) {
        data x = random_data(info, 600, 1);
        x.bits[5] = infinity, x.bits[6] = sign | infinity;
        x.bits[300] = first, x.bits[301] = x.bits[599] = later;
        on.place(x, 0);
        for (const reduction what : four) {
          EXPECT_EQ(on.packed(what, {2, 32}), gives_index(what) ? 300 : canonical) << info.name << ' ' << first;
        }
      }
    }
  });
}

/// Every batch has a higher rank than those before it.
TEST_F(extremum, is_found_in_data_that_ascend_or_descend) {
  for_each_type([](const element_info& info) {
    extremum_launcher on(5);
    const rank_rule rule = rank_rule_of(info.type, true);
    data x{info.type, std::vector<std::uint64_t>(2000)};
    for (const bool ascending : {false, true}) {
      for (std::size_t i = 0; i < x.bits.size(); ++i) {
        const std::uint64_t step = ascending ? i : x.bits.size() - 1 - i;
        x.bits[i] = element_below_nan(rule, info.bytes == 1 ? step / 8 : step);
      }
      expect_all_four(on, x, {1, 32});
      expect_all_four(on, x, {3, 64}, 1);
    }
  });
}

TEST_F(extremum, is_exchanged_between_more_blocks_than_a_warp_reads_at_once) {
  extremum_launcher on(6);
  const data wide = random_data(info_of(element_type::float64), 40000, 1, 500);
  expect_all_four(on, wide, {300, 32});
  const data narrow = random_data(info_of(element_type::int16), 80000, 2, 500);
  expect_all_four(on, narrow, {270, 32}, 3);
}

TEST_F(extremum, is_the_same_on_every_schedule) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    extremum_launcher on(seed);
    expect_all_four(on, random_data(info_of(element_type::float32), 2000, seed, 5), {4, 64}, seed % 4);
    expect_all_four(on, random_data(info_of(element_type::int64), 1000, seed, 5), {3, 96}, seed % 2);
  }
}

/// Flags wrap around after 2^32 launches: old messages must be gone before they repeat.
TEST_F(extremum, resets_its_state) {
  const data x = random_data(info_of(element_type::float64), 3000, 1),
             y = random_data(info_of(element_type::uint8), 900, 2);
  for (const wide_unsigned launches : {0ULL, 0xfffffffdULL, 0xfffffffeULL}) {
    extremum_launcher on(8);
    on.set_launches(launches);
    for (const unsigned blocks : {5U, 2U, 3U, 1U, 4U}) {
      expect_all_four(on, x, {blocks, 32});
      expect_all_four(on, y, {blocks, 32}, 3);
      EXPECT_EQ(on.state().tickets & ((1U << blocks_bits) - 1), 0U);
    }
  }
  extremum_launcher on(8);
  on.set_launches(0xfffffffe);
  on.place(x, 0);
  static_cast<void>(on.packed(reduction::argmin, {4, 32}));  // the launch of flag 2^32 − 1
  const extremum_state& state = on.state();
  EXPECT_EQ(state.tickets >> blocks_bits, wide_unsigned{1} << 32);
  for (unsigned block = 0; block < 4; ++block) {
    EXPECT_EQ(state.first[block].flag, 0U);
    EXPECT_EQ(state.second[block].flag, 0U);
  }
}

/// Each thread has a candidate: the best ones have indices that differ in their upper halves.
template <class Rank>
__global__ void exchange_candidates(extremum_state* state, std::uint64_t* result) {
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x,
                      threads = gridDim.x * blockDim.x;
  const Rank high = thread % 5 == 3 ? ~Rank{0} : ~Rank{0} - 1;
  extremum_candidate<Rank> best{high, (threads - thread) << 33 | thread};
  if (best_of_grid<true>(best, *state) && threadIdx.x == 0) result[0] = best.rank, result[1] = best.index;
}

template <class Rank>
void expect_exchange_of_wide_indices() {
  extremum_launcher on(4);
  gpu::buffer<std::uint64_t> result(on.stream(), 2);
  for (const grid shape : {grid{1, 32}, grid{1, 128}, grid{7, 64}}) {
    constexpr auto kernel = exchange_candidates<Rank>;
    gpu::launch(kernel, shape.blocks, shape.threads, 0, on.stream(), on.state_on_device(), result.data());
    std::uint64_t found[2];
    result.copy_to(found, 2);
    const std::uint64_t threads = shape.blocks * static_cast<unsigned>(shape.threads);
    std::uint64_t last = threads - 1;
    while (last % 5 != 3) --last;
    EXPECT_EQ(found[0], static_cast<std::uint64_t>(~Rank{0}));
    EXPECT_EQ(found[1], (threads - last) << 33 | last);
  }
}

TEST_F(extremum, is_exchanged_with_indices_of_more_than_32_bits) {
  expect_exchange_of_wide_indices<unsigned>();
  expect_exchange_of_wide_indices<std::uint64_t>();
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
