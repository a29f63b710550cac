// Complex numbers in device memory have the bits of the CPU: vectors, rows and columns of any strides, segments, groups
// and rows by key; errors name the caller's numbers, not their parts.
#include <complex>
#include <exactdot/exactdot.hpp>

#include "cuda/on_gpu/support.hpp"

namespace {

using namespace exactdot;
using namespace on_gpu;

class cuda_complex : public needs_gpu {};

constexpr reduction all[] = {reduction::sum, reduction::mean, reduction::asum, reduction::sum_of_squares,
                             reduction::nrm2, reduction::dot};

/// 2n parts, of which neighbours nearly cancel.
template <class T>
std::vector<T> parts(std::size_t n, unsigned seed) {
  std::vector<T> x = uniform<T>(2 * n, seed);
  for (std::size_t i = 2; i < x.size(); i += 3) x[i] = -x[i - 2];
  return x;
}

/// Runs call(a, b, results) in host memory and on the device, and compares the `count` results of type T or pairs of T.
template <class T, class Call>
void expect_as_cpu(const std::vector<T>& a, const std::vector<T>& b, std::size_t count, const std::string& what, const Call& call) {
  std::vector<T> expected(2 * count, T(77));
  call(a.data(), b.data(), static_cast<void*>(expected.data()), false);
  const device_vector<T> on_a(a), on_b(b), found(std::vector<T>(2 * count, T(77)));
  call(on_a.data(), on_b.data(), static_cast<void*>(found.data()), true);
  expect_same(found, expected, what);
}

template <class T>
any_results results_of(reduction what, void* to, const axis& places) {
  return {to, detail::gives_complex(what) ? detail::number_type_of<std::complex<T>> : type_of<T>, {&places, 1}};
}

template <class T>
void expect_grids(unsigned seed) {
  constexpr auto size = static_cast<std::ptrdiff_t>(2 * sizeof(T));
  const element_type type = detail::number_type_of<std::complex<T>>;
  for (const std::size_t n : {std::size_t{0}, std::size_t{3}, std::size_t{40}, at_most(5000, 70)}) {
    const std::size_t m = 7;
    const std::vector<T> a = parts<T>(m * (n + 1), seed), b = parts<T>(m * (n + 1), seed + 1);
    const auto long_m = static_cast<std::ptrdiff_t>(m), long_n = static_cast<std::ptrdiff_t>(n);
    const axis rows{m, (long_n + 1) * size}, along{n, size}, columns{m, size}, down{n, long_m * size}, one{m, 0};
    for (const reduction what : all) {
      for (const bool conjugates : {false, true}) {
        if (conjugates && what != reduction::dot) continue;
        const axis places{m, detail::gives_complex(what) ? size : size / 2};
        const auto run = [&](const axis& of, const axis& elements, const axis& of_b, const axis& elements_of_b, const char* name) {
          expect_as_cpu(a, b, m, std::string(name_of(what)) + " of " + name + " of " + std::to_string(n), [&](const T* x, const T* y, void* to, bool) {
            any_grid first{x, type, {&of, 1}, {&elements, 1}};
            first.conjugated = conjugates;
            detail::reduce_grid(what, first, {y, type, {&of_b, 1}, {&elements_of_b, 1}}, results_of<T>(what, to, places), {});
          });
        };
        run(rows, along, rows, along, "rows"), run(columns, down, rows, along, "columns"), run(rows, along, one, along, "rows");
      }
    }
  }
}

TEST_F(cuda_complex, rows_and_columns_have_the_bits_of_the_cpu) { expect_grids<float>(3), expect_grids<double>(5); }

template <class T>
void expect_segments_and_groups(unsigned seed) {
  constexpr auto size = static_cast<std::ptrdiff_t>(2 * sizeof(T));
  const element_type type = detail::number_type_of<std::complex<T>>;
  const std::size_t n = at_most(20'000, 90), groups = 5;
  const std::vector<T> a = parts<T>(2 * n, seed), b = parts<T>(n, seed + 1);
  const auto end = static_cast<std::int32_t>(n);
  const std::vector<std::int32_t> offsets{0, 1, 1, end / 2, end - 3, end};
  std::vector<std::int16_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::int16_t>(i * i % 7 - 1);
  const device_vector<std::int32_t> on_offsets(offsets);
  const device_vector<std::int16_t> on_keys(keys);
  for (const std::ptrdiff_t stride : {1, 2}) {
    for (const reduction what : all) {
      for (const bool conjugates : {false, true}) {
        if (conjugates && what != reduction::dot) continue;
        const axis places{groups, detail::gives_complex(what) ? size : size / 2};
        expect_as_cpu(a, b, groups, std::string(name_of(what)) + " of segments", [&](const T* x, const T* y, void* to, bool on_gpu) {
          any_vector first{x, n, type, stride * size};
          first.conjugated = conjugates;
          detail::reduce_segments(what, first, {y, n, type, size}, {on_gpu ? on_offsets.data() : offsets.data(), groups, element_type::int32, 4},
                                  results_of<T>(what, to, places), {});
        });
        expect_as_cpu(a, b, groups, std::string(name_of(what)) + " of groups", [&](const T* x, const T* y, void* to, bool on_gpu) {
          const detail::element_line first({x, n, type, stride * size}), second({y, n, type, size});
          any_grid view = first.view();
          view.conjugated = conjugates;
          detail::reduce_groups(what, view, second.view(), {on_gpu ? on_keys.data() : keys.data(), n, element_type::int16, 2, groups, true},
                                results_of<T>(what, to, places), {});
        });
      }
    }
  }
}

TEST_F(cuda_complex, segments_and_groups_have_the_bits_of_the_cpu) {
  expect_segments_and_groups<float>(7), expect_segments_and_groups<double>(9);
}

template <class T>
void expect_swapped() {
  constexpr auto size = static_cast<std::ptrdiff_t>(2 * sizeof(T));
  const element_type type = detail::number_type_of<std::complex<T>>;
  std::vector<T> a = parts<T>(60, 21), b = parts<T>(60, 22);
  for (std::vector<T>* const each : {&a, &b}) {
    for (T& part : *each) {
      auto* const bytes = reinterpret_cast<unsigned char*>(&part);
      std::reverse(bytes, bytes + sizeof part);
    }
  }
  const axis rows{4, 15 * size}, along{15, size}, columns{15, size}, down{4, 15 * size}, places{4, size}, other_places{15, size};
  for (const bool conjugates : {false, true}) {
    expect_as_cpu(a, b, 4, "swapped rows", [&](const T* x, const T* y, void* to, bool) {
      detail::reduce_grid(reduction::dot, {x, type, {&rows, 1}, {&along, 1}, true, conjugates}, {y, type, {&rows, 1}, {&along, 1}, true}, {to, type, {&places, 1}}, {});
    });
    expect_as_cpu(a, b, 15, "swapped columns", [&](const T* x, const T* y, void* to, bool) {
      detail::reduce_grid(reduction::dot, {x, type, {&columns, 1}, {&down, 1}, true, conjugates}, {y, type, {&columns, 1}, {&down, 1}, true}, {to, type, {&other_places, 1}}, {});
    });
  }
}

TEST_F(cuda_complex, swapped_bytes_have_the_bits_of_the_cpu) { expect_swapped<float>(), expect_swapped<double>(); }

template <class T>
void expect_vectors(std::size_t n) {
  const std::vector<T> a = parts<T>(2 * n, 11), b = parts<T>(n, 12);
  const device_vector<T> on_a(a), on_b(b);
  const element_type type = detail::number_type_of<std::complex<T>>;
  const auto same = [&](const detail::complex_words& found, const detail::complex_words& right, const char* what) {
    EXPECT_TRUE(found.real == right.real && found.imaginary == right.imaginary) << what << " of " << n;
  };
  for (const std::ptrdiff_t stride : {1, 2}) {
    const std::ptrdiff_t size = 2 * sizeof(T);
    const any_vector x{a.data(), n, type, stride * size}, y{b.data(), n, type, size}, on_x{on_a.data(), n, type, stride * size}, on_y{on_b.data(), n, type, size};
    for (const reduction what : all) {
      if (what == reduction::dot) continue;
      if (!detail::gives_complex(what) && stride != 1) continue;
      same(detail::reduce_complex(what, on_x, type_of<T>, {}), detail::reduce_complex(what, x, type_of<T>, {}), name_of(what));
    }
    for (const bool conjugates : {false, true}) {
      same(detail::multiply_complex(conjugates, on_x, on_y, type_of<T>, {}), detail::multiply_complex(conjugates, x, y, type_of<T>, {}), "dot");
    }
  }
}

TEST_F(cuda_complex, vectors_have_the_bits_of_the_cpu) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{600}, at_most(100'000, 900)}) expect_vectors<float>(n), expect_vectors<double>(n);
}

TEST_F(cuda_complex, errors_name_the_numbers_of_the_caller) {
  const device_vector<double> x(std::vector<double>(12, 1.0)), out(4);
  const element_type type = element_type::complex128;
  const device_vector<std::int32_t> offsets({0, 7, 6}), keys({0, 1, 0, 1, 2, 0});
  const axis places{2, 8}, complex_places{2, 16};
  const any_vector of{x.data(), 6, type, 16};
  const any_results real{out.data(), element_type::float64, {&places, 1}}, complex{out.data(), type, {&complex_places, 1}};
  const any_offsets wrong{offsets.data(), 2, element_type::int32, 4};
  expect_error(errc::bad_option, "is 7, past the end of 6", [&] { reduce(reduction::nrm2, of, wrong, real); });
  expect_error(errc::bad_option, "is 7, past the end of 6", [&] { dot(of, of, wrong, complex); });
  const any_keys by{keys.data(), 6, element_type::int32, 4, 2};
  expect_error(errc::bad_option, "key 4 is 2", [&] { reduce(reduction::nrm2, of, by, real); });
  expect_error(errc::bad_option, "key 4 is 2", [&] { dot(of, of, by, complex); });
  const std::vector<double> on_host(12);
  expect_error(errc::bad_option, "host memory", [&] {
    (void)detail::multiply_complex(false, {on_host.data(), 6, type, 16}, {on_host.data(), 6, type, 16}, element_type::float64, {.device = device::cuda});
  });
  EXPECT_EQ(out.read(4), (std::vector<double>(4)));
}

TEST_F(cuda_complex, numbers_are_left_out_in_host_memory_only) {
  const device_vector<double> x(std::vector<double>(12, 1.0)), out(4);
  const device_vector<std::uint8_t> flags(std::vector<std::uint8_t>(6, 1));
  const std::vector<double> on_host(12, 1.0);
  std::vector<double> results(4, 7);
  const element_type type = element_type::complex128;
  const axis places{2, 16}, along{6, 16}, flags_along{6, 1};
  const any_vector of{x.data(), 6, type, 16};
  const any_grid line{x.data(), type, {}, {&along, 1}}, host_line{on_host.data(), type, {}, {&along, 1}};
  const any_results one{results.data(), type, {}}, two{results.data(), type, {&places, 1}};
  const std::vector<std::int32_t> offsets{0, 2, 6}, keys{0, 1, 0, 1, 1, 0};
  const element_filter skips{{}, true, {}};
  expect_error(errc::bad_option, "elements are left out of arrays in host memory", [&] {
    reduce(reduction::sum, line, skips, {out.data(), type, {}});
  });
  const auto expect = [](const auto& call) { expect_error(errc::bad_option, "in host memory", call); };
  expect([&] { reduce(reduction::sum, line, skips, one); });
  expect([&] { reduce(reduction::dot, host_line, line, skips, one); });
  expect([&] { reduce(reduction::sum, host_line, {{flags.data(), {}, {&flags_along, 1}}, false, {}}, one); });
  expect([&] { reduce(reduction::dot, of, of, any_offsets{offsets.data(), 2, element_type::int32, 4}, skips, two); });
  expect([&] { reduce(reduction::dot, line, line, any_keys{keys.data(), 6, element_type::int32, 4, 2}, skips, two); });
  EXPECT_EQ(results, std::vector<double>(4, 7));
  EXPECT_EQ(out.read(4), (std::vector<double>(4)));
}

}  // namespace
