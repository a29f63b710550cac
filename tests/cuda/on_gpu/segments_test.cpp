// Segments of vectors in a GPU's memory, variances of many vectors, few long lines, through the public calls: the
// bits of the CPU's batch, graphs, and wrong offsets.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstring>
#include <exactdot/cuda/batches.hpp>
#include <exactdot/exactdot.hpp>
#include <string>
#include <vector>

#include "cuda/on_gpu/support.hpp"

namespace {

using namespace exactdot;
using namespace on_gpu;
using cuda_segments = needs_gpu;

/// Offsets of segments of these lengths, after `first` elements.
template <class Offset>
std::vector<Offset> offsets_of(const std::vector<std::size_t>& lengths, std::size_t first) {
  std::vector<Offset> offsets{static_cast<Offset>(first)};
  for (const std::size_t n : lengths)
    offsets.push_back(static_cast<Offset>(static_cast<std::size_t>(offsets.back()) + n));
  return offsets;
}

/// All reductions of one input, stream-ordered, and dot and sum waited for.
template <class T, class Offset>
void expect_segments_of_cpu(std::vector<std::size_t> lengths, const std::string& name) {
  for (std::size_t& n : lengths) n = at_most(n, 9000);
  const auto offsets = offsets_of<Offset>(lengths, 3);
  const std::vector<T> a = uniform<T>(static_cast<std::size_t>(offsets.back()) + 5, 1), b = uniform<T>(a.size(), 2);
  const std::size_t count = lengths.size();
  const device_vector<T> x(a), y(b), out(std::vector<T>(count, T(7)));
  const device_vector<Offset> places(offsets);
  const std::span<const T> on_device(x.data(), a.size()), other(y.data(), b.size());
  const segments<std::span<const T>, Offset> of_host{a, offsets},
      given{on_device, std::span<const Offset>(places.data(), offsets.size())};
  const std::span<T> to(out.data(), count);
  std::vector<T> expected(count);
  cuda::workspace workspace;
  dot(of_host, b, expected);
  dot(given, other, to);
  expect_same(out, expected, "dot of " + name);
  sum(of_host, expected);
  sum(given, to);
  expect_same(out, expected, "sum of " + name);
  for (const reduction what : {reduction::asum, reduction::sum_of_squares, reduction::nrm2, reduction::mean,
                               reduction::variance, reduction::stddev}) {
    detail::reduce_many(what, of_host, expected, {}, 0);
    cuda::reduce(workspace, what, given, out.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    expect_same(out, expected, std::string(name_of(what)) + " of " + name);
  }
}

TEST_F(cuda_segments, have_the_bits_of_the_cpu) {
  std::vector<std::size_t> lengths;
  for (std::size_t n = 0; n <= 200; ++n) lengths.push_back(n * 37 % 201);
  for (const std::size_t n : {1025, 4095, 5000, 20000, 70001, 300000}) lengths.push_back(n);
  expect_segments_of_cpu<float, std::int32_t>(lengths, "every length");
  expect_segments_of_cpu<double, std::int64_t>(lengths, "every length");
  expect_segments_of_cpu<double, std::uint32_t>({1}, "one element");
  expect_segments_of_cpu<float, std::int64_t>({0}, "none");
}

TEST_F(cuda_segments, of_very_different_lengths_have_the_bits_of_the_cpu) {
  std::vector<std::size_t> lengths(at_most(200000, 800));
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = i * 2654435761U >> 7 & 3;
  lengths[lengths.size() / 3] = std::size_t{1} << 23;
  expect_segments_of_cpu<float, std::int64_t>(lengths, "a huge one");
  expect_segments_of_cpu<double, std::int32_t>(lengths, "a huge one");
  expect_segments_of_cpu<double, std::int32_t>(std::vector<std::size_t>(at_most(1000, 5), 10001), "long ones");
  expect_segments_of_cpu<float, std::int64_t>(std::vector<std::size_t>(at_most(10000, 9), 4097), "many long ones");
}

TEST_F(cuda_segments, of_hostile_data_have_the_bits_of_the_cpu) {
  const std::size_t unit = at_most(1000, 4);
  std::vector<double> a = uniform<double>(3000 * unit, 5);
  for (std::size_t i = 0; i + 1 < a.size(); i += 2) {
    a[i] = std::ldexp(a[i], static_cast<int>(i % 1900) - 950);
    a[i + 1] = i % 100 == 0 ? 0.5 - a[i] : -a[i];
  }
  a[700] = HUGE_VAL, a[2000 * unit + 1] = -HUGE_VAL, a[2900 * unit + 1] = NAN;
  const auto at = [&](std::size_t place) { return static_cast<std::int64_t>(place * unit); };
  const std::vector<std::int64_t> offsets = {0, 5, 600, 1000, 1000, at(2000), at(2200), at(2900), at(3000)};
  const device_vector<double> x(a), out(std::vector<double>(8, 7.0));
  const device_vector<std::int64_t> places(offsets);
  const segments<std::span<const double>, std::int64_t> of_host{a, offsets},
      given{std::span<const double>(x.data(), a.size()), std::span<const std::int64_t>(places.data(), 9)};
  std::vector<double> expected(8);
  for (const reduction what : {reduction::sum, reduction::nrm2, reduction::mean, reduction::variance}) {
    detail::reduce_many(what, of_host, expected, {}, 0);
    detail::reduce_many(what, given, std::span<double>(out.data(), 8), {}, 0);
    expect_same(out, expected, std::string(name_of(what)));
  }
}

TEST_F(cuda_segments, of_other_elements_have_the_bits_of_the_cpu) {
  const auto unit = static_cast<std::int32_t>(at_most(1000, 100));
  std::vector<std::int64_t> a(static_cast<std::size_t>(100 * unit));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::int64_t>(i * 0x9e3779b97f4a7c15U) >> 8;
  const std::vector<std::int32_t> offsets = {0, 1, 50, 50, 3 * unit, 70 * unit, 100 * unit};
  const device_vector<std::int64_t> x(a);
  const device_vector<double> out(std::vector<double>(6, 7.0));
  const device_vector<std::int32_t> places(offsets);
  const segments<std::span<const std::int64_t>, std::int32_t> of_host{a, offsets},
      given{std::span<const std::int64_t>(x.data(), a.size()), std::span<const std::int32_t>(places.data(), 7)};
  std::vector<double> expected(6);
  const std::span<double> to(out.data(), 6);
  for (const reduction what : {reduction::sum, reduction::nrm2, reduction::variance, reduction::stddev}) {
    detail::reduce_many(what, of_host, expected, {}, 0);
    detail::reduce_many(what, given, to, {}, 0);
    expect_same(out, expected, std::string(name_of(what)));
  }
}

/// Variances of 64-bit integers whose bounds decide, and of neighbours of a large one, whose bounds do not.
template <class T>
void expect_variances_of_integers(std::size_t m, std::size_t n, bool cancels) {
  fit_simulator(m, n);
  std::vector<T> a(m * n);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::uint64_t bits = i * 0x9e3779b97f4a7c15U;
    a[i] = static_cast<T>(cancels ? (std::uint64_t{1} << 62) + bits % 3 : bits >> (i % 2));
  }
  const device_vector<T> x(a);
  const device_vector<double> out(std::vector<double>(std::max(m, n), 7.0));
  const std::string name = std::to_string(m) + " x " + std::to_string(n) + (cancels ? ", cancels" : "");
  cuda::workspace workspace;
  for (const reduction what : {reduction::variance, reduction::stddev}) {
    std::vector<double> expected(m);
    detail::reduce_many(what, rows{a.data(), m, n}, expected, {}, 0);
    detail::reduce_many(what, rows<T>{x.data(), m, n}, std::span<double>(out.data(), m), {}, 0);
    expect_same(out, expected, std::string(name_of(what)) + " of rows, " + name);
    expected.resize(n);
    detail::reduce_many(what, columns{a.data(), m, n}, expected, {}, 0);
    detail::reduce_many(what, columns<T>{x.data(), m, n}, std::span<double>(out.data(), n), {}, 0);
    expect_same(out, expected, std::string(name_of(what)) + " of columns, " + name);
  }
}

TEST_F(cuda_segments, variances_of_64_bit_integers_have_the_bits_of_the_cpu) {
  for (const bool cancels : {false, true}) {
    expect_variances_of_integers<std::int64_t>(16, 100001, cancels);
    expect_variances_of_integers<std::uint64_t>(1, 1000000, cancels);
    expect_variances_of_integers<std::uint64_t>(70000, 9, cancels);
    expect_variances_of_integers<std::int64_t>(1000, 1000, cancels);
  }
}

TEST_F(cuda_segments, with_wrong_offsets_are_refused_and_nothing_is_written) {
  const std::vector<float> a = uniform<float>(100, 3);
  const device_vector<float> x(a), out(std::vector<float>(4, 7.0F));
  const std::span<float> to(out.data(), 4);
  const auto expect_refusal = [&](const std::vector<std::int32_t>& offsets, const char* text) {
    const device_vector<std::int32_t> places(offsets);
    const segments<std::span<const float>, std::int32_t> given{std::span<const float>(x.data(), 100),
                                                               std::span<const std::int32_t>(places.data(), 5)};
    expect_error(errc::bad_option, text, [&] { sum(given, to); });
    for (const float each : out.read(4)) EXPECT_EQ(each, 7.0F);
  };
  expect_refusal({0, 10, 5, 20, 30}, "offset 2 is 5, below the one before it, 10");
  expect_refusal({0, 10, 20, 101, 30}, "offset 3 is 101, past the end of 100 elements");
  expect_refusal({-1, 10, 20, 30, 40}, "offset 0 is -1");
  expect_refusal({0, 10, 20, 30, -40}, "offset 4 is -40");
  const std::vector<std::int32_t> host = {0, 1, 2, 3, 4};
  const segments<std::span<const float>, std::int32_t> mixed{std::span<const float>(x.data(), 100), host};
  expect_error(errc::bad_option, "the array of offsets lies in host memory", [&] { sum(mixed, to); });

  cuda::workspace workspace;
  const std::vector<std::int32_t> wrong = {0, 10, 5, 20, 300};
  const device_vector<std::int32_t> places(wrong);
  const segments<std::span<const float>, std::int32_t> given{std::span<const float>(x.data(), 100),
                                                             std::span<const std::int32_t>(places.data(), 5)};
  cuda::reduce(workspace, reduction::sum, given, out.data());
  expect_error(errc::bad_option, "segment 1", [&] { workspace.check(); });
  workspace.check();  // told once
  const std::vector<float> found = out.read(4);
  EXPECT_TRUE(std::isnan(found[1]) && std::isnan(found[3]));
  EXPECT_EQ(found[0], sum(std::span(a).first(10)));
  EXPECT_EQ(found[2], sum(std::span(a).subspan(5, 15)));
}

TEST_F(cuda_segments, are_captured_in_a_graph) {
  const std::vector<std::size_t> lengths = {3, 0, at_most(100000, 9000), 7, 500};
  const auto offsets = offsets_of<std::int64_t>(lengths, 0);
  const std::vector<float> a = uniform<float>(static_cast<std::size_t>(offsets.back()), 4);
  const device_vector<float> x(a), out(std::vector<float>(5, 0.0F));
  const device_vector<std::int64_t> places(offsets);
  std::vector<float> expected(5);
  sum(segments{a, offsets}, expected);
  const test_stream stream;
  cuda::workspace workspace(stream.handle());
  const segments<std::span<const float>, std::int64_t> given{std::span<const float>(x.data(), a.size()),
                                                             std::span<const std::int64_t>(places.data(), 6)};
  const captured_graph graph(stream.handle(), [&] { cuda::reduce(workspace, reduction::sum, given, out.data()); });
  for (int i = 0; i < 3; ++i) graph.launch();
  expect_same(out, expected, "graph");
}

/// Rows and columns of many shapes, and of data that cancel.
template <class T>
void expect_lines_of_cpu(std::size_t m, std::size_t n, bool cancels) {
  fit_simulator(m, n);
  std::vector<T> a = uniform<T>(m * n, 9);
  for (std::size_t i = 0; cancels && i + 1 < a.size(); i += 2) {
    a[i] = std::ldexp(a[i], static_cast<int>(i % 121) - 60);
    a[i + 1] = i % 1000 == 0 ? T(0.5) - a[i] : -a[i];
  }
  const device_vector<T> x(a), out(std::vector<T>(std::max(m, n), T(7)));
  const std::string name = std::to_string(m) + " x " + std::to_string(n) + (cancels ? ", cancels" : "");
  std::vector<T> expected(m);
  for (const reduction what : {reduction::sum, reduction::nrm2, reduction::variance, reduction::stddev}) {
    expected.resize(m);
    detail::reduce_many(what, rows{a.data(), m, n}, expected, {}, 0);
    detail::reduce_many(what, rows<T>{x.data(), m, n}, std::span<T>(out.data(), m), {}, 0);
    expect_same(out, expected, std::string(name_of(what)) + " of rows, " + name);
    expected.resize(n);
    detail::reduce_many(what, columns{a.data(), m, n}, expected, {}, 0);
    detail::reduce_many(what, columns<T>{x.data(), m, n}, std::span<T>(out.data(), n), {}, 0);
    expect_same(out, expected, std::string(name_of(what)) + " of columns, " + name);
  }
}

TEST_F(cuda_segments, long_rows_and_columns_have_the_bits_of_the_cpu) {
  for (const bool cancels : {false, true}) {
    expect_lines_of_cpu<float>(16, 300001, cancels);
    expect_lines_of_cpu<double>(3, 700000, cancels);
    expect_lines_of_cpu<float>(200000, 9, cancels);
    expect_lines_of_cpu<double>(60001, 32, cancels);
    expect_lines_of_cpu<float>(1000, 1000, cancels);
    expect_lines_of_cpu<double>(131, 20001, cancels);
  }
}

}  // namespace
