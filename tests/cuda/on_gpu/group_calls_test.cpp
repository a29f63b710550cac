// Groups of elements in a GPU's memory through the public calls: the bits of the CPU's groups, graphs, and errors.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstring>
#include <exactdot/cuda/batches.hpp>
#include <exactdot/exactdot.hpp>
#include <random>
#include <string>
#include <vector>

#include "cuda/on_gpu/support.hpp"

namespace {

using namespace exactdot;
using namespace on_gpu;
using cuda_groups = needs_gpu;

template <class T>
std::span<T> on_device(const device_vector<T>& x, std::size_t n) {
  return {x.data(), n};
}
template <class T>
std::span<const T> read_on_device(const device_vector<T>& x, std::size_t n) {
  return {x.data(), n};
}

template <class Key>
std::vector<Key> random_keys(std::size_t n, std::size_t count, unsigned seed, bool skewed) {
  std::mt19937 random(seed);
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = static_cast<Key>(skewed && random() % 4 != 0 ? count / 2 : random() % count);
    if (i < count) keys[i] = static_cast<Key>(i);
  }
  return keys;
}

/// All reductions, waited for and stream-ordered.
template <class T, class Key>
void expect_groups_of_cpu(std::size_t n, std::size_t count, bool skewed) {
  n = at_most(n, 3000), count = at_most(count, 1000);
  const std::vector<T> a = uniform<T>(n, 1), b = uniform<T>(n, 2);
  const std::vector<Key> keys = random_keys<Key>(n, count, 3, skewed);
  const device_vector<T> x(a), y(b), out(count);
  const device_vector<Key> k(keys);
  std::vector<T> expected(count);
  cuda::workspace workspace;
  const groups host{a, keys, count};
  const groups device{read_on_device(x, n), read_on_device(k, n), count};
  const std::string shape = std::to_string(n) + " elements in " + std::to_string(count) + " groups";
  sum(host, expected);
  sum(device, on_device(out, count));
  expect_same(out, expected, "sum of " + shape);
  cuda::reduce(workspace, reduction::sum, device, out.data());
  expect_same(out, expected, "stream-ordered sum of " + shape);
  dot(host, b, expected);
  dot(device, read_on_device(y, n), on_device(out, count));
  expect_same(out, expected, "dot of " + shape);
  cuda::dot(workspace, device, read_on_device(y, n), out.data());
  expect_same(out, expected, "stream-ordered dot of " + shape);
  mean(host, expected);
  mean(device, on_device(out, count));
  expect_same(out, expected, "mean of " + shape);
  nrm2(host, expected);
  cuda::reduce(workspace, reduction::nrm2, device, out.data());
  expect_same(out, expected, "norm of " + shape);
  stddev(host, expected);
  stddev(device, on_device(out, count));
  expect_same(out, expected, "deviation of " + shape);
  max(host, expected);
  max(device, on_device(out, count));
  expect_same(out, expected, "maximum of " + shape);
  std::vector<std::int64_t> sizes(count);
  const device_vector<std::int64_t> counted(count);
  group_sizes(keys, count, sizes);
  group_sizes(read_on_device(k, n), count, on_device(counted, count));
  expect_same(counted, sizes, "elements of " + shape);
  cuda::group_sizes(workspace, read_on_device(k, n), count, counted.data());
  expect_same(counted, sizes, "stream-ordered elements of " + shape);
  workspace.check();
}

TEST_F(cuda_groups, have_the_bits_of_the_cpu) {
  for (const std::size_t count : {1, 3, 40, 1000, 5000, 30000, 200000}) {
    for (const bool skewed : {false, true}) {
      expect_groups_of_cpu<float, std::int32_t>(300001, count, skewed);
      expect_groups_of_cpu<double, std::int64_t>(300001, count, skewed);
      if (HasFatalFailure()) return;
    }
  }
  expect_groups_of_cpu<float, std::int32_t>((std::size_t{1} << 22) + 3, 4096, false);
  expect_groups_of_cpu<double, std::int32_t>((std::size_t{1} << 22) + 3, std::size_t{1} << 20, false);
}

