// Extreme elements of rows, columns and segments in a GPU's memory through the public calls: the bits of the CPU's
// batch, at lengths of every row of the tuning tables, of every element type; empty rows. Mode fast is refused.
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
using cuda_batch_extrema = needs_gpu;

constexpr reduction four[] = {reduction::min, reduction::max, reduction::argmin, reduction::argmax};

/// A matrix of elements whose type is a value, m rows of n, of any strides in elements.
struct device_matrix {
  std::size_t m, n;
  std::ptrdiff_t row_stride, stride = 1;
  std::size_t first = 0;
};

/// The results of a batch on the CPU and on the GPU, which have to be the same bytes.
void expect_same_batch(reduction what, element_type type, element_type result, const device_matrix& shape,
                       const std::vector<unsigned char>& bytes) {
  const std::size_t size = size_of(type), of_result = size_of(result);
  const auto step = static_cast<std::ptrdiff_t>(size);
  const device_vector<unsigned char> x(bytes), out(std::vector<unsigned char>(shape.m * of_result, 0x5a));
  const axis results[] = {{shape.m, shape.row_stride * step}}, elements[] = {{shape.n, shape.stride * step}},
             places[] = {{shape.m, static_cast<std::ptrdiff_t>(of_result)}};
  std::vector<unsigned char> expected(shape.m * of_result), found(shape.m * of_result);
  reduce(what, any_grid{bytes.data() + shape.first * size, type, results, elements},
         any_results{expected.data(), result, places}, {.device = device::cpu});
  const any_grid on_device{x.data() + shape.first * size, type, results, elements};
  const any_results to{out.data(), result, places};
  for (const bool waits : {true, false}) {
    cuda::workspace workspace;
    ASSERT_EQ(cudaMemset(out.data(), 0x5a, found.size()), cudaSuccess);
    waits ? reduce(what, on_device, to) : cuda::reduce(workspace, what, on_device, to);
    ASSERT_EQ(cudaMemcpy(found.data(), out.data(), found.size(), cudaMemcpyDeviceToHost), cudaSuccess);
    for (std::size_t i = 0; i < shape.m; ++i) {
      ASSERT_EQ(std::memcmp(&found[i * of_result], &expected[i * of_result], of_result), 0)
          << name_of(what) << " of " << name_of(type) << " to " << name_of(result) << ", line " << i << " of "
          << shape.m << " by " << shape.n << ", strides " << shape.row_stride << " and " << shape.stride
          << (waits ? ", waits" : "");
    }
  }
}

/// Random bytes: all kinds of elements, NaNs among them.
std::vector<unsigned char> random_bytes(std::size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<unsigned char> made(n);
  for (unsigned char& each : made) each = static_cast<unsigned char>(generator() >> 11);
  return made;
}

/// No NaNs: the exponent's highest bit is 0 in all elements.
std::vector<unsigned char> random_numbers(element_type type, std::size_t n, unsigned seed) {
  std::vector<unsigned char> made = random_bytes(n * size_of(type), seed);
  if (is_integer(type)) return made;
  for (std::size_t i = size_of(type) - 1; i < made.size(); i += size_of(type)) made[i] &= 0xbf;
  return made;
}

