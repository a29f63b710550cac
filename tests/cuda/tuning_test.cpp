// Tests of the tuning tables in src/cuda/core/tuning.hpp and line_tuning.hpp, on the host: their rows, the row of
// each length, and the number of blocks. And of the quotients by which elements along axes are found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cuda/core/element_axes.hpp>
#include <cuda/core/line_tuning.hpp>
#include <cuda/core/tuning.hpp>
#include <exactdot/element.hpp>
#include <random>
#include <set>
#include <string>
#include <tuple>

namespace {

using namespace exactdot::cuda_engine;

/// Calls visit(name, rows, size of an element) for the tables of every element type and mode.
template <class Visit>
void for_each_table(Visit visit) {
  const auto visit_tables = [&]<class Element>(Element) {
    const std::string name(exactdot::name_of(exactdot::type_of<Element>));
    visit(name + ", exact", tuning<Element>::exact, sizeof(Element));
    visit(name + ", fast", tuning<Element>::fast, sizeof(Element));
    visit(name + ", exact, one input", tuning<Element>::exact_one_input, sizeof(Element));
    if constexpr (std::is_same_v<Element, float>) {
      visit(name + ", exact, wide", tuning<Element>::exact_wide, sizeof(Element));
      visit(name + ", exact, one input, wide", tuning<Element>::exact_one_input_wide, sizeof(Element));
    }
    visit(name + ", fast, one input", tuning<Element>::fast_one_input, sizeof(Element));
  };
  std::apply([&](auto... element) { (visit_tables(element), ...); }, std::tuple<float, double>{});
  visit("fast, extrema", extremum_rows, 1);
}

/// Sizes in bytes of inputs next to all powers of two and next to the limits of all rows.
template <class Rows>
std::set<std::size_t> sizes_near_limits(const Rows& rows, std::size_t element_size) {
  std::set<std::size_t> limits = {0};
  for (int exponent = 0; exponent < 48; ++exponent) limits.insert(element_size << exponent);
  for (const tuning_row& row : rows) {
    if (row.max_bytes != unlimited) limits.insert(row.max_bytes);
  }
  std::set<std::size_t> sizes;
  for (const std::size_t limit : limits) {
    for (const std::size_t elements : {limit / element_size, limit / element_size + 1}) {
      sizes.insert(elements * element_size);
    }
    if (limit >= element_size) sizes.insert(limit - element_size);
  }
  return sizes;
}

void expect_valid(const launch_config& config, const std::string& name) {
  EXPECT_EQ(config.threads % 32, 0) << name;
  EXPECT_GT(config.threads, 0) << name;
  EXPECT_LE(config.threads, 1024) << name;
  EXPECT_GT(config.in_flight, 0) << name;
  EXPECT_GT(config.blocks_per_multiprocessor, 0) << name;
  EXPECT_LE(config.cluster_blocks, static_cast<int>(max_cluster_blocks)) << name;
}

TEST(tuning, has_valid_launch_configurations) {
  for_each_table([](const std::string& name, const auto& rows, std::size_t) {
    for (const tuning_row& row : rows) expect_valid(row.config, name);
  });
  for (const auto& rows : {exact_converted, exact_converted_one_input}) {
    for (const tuning_row& row : rows) {
      expect_valid(row.config, "exact, converted");
      EXPECT_EQ(row.config.sums, compensated);
      EXPECT_EQ(row.config.in_flight % 2, 0) << "in_flight_of_converted assumes it";
    }
    EXPECT_EQ(rows.back().max_bytes, unlimited);
  }
  expect_valid(exact_any_config, "exact, any layout");
  expect_valid(fast_any_config, "fast, any layout");
  expect_valid(extremum_any_config, "extrema, any layout");
}

/// Plain sums of too many terms would leave the rounding open too often.
TEST(tuning, corrects_long_sums_and_compensates_all_results_of_more_bits_than_a_float) {
  for_each_table([](const std::string& name, const auto& rows, std::size_t size) {
    if (name.find("fast") != std::string::npos) return;
    const bool wide = size == sizeof(double) || name.find("wide") != std::string::npos;
    for (const tuning_row& row : rows) {
      const summation sums = row.config.sums;
      EXPECT_TRUE(sums == compensated || (!wide && (sums == grouped || row.max_bytes <= 32768 * kibi)))
          << name << ' ' << row.max_bytes;
    }
  });
  EXPECT_EQ(exact_any_config.sums, compensated);
}

TEST(tuning, orders_its_rows_by_max_bytes) {
  for_each_table([](const std::string& name, const auto& rows, std::size_t) {
    for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_LE(rows[i - 1].max_bytes, rows[i].max_bytes) << name;
  });
}

/// row_for has no bounds check: the last row has to fit for every length.
TEST(tuning, ends_with_a_row_for_every_length) {
  for_each_table([](const std::string& name, const auto& rows, std::size_t) {
    EXPECT_EQ(rows.back().max_bytes, unlimited) << name;
  });
}

TEST(row_for, returns_the_first_row_that_fits) {
  for_each_table([](const std::string& name, const auto& rows, std::size_t element_size) {
    std::size_t previous = 0;
    for (const std::size_t bytes : sizes_near_limits(rows, element_size)) {
      const auto fits = [&](const tuning_row& row) { return bytes <= row.max_bytes; };
      const std::size_t index = row_for(rows, bytes);
      ASSERT_LT(index, rows.size()) << name << ", " << bytes << " bytes";
      EXPECT_TRUE(fits(rows[index])) << name << ", " << bytes << " bytes";
      EXPECT_TRUE(std::none_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(index), fits))
          << name << ", " << bytes << " bytes";
      EXPECT_GE(index, previous) << name << ", " << bytes << " bytes";
      previous = index;
    }
  });
}

