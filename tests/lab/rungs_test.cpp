// The rungs of the ladder on the simulator: each keeps its registered promises, and no correct rung causes a
// finding.
//
// Results on integer data with representable partial sums must be exact for any length, block and grid. Results on
// real data must be within the bound for the rung's number of roundings (N. J. Higham, "Accuracy and Stability of
// Numerical Algorithms", 2nd ed., 2002, §4.2).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <exactdot/dot.hpp>
#include <exactdot/simt/on_cpu.hpp>
#include <io/data_source.hpp>
#include <lab/registry.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "oracle/cases.hpp"

namespace {

using namespace exactdot::lab;
namespace simt = exactdot::simt;

template <class T>
struct vectors {
  std::vector<T> a, b;
};

template <class T>
vectors<T> integers(std::size_t n) {
  vectors<T> data{std::vector<T>(n), std::vector<T>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    data.a[i] = static_cast<T>(static_cast<int>(i * 7 % 13) - 6);
    data.b[i] = static_cast<T>(static_cast<int>(i * 5 % 11) - 4);
  }
  return data;
}

template <class T>
vectors<T> uniform(std::size_t n) {
  vectors<T> data{std::vector<T>(n), std::vector<T>(n)};
  exactdot::io::data_source<T> source({.n = n});
  source.next(data.a, data.b);
  return data;
}

template <class T>
T run(const rung& tested, simt::stream& stream, const vectors<T>& data, operation op = operation::sum,
      unsigned block = 0, unsigned grid = 0) {
  const std::size_t n = data.a.size();
  simt::buffer<T> a(stream, n), b(stream, n);
  a.copy_from(data.a.data(), n);
  b.copy_from(data.b.data(), n);
  const launch_config config =
      choose_launch_config(tested.info, n, block, grid, static_cast<unsigned>(stream.multiprocessors()));
  const auto prepared = tested.prepare(rung_input<T>{&stream, a.data(), b.data(), op, config});
  prepared->launch();
  return prepared->result();
}

std::string faults_of(const simt::stream& stream) {
  std::string text;
  for (const simt::fault& fault : stream.faults()) text += fault.text() + "\n";
  for (const simt::fault& note : stream.notes()) text += "note: " + note.text() + "\n";
  return text;
}

std::vector<rung> correct_rungs() {
  std::vector<rung> rungs;
  for (const rung& tested : ladder(backend::simt)) {
    if (!tested.info.wrong_on_purpose && tested.target == backend::simt) rungs.push_back(tested);
  }
  return rungs;
}

constexpr simt::execution models[] = {simt::execution::independent, simt::execution::lock_step};

template <class T>
class rungs : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(rungs, element_types);

TYPED_TEST(rungs, are_exact_on_integers_at_any_length_block_and_grid) {
  const int models_each = std::min(2, oracle::scaled(2));  // 1: the models alternate
  std::size_t model = 0;
  for (const rung& tested : correct_rungs()) {
    for (const std::size_t n : {0, 1, 2, 31, 32, 33, 255, 256, 257, 1000, 4099}) {
      const auto data = integers<TypeParam>(n);
      const TypeParam expected = exactdot::dot(data.a, data.b);
      for (const unsigned block : {0U, 8U, 64U, 1024U}) {
        for (const unsigned grid : {0U, 1U, 3U}) {
          if (block == 1024 && n != 4099) continue;
          if (block != 0 && !block_size_error(tested.info, block).empty()) continue;
          for (int i = 0; i < models_each; ++i) {
            simt::stream stream({.model = models[model++ % 2]});
            EXPECT_EQ(run(tested, stream, data, operation::sum, block, grid), expected)
                << tested.info.name << ", n " << n << ", block " << block << ", grid " << grid;
            EXPECT_EQ(faults_of(stream), "") << tested.info.name << ", n " << n;
          }
        }
      }
    }
  }
}

TYPED_TEST(rungs, cause_no_finding_for_fifty_seeds_and_return_the_promised_bits) {
  const auto data = uniform<TypeParam>(1000);
  const auto seeds = static_cast<std::uint64_t>(oracle::scaled(50));
  for (const rung& tested : correct_rungs()) {
    std::set<TypeParam> results;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      simt::stream stream({.seed = seed, .model = models[seed % 2]});
      results.insert(run(tested, stream, data));
      ASSERT_EQ(faults_of(stream), "") << tested.info.name << ", seed " << seed;
    }
    if (tested.info.same_bits != determinism::none) {
      EXPECT_EQ(results.size(), 1U) << tested.info.name;
    }
  }
}

