// States of segments, groups and few long rows in a GPU's memory through the public calls, ordered by a stream and
// waited for: the words of the CPU's states, graphs, offsets and keys that are wrong.
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
using cuda_shape_states = needs_gpu;
using state_words_vector = std::vector<std::int64_t>;

constexpr reduction summing[] = {reduction::dot,    reduction::sum,           reduction::asum,
                                 reduction::nrm2,   reduction::mean,          reduction::variance,
                                 reduction::stddev, reduction::sum_of_squares};

/// Floating-point numbers of both signs, and integers of random bits.
template <class T>
std::vector<T> elements_of(std::size_t n, unsigned seed) {
  std::vector<T> x;
  std::mt19937_64 random(seed);
  if constexpr (integer_element<T>) {
    for (std::size_t i = 0; i < n; ++i) x.push_back(static_cast<T>(random()));
  } else {
    for (const float each : uniform<float>(n, seed)) x.push_back(static_cast<T>(each));
  }
  return x;
}

/// Compares words that on_cpu(words) and on_gpu(words) add to, twice; then those of waits(words).
template <class Cpu, class Gpu, class Waits>
void expect_same_words(std::size_t words, Cpu on_cpu, Gpu on_gpu, Waits waits, const std::string& name) {
  state_words_vector expected(words);
  const device_vector<std::int64_t> found(expected);
  for (int turn = 0; turn < 3; ++turn) {
    on_cpu(state_span(expected));
    turn < 2 ? on_gpu(found.data()) : waits(state_span(found.data(), words));
    ASSERT_EQ(found.read(words), expected) << name << ", turn " << turn;
  }
}

any_vector line_of(const void* data, std::size_t n, element_type type) {
  return {data, n, type, static_cast<std::ptrdiff_t>(size_of(type))};
}

/// Offsets of empty, short and long segments; one has a third of all elements.
template <class Offset>
std::vector<Offset> mixed_offsets(std::size_t n) {
  std::mt19937 random(7);
  std::vector<Offset> offsets{0};
  while (static_cast<std::size_t>(offsets.back()) + 9000 < n) {
    const auto at = static_cast<std::size_t>(offsets.back());
    const bool is_huge = at > n / 3 && at < n / 3 + 9000;
    const auto kind = random() % 20;
    const std::size_t length = is_huge ? n / 3 : kind == 0 ? random() % 9000 : kind < 4 ? 0 : random() % 40;
    offsets.push_back(static_cast<Offset>(std::min(at + length, n)));
  }
  return offsets;
}

template <class T, class Offset>
void expect_segments(std::size_t n) {
  n = at_most(n, 10000);
  const std::vector<T> a = elements_of<T>(n, 1), b = elements_of<T>(n, 2);
  const std::vector<Offset> offsets = mixed_offsets<Offset>(n);
  const device_vector<T> x(a), y(b);
  const device_vector<Offset> o(offsets);
  cuda::workspace workspace;
  const std::size_t count = offsets.size() - 1;
  const any_offsets on_host{offsets.data(), count, type_of<Offset>, sizeof(Offset)},
      on_device{o.data(), count, type_of<Offset>, sizeof(Offset)};
  const any_vector host_a = line_of(a.data(), n, type_of<T>), host_b = line_of(b.data(), n, type_of<T>),
                   device_a = line_of(x.data(), n, type_of<T>), device_b = line_of(y.data(), n, type_of<T>);
  for (const reduction what : summing) {
    for (const state_form form : {state_form::full, state_form::compact}) {
      if (!is_tried()) continue;
      const auto add = [&](const any_vector& first, const any_vector& second, const any_offsets& at,
                           state_span to) {
        what == reduction::dot ? dot_into(first, second, at, to, form) : reduce_into(what, first, at, to, form);
      };
      expect_same_words(
          count * state_words<T>(what, form), [&](state_span to) { add(host_a, host_b, on_host, to); },
          [&](std::int64_t* to) {
            what == reduction::dot ? cuda::dot_into(workspace, device_a, device_b, on_device, to, form)
                                   : cuda::reduce_into(workspace, what, device_a, on_device, to, form);
          },
          [&](state_span to) { add(device_a, device_b, on_device, to); },
          std::string(name_of(what)) + " of " + std::string(name_of(type_of<T>)) + ", " + std::to_string(count) +
              " segments");
      workspace.check();
    }
  }
}

