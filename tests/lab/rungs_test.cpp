// The rungs of the ladder on the simulator: each keeps what it enlists with, and no correct one has a fault.
//
// Integer-valued data, whose partial sums are all representable, must come out to the bit at any length, block and
// grid; real-valued data within the bound that the rung's number of roundings gives (N. J. Higham, "Accuracy and
// Stability of Numerical Algorithms", 2nd ed., 2002, §4.2).
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
T run(const rung& one, simt::stream& on, const vectors<T>& data, operation op = operation::sum, unsigned block = 0,
      unsigned grid = 0) {
  const std::size_t n = data.a.size();
  simt::buffer<T> a(on, n), b(on, n);
  a.copy_from(data.a.data(), n);
  b.copy_from(data.b.data(), n);
  const shape size = choose_shape(one.info, n, block, grid, static_cast<unsigned>(on.multiprocessors()));
  const auto attempt = one.start(task<T>{&on, a.data(), b.data(), op, size});
  attempt->launch();
  return attempt->result();
}

std::string faults_of(const simt::stream& on) {
  std::string text;
  for (const simt::fault& one : on.faults()) text += one.text() + "\n";
  return text;
}

std::vector<rung> correct_rungs() {
  std::vector<rung> rungs;
  for (const rung& one : ladder(world::simt)) {
    if (!one.info.wrong_on_purpose && one.where == world::simt) rungs.push_back(one);
  }
  return rungs;
}

constexpr simt::execution models[] = {simt::execution::independent, simt::execution::lock_step};

template <class T>
class rungs : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(rungs, element_types);

TYPED_TEST(rungs, are_exact_on_integers_at_any_length_block_and_grid) {
  const int models_each = std::min(2, oracle::scaled(2));  // one in turn where few cases are asked for
  std::size_t turn = 0;
  for (const rung& one : correct_rungs()) {
    for (const std::size_t n : {0, 1, 2, 31, 32, 33, 255, 256, 257, 1000, 4099}) {
      const auto data = integers<TypeParam>(n);
      const TypeParam expected = exactdot::dot(data.a, data.b);
      for (const unsigned block : {0U, 64U, 1024U}) {
        for (const unsigned grid : {0U, 1U, 3U}) {
          if (block == 1024 && n != 4099) continue;
          if (block != 0 && !refusal(one.info, block).empty()) continue;
          for (int i = 0; i < models_each; ++i) {
            simt::stream on({.model = models[turn++ % 2]});
            EXPECT_EQ(run(one, on, data, operation::sum, block, grid), expected)
                << one.info.name << ", n " << n << ", block " << block << ", grid " << grid;
            EXPECT_EQ(faults_of(on), "") << one.info.name << ", n " << n;
          }
        }
      }
    }
  }
}

TYPED_TEST(rungs, have_no_fault_over_fifty_seeds_and_keep_their_promise_of_the_same_bits) {
  const auto data = uniform<TypeParam>(1000);
  const auto seeds = static_cast<std::uint64_t>(oracle::scaled(50));
  for (const rung& one : correct_rungs()) {
    std::set<TypeParam> results;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      simt::stream on({.seed = seed, .model = models[seed % 2]});
      results.insert(run(one, on, data));
      ASSERT_EQ(faults_of(on), "") << one.info.name << ", seed " << seed;
    }
    if (one.info.same_bits != determinism::none) {
      EXPECT_EQ(results.size(), 1U) << one.info.name;
    }
  }
}

