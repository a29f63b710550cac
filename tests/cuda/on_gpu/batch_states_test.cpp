// States of arrays in a GPU's memory through the public calls: the words of the CPU's states, graphs, and refusals.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <exactdot/cuda/batch_states.hpp>
#include <exactdot/exactdot.hpp>
#include <string>
#include <vector>

#include "cuda/on_gpu/support.hpp"

namespace {

using namespace exactdot;
using namespace on_gpu;
using cuda_states = needs_gpu;
using words_of_states = std::vector<std::int64_t>;

constexpr reduction summing[] = {reduction::sum,  reduction::asum,     reduction::sum_of_squares, reduction::nrm2,
                                 reduction::mean, reduction::variance, reduction::stddev,         reduction::dot};

/// Rows, columns and rows times a vector of elements of one type; their bytes are random but for floating-point
/// numbers, which are uniform.
template <class T>
void expect_states_of_cpu(std::size_t m, std::size_t n) {
  std::vector<T> a;
  if constexpr (integer_element<T>) {
    std::mt19937_64 random(m + n);
    for (std::size_t i = 0; i < m * n; ++i) a.push_back(static_cast<T>(random()));
  } else {
    for (const float x : uniform<float>(m * n, 1)) a.push_back(static_cast<T>(x));
  }
  const device_vector<T> x(a);
  cuda::workspace workspace;
  for (const reduction what : summing) {
    for (const state_form form : {state_form::full, state_form::compact}) {
      if (!is_tried()) continue;
      const std::string name = std::string(name_of(what)) + " of " + std::string(name_of(type_of<T>)) + ", " +
                               std::to_string(m) + " x " + std::to_string(n);
      const auto expect = [&](std::size_t results, auto on_cpu, auto on_gpu) {
        words_of_states expected(results * state_words<T>(what, form));
        const device_vector<std::int64_t> words(expected);
        on_cpu(expected), on_gpu(words.data());
        EXPECT_EQ(words.read(expected.size()), expected) << name;
        on_cpu(expected), on_gpu(words.data());  // added twice
        EXPECT_EQ(words.read(expected.size()), expected) << name;
      };
      if (what == reduction::dot) {
        expect(
            m,
            [&](auto& to) {
              dot_into(rows{a.data(), m, n}, repeated{a.data(), n}, to, form);
            },
            [&](auto* to) {
              cuda::dot_into(workspace, rows<T>{x.data(), m, n}, repeated<T>{x.data(), n}, to, form);
            });
        continue;
      }
      const auto grid = [&](const T* data, std::span<const axis> results, std::span<const axis> elements) {
        return any_grid{data, type_of<T>, results, elements};
      };
      const auto size = static_cast<std::ptrdiff_t>(sizeof(T));
      const axis rows_of[] = {{m, static_cast<std::ptrdiff_t>(n) * size}}, in_row[] = {{n, size}};
      for (const bool columns : {false, true}) {
        const std::span<const axis> results(columns ? in_row : rows_of), elements(columns ? rows_of : in_row);
        expect(
            columns ? n : m, [&](auto& to) { reduce_into(what, grid(a.data(), results, elements), to, form); },
            [&](auto* to) { cuda::reduce_into(workspace, what, grid(x.data(), results, elements), to, form); });
      }
    }
  }
}

TEST_F(cuda_states, have_the_words_of_the_cpu) {
  for (const std::size_t n : {1, 7, 100, 5000}) {
    if (n > at_most(n, 100)) break;
    const std::size_t m = n > 1000 ? 5 : at_most(40, 3);
    expect_states_of_cpu<float>(m, n);
    expect_states_of_cpu<double>(m, n);
    expect_states_of_cpu<float16>(m, n);
    expect_states_of_cpu<bfloat16>(m, n);
    expect_states_of_cpu<std::int64_t>(m, n);
    expect_states_of_cpu<std::uint64_t>(m, n);
    expect_states_of_cpu<std::int32_t>(m, n);
    expect_states_of_cpu<std::uint8_t>(m, n);
  }
}

TEST_F(cuda_states, of_shards_are_captured_in_a_graph_and_rounded_on_the_cpu) {
  const std::vector<float> a = uniform<float>(64 * 1000, 3);
  const state_format of{reduction::variance, element_type::float32, state_form::compact};
  const device_vector<float> x(a);
  const device_vector<std::int64_t> words(64 * of.words());
  const test_stream stream;
  cuda::workspace workspace(stream.handle());
  const captured_graph graph(stream.handle(), [&] {
    for (const std::size_t first : {std::size_t{300}, std::size_t{0}}) {
      cuda::reduce_into(workspace, of.what, rows<float>(x.data() + first, 64, first == 0 ? 300 : 700, 1000),
                        words.data(), of.form);
    }
  });
  graph.launch();
  std::vector<float> found(64), expected(64);
  round_states(of, words.read(64 * of.words()), found, 1);
  variance(rows{a.data(), 64, 1000}, expected, 1);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_TRUE(same_bits(found[i], expected[i])) << i;
}

TEST_F(cuda_states, are_refused) {
  const std::vector<float> a = uniform<float>(60, 5);
  const device_vector<float> x(a);
  words_of_states host(10 * state_words<float>(reduction::sum));
  const device_vector<std::int64_t> words(host);
  cuda::workspace workspace;
  const rows<float> given{x.data(), 10, 6};
  expect_error(errc::bad_option, "lies in host memory",
               [&] { cuda::reduce_into(workspace, reduction::sum, given, host.data()); });
  expect_error(errc::bad_option, "lies in host memory", [&] {
    cuda::reduce_into(workspace, reduction::sum, rows{a.data(), 10, 6}, words.data());
  });
  expect_error(errc::bad_option, "max has no states",
               [&] { cuda::reduce_into(workspace, reduction::max, given, words.data()); });
  expect_error(errc::null_pointer, "a null pointer for 240 words",
               [&] { cuda::reduce_into(workspace, reduction::sum, given, nullptr); });
  expect_error(errc::bad_option, "results lie within x", [&] {
    cuda::reduce_into(workspace, reduction::sum, given,
                      const_cast<std::int64_t*>(reinterpret_cast<const std::int64_t*>(x.data())));
  });
  expect_error(errc::bad_option, "lies in host memory", [&] { sum_into(given, host); });
}

}  // namespace