TEST_F(cuda_shape_states, of_segments_have_the_words_of_the_cpu) {
  for (const std::size_t n : {10000, 700000}) {
    expect_segments<float, int>(n);
    expect_segments<double, std::int64_t>(n);
  }
  expect_segments<float16, std::uint32_t>(100000);
  expect_segments<bfloat16, std::uint64_t>(100000);
  expect_segments<std::int64_t, int>(100000);
  expect_segments<std::uint8_t, int>(100000);
}

template <class T>
void expect_groups(std::size_t n, std::size_t count, bool is_skewed) {
  n = at_most(n, 1000), count = at_most(count, 100);
  const std::vector<T> a = elements_of<T>(n, 3), b = elements_of<T>(n, 4);
  std::mt19937 random(5);
  std::vector<int> keys(n);
  for (int& key : keys) key = static_cast<int>(is_skewed && random() % 4 != 0 ? count / 2 : random() % count);
  const device_vector<T> x(a), y(b);
  const device_vector<int> k(keys);
  cuda::workspace workspace;
  const any_keys on_host{keys.data(), n, element_type::int32, sizeof(int), count},
      on_device{k.data(), n, element_type::int32, sizeof(int), count};
  const axis elements{n, sizeof(T)};
  const auto grid = [&](const T* data) { return any_grid{data, type_of<T>, {}, {&elements, 1}}; };
  for (const reduction what : summing) {
    for (const state_form form : {state_form::full, state_form::compact}) {
      if (!is_tried()) continue;
      const auto add = [&](const any_grid& first, const any_grid& second, const any_keys& by, state_span to) {
        what == reduction::dot ? dot_into(first, second, by, to, form) : reduce_into(what, first, by, to, form);
      };
      expect_same_words(
          count * state_words<T>(what, form),
          [&](state_span to) { add(grid(a.data()), grid(b.data()), on_host, to); },
          [&](std::int64_t* to) {
            what == reduction::dot ? cuda::dot_into(workspace, grid(x.data()), grid(y.data()), on_device, to, form)
                                   : cuda::reduce_into(workspace, what, grid(x.data()), on_device, to, form);
          },
          [&](state_span to) { add(grid(x.data()), grid(y.data()), on_device, to); },
          std::string(name_of(what)) + " of " + std::string(name_of(type_of<T>)) + ", " + std::to_string(n) +
              " elements in " + std::to_string(count) + " groups");
      workspace.check();
    }
  }
}

TEST_F(cuda_shape_states, of_groups_have_the_words_of_the_cpu) {
  for (const bool is_skewed : {false, true}) {
    expect_groups<float>(300000, 1, is_skewed);
    expect_groups<float>(100000, 3000, is_skewed);
    expect_groups<double>(100000, 900, is_skewed);
    expect_groups<double>(50000, 20000, is_skewed);
  }
  expect_groups<float16>(50000, 100, false);
  expect_groups<bfloat16>(50000, 100, false);
  expect_groups<std::int64_t>(50000, 100, false);
  expect_groups<std::uint8_t>(50000, 5000, false);
}

TEST_F(cuda_shape_states, of_columns_of_groups_follow_the_groups) {
  constexpr std::size_t n = 5000, columns = 3, count = 40;
  const std::vector<double> a = uniform<double>(n * columns, 6);
  std::vector<std::int64_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::int64_t>(i * 7 % count);
  const device_vector<double> x(a);
  const device_vector<std::int64_t> k(keys);
  const axis elements{n, columns * sizeof(double)}, results{columns, sizeof(double)};
  const auto grid = [&](const double* data) {
    return any_grid{data, element_type::float64, {&results, 1}, {&elements, 1}};
  };
  cuda::workspace workspace;
  const any_keys on_host{keys.data(), n, element_type::int64, 8, count},
      on_device{k.data(), n, element_type::int64, 8, count};
  expect_same_words(
      count * columns * state_words<double>(reduction::mean),
      [&](state_span to) { reduce_into(reduction::mean, grid(a.data()), on_host, to); },
      [&](std::int64_t* to) { cuda::reduce_into(workspace, reduction::mean, grid(x.data()), on_device, to); },
      [&](state_span to) { reduce_into(reduction::mean, grid(x.data()), on_device, to); }, "columns");
}

