// The exchange between blocks, in launches of the engine with as many multiprocessors as the test says: the state
// that a launch leaves behind, and launches of more blocks than run at once.
#include <cuda/host/workspace.hpp>
#include <exactdot/accumulator.hpp>
#include <exactdot/cuda.hpp>
#include <exactdot/reductions.hpp>
#include <limits>

#include "cuda/on_gpu/support.hpp"
#include "cuda/on_gpu/workspace_state.hpp"
#include "oracle/cases.hpp"
#include "oracle/generators.hpp"

namespace {

using namespace on_gpu;

template <class T>
class cuda_exchange : public needs_gpu {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(cuda_exchange, element_types);

constexpr std::size_t length = 9000;
constexpr int multiprocessors[] = {1, 2, 5, 19};

/// Blocks that do not wait for the decision contribute digits, although the infinite term determines the result.
TYPED_TEST(cuda_exchange, resets_the_state_if_an_infinity_occurs_in_data_of_a_wide_range) {
  auto [a, b] = oracle::make_vectors(oracle::generator_named<TypeParam>("log_uniform"), 7, length);
  a[a.size() / 2] = std::numeric_limits<TypeParam>::infinity(), b[a.size() / 2] = TypeParam{-1};
  const device_vector<TypeParam> x(a), y(b);
  exactdot::cuda::workspace workspace;
  for (const int count : multiprocessors) {
    workspace.library_storage().multiprocessors = count;
    EXPECT_EQ(exactdot::cuda::dot<TypeParam>(workspace, x.data(), y.data(), length),
              -std::numeric_limits<TypeParam>::infinity());
    EXPECT_EQ(unreset_state(workspace), "") << count << " multiprocessors";
  }
}

/// Blocks that wait for the decision hold the places of those that have not started. Also after so many launches
/// that their numbers wrap around.
TYPED_TEST(cuda_exchange, sums_data_of_a_wide_range_by_any_number_of_blocks) {
  const auto [a, b] = oracle::make_vectors(oracle::generator_named<TypeParam>("cancels_to_small"), 2, length);
  const device_vector<TypeParam> x(a), y(b);
  const device_vector<std::int64_t> words(exactdot::accumulator<TypeParam>::word_count);
  const TypeParam expected = exactdot::dot(a, b);
  exactdot::accumulator<TypeParam> twice;
  twice.add(a, b), twice.add(a, b);
  exactdot::cuda::workspace workspace;
  for (const int count : multiprocessors) {
    age(workspace);
    workspace.library_storage().multiprocessors = count;
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(same_bits(exactdot::cuda::dot<TypeParam>(workspace, x.data(), y.data(), length), expected))
          << count << " multiprocessors, launch " << i;
    }
    ASSERT_EQ(cudaMemset(words.data(), 0, exactdot::accumulator<TypeParam>::word_count * 8), cudaSuccess);
    for (int i = 0; i < 2; ++i) exactdot::cuda::dot_into(workspace, x.data(), y.data(), length, words.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const exactdot::accumulator<TypeParam> found(words.read(exactdot::accumulator<TypeParam>::word_count));
    EXPECT_TRUE(same_bits(found.template round<double>(), twice.template round<double>())) << count;
    EXPECT_EQ(unreset_state(workspace), "") << count << " multiprocessors";
  }
}

}  // namespace