TYPED_TEST(rungs, stay_within_the_bound_of_their_roundings) {
  const auto data = uniform<TypeParam>(3000);
  const double exact = exactdot::dot<double>(data.a, data.b);
  double magnitude = 0;
  for (std::size_t i = 0; i < data.a.size(); ++i)
    magnitude += std::abs(static_cast<double>(data.a[i]) * static_cast<double>(data.b[i]));
  const double u = std::numeric_limits<TypeParam>::epsilon() / 2;
  for (const rung& tested : correct_rungs()) {
    simt::stream stream;
    const double result = run(tested, stream, data);
    const launch_config config =
        choose_launch_config(tested.info, data.a.size(), 0, 0, static_cast<unsigned>(stream.multiprocessors()));
    if (tested.info.error == error_rule::correctly_rounded) {
      EXPECT_EQ(result, exactdot::dot<TypeParam>(data.a, data.b)) << tested.info.name;
      continue;
    }
    ASSERT_NE(tested.info.roundings, nullptr) << tested.info.name;
    const double k = 2 + static_cast<double>(tested.info.roundings(config));
    const bool within = std::abs(result - exact) <= k * u / (1 - k * u) * magnitude;  // false for NaN
    EXPECT_TRUE(within) << tested.info.name << ": " << result << " for " << exact;
  }
}

TYPED_TEST(rungs, support_every_operation_that_they_are_registered_for) {
  const auto data = uniform<TypeParam>(777);
  TypeParam minimum = data.a[0] * data.b[0], maximum = minimum, magnitude = 0;
  for (std::size_t i = 0; i < data.a.size(); ++i) {
    const TypeParam x = data.a[i] * data.b[i];
    minimum = std::min(minimum, x), maximum = std::max(maximum, x), magnitude = std::max(magnitude, std::abs(x));
  }
  int with_operations = 0;
  for (const rung& tested : correct_rungs()) {
    if (!tested.info.any_operation) continue;
    ++with_operations;
    simt::stream stream;
    EXPECT_EQ(run(tested, stream, data, operation::min), minimum) << tested.info.name;
    EXPECT_EQ(run(tested, stream, data, operation::max), maximum) << tested.info.name;
    EXPECT_EQ(run(tested, stream, data, operation::absmax), magnitude) << tested.info.name;
    vectors<TypeParam> twos{std::vector<TypeParam>(60, 2), std::vector<TypeParam>(60, 1)};
    EXPECT_EQ(run(tested, stream, twos, operation::product), static_cast<TypeParam>(0x1p60)) << tested.info.name;
    EXPECT_EQ(faults_of(stream), "") << tested.info.name;
  }
  EXPECT_GE(with_operations, 7);
}

/// The report shows the registered number on a GPU, which does not count atomics. Rungs that wait for a lock or for
/// other blocks may use more.
TYPED_TEST(rungs, use_the_registered_number_of_atomics) {
  for (const rung& tested : correct_rungs()) {
    for (const std::size_t n : {1000, 4099}) {
      const auto data = integers<TypeParam>(n);
      simt::stream stream;
      static_cast<void>(run(tested, stream, data));
      const launch_config config =
          choose_launch_config(tested.info, n, 0, 0, static_cast<unsigned>(stream.multiprocessors()));
      const std::uint64_t promised = tested.info.atomics != nullptr ? tested.info.atomics(config) : 0;
      if (tested.info.name == std::string_view("lock_per_block") || tested.info.name == std::string_view("exact")) {
        EXPECT_GE(stream.counted().atomics, promised) << "n " << n;
      } else {
        EXPECT_EQ(stream.counted().atomics, promised) << tested.info.name << ", n " << n;
      }
    }
  }
}

using numbered = std::vector<std::pair<int, std::string>>;

numbered names_of(const std::vector<rung>& rungs) {
  numbered names;
  for (const rung& tested : rungs) names.emplace_back(tested.info.number, tested.info.name);
  return names;
}

TEST(ladder, has_its_rungs_in_order) {
  numbered all{{0, "cpu_loop"},
               {0, "cpu_loop_double"},
               {1, "racy"},
               {2, "atomic_per_element"},
               {3, "lock_per_block"},
               {4, "products_host_sum"},
               {5, "partial_per_thread"},
               {6, "shared_atomic"},
               {7, "shared_host_sum"},
               {8, "interleaved"},
               {9, "shared_then_shuffle"},
               {10, "shuffle_per_warp"},
               {11, "shuffle_block"},
               {12, "two_phase"},
               {13, "vectorized"},
               {14, "optimized"},
               {15, "single_pass"},
               {16, "double_accumulator"},
               {17, "kahan"},
               {17, "neumaier"},
               {18, "cub"},
               {18, "cublas"},
               {19, "fast"},
               {20, "exact"}};
  const numbered on_gpu = names_of(ladder(backend::cuda));  // without a CUDA compiler only the host rungs
  EXPECT_TRUE(on_gpu == all || on_gpu.size() == 2U);
  std::erase_if(all, [](const auto& entry) { return entry.first == 18; });
  EXPECT_EQ(names_of(ladder(backend::simt)), all);
}

TEST(ladder, the_racy_rung_loses_updates_and_its_race_is_reported) {
  for (const rung& tested : ladder(backend::simt)) {
    if (!tested.info.wrong_on_purpose) continue;
    simt::stream stream;
    const vectors<float> ones{std::vector<float>(5000, 1), std::vector<float>(5000, 1)};
    EXPECT_LT(run(tested, stream, ones), 4500.0F);
    EXPECT_TRUE(stream.has(simt::fault_kind::data_race));
  }
}

}  // namespace
