// Kernels of lines whose elements are converted one by one: 16-bit floating-point numbers, integers, two types,
// swapped bytes.
#include "oracle/random.hpp"
#include "row_launch.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Rows of elements that are converted one by one: random bits, or bytes that are small integers.
struct raw_rows {
  element_type type_a, type_b;
  bool swapped;
  std::size_t count, n;
  std::vector<unsigned char> a, b;

  raw_rows(element_type first, element_type second, unsigned seed)
      : type_a(first), type_b(second), swapped(seed % 3 == 0 && size_of(first) > 1) {
    oracle::rng random(seed);
    count = 1 + random.below(9), n = random.below(90);
    const auto fill = [&](std::vector<unsigned char>& bytes, element_type type) {
      bytes.resize(count * n * size_of(type) + 8);
      for (unsigned char& each : bytes) each = static_cast<unsigned char>(random.bits());
    };
    fill(a, type_a), fill(b, type_b);
  }
  [[nodiscard]] any_vector row(const void* data, element_type type, std::size_t i) const {
    const auto size = static_cast<std::ptrdiff_t>(size_of(type));
    return {static_cast<const unsigned char*>(data) + i * n * size_of(type), n, type, size,
            swapped && size_of(type) > 1};
  }
};

template <class T, class Term, int lanes>
void expect_raw_rows(const raw_rows& of, reduction what, element_type type, unsigned seed) {
  launcher on(seed);
  gpu::buffer<unsigned char> a(on.stream(), of.a.size()), b(on.stream(), of.b.size());
  a.copy_from(of.a.data(), of.a.size()), b.copy_from(of.b.data(), of.b.size());
  const any_vector x = of.row(a.data(), of.type_a, 0), y = of.row(b.data(), of.type_b, 0);
  const bool two = Term::inputs == 2;
  line_operands<T, input_layout::any> in;
  in.first.a = {static_cast<const char*>(x.data), x.stride, x.type, x.swapped};
  in.first.b = in.first.a;
  if (what == reduction::dot) in.first.b = {static_cast<const char*>(y.data), y.stride, y.type, y.swapped};
  in.first.log2_parts_a = core::parts_of(of.type_a) - 1;
  in.first.log2_parts_b = two ? core::parts_of(in.first.b.type) - 1 : 0;
  in.first.n = of.n << (in.first.log2_parts_a + in.first.log2_parts_b);
  in.next_a = x.stride * static_cast<std::ptrdiff_t>(of.n);
  in.next_b = in.first.b.stride * static_cast<std::ptrdiff_t>(of.n), in.count = of.count;
  const core::result_rule rule(core::info_of(what).finish, core::format_of(type));
  const auto found = on.results(of.count, of.n, rule, [&](const line_results& to) {
    const error_bound bound = bound_of_line(in.first.n, lanes, 4, pack<T>::count, core::streams_of<Term, T> == 2);
    if constexpr (lanes > 32) {
      constexpr auto kernel = long_line_kernel<T, Term, input_layout::any, lanes, 4>;
      gpu::launch(kernel, 2, lanes, 0, on.stream(), in, bound, to);
    } else {
      constexpr auto kernel = short_line_kernel<T, Term, input_layout::any, 64, lanes, 4>;
      gpu::launch(kernel, 2, 64, 0, on.stream(), in, bound, to);
    }
  });
  const options options{.device = device::cpu};
  for (std::size_t i = 0; i < of.count; ++i) {
    const any_vector first = of.row(of.a.data(), of.type_a, i), second = of.row(of.b.data(), of.type_b, i);
    const any_scalar right = what == reduction::dot ? exactdot::dot(first, second, type, options)
                                                    : exactdot::reduce(what, first, type, options);
    ASSERT_EQ(found[i], right.bits) << name_of(what) << " of " << name_of(of.type_a) << " and "
                                    << name_of(of.type_b) << " to " << name_of(type) << ", row " << i << " of "
                                    << of.n << ", seed " << seed;
  }
}

template <class T, int lanes>
void expect_raw_rows(element_type first, element_type second, unsigned salt) {
  for (unsigned seed = salt; seed < salt + 8; ++seed) {
    const raw_rows given(first, second, seed);
    const bool whole = is_integer(first) && seed % 2 == 0;
    const element_type floating = seed % 3 == 0 ? element_type::float32 : element_type::float64;
    // integers that always fit
    const element_type of_dot = whole && size_of(first) < 4 ? element_type::int64 : floating;
    const element_type of_sum = whole && size_of(first) < 8 ? element_type::int64 : floating;
    expect_raw_rows<T, core::product, lanes>(given, reduction::dot, of_dot, seed);
    expect_raw_rows<T, core::value, lanes>(given, reduction::sum, of_sum, seed);
    expect_raw_rows<T, core::value, lanes>(given, reduction::mean, element_type::float64, seed);
    if (core::parts_of(first) == 2) {
      expect_raw_rows<T, core::product, lanes>(given, reduction::nrm2, element_type::float64, seed);
    } else {
      expect_raw_rows<T, core::square, lanes>(given, reduction::nrm2, element_type::float64, seed);
    }
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(rows, of_other_elements_equal_vectors) {
  using enum element_type;
  expect_raw_rows<float, 32>(float16, float16, 10);
  expect_raw_rows<float, 32>(bfloat16, float16, 20);
  expect_raw_rows<double, 32>(bfloat16, float64, 30);
  expect_raw_rows<float, 128>(int8, uint16, 40);
  expect_raw_rows<double, 32>(int32, int32, 50);
  expect_raw_rows<double, 128>(int64, uint64, 60);
  expect_raw_rows<double, 32>(float64, float64, 70);  // with swapped bytes, too
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