void expect_extrema(element_type type, const device_matrix& shape, std::size_t elements, unsigned seed,
                    bool with_nans = false) {
  const auto bytes =
      with_nans ? random_bytes(elements * size_of(type), seed) : random_numbers(type, elements, seed);
  for (const reduction what : four) {
    expect_same_batch(what, type, gives_index(what) ? element_type::int64 : type, shape, bytes);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(cuda_batch_extrema, extrema_of_rows_have_the_bits_of_the_cpu_at_every_length_of_the_tuning_table) {
  unsigned seed = 1;
  for (const element_info& info : elements) {
    for (const std::size_t n : {1, 2, 3, 5, 8, 13, 31, 64, 100, 257, 700, 1500, 4099, 9001, 40003}) {
      if (n > at_most(n, 9001)) break;
      const std::size_t m = n > 1000 ? at_most(40, 2) : at_most(3000, 9), gap = seed % 3;
      ++seed;
      expect_extrema(info.type, {m, n, static_cast<std::ptrdiff_t>(n + gap)}, m * (n + gap), seed, seed % 4 == 0);
      if (HasFatalFailure()) return;
    }
  }
  const std::size_t n = at_most((std::size_t{1} << 22) + 1, 20001), count = at_most(300001, 1001);
  expect_extrema(element_type::float32, {3, n, static_cast<std::ptrdiff_t>(n)}, 3 * n, 7);  // vector by vector
  expect_extrema(element_type::float16, {count, 7, 7}, 7 * count, 8);
  const std::size_t shared = at_most((std::size_t{1} << 18) + 3, 700);  // blocks share 40 rows of so many elements
  expect_extrema(element_type::float32, {40, shared, static_cast<std::ptrdiff_t>(shared + 1)}, 40 * (shared + 1),
                 9);
}

TEST_F(cuda_batch_extrema, extrema_of_columns_and_of_any_strides_have_the_bits_of_the_cpu) {
  unsigned seed = 100;
  for (const element_info& info : elements) {
    for (const std::size_t n : {1, 3, 9, 16, 17, 100, 1000}) {
      for (const std::size_t m : {5, 900, 5000, 50000}) {
        if (m * n > at_most(2000000, 10000)) continue;
        ++seed;
        expect_extrema(info.type, {m, n, 1, static_cast<std::ptrdiff_t>(m)}, m * n, seed, seed % 4 == 0);
        if (HasFatalFailure()) return;
      }
    }
    for (const std::size_t m : {1, 5, 128, 1000}) {  // few long columns
      const std::size_t n = at_most(1000000, 9000) / m + at_most(3000, 9);
      expect_extrema(info.type, {m, n, 1, static_cast<std::ptrdiff_t>(m)}, m * n, ++seed);
      if (HasFatalFailure()) return;
    }
    for (const std::size_t n : {4, 90, 700, 20000}) {
      if (n > at_most(n, 700)) continue;
      const std::size_t m = at_most(60, 4);
      const auto length = static_cast<std::ptrdiff_t>(2 * n);
      expect_extrema(info.type, {m, n, length, 2}, 2 * m * n, ++seed);
      expect_extrema(info.type, {m, n, length, -1, n - 1}, 2 * m * n, ++seed);
      expect_extrema(info.type, {m, n, -length, 1, 2 * n * (m - 1)}, 2 * m * n, ++seed);
      expect_extrema(info.type, {m, n, 0, 1}, 2 * m * n, ++seed);
      expect_extrema(info.type, {m, n, 3, 0}, 2 * m * n, ++seed);
      if (HasFatalFailure()) return;
    }
  }
}

/// Mode exact takes the same time there.
TEST_F(cuda_batch_extrema, sums_of_many_vectors_in_mode_fast_are_refused) {
  const std::vector<float> a = uniform<float>(30, 1);
  const device_vector<float> x(a), out(std::vector<float>(3, 7.0F));
  const device_vector<std::int64_t> offsets(std::vector<std::int64_t>{0, 10, 30});
  const std::span<float> to(out.data(), 3);
  const options fast{.mode = mode::fast};
  cuda::workspace workspace;
  const rows<float> lines{x.data(), 3, 10};
  const segments<std::span<const float>, std::int64_t> given{std::span<const float>(x.data(), 30),
                                                             std::span<const std::int64_t>(offsets.data(), 3)};
  expect_error(errc::bad_option, "use mode exact", [&] { sum(lines, to, fast); });
  expect_error(errc::bad_option, "use mode exact", [&] { dot(lines, lines, to, fast); });
  expect_error(errc::bad_option, "use mode exact", [&] { sum(given, to.first(2), fast); });
  expect_error(errc::bad_option, "use mode exact",
               [&] { cuda::reduce(workspace, reduction::sum, lines, out.data(), fast); });
  for (const float each : out.read(3)) EXPECT_EQ(each, 7.0F);
  max(lines, to, fast);
  std::vector<float> expected(3);
  max(rows{a.data(), 3, 10}, expected);
  EXPECT_EQ(out.read(3), expected);
  sum(rows<float>{x.data(), 1, 30}, to.first(1), fast);  // a vector
  EXPECT_EQ(out.read(3)[0], sum(std::span<const float>(a), fast));
}

TEST_F(cuda_batch_extrema, rows_of_nothing_have_no_extreme_element_and_nothing_is_written) {
  const device_vector<double> x(std::vector<double>(10, 1.0)), out(std::vector<double>(4, 7.0));
  const std::span<double> to(out.data(), 4);
  cuda::workspace workspace;
  expect_error(errc::empty_input, "empty", [&] { max(rows<double>{x.data(), 4, 0}, to); });
  expect_error(errc::empty_input, "empty", [&] {
    cuda::reduce(workspace, reduction::min, rows<double>{x.data(), 4, 0}, out.data());
  });
  for (const double each : out.read(4)) EXPECT_EQ(each, 7.0);
}

TEST_F(cuda_batch_extrema, extrema_of_rows_are_captured_in_a_graph) {
  const std::vector<float> a = uniform<float>(100 * 300, 4);
  const device_vector<float> x(a), out(std::vector<float>(100, 0.0F));
  std::vector<float> expected(100);
  max(rows{a.data(), 100, 300}, expected);
  const test_stream stream;
  cuda::workspace workspace(stream.handle());
  const captured_graph graph(stream.handle(), [&] {
    cuda::reduce(workspace, reduction::max, rows<float>{x.data(), 100, 300}, out.data());
  });
  graph.launch();
  EXPECT_EQ(out.read(100), expected);
}

/// Segments of random lengths, many short ones and some long ones; none is empty.
std::vector<std::int64_t> random_offsets(std::size_t count, std::size_t longest, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::int64_t> offsets{seed % 7};
  for (std::size_t i = 0; i < count; ++i) {
    const auto kind = random() % 100;
    const std::size_t n = kind < 60 ? random() % 40 : kind < 98 ? random() % 3000 : random() % longest;
    offsets.push_back(offsets.back() + static_cast<std::int64_t>(n + 1));
  }
  return offsets;
}

/// Both calls on segments, compared with the CPU's bytes.
void expect_same_segments(reduction what, element_type type, element_type result,
                          std::span<const std::int64_t> cuts, const std::vector<unsigned char>& bytes) {
  const std::size_t count = cuts.size() - 1, size = size_of(type), of_result = size_of(result);
  const auto as_offsets = [&](const std::int64_t* data) {
    return any_offsets{data, count, element_type::int64, sizeof(std::int64_t)};
  };
  const device_vector<unsigned char> x(bytes), out(std::vector<unsigned char>(count * of_result, 0x5a));
  const device_vector<std::int64_t> offsets(std::vector<std::int64_t>(cuts.begin(), cuts.end()));
  const axis places[] = {{count, static_cast<std::ptrdiff_t>(of_result)}};
  std::vector<unsigned char> expected(count * of_result), found(expected.size());
  const auto as_vector = [&](const unsigned char* data) {
    return any_vector{data, bytes.size() / size, type, static_cast<std::ptrdiff_t>(size)};
  };
  reduce(what, as_vector(bytes.data()), as_offsets(cuts.data()), any_results{expected.data(), result, places},
         {.device = device::cpu});
  for (const bool waits : {true, false}) {
    cuda::workspace workspace;
    const any_results to{out.data(), result, places};
    ASSERT_EQ(cudaMemset(out.data(), 0x5a, found.size()), cudaSuccess);
    if (waits) {
      reduce(what, as_vector(x.data()), as_offsets(offsets.data()), to);
    } else {
      cuda::reduce(workspace, what, as_vector(x.data()), as_offsets(offsets.data()), to);
    }
    ASSERT_EQ(cudaMemcpy(found.data(), out.data(), found.size(), cudaMemcpyDeviceToHost), cudaSuccess);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(std::memcmp(&found[i * of_result], &expected[i * of_result], of_result), 0)
          << name_of(what) << " of " << name_of(type) << " to " << name_of(result) << ", segment " << i << " of "
          << cuts[i + 1] - cuts[i] << " elements" << (waits ? ", waits" : "");
    }
  }
}

TEST_F(cuda_batch_extrema, extrema_of_segments_have_the_bits_of_the_cpu) {
  unsigned seed = 3000;
  for (const element_info& info : elements) {
    for (const std::size_t count : {1, 40, 3000}) {
      const auto cuts = random_offsets(at_most(count, 60), at_most(300000, 9000), ++seed);
      const auto bytes = random_numbers(info.type, static_cast<std::size_t>(cuts.back()) + 3, seed);
      for (const reduction what : four) {
        expect_same_segments(what, info.type, gives_index(what) ? element_type::int64 : info.type, cuts, bytes);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(cuda_batch_extrema, empty_segments_have_no_extreme_element) {
  const device_vector<float> x(std::vector<float>(10, 1.0F)), out(std::vector<float>(4, 7.0F));
  const device_vector<std::int64_t> offsets(std::vector<std::int64_t>{0, 3, 3, 5, 5});
  const segments<std::span<const float>, std::int64_t> given{std::span<const float>(x.data(), 10),
                                                             std::span<const std::int64_t>(offsets.data(), 5)};
  expect_error(errc::empty_input, "segment 1 is empty", [&] { max(given, std::span<float>(out.data(), 4)); });
  for (const float each : out.read(4)) EXPECT_EQ(each, 7.0F);
  cuda::workspace workspace;
  cuda::reduce(workspace, reduction::max, given, out.data());
  expect_error(errc::empty_input, "segment 1 is empty", [&] { workspace.check(); });
  workspace.check();
  const std::vector<float> found = out.read(4);
  EXPECT_TRUE(found[0] == 1.0F && found[1] != found[1] && found[2] == 1.0F && found[3] != found[3]);
}

/// Offsets that decrease make segments that overlap: more elements than the vector has.
TEST_F(cuda_batch_extrema, segments_that_overlap_by_wrong_offsets_leave_nothing_behind) {
  constexpr std::size_t n = 4000, count = 32;
  const std::vector<float> a = uniform<float>(n, 5);
  std::vector<std::int64_t> cuts;
  for (std::size_t i = 0; i <= count; ++i) cuts.push_back(i % 2 == 0 ? 0 : n);
  const device_vector<float> x(a), out(std::vector<float>(count, 7.0F));
  const device_vector<std::int64_t> offsets(cuts);
  const segments<std::span<const float>, std::int64_t> given{
      std::span<const float>(x.data(), n), std::span<const std::int64_t>(offsets.data(), count + 1)};
  cuda::workspace workspace;
  for (const reduction what : {reduction::sum, reduction::max}) {
    ASSERT_EQ(cudaMemset(out.data(), 0x11, count * sizeof(float)), cudaSuccess);
    cuda::reduce(workspace, what, given, out.data());
    expect_error(errc::bad_option, "segment 1", [&] { workspace.check(); });
    const std::vector<float> found = out.read(count);
    float expected{};
    const axis one[] = {{1, sizeof(float)}}, all[] = {{n, sizeof(float)}};
    reduce(what, any_grid{a.data(), element_type::float32, one, all},
           any_results{&expected, element_type::float32, one}, {.device = device::cpu});
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_TRUE(i % 2 == 0 ? found[i] == expected : found[i] != found[i]) << name_of(what) << ", segment " << i;
    }
  }
}

}  // namespace
