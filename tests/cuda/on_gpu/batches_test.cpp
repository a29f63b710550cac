// Rows of arrays in a GPU's memory through the public calls: the bits of the CPU's batch, graphs, and refusals.
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
using cuda_batches = needs_gpu;

template <class T>
std::span<T> on_device(const device_vector<T>& x, std::size_t n) {
  return {x.data(), n};
}

/// Waited for and stream-ordered; rows one element longer than they need, so that all alignments occur.
template <class T>
void expect_rows_of_cpu(std::size_t m, std::size_t n) {
  fit_simulator(m, n);
  const auto gap = static_cast<std::ptrdiff_t>(n % 2 == 0 ? n : n + 1);
  const std::vector<T> a = uniform<T>(m * static_cast<std::size_t>(gap), 1), b = uniform<T>(a.size(), 2);
  const device_vector<T> x(a), y(b), out(std::vector<T>(m, T(7)));
  std::vector<T> expected(m);
  const std::string shape = std::to_string(m) + " x " + std::to_string(n);
  cuda::workspace workspace;
  dot(rows{a.data(), m, n, gap}, rows{b.data(), m, n, gap}, expected);
  dot(rows<T>{x.data(), m, n, gap}, rows<T>{y.data(), m, n, gap}, on_device(out, m));
  expect_same(out, expected, "dot of " + shape);
  dot(rows{a.data(), m, n, gap}, repeated{b.data(), n}, expected);
  cuda::dot(workspace, rows<T>{x.data(), m, n, gap}, repeated<T>{y.data(), n}, out.data());
  expect_same(out, expected, "matrix times vector, " + shape);
  mean(rows{a.data(), m, n, gap}, expected);
  mean(rows<T>{x.data(), m, n, gap}, on_device(out, m));
  expect_same(out, expected, "mean of " + shape);
  nrm2(rows{a.data(), m, n, gap}, expected);
  cuda::reduce(workspace, reduction::nrm2, rows<T>{x.data(), m, n, gap}, out.data());
  expect_same(out, expected, "norm of " + shape);
}

TEST_F(cuda_batches, have_the_bits_of_the_cpu_at_every_length_of_the_tuning_table) {
  for (const std::size_t n : {0, 1, 2, 3, 7, 16, 33, 64, 100, 129, 255, 512, 1000, 4097, 9000, 70001}) {
    const std::size_t m = n > 5000 ? 9 : 1000;
    expect_rows_of_cpu<float>(m, n);
    expect_rows_of_cpu<double>(m, n);
  }
  expect_rows_of_cpu<float>(3, (std::size_t{1} << 22) + 1);  // vector by vector
  expect_rows_of_cpu<double>(200, 140001);
  expect_rows_of_cpu<float>(300001, 5);
}

TEST_F(cuda_batches, of_columns_and_of_axes_have_the_bits_of_the_cpu) {
  const std::vector<double> a = uniform<double>(60 * 40, 3);
  const device_vector<double> x(a), out(std::vector<double>(120, 0.0));
  std::vector<double> expected(40);
  sum(columns{a.data(), 60, 40}, expected);
  sum(columns<double>{x.data(), 60, 40}, on_device(out, 40));
  expect_same(out, expected, "columns");
  // 6 x 5 x 10 x 8 elements: results along the first and third axis
  const axis results[] = {{6, 3200}, {10, 64}}, elements[] = {{8, 8}}, places[] = {{6, 80}, {10, 8}};
  expected.assign(60, 0.0);
  reduce(reduction::sum, any_grid{a.data(), element_type::float64, results, elements},
         any_results{expected.data(), element_type::float64, places});
  reduce(reduction::sum, any_grid{x.data(), element_type::float64, results, elements},
         any_results{out.data(), element_type::float64, places});
  expect_same(out, expected, "axes");
}

TEST_F(cuda_batches, are_captured_in_a_graph) {
  const std::vector<float> a = uniform<float>(100 * 300, 4);
  const device_vector<float> x(a), out(std::vector<float>(100, 0.0F));
  std::vector<float> expected(100);
  asum(rows{a.data(), 100, 300}, expected);
  const test_stream stream;
  cuda::workspace workspace(stream.handle());
  const captured_graph graph(stream.handle(), [&] {
    cuda::reduce(workspace, reduction::asum, rows<float>{x.data(), 100, 300}, out.data());
  });
  graph.launch();
  expect_same(out, expected, "graph");
}

TEST_F(cuda_batches, of_arrays_in_other_memory_are_refused) {
  const std::vector<double> a = uniform<double>(60, 5);
  const device_vector<double> x(a), out(std::vector<double>(10, 0.0));
  std::vector<double> host(10);
  const rows<double> given{x.data(), 10, 6};
  const auto to = on_device(out, 10);
  expect_error(errc::bad_option, "the array of results lies in host memory", [&] { sum(given, host); });
  expect_error(errc::bad_option, "x lies in host memory", [&] { sum(rows{a.data(), 10, 6}, to); });
  expect_error(errc::bad_option, "x lies in host memory", [&] {
    sum(rows{a.data(), 10, 6}, host, {.device = device::cuda});
  });
  expect_error(errc::bad_option, "cannot read", [&] { sum(given, to, {.device = device::cpu}); });
  expect_error(errc::bad_option, "is not aligned", [&] {
    sum(rows{reinterpret_cast<const double*>(reinterpret_cast<const char*>(x.data()) + 4), 9, 6}, to.first(9));
  });
}

TEST_F(cuda_batches, that_gpus_do_not_compute_are_refused_before_anything_is_written) {
  const device_vector<double> x(uniform<double>(60, 5)), out(std::vector<double>(5, 7.0));
  constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(double));
  const axis rows_of[] = {{5, 12 * size}}, in_row[] = {{12, size}}, places[] = {{5, size}};
  const any_grid plain{x.data(), element_type::float64, rows_of, in_row};
  const any_results swapped{out.data(), element_type::float64, places, true};
  cuda::workspace workspace;
  expect_error(errc::bad_option, "results with swapped bytes", [&] { reduce(reduction::sum, plain, swapped); });
  expect_error(errc::bad_option, "results with swapped bytes",
               [&] { cuda::reduce(workspace, reduction::sum, plain, swapped); });
  expect_same(out, std::vector<double>(5, 7.0), "refused");
}

}  // namespace