TEST(block_count, gives_every_block_work_within_the_limits) {
  constexpr launch_config config{128, 4, 2};
  static_assert(config.loads_of_block() == 512);
  EXPECT_EQ(block_count(config, 132, 0, 512, 1024), 1U);
  EXPECT_EQ(block_count(config, 132, 1, 512, 1024), 1U);
  EXPECT_EQ(block_count(config, 132, 512, 512, 1024), 1U);
  EXPECT_EQ(block_count(config, 132, 513, 512, 1024), 2U);
  EXPECT_EQ(block_count(config, 132, 264 * 512, 512, 1024), 264U);
  EXPECT_EQ(block_count(config, 132, 264 * 512 + 1, 512, 1024), 264U);  // 2 blocks of each multiprocessor
  EXPECT_EQ(block_count(config, 132, 264 * 512, 512, 100), 100U);
  EXPECT_EQ(block_count(config, 1, ~std::size_t{0}, 512, 1024), 2U);
}

template <class Rows>
void expect_line_rows(const Rows& rows) {
  std::size_t before = 0;
  for (const line_row& row : rows) {
    const line_config& config = row.config;
    EXPECT_GT(row.max_bytes, before);
    before = row.max_bytes;
    EXPECT_EQ(config.threads % 32, 0);
    EXPECT_LE(config.threads * config.resident, 2048);
    if (config.lanes > 32) {
      EXPECT_EQ(config.lanes, config.threads);
    } else {
      EXPECT_EQ(32 % config.lanes, 0);
      EXPECT_LT(row.max_bytes, std::size_t{1} << 30);  // kernels of short lines have 32-bit indices
    }
  }
  EXPECT_EQ(before, unlimited);
}

TEST(line_rows, cover_all_lengths) {
  expect_line_rows(line_rows);
  expect_line_rows(strided_line_rows);
  expect_line_rows(any_line_rows);
}

TEST(lines, are_vectors_one_after_the_other_if_they_are_few_and_long) {
  constexpr std::size_t mebi = std::size_t{1} << 20;
  EXPECT_TRUE(is_vector_by_vector(1, mebi, 132));
  EXPECT_TRUE(is_vector_by_vector(16, 16 * mebi, 132));
  EXPECT_FALSE(is_vector_by_vector(16, 16 * kibi, 132));
  EXPECT_FALSE(is_vector_by_vector(128, 2 * mebi, 132));
  EXPECT_FALSE(is_vector_by_vector(100000, 16 * mebi, 132));
  EXPECT_FALSE(is_vector_by_vector(1, 0, 132));
}

TEST(unit_shares, give_every_unit_to_one_block_and_no_block_more_than_one_more) {
  for (const std::uint64_t units : {1U, 2U, 5U, 264U, 1000U, 12345U}) {
    for (const unsigned most : {1U, 3U, 7U, 264U}) {
      const unit_shares shares{units, static_cast<unsigned>(std::min<std::uint64_t>(most, units))};
      EXPECT_EQ(shares.begin(0), 0U);
      EXPECT_EQ(shares.begin(shares.blocks), units);
      for (unsigned block = 0; block < shares.blocks; ++block) {
        const std::uint64_t first = shares.begin(block), end = shares.begin(block + 1);
        ASSERT_LT(first, end);
        EXPECT_LE(end - first, units / shares.blocks + 1);
        EXPECT_EQ(shares.block_of(first), block);
        EXPECT_EQ(shares.block_of(end - 1), block);
      }
    }
  }
}

