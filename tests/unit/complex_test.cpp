// Reductions of complex numbers (exactdot/complex.hpp) have the oracle's bits: each part is one sum of reals, which
// the test writes out. All lengths around the stack's and a chunk's, strides, byte orders, both modes, threads;
// special values; what does not fit is an error.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <exactdot/exactdot.hpp>
#include <functional>
#include <limits>
#include <vector>

#include "oracle/cases.hpp"
#include "oracle/complex_numbers.hpp"
#include "oracle/random.hpp"
#include "oracle/reference.hpp"
#include "unit/expect_error.hpp"

namespace {

using namespace exactdot;
using unit::expect_error;
using oracle::parts;
using oracle::random_numbers;
template <class T>
using numbers = std::vector<std::complex<T>>;

std::uint64_t expected(reduction what, const any_vector& a, const any_vector& b, element_type result, mode mode) {
  const oracle::reference reference(what, a, b);
  return (mode == mode::exact ? reference.exact(result) : reference.fast(result))->bits;
}

template <class T>
std::uint64_t expected(reduction what, const std::vector<T>& a, const std::vector<T>& b, element_type result,
                       mode mode) {
  return expected(what, to_any(a), to_any(b), result, mode);
}

/// Complex numbers in memory with a stride, perhaps with swapped bytes.
template <class T>
struct placed {
  std::vector<std::byte> bytes;
  any_vector view;

  placed(const numbers<T>& x, std::ptrdiff_t stride, bool swapped) {
    const std::ptrdiff_t size = 2 * sizeof(T), step = stride * size + (stride > 1 ? 3 : 0);
    const auto n = static_cast<std::ptrdiff_t>(x.size());
    bytes.assign(static_cast<std::size_t>(std::abs(step) * std::max<std::ptrdiff_t>(n - 1, 0) + size + 1),
                 std::byte{0xff});
    std::byte* const first = bytes.data() + (step < 0 ? -step * (n - 1) : 0) + 1;
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      T pair[] = {x[static_cast<std::size_t>(i)].real(), x[static_cast<std::size_t>(i)].imag()};
      auto* const raw = reinterpret_cast<std::byte*>(pair);
      if (swapped) std::reverse(raw, raw + sizeof(T)), std::reverse(raw + sizeof(T), raw + size);
      std::memcpy(first + i * step, pair, sizeof pair);
    }
    view = {first, x.size(), detail::number_type_of<std::complex<T>>, step, swapped};
  }
};

template <class T>
void check(oracle::rng& random, std::size_t n, bool is_short) {
  const numbers<T> a = random_numbers<T>(random, n, random.coin()), b = random_numbers<T>(random, n, random.coin());
  const auto stride = is_short ? 1 : std::vector<std::ptrdiff_t>{1, -1, 2}[random.below(3)];
  const placed<T> x(a, stride, !is_short && random.below(4) == 0), y(b, is_short || random.coin() ? 1 : -2, false);
  const element_type type = std::vector{type_of<T>, element_type::float32, element_type::float64,
                                        element_type::bfloat16}[random.below(4)];
  const options chosen{.mode = random.below(3) == 0 ? mode::fast : mode::exact,
                       .threads = static_cast<int>(random.below(4))};
  const mode mode = chosen.mode;
  const std::string name = std::to_string(n) + " numbers of " + std::string(name_of(type_of<T>));
  for (const reduction what : {reduction::sum, reduction::mean}) {
    const detail::complex_words found = detail::reduce_complex(what, x.view, type, chosen);
    const std::vector<T> real = parts<T>(a, 1, 0), imaginary = parts<T>(a, 0, 1);
    ASSERT_EQ(found.real, expected(what, real, real, type, mode)) << name_of(what) << " of " << name;
    ASSERT_EQ(found.imaginary, expected(what, imaginary, imaginary, type, mode)) << name_of(what) << " of " << name;
  }
  const std::vector<T> reals = parts<T>(a, 1, 1);
  for (const reduction what : {reduction::asum, reduction::sum_of_squares, reduction::nrm2}) {
    const detail::complex_words found = detail::reduce_complex(what, x.view, type, chosen);
    ASSERT_EQ(found.real, expected(what, reals, reals, type, mode)) << name_of(what) << " of " << name;
  }
  for (const bool conjugates : {false, true}) {
    const T sign = conjugates ? 1 : -1;
    numbers<T> turned(n);
    for (std::size_t i = 0; i < n; ++i) turned[i] = {b[i].imag(), -sign * b[i].real()};
    const detail::complex_words found = detail::multiply_complex(conjugates, x.view, y.view, type, chosen);
    ASSERT_EQ(found.real, expected(reduction::dot, reals, parts<T>(b, 1, sign), type, mode))
        << "product of " << name;
    ASSERT_EQ(found.imaginary, expected(reduction::dot, reals, parts<T>(turned, 1, 1), type, mode))
        << "product of " << name;
  }
}

