// The exercise of docs/contributing.md: Σ|aᵢ·bᵢ| from one struct and one line, on the CPU and on the simulator.
//
// Compiled against a copy of the library's sources to which the document's fences have been applied.
#include <gtest/gtest.h>

#include <cuda/shape/exact_vector.cuh>
#include <cuda/sum/second_level_code.cuh>
#include <exactdot/core/reduction.hpp>
#include <exactdot/exactdot.hpp>

#include "oracle/cases.hpp"

namespace {

using namespace exactdot;
namespace engine = exactdot::cuda_engine;

template <class T>
oracle::vectors<T> magnitudes(oracle::vectors<T> v) {
  for (T& x : v.a) x = std::abs(x);
  for (T& y : v.b) y = std::abs(y);
  return v;
}

template <class T>
class exercise : public testing::Test {};
using tested_types = testing::Types<float, double>;
TYPED_TEST_SUITE(exercise, tested_types);

template <class R, class T>
R on_cpu(const oracle::vectors<T>& v, const options& options) {
  return detail::from_word<R>(detail::reduce_to_bits(reduction::absolute_dot, to_any(v.a), to_any(v.b), type_of<R>, options));
}

TYPED_TEST(exercise, sums_magnitudes_on_the_cpu) {
  using T = TypeParam;
  const std::array<std::size_t, 6> lengths = {0, 1, 17, 1000, 4097, 70001};
  oracle::for_each_case<T>(
      lengths, 1,
      [](const oracle::test_case<T>& given) {
        const oracle::checker<T> check(magnitudes(given.check.data()));
        const auto& v = given.check.data();
        const auto by = [&](mode mode, int threads) {
          return [&, mode, threads](const T*, const T*, std::size_t) {
            return on_cpu<T>(v, {.mode = mode, .threads = threads});
          };
        };
        EXPECT_EQ(check.template exact_fault<T>(by(mode::exact, 1)), "") << given.name;
        EXPECT_EQ(check.template exact_fault<T>(by(mode::exact, 3)), "") << given.name;
        EXPECT_EQ(check.template fast_fault<T>(by(mode::fast, 2)), "") << given.name;
      },
      testing::Test::HasFailure);
}

TYPED_TEST(exercise, sums_magnitudes_in_the_gpu_kernel) {
  using T = TypeParam;
  constexpr auto layout = engine::input_layout::contiguous;
  const std::array<std::size_t, 2> lengths = {3, 700};
  oracle::for_each_case<T>(
      lengths, 1,
      [](const oracle::test_case<T>& given) {
        const auto& v = given.check.data();
        gpu::stream stream;
        gpu::buffer<T> a(stream, v.size() + 1), b(stream, v.size() + 1), result(stream, 1);
        gpu::buffer<engine::device_state> state(stream, 1);
        a.copy_from(v.a.data(), v.size()), b.copy_from(v.b.data(), v.size()), state.fill_zero();
        const engine::operands<T, layout> inputs{a.data(), b.data(), v.size()};
        using thread_sums = engine::bounded_thread_sum<T, core::absolute_product, engine::compensated>;
        const engine::sum_shape shape{v.size(), 2, 128, 4, thread_sums::accumulators};
        const engine::error_bound bound = engine::bound_of(shape, engine::compensated, sizeof(T) == sizeof(double));
        constexpr auto kernel = engine::exact_kernel<T, core::absolute_product, layout, 128, 4, engine::compensated>;
        gpu::launch(kernel, 2, 128, 0, stream, inputs, bound, state.data(), engine::value_at(result.data()));
        T got{};
        result.copy_to(&got, 1);
        const oracle::checker<T> check(magnitudes(v));
        EXPECT_EQ(check.template exact_fault<T>([&](const T*, const T*, std::size_t) { return got; }), "")
            << given.name;
        EXPECT_TRUE(gpu::findings(stream).empty()) << given.name;
      },
      testing::Test::HasFailure);
}

}  // namespace
