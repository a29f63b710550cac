// exactdot::cuda::round, merge and moments_into on a GPU: the stages of an allreduce on one stream, and their
// errors. The results of vector calls on the CPU are the reference; state_words_test.cpp compares words with the
// oracle.
#include <exactdot/cuda/batch_states.hpp>
#include <exactdot/cuda/states.hpp>
#include <exactdot/moments.hpp>
#include <exactdot/reductions.hpp>

#include "support.hpp"

namespace {

using namespace on_gpu;
using exactdot::accumulator;
using exactdot::element_type;
using exactdot::errc;
using exactdot::moments;
using exactdot::reduction;
using exactdot::cuda::state_rows;

class cuda_states : public needs_gpu {};

template <class T>
constexpr std::size_t words_of = accumulator<T>::word_count;

/// Dot products of k parts of both vectors: the exact results, and words on the device for each of `ranks` ranks.
template <class T>
void expect_dots_of_ranks(std::size_t k, std::size_t ranks) {
  const std::size_t n = at_most(3001, 301);
  const std::vector<T> a = uniform<T>(k * n, 1), b = uniform<T>(k * n, 2);
  const device_vector<T> x(a), y(b);
  const device_vector<std::int64_t> words(k * words_of<T>), others(k * words_of<T>);
  const device_vector<T> results(k);
  exactdot::cuda::workspace workspace;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::size_t first = n * rank / ranks, count = n * (rank + 1) / ranks - first;
    std::int64_t* const to = rank % 2 == 0 ? words.data() : others.data();
    for (std::size_t i = 0; i < k; ++i) {
      exactdot::cuda::dot_into(workspace, x.data() + i * n + first, y.data() + i * n + first, count,
                               to + i * words_of<T>);
    }
  }
  const exactdot::state_format format{reduction::dot, exactdot::type_of<T>};
  const state_rows states{format, words.data(), k};
  if (ranks > 1) exactdot::cuda::merge(workspace, states, {format, others.data(), k});
  exactdot::cuda::round(workspace, states, reduction::dot, results.data());
  workspace.check();
  const std::vector<T> found = results.read(k);
  for (std::size_t i = 0; i < k; ++i) {
    const std::span<const T> left(&a[i * n], n), right(&b[i * n], n);
    ASSERT_TRUE(same_bits(found[i], exactdot::dot(left, right))) << i << " of " << k << ", " << ranks << " ranks";
  }
}

TEST_F(cuda_states, of_any_number_of_ranks_have_the_bits_of_one_call) {
  for (const std::size_t k : {1U, 5U, 130U}) {
    for (const std::size_t ranks : {1U, 2U, 7U}) {
      expect_dots_of_ranks<float>(k, ranks);
      expect_dots_of_ranks<double>(k, ranks);
    }
  }
}

TEST_F(cuda_states, of_moments_have_every_result) {
  constexpr std::size_t n = 10007;
  const std::vector<float> a = uniform<float>(n, 3);
  const device_vector<float> x(a);
  const device_vector<std::int64_t> words(moments<float>::word_count);
  const device_vector<double> results(6);
  exactdot::cuda::workspace workspace;
  exactdot::cuda::moments_into(workspace, x.data(), 4000, words.data());
  exactdot::cuda::moments_into(workspace, x.data() + 4000, n - 4000, words.data());
  const state_rows states{{reduction::variance, element_type::float32}, words.data()};
  const reduction all[] = {reduction::sum,  reduction::sum_of_squares, reduction::nrm2,
                           reduction::mean, reduction::variance,       reduction::stddev};
  for (std::size_t i = 0; i < 6; ++i) {
    exactdot::cuda::round(workspace, states, all[i], results.data() + i, {.ddof = 1});
  }
  workspace.check();
  const std::vector<double> found = results.read(6);
  const exactdot::any_vector view = exactdot::to_any(a);
  for (std::size_t i = 0; i < 6; ++i) {
    const auto expected = exactdot::reduce(all[i], view, element_type::float64, {}, 1).as<double>();
    EXPECT_TRUE(same_bits(found[i], expected)) << exactdot::name_of(all[i]);
  }
}

/// Rows of a matrix in compact words: one launch, an addition as an allreduce makes it, one launch.
TEST_F(cuda_states, of_rows_in_compact_words_have_the_bits_of_one_call) {
  constexpr std::size_t count = 37, n = 501;
  const std::vector<double> a = uniform<double>(count * n, 5);
  const device_vector<double> x(a), results(count);
  exactdot::cuda::workspace workspace;
  for (const reduction what : {reduction::sum, reduction::mean, reduction::nrm2, reduction::variance}) {
    const exactdot::state_format format{what, element_type::float64, exactdot::state_form::compact};
    const device_vector<std::int64_t> words(count * format.words());
    const exactdot::rows left{x.data(), count, 200, n}, right{x.data() + 200, count, n - 200, n};
    exactdot::cuda::reduce_into(workspace, what, left, words.data(), format.form);
    exactdot::cuda::reduce_into(workspace, what, right, words.data(), format.form);
    exactdot::cuda::round(workspace, {format, words.data(), count}, what, results.data());
    workspace.check();
    const std::vector<double> found = results.read(count);
    for (std::size_t i = 0; i < count; ++i) {
      const exactdot::any_vector row{&a[i * n], n, element_type::float64, sizeof(double)};
      const auto expected = exactdot::reduce(what, row, element_type::float64).as<double>();
      ASSERT_TRUE(same_bits(found[i], expected)) << exactdot::name_of(what) << " of row " << i;
    }
  }
}