/// Sums that cancel need the second look: in several passes if all do.
TEST_F(cuda_groups, that_cancel_have_the_bits_of_the_cpu) {
  const std::size_t n = at_most(400000, 4000), count = n / 4;
  std::vector<double> a = uniform<double>(n, 4);
  std::vector<std::int32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::int32_t>(i / 2 % count);
  for (std::size_t i = 0; i + 1 < n; i += 2) {
    a[i] *= 1e100;
    a[i + 1] = i % 4 == 0 ? -a[i] : 1e-100;
  }
  const device_vector<double> x(a), out(count);
  const device_vector<std::int32_t> k(keys);
  std::vector<double> expected(count);
  const groups device{read_on_device(x, n), read_on_device(k, n), count};
  sum(groups{a, keys, count}, expected);
  sum(device, on_device(out, count));
  expect_same(out, expected, "sums that cancel");
  cuda::workspace workspace;
  cuda::reduce(workspace, reduction::sum, device, out.data());
  expect_same(out, expected, "stream-ordered sums that cancel");
}

TEST_F(cuda_groups, of_several_columns_have_the_bits_of_the_cpu) {
  constexpr std::size_t n = 5000, columns = 3, count = 50;
  const std::vector<float> a = uniform<float>(n * columns, 5);
  const std::vector<std::int32_t> keys = random_keys<std::int32_t>(n, count, 6, false);
  const device_vector<float> x(a), out(count * columns);
  const device_vector<std::int32_t> k(keys);
  std::vector<float> expected(count * columns);
  const axis elements[] = {{n, columns * sizeof(float)}}, of_columns[] = {{columns, sizeof(float)}};
  const axis places[] = {{count, columns * sizeof(float)}, {columns, sizeof(float)}};
  const auto run = [&](const void* data, const void* key_data, void* results) {
    const any_grid grid{data, element_type::float32, of_columns, elements};
    const any_keys given{key_data, n, element_type::int32, 4, count};
    reduce(reduction::sum, grid, given, any_results{results, element_type::float32, places});
  };
  run(a.data(), keys.data(), expected.data());
  run(x.data(), k.data(), out.data());
  expect_same(out, expected, "columns");
}

TEST_F(cuda_groups, of_integers_may_overflow) {
  const std::vector<std::int64_t> a = {INT64_MAX, 1, 5, -7};
  const std::vector<std::int32_t> keys = {0, 0, 1, 1};
  const device_vector<std::int64_t> x(a), out(2);
  const device_vector<std::int32_t> k(keys);
  const groups device{read_on_device(x, 4), read_on_device(k, 4), 2};
  expect_error(errc::overflow, "did not fit", [&] { sum(device, on_device(out, 2)); });
  cuda::workspace workspace;
  cuda::reduce(workspace, reduction::sum, device, out.data());
  expect_error(errc::overflow, "did not fit", [&] { workspace.check(); });
  expect_same(out, {0, -2}, "integers");
}

TEST_F(cuda_groups, are_captured_in_a_graph_after_a_first_call) {
  const std::size_t n = at_most(100000, 4000), count = n / 5;
  const std::vector<float> a = uniform<float>(n, 7);
  const std::vector<std::int32_t> keys = random_keys<std::int32_t>(n, count, 8, false);
  const device_vector<float> x(a), out(count);
  const device_vector<std::int32_t> k(keys);
  std::vector<float> expected(count);
  sum(groups{a, keys, count}, expected);
  const groups device{read_on_device(x, n), read_on_device(k, n), count};
  const test_stream stream;
  cuda::workspace workspace(stream.handle());
  cudaGraph_t none = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream.handle(), cudaStreamCaptureModeGlobal), cudaSuccess);
  expect_error(errc::bad_option, "once before the capture",
               [&] { cuda::reduce(workspace, reduction::sum, device, out.data()); });
  static_cast<void>(cudaStreamEndCapture(stream.handle(), &none));
  if (none != nullptr) cudaGraphDestroy(none);
  static_cast<void>(cudaGetLastError());
  cuda::reduce(workspace, reduction::sum, device, out.data());
  const captured_graph graph(stream.handle(), [&] { cuda::reduce(workspace, reduction::sum, device, out.data()); });
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(cudaMemset(out.data(), 0x5a, count * sizeof(float)), cudaSuccess);
    graph.launch();
    expect_same(out, expected, "graph");
  }
  // the device finds out that the keys are skewed
  const std::vector<std::int32_t> skewed = random_keys<std::int32_t>(n, count, 9, true);
  sum(groups{a, skewed, count}, expected);
  ASSERT_EQ(cudaMemcpy(k.data(), skewed.data(), n * sizeof(std::int32_t), cudaMemcpyHostToDevice), cudaSuccess);
  graph.launch();
  expect_same(out, expected, "graph with skewed keys");
}