TEST(complex, has_the_bits_of_the_oracle) {
  oracle::rng random(7);
  for (const bool is_short : {true, false}) {
    for (const std::size_t n : {0, 1, 2, 3, 7, 64, 500, 512, 513, 2000, 4096, 4097, 10'000}) {
      for (int i = 0; i < oracle::scaled(n > 600 ? 8 : 40); ++i) {
        check<double>(random, n, is_short), check<float>(random, n, is_short);
        if (HasFatalFailure()) return;
      }
    }
  }
  check<float>(random, 300'000, false), check<double>(random, 300'001, true);
}

TEST(complex, types_and_results) {
  const numbers<double> x = {{3, 4}, {1e100, 0}, {-1e100, 2}};
  const numbers<float> y = {{1, 2}, {3, -1}};
  EXPECT_EQ(sum(x), (std::complex<double>{3, 6}));
  EXPECT_EQ(sum<std::complex<float>>(x), (std::complex<float>{3, 6}));
  EXPECT_EQ(mean(x), (std::complex<double>{1, 2}));
  EXPECT_EQ(norm(y), std::sqrt(15.0F));
  EXPECT_EQ(nrm2<double>(y), std::sqrt(15.0));
  EXPECT_EQ(asum(y), 7.0F);
  EXPECT_EQ(sum_of_squares(y), 15.0F);
  EXPECT_EQ(dot(y, y), (std::complex<float>{5, -2}));
  EXPECT_EQ(dot(y.data(), y.data(), 2), (std::complex<float>{5, -2}));
  EXPECT_EQ(vdot(y, y), (std::complex<float>{15, 0}));
  EXPECT_EQ(vdot<std::complex<double>>(y, std::span(y)), (std::complex<double>{15, 0}));
  EXPECT_EQ(vdot(y.data(), y.data(), 1), (std::complex<float>{5, 0}));
  EXPECT_EQ(sum(y.data(), 2), (std::complex<float>{4, 1}));
  EXPECT_EQ(vdot(std::vector{1.0, 2.0}, std::vector{3.0, 4.0}), 11);
  const numbers<double> cancelling = {{0x1p27 + 1, 0x1p27 + 1}, {1e-3, 0}};
  EXPECT_EQ(dot(cancelling, cancelling).real(), 1e-3 * 1e-3);
  EXPECT_EQ(norm(numbers<double>{{3e300, 4e300}}), 5e300);
  const numbers<float> none;
  EXPECT_EQ(sum(none), (std::complex<float>{0, 0}));
  EXPECT_EQ(vdot(none, none), (std::complex<float>{0, 0}));
  EXPECT_TRUE(std::isnan(mean(none).real()) && std::isnan(mean(none).imag()));
  EXPECT_EQ(norm(none), 0);
}

TEST(complex, reductions_of_types_known_at_run_time) {
  const numbers<double> x = {{1, 2}, {3, -1}};
  const std::vector<float> weights = {2, 0.5F};
  any_vector z = detail::to_complex(x.data(), x.size());
  const any_vector real = to_any(weights.data(), weights.size());
  const auto found = [](reduction what, const any_vector& a, const any_vector& b, element_type result) {
    const detail::complex_words words = detail::reduce_complex_vectors(what, a, b, result, {});
    return std::complex(detail::from_word<double>(words.real), detail::from_word<double>(words.imaginary));
  };
  constexpr element_type complex128 = element_type::complex128, float64 = element_type::float64;
  EXPECT_EQ(found(reduction::sum, z, z, complex128), sum(x));
  EXPECT_EQ(found(reduction::nrm2, z, z, float64), std::sqrt(15.0));
  EXPECT_EQ(found(reduction::dot, z, z, complex128), dot(x, x));
  EXPECT_EQ(found(reduction::dot, z, real, complex128), (std::complex{3.5, 3.5}));
  EXPECT_EQ(found(reduction::dot, real, z, complex128), (std::complex{3.5, 3.5}));
  const auto refused = [&](const char* why, reduction what, const any_vector& a, const any_vector& b, element_type result) {
    expect_error(errc::bad_option, why, [&] { (void)found(what, a, b, result); });
  };
  refused("use complex64 or complex128", reduction::sum, z, z, float64);
  refused("use a floating-point type", reduction::asum, z, z, complex128);
  refused("the elements real; use a real", reduction::sum, real, real, complex128);
  refused("not max", reduction::max, z, z, complex128);
  refused("not an unknown reduction", static_cast<reduction>(99), z, z, complex128);
  z.conjugated = true;
  EXPECT_EQ(found(reduction::dot, z, detail::to_complex(x.data(), 2), complex128), vdot(x, x));
  EXPECT_EQ(found(reduction::dot, z, real, complex128), (std::complex{3.5, -3.5}));
  refused("takes no conjugates", reduction::sum, z, z, complex128);
  refused("are conjugated, not the second", reduction::dot, z, z, complex128);
}

TEST(complex, errors) {
  const numbers<double> x = {{3, 4}, {1, 0}}, one = {{1, 1}}, many(5000);
  expect_error(errc::size_mismatch, "dot: the vectors differ in length (2 and 1", [&] { (void)dot(x, one); });
  expect_error(errc::size_mismatch, "vdot: the vectors differ", [&] { (void)vdot(one, x); });
  const std::complex<double>* const null = nullptr;
  expect_error(errc::null_pointer, "null pointer", [&] { (void)sum(null, 3); });
  expect_error(errc::null_pointer, "null pointer", [&] { (void)dot(null, null, 3); });
  expect_error(errc::null_pointer, "null pointer", [&] { (void)vdot(null, null, 5000); });
  for (const auto* of : {&x, &many}) {
    expect_error(errc::no_device, "CUDA", [&] { (void)dot(*of, *of, {.device = device::cuda}); });
    expect_error(errc::bad_option, "threads is -1", [&] { (void)vdot(*of, *of, {.threads = -1}); });
    expect_error(errc::bad_option, "unknown device",
                 [&] { (void)dot(*of, *of, {.device = static_cast<device>(9)}); });
    expect_error(errc::bad_option, "unknown mode", [&] { (void)dot(*of, *of, {.mode = static_cast<mode>(9)}); });
    expect_error(errc::bad_option, "unknown mode", [&] { (void)sum(*of, {.mode = static_cast<mode>(9)}); });
    monitor monitor;
    monitor.cancel = true;
    expect_error(errc::cancelled, "cancelled", [&] { (void)dot(*of, *of, {.monitor = &monitor}); });
  }
  const any_vector of_one{x.data(), 1, element_type::complex128, 16};
  expect_error(errc::bad_option, "use complex64 or complex128", [&] {
    (void)detail::reduce_complex(reduction::sum, {x.data(), 1, element_type::float16, 4}, element_type::float32,
                                 {});
  });
  expect_error(errc::bad_option, "not max", [&] {
    (void)detail::reduce_complex(reduction::max, of_one, element_type::float64, {});
  });
  expect_error(errc::bad_option, "unknown element type", [&] {
    (void)detail::multiply_complex(false, of_one, of_one, static_cast<element_type>(99), {});
  });
  const any_vector repeated{x.data(), std::size_t{1} << 61, element_type::complex128, 0};
  EXPECT_THROW((void)detail::multiply_complex(true, repeated, repeated, element_type::float64, {}), std::bad_alloc);
  const std::size_t huge = std::numeric_limits<std::size_t>::max() / 2;
  expect_error(errc::bad_option, "exceed the address space", [&] { (void)dot(x.data(), x.data(), huge); });
}

}  // namespace