TEST(segments, find_a_place_in_the_list_if_they_are_long) {
  for (const std::size_t count : {1U, 100U, 100000U, 1U << 30}) {
    for (const std::uint64_t n : {0ULL, 1ULL, 5000ULL, 1ULL << 25, 1ULL << 38}) {
      for (const std::size_t size : {1U, 4U, 8U}) {
        const split_plan plan = plan_of_segments(count, n, size, 2112);
        EXPECT_LE(n / (plan.long_from + 1), max_long_lines / 2);
        EXPECT_LT(units_of(plan, n) * max_long_lines, std::uint64_t{1} << (64 - listed_bits));
        EXPECT_GE(plan.most_of_warp, plan.long_from);
        // wrong offsets: 32 segments that are the whole vector; they are listed only if the kernel of the list
        // follows
        EXPECT_TRUE(n > plan.long_from || 32 * n <= plan.most_of_warp);
        EXPECT_TRUE(plan.of_warp >= 1 && plan.of_warp <= 32);
      }
    }
  }
}

TEST(rows, are_split_if_whole_ones_leave_multiprocessors_idle) {
  constexpr std::size_t mebi = std::size_t{1} << 20;
  constexpr row_reading words = row_reading::words;
  EXPECT_TRUE(splits_rows(16, 8 * mebi, 132, false, words));
  EXPECT_TRUE(splits_rows(140, 8 * mebi, 132, false, words));
  EXPECT_FALSE(splits_rows(128, mebi, 132, false, words));      // as good as whole
  EXPECT_FALSE(splits_rows(16, 80 * kibi, 132, false, words));  // too little
  EXPECT_FALSE(splits_rows(100000, mebi, 132, false, words));
  EXPECT_TRUE(splits_rows(1024, 128 * kibi, 132, true, words));
  EXPECT_FALSE(splits_rows(100000, 64 * kibi, 132, true, words));
  EXPECT_FALSE(splits_rows(64, mebi, 132, false, words));  // half the multiprocessors read as fast as all
  EXPECT_TRUE(splits_rows(64, mebi, 132, false, row_reading::packs));    // they convert
  EXPECT_TRUE(splits_rows(64, mebi, 132, false, row_reading::narrow_elements));
  EXPECT_FALSE(splits_rows(128, mebi, 132, false, row_reading::narrow_elements));
}

TEST(columns, are_split_if_they_are_few_and_long) {
  constexpr std::array kinds = {
      columns_of_sums<1, 1, input_layout::strided>(), columns_of_sums<1, 2, input_layout::converted>(),
      columns_of_sums<2, 1, input_layout::converted>(), columns_of_extrema<8, input_layout::any>(),
      columns_of_extrema<1, input_layout::contiguous>()};
  for (const column_config& of_thread : kinds) {
    const bool adds_up = of_thread.resident == 2;
    const auto config_of = [&](std::size_t count, std::size_t rows, int multiprocessors) {
      return panel_for(of_thread, count, rows, multiprocessors, adds_up);
    };
    const auto parts_of = [&](std::size_t count, std::size_t rows, int multiprocessors = 132) {
      const panel_config config = config_of(count, rows, multiprocessors);
      const std::size_t most = max_partials / static_cast<std::size_t>(config.columns());
      return parts_of_columns(config, count, rows, multiprocessors, std::min<std::size_t>(most, max_split_blocks));
    };
    EXPECT_GT(parts_of(32, 1 << 20), 1U);
    EXPECT_GT(parts_of(3, 5000), 1U);
    EXPECT_EQ(parts_of(32, 1000), 1U);
    EXPECT_EQ(parts_of(1000000, 1 << 20), 1U);
    for (const int multiprocessors : {1, 16, 132, 1000}) {
      for (std::size_t count = 1; count < 20000; count += 1 + count / 3) {
        // so that no two panels share a counter or a partial result
        const auto columns = static_cast<std::size_t>(config_of(count, 1 << 20, multiprocessors).columns());
        const std::size_t all = (count + columns - 1) / columns, parts = parts_of(count, 1 << 20, multiprocessors);
        ASSERT_GE(parts, 1U);
        if (parts == 1) continue;
        EXPECT_LE(all, max_split_blocks) << count;
        EXPECT_LE(all * parts * columns, max_partials) << count;
      }
    }
  }
}

TEST(element_axes, are_found_by_exact_quotients) {
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < 20000; ++i) {
    const std::uint64_t any = i < 300 ? i : random() >> (2 + random() % 62);
    const std::uint64_t d = std::clamp<std::uint64_t>(any, 2, std::uint64_t{1} << 62);
    const fixed_divisor by(d);
    ASSERT_EQ(by.value(), d);
    const std::uint64_t some = random() >> (1 + random() % 63), multiple = some / d * d;
    for (const std::uint64_t n :
         {std::uint64_t{0}, some, multiple, multiple - (multiple != 0), d - 1, (std::uint64_t{1} << 63) - 1}) {
      ASSERT_EQ(by.quotient(n), n / d) << n << " by " << d;
    }
  }
}

}  // namespace