TEST_F(cuda_shape_states, of_few_long_rows_have_the_words_of_the_cpu) {
  const std::size_t m = 3, n = at_most(300001, 9001);
  const std::vector<double> a = uniform<double>(m * n, 8);
  const device_vector<double> x(a);
  cuda::workspace workspace;
  expect_same_words(
      m * state_words<double>(reduction::variance),
      [&](state_span to) {
        moments_into(rows{a.data(), m, n}, to);
      },
      [&](std::int64_t* to) {
        cuda::reduce_into(workspace, reduction::variance, rows<double>{x.data(), m, n}, to);
      },
      [&](state_span to) {
        moments_into(rows<double>{x.data(), m, n}, to);
      },
      "long rows");
}

TEST_F(cuda_shape_states, of_groups_are_captured_once_the_workspace_has_memory) {
  constexpr std::size_t n = 1000, count = 10;
  const std::vector<float> a = uniform<float>(n, 9);
  std::vector<int> keys(n), offsets{0, 400, 1000};
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<int>(i % count);
  const device_vector<float> x(a);
  const device_vector<int> k(keys), o(offsets);
  const std::span<const float> elements(x.data(), n);
  const groups by_key{elements, std::span<const int>(k.data(), n), count};
  const segments by_offset{elements, std::span<const int>(o.data(), 3)};
  const std::size_t of_groups = count * state_words<float>(reduction::sum), all = of_groups + 2 * 24;
  state_words_vector expected(all);
  const device_vector<std::int64_t> words(expected);
  const test_stream stream;
  cuda::workspace workspace(stream.handle());
  cuda::reduce_into(workspace, reduction::sum, by_key, words.data());
  const captured_graph graph(stream.handle(), [&] {
    cuda::reduce_into(workspace, reduction::sum, by_key, words.data());
    cuda::reduce_into(workspace, reduction::sum, by_offset, words.data() + of_groups);
  });
  graph.launch();
  for (int turn = 0; turn < 2; ++turn) sum_into(groups{a, keys, count}, state_span(expected).first(of_groups));
  sum_into(segments{a, offsets}, state_span(expected).subspan(of_groups));
  EXPECT_EQ(words.read(all), expected);
}

TEST_F(cuda_shape_states, of_wrong_offsets_and_keys_are_reported) {
  const std::vector<float> a = uniform<float>(60, 10);
  const device_vector<float> x(a);
  const std::span<const float> elements(x.data(), 60);
  const device_vector<int> o(std::vector<int>{0, 20, 10, 60}), k(std::vector<int>(60, 2));
  const segments bad{elements, std::span<const int>(o.data(), 4)};
  const groups outside{elements, std::span<const int>(k.data(), 60), 2};
  const std::size_t words = 3 * state_words<float>(reduction::sum);
  const device_vector<std::int64_t> to(words);
  const state_words_vector zeros(words);
  cuda::workspace workspace;
  expect_error(errc::bad_option, "offset 2 is 10", [&] { sum_into(bad, state_span(to.data(), words)); });
  EXPECT_EQ(to.read(words), zeros);  // nothing is written unless a call succeeds
  expect_error(errc::bad_option, "key 0 is 2", [&] { sum_into(outside, state_span(to.data(), words / 3 * 2)); });
  cuda::reduce_into(workspace, reduction::sum, outside, to.data());
  expect_error(errc::bad_option, "key 0", [&] { workspace.check(); });
  cuda::reduce_into(workspace, reduction::sum, bad, to.data());
  expect_error(errc::bad_option, "segment 1", [&] { workspace.check(); });
  workspace.check();
  const state_words_vector found = to.read(words);
  EXPECT_EQ(found[23], 2);  // states: one of group 0, one of segment 0
  EXPECT_EQ(found[47], 1);  // one of group 1, none of segment 1
  expect_error(errc::size_mismatch, "words given for 3 states",
               [&] { sum_into(bad, state_span(to.data(), words - 24)); });
  expect_error(errc::bad_option, "lies in host memory", [&] {
    cuda::reduce_into(workspace, reduction::sum, segments{a, std::span<const int>(o.data(), 4)}, to.data());
  });
}

}  // namespace
