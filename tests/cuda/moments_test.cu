// The kernel of variances, on the simulator or on a GPU: it stores the exact result or nothing, and nearly always
// stores it. exactdot::variance on the CPU is the reference (its own oracle: tests/table).
//
// Sabotage: with bounds of zero, some of the results that it stores must be wrong, else the bounds prove nothing
// here.
// clang-format off: on the simulator the next header defines what the kernels are written with
#include <exactdot/simt/cuda.hpp>
// clang-format on

#include <gtest/gtest.h>

#include <cuda/shape/moments_vector.cuh>
#include <exactdot/reductions.hpp>
#include <limits>
#include <random>
#include <vector>

#include "backend.cuh"
#include "missing_gpu.cuh"

namespace {

using namespace exactdot::cuda_engine;
namespace core = exactdot::core;
namespace gpu = exactdot::gpu;

struct found {
  bool stored;
  double value;
};

struct settings {
  unsigned blocks = 3;
  bool without_bounds = false;
  core::finish finish = core::finish::variance;
};

class moments : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_gpu(); !reason.empty()) GTEST_SKIP() << reason;
  }

  /// A result of type double, by the kernel alone.
  template <class T, summation sums>
  static found run(const std::vector<T>& x, std::uint64_t ddof, const settings& how = {}) {
    gpu::stream stream;
    choose_schedule(stream, static_cast<unsigned>(x.size()));
    gpu::buffer<moments_state> state(stream, 1);
    state.fill_zero();
    return run_on<T, sums>(stream, state, x, ddof, how);
  }

  template <class T, summation sums>
  static found run_on(gpu::stream& stream, gpu::buffer<moments_state>& state, const std::vector<T>& x,
                      std::uint64_t ddof, const settings& how = {}) {
    gpu::buffer<T> input(stream, x.size());
    gpu::buffer<double> result(stream, 1);
    input.copy_from(x.data(), x.size());
    result.fill_zero();
    constexpr int threads = 256, in_flight = 4;
    const sum_shape shape{x.size(), how.blocks, threads, in_flight,
                          bounded_thread_sum<T, core::value, sums>::accumulators};
    error_bound of_values = bound_of(shape, sums, false);
    error_bound of_squares = bound_of(shape, sums, core::streams_of<core::square, T> == 2);
    if (how.without_bounds) of_values = of_squares = {0, 0};
    destination to = value_at(result.data());
    to.rule = {how.finish, core::format<double>::number};
    to.count = x.size();
    constexpr auto kernel = moments_kernel<T, input_layout::contiguous, threads, in_flight, sums>;
    gpu::launch(kernel, how.blocks, threads, 0, stream,
                operands<T, input_layout::contiguous>(input.data(), nullptr, x.size()), of_values, of_squares,
                static_cast<double>(ddof), state.data(), to);
    moments_state after{};
    double value = 0;
    state.copy_to(&after, 1), result.copy_to(&value, 1);
    EXPECT_EQ(after.finished, 0U);
    if constexpr (has_schedules<gpu::stream>) {
      for (const std::string& finding : gpu::findings(stream)) ADD_FAILURE() << finding;
    }
    return {after.decided == 1, value};
  }

  template <class T>
  static std::vector<T> uniform(std::size_t n, double low, double high, unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> values(low, high);
    std::vector<T> x(n);
    for (T& each : x) each = static_cast<T>(values(random));
    return x;
  }
};

TEST_F(moments, are_those_of_the_cpu_and_nearly_always_decided) {
  int stored = 0, all = 0;
  for (const std::size_t n : {2U, 31U, 1000U, 5001U}) {
    for (const unsigned blocks : {1U, n == 1000 ? 35U : 2U}) {
      for (const std::uint64_t ddof : {0U, 1U}) {
        const settings how{.blocks = blocks};
        const auto a = uniform<float>(n, -1, 3, static_cast<unsigned>(n));
        const auto b = uniform<double>(n, -1, 3, static_cast<unsigned>(n));
        for (const auto& [result, expected] :
             {std::pair{run<float, compensated>(a, ddof, how), exactdot::variance<double>(a, ddof)},
              std::pair{run<double, compensated>(b, ddof, how), exactdot::variance<double>(b, ddof)}}) {
          ++all;
          if (!result.stored) continue;
          ++stored;
          ASSERT_EQ(result.value, expected) << n << " elements, " << blocks << " blocks";
        }
      }
    }
  }
  EXPECT_GE(stored, all - 2);
}

TEST_F(moments, deviations_too) {
  const auto x = uniform<double>(5000, 10, 11, 3);
  const found result = run<double, compensated>(x, 1, {.finish = core::finish::deviation});
  ASSERT_TRUE(result.stored);
  EXPECT_EQ(result.value, exactdot::stddev<double>(x, 1));
}

TEST_F(moments, stores_nothing_where_the_bounds_do_not_hold) {
  const double infinite = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<double>> undecided = {
      {1, infinite, 2},       {1, std::numeric_limits<double>::quiet_NaN()},
      {1e300, 2e300},         {1e-300, 3e-300},
      {5, 5, 5, 5 + 0x1p-50}, {7}};
  for (const auto& x : undecided) {
    const found result = run<double, compensated>(x, x.size() == 1 ? 1 : 0);
    if (result.stored) {
      EXPECT_EQ(result.value, exactdot::variance<double>(x, 0)) << x[0];
    }
  }
  EXPECT_FALSE((run<double, compensated>(undecided[0], 0).stored));
  EXPECT_FALSE((run<double, compensated>(undecided[1], 0).stored));
  EXPECT_FALSE((run<double, compensated>(undecided[5], 1).stored));  // no degree of freedom
}

TEST_F(moments, say_of_every_launch_whether_it_is_decided) {
  gpu::stream stream;
  gpu::buffer<moments_state> state(stream, 1);
  state.fill_zero();
  const std::vector<double> decided = {1, 2, 4}, undecided = {1, std::numeric_limits<double>::infinity()};
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE((run_on<double, compensated>(stream, state, decided, 0).stored));
    EXPECT_FALSE((run_on<double, compensated>(stream, state, undecided, 0).stored));
  }
}

TEST_F(moments, need_their_bounds) {
  int wrong_without_bounds = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const auto x = uniform<float>(1500, 0, 1000, seed);  // results of 53 bits from plain sums of 53 bits
    const double expected = exactdot::variance<double>(x, 0);
    const found bounded = run<float, plain>(x, 0);
    if (bounded.stored) {
      ASSERT_EQ(bounded.value, expected) << seed;
    }
    const found unbounded = run<float, plain>(x, 0, {.without_bounds = true});
    if (unbounded.stored && unbounded.value != expected) ++wrong_without_bounds;
  }
  EXPECT_GT(wrong_without_bounds, 0);
}

}  // namespace
