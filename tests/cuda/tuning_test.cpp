// Tests of the tuning table in src/cuda/tuning.hpp, on the host: its rows, and the row of each length and GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cuda/tuning.hpp>
#include <exactdot/element.hpp>
#include <set>
#include <string>
#include <tuple>

namespace {

using namespace exactdot::cuda_engine;

constexpr std::array capabilities = {80, 86, 89, 90, 100, 120};

/// Calls visit(name, rows, size of an element) for the tables of every element type and mode.
template <class Visit>
void for_each_table(Visit visit) {
  const auto visit_tables = [&]<class Element>(Element) {
    const std::string name(exactdot::name_of(exactdot::type_of<Element>));
    visit(name + ", exact", tuning<Element>::exact, sizeof(Element));
    visit(name + ", fast", tuning<Element>::fast, sizeof(Element));
    visit(name + ", exact, one input", tuning<Element>::exact_one_input, sizeof(Element));
    visit(name + ", fast, one input", tuning<Element>::fast_one_input, sizeof(Element));
  };
  std::apply([&](auto... element) { (visit_tables(element), ...); }, std::tuple<float, double>{});
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
}

TEST(tuning, has_valid_launch_configurations) {
  for_each_table([](const std::string& name, const auto& rows, std::size_t) {
    for (const tuning_row& row : rows) expect_valid(row.config, name);
  });
  expect_valid(exact_any_config, "exact, any layout");
  expect_valid(fast_any_config, "fast, any layout");
}

TEST(tuning, launches_at_most_one_exact_block_per_multiprocessor) {
  const auto expect_one_block = [](const auto& rows) {
    for (const tuning_row& row : rows) EXPECT_EQ(row.config.blocks_per_multiprocessor, 1) << row.max_bytes;
  };
  expect_one_block(tuning<float>::exact);
  expect_one_block(tuning<double>::exact);
  EXPECT_EQ(exact_any_config.blocks_per_multiprocessor, 1);
}

TEST(tuning, orders_its_rows_by_max_bytes) {
  for_each_table([](const std::string& name, const auto& rows, std::size_t) {
    for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_LE(rows[i - 1].max_bytes, rows[i].max_bytes) << name;
  });
}

/// row_for has no bounds check: the last row has to fit for every length and every GPU.
TEST(tuning, ends_with_a_row_for_every_length_and_gpu) {
  for_each_table([](const std::string& name, const auto& rows, std::size_t) {
    EXPECT_EQ(rows.back().max_bytes, unlimited) << name;
    EXPECT_TRUE(rows.back().few_fp64_units) << name;
  });
}

TEST(row_for, returns_the_first_row_that_fits) {
  for_each_table([](const std::string& name, const auto& rows, std::size_t element_size) {
    for (const int capability : capabilities) {
      std::size_t previous = 0;
      for (const std::size_t bytes : sizes_near_limits(rows, element_size)) {
        const auto fits = [&](const tuning_row& row) {
          return bytes <= row.max_bytes && (row.few_fp64_units || !has_few_fp64_units(capability));
        };
        const std::size_t index = row_for(rows, capability, bytes);
        ASSERT_LT(index, rows.size()) << name << ", " << capability << ", " << bytes << " bytes";
        EXPECT_TRUE(fits(rows[index])) << name << ", " << capability << ", " << bytes << " bytes";
        EXPECT_TRUE(std::none_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(index), fits))
            << name << ", " << capability << ", " << bytes << " bytes";
        EXPECT_GE(index, previous) << name << ", " << capability << ", " << bytes << " bytes";
        previous = index;
      }
    }
  });
}

TEST(has_few_fp64_units, distinguishes_the_gpus_of_data_centres) {
  for (const int capability : {80, 90, 100}) EXPECT_FALSE(has_few_fp64_units(capability)) << capability;
  for (const int capability : {86, 89, 120}) EXPECT_TRUE(has_few_fp64_units(capability)) << capability;
}

}  // namespace