TYPED_TEST(rungs, stay_within_the_bound_of_their_roundings) {
  const auto data = uniform<TypeParam>(3000);
  const double exact = exactdot::dot<double>(data.a, data.b);
  double size = 0;
  for (std::size_t i = 0; i < data.a.size(); ++i)
    size += std::abs(static_cast<double>(data.a[i]) * static_cast<double>(data.b[i]));
  const double u = std::numeric_limits<TypeParam>::epsilon() / 2;
  for (const rung& one : correct_rungs()) {
    simt::stream on;
    const double result = run(one, on, data);
    const shape launch = choose_shape(one.info, data.a.size(), 0, 0, static_cast<unsigned>(on.multiprocessors()));
    if (one.info.error == error_rule::correctly_rounded) {
      EXPECT_EQ(result, exactdot::dot<TypeParam>(data.a, data.b)) << one.info.name;
      continue;
    }
    ASSERT_NE(one.info.roundings, nullptr) << one.info.name;
    const double k = 2 + static_cast<double>(one.info.roundings(launch));
    const bool within = std::abs(result - exact) <= k * u / (1 - k * u) * size;  // false for NaN
    EXPECT_TRUE(within) << one.info.name << ": " << result << " for " << exact;
  }
}

TYPED_TEST(rungs, take_every_operation_that_they_enlist_for) {
  const auto data = uniform<TypeParam>(777);
  TypeParam least = data.a[0] * data.b[0], most = least, magnitude = 0;
  for (std::size_t i = 0; i < data.a.size(); ++i) {
    const TypeParam x = data.a[i] * data.b[i];
    least = std::min(least, x), most = std::max(most, x), magnitude = std::max(magnitude, std::abs(x));
  }
  int with_operations = 0;
  for (const rung& one : correct_rungs()) {
    if (!one.info.any_operation) continue;
    ++with_operations;
    simt::stream on;
    EXPECT_EQ(run(one, on, data, operation::min), least) << one.info.name;
    EXPECT_EQ(run(one, on, data, operation::max), most) << one.info.name;
    EXPECT_EQ(run(one, on, data, operation::absmax), magnitude) << one.info.name;
    vectors<TypeParam> twos{std::vector<TypeParam>(60, 2), std::vector<TypeParam>(60, 1)};
    EXPECT_EQ(run(one, on, twos, operation::product), static_cast<TypeParam>(0x1p60)) << one.info.name;
    EXPECT_EQ(faults_of(on), "") << one.info.name;
  }
  EXPECT_GE(with_operations, 7);
}

/// What a GPU's tables show, which counts none itself. Who waits for another takes more: for a lock, for mail.
TYPED_TEST(rungs, take_as_many_atomics_as_they_say) {
  for (const rung& one : correct_rungs()) {
    for (const std::size_t n : {1000, 4099}) {
      const auto data = integers<TypeParam>(n);
      simt::stream on;
      static_cast<void>(run(one, on, data));
      const shape size = choose_shape(one.info, n, 0, 0, static_cast<unsigned>(on.multiprocessors()));
      const std::uint64_t said = one.info.atomics != nullptr ? one.info.atomics(size) : 0;
      if (one.info.name == std::string_view("lock_per_block") || one.info.name == std::string_view("exact")) {
        EXPECT_GE(on.counted().atomics, said) << "n " << n;
      } else {
        EXPECT_EQ(on.counted().atomics, said) << one.info.name << ", n " << n;
      }
    }
  }
}

using numbered = std::vector<std::pair<int, std::string>>;

numbered names_of(const std::vector<rung>& rungs) {
  numbered names;
  for (const rung& one : rungs) names.emplace_back(one.info.number, one.info.name);
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
  const numbered of_a_gpu = names_of(ladder(world::cuda));  // those of the host alone without a CUDA compiler
  EXPECT_TRUE(of_a_gpu == all || of_a_gpu.size() == 2U);
  std::erase_if(all, [](const auto& one) { return one.first == 18; });
  EXPECT_EQ(names_of(ladder(world::simt)), all);
}

TEST(ladder, the_racy_rung_loses_updates_and_its_race_is_named) {
  for (const rung& one : ladder(world::simt)) {
    if (!one.info.wrong_on_purpose) continue;
    simt::stream on;
    const vectors<float> ones{std::vector<float>(5000, 1), std::vector<float>(5000, 1)};
    EXPECT_LT(run(one, on, ones), 4500.0F);
    EXPECT_TRUE(on.has(simt::fault_kind::data_race));
  }
}

}  // namespace