TEST_F(cuda_groups, with_bad_input_are_refused_before_anything_is_written) {
  const std::vector<double> a = uniform<double>(60, 9);
  std::vector<std::int32_t> keys = random_keys<std::int32_t>(60, 10, 10, false);
  keys[41] = 10, keys[50] = -1;
  const std::vector<double> untouched(10, 7.0);
  const device_vector<double> x(a), out(untouched);
  const device_vector<std::int32_t> k(keys);
  const groups device{read_on_device(x, 60), read_on_device(k, 60), 10};
  const auto to = on_device(out, 10);
  expect_error(errc::bad_option, "key 41 is 10", [&] { sum(device, to); });
  expect_error(errc::bad_option, "key 41 is 10", [&] { max(device, to); });
  const device_vector<std::int64_t> sizes(10);
  expect_error(errc::bad_option, "key 41 is 10",
               [&] { group_sizes(read_on_device(k, 60), 10, on_device(sizes, 10)); });
  expect_same(out, untouched, "refused");
  const groups skipping{read_on_device(x, 60), read_on_device(k, 60), 10, true};
  std::vector<double> expected(10);
  sum(groups{a, keys, 10, true}, expected);
  sum(skipping, to);
  expect_same(out, expected, "skipped");
  cuda::workspace workspace;
  cuda::reduce(workspace, reduction::sum, device, out.data());
  expect_error(errc::bad_option, "key 41", [&] { workspace.check(); });
  workspace.check();
  const groups empty{read_on_device(x, 60), read_on_device(k, 60), 12, true};
  const device_vector<double> more(12);
  expect_error(errc::empty_input, "group 11 is empty", [&] { max(empty, on_device(more, 12)); });
  std::vector<double> host(10);
  expect_error(errc::bad_option, "the array of results lies in host memory", [&] { sum(device, host); });
  expect_error(errc::bad_option, "the array of keys lies in host memory", [&] {
    sum(groups{read_on_device(x, 60), keys, 10}, to);
  });
  expect_error(errc::bad_option, "x lies in host memory", [&] { sum(groups{a, read_on_device(k, 60), 10}, to); });
  expect_error(errc::bad_option, "no mode fast", [&] { sum(device, to, {.mode = mode::fast}); });
  expect_error(errc::bad_option, "cannot read", [&] { sum(device, to, {.device = device::cpu}); });
  expect_error(errc::bad_option, "key 0", [&] {
    sum(groups{read_on_device(x, 60), read_on_device(k, 60), 0}, to.first(0));
  });
}

TEST_F(cuda_groups, of_nothing_have_the_results_of_nothing) {
  const device_vector<double> out(std::vector<double>(3, 7.0));
  const groups nothing{std::span<const double>(), std::span<const std::int32_t>(), 3};
  sum(nothing, on_device(out, 3));
  expect_same(out, {0, 0, 0}, "sums of nothing");
  std::vector<double> expected(3);
  mean(nothing, expected);
  mean(nothing, on_device(out, 3));
  expect_same(out, expected, "means of nothing");
  expect_error(errc::empty_input, "group 0 is empty", [&] { min(nothing, on_device(out, 3)); });
}

}  // namespace