/// Every launch of the graph adds one state: integers, as any number of GPUs would send them.
TEST_F(cuda_states, can_be_captured_in_a_graph) {
  constexpr std::size_t n = 5000;
  const std::vector<double> a = uniform<double>(n, 4);
  const device_vector<double> x(a), results(1);
  const device_vector<std::int64_t> words(words_of<double>);
  const test_stream stream;
  exactdot::cuda::workspace workspace(stream.handle());
  const state_rows states{{reduction::sum, element_type::float64}, words.data()};
  const captured_graph graph(stream.handle(), [&] {
    exactdot::cuda::sum_into(workspace, exactdot::to_any(x.data(), n), words.data());
    exactdot::cuda::round(workspace, states, reduction::mean, results.data(), {.count = n});
  });
  accumulator<double> sum;
  for (int launches = 1; launches <= 50; ++launches) {
    graph.launch();
    sum.add(std::span<const double>(a));
    ASSERT_TRUE(same_bits(results.read(1)[0], sum.round_quotient<double>(n))) << launches;
  }
  workspace.check();
}

TEST_F(cuda_states, refuse_bad_arguments) {
  exactdot::cuda::workspace workspace;
  const device_vector<std::int64_t> words(3 * words_of<double>);
  const device_vector<double> results(3);
  const state_rows good{{reduction::sum, element_type::float64}, words.data(), 3};
  const auto round = [&](const state_rows& states, reduction what, element_type type, void* to) {
    exactdot::cuda::round(workspace, states, what, type, to);
  };
  state_rows bad = good;
  bad.words = nullptr;
  expect_error(errc::null_pointer, "words is null",
               [&] { round(bad, reduction::sum, element_type::float64, results.data()); });
  bad = good, bad.stride = 137;
  expect_error(errc::bad_option, "137 words apart",
               [&] { round(bad, reduction::sum, element_type::float64, results.data()); });
  bad = good, bad.rows = SIZE_MAX / 2;
  expect_error(errc::bad_option, "address space",
               [&] { round(bad, reduction::sum, element_type::float64, results.data()); });
  std::int64_t on_host[words_of<double>]{};
  bad = {{reduction::sum, element_type::float64}, on_host};
  expect_error(errc::bad_option, "cannot reach",
               [&] { round(bad, reduction::sum, element_type::float64, results.data()); });
  bad = good, bad.format.type = static_cast<element_type>(77);
  expect_error(errc::bad_option, "unknown element type 77",
               [&] { round(bad, reduction::sum, element_type::float64, results.data()); });
  expect_error(errc::null_pointer, "results is null",
               [&] { round(good, reduction::sum, element_type::float64, nullptr); });
  expect_error(errc::bad_option, "overlap",
               [&] { round(good, reduction::sum, element_type::float64, words.data() + 2 * words_of<double>); });
  expect_error(errc::bad_option, "no sum",
               [&] { round(good, reduction::argmax, element_type::int64, results.data()); });
  bad = good, bad.format.what = reduction::max;
  expect_error(errc::bad_option, "no states of max",
               [&] { round(bad, reduction::sum, element_type::float64, results.data()); });
  bad = good, bad.format.what = reduction::mean;
  expect_error(errc::bad_option, "states of mean give no nrm2",
               [&] { round(bad, reduction::nrm2, element_type::float64, results.data()); });
  expect_error(errc::bad_option, "states of sum give no stddev",
               [&] { round(good, reduction::stddev, element_type::float64, results.data()); });
  expect_error(errc::bad_option, "cannot be rounded to int64",
               [&] { round(good, reduction::sum, element_type::int64, results.data()); });
  expect_error(errc::bad_option, "ddof is -1",
               [&] { exactdot::cuda::round(workspace, good, reduction::sum, results.data(), {.ddof = -1}); });
  state_rows fewer = good;
  fewer.rows = 2;
  expect_error(errc::size_mismatch, "and 2 states of float64 with",
               [&] { exactdot::cuda::merge(workspace, good, fewer); });
  expect_error(errc::bad_option, "overlap", [&] { exactdot::cuda::merge(workspace, good, good); });
  expect_error(errc::null_pointer, "words are null",
               [&] { exactdot::cuda::moments_into<double>(workspace, results.data(), 3, nullptr); });
  bad = good, bad.words = nullptr, bad.rows = 0;
  round(bad, reduction::sum, element_type::float64, nullptr);  // nothing to do
  workspace.check();
}

TEST_F(cuda_states, report_words_that_are_no_state) {
  exactdot::cuda::workspace workspace;
  std::vector<std::int64_t> broken(2 * words_of<float>, 0);
  broken[3] = 1;  // a limb of no state
  const device_vector<std::int64_t> words(broken);
  const device_vector<float> results(2);
  const state_rows states{{reduction::sum, element_type::float32}, words.data(), 2};
  exactdot::cuda::round(workspace, states, reduction::sum, results.data());
  expect_error(errc::bad_option, "not a sum of states", [&] { workspace.check(); });
  EXPECT_TRUE(std::isnan(results.read(2)[0]));
  EXPECT_TRUE(same_bits(results.read(2)[1], 0.0F));
  broken[3] = 0, broken[words_of<float> - 1] = std::int64_t{1} << 31;
  ASSERT_EQ(cudaMemcpy(words.data(), broken.data(), broken.size() * 8, cudaMemcpyHostToDevice), cudaSuccess);
  exactdot::cuda::normalise(workspace, states);
  expect_error(errc::headroom, "2^31 - 1 states", [&] { workspace.check(); });
  workspace.check();
}

}  // namespace
