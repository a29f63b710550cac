// Shapes of complex numbers have the bits of the vector call on each result's numbers (complex_test.cpp has those):
// rows, columns, any strides and byte orders, one repeated vector, segments, groups and rows by key, of all types of
// results; one real factor; results that are added to. What does not fit is an error with the caller's numbers.
#include <gtest/gtest.h>

#include <complex>
#include <exactdot/exactdot.hpp>
#include <limits>
#include <numeric>
#include <vector>

#include "oracle/complex_numbers.hpp"
#include "oracle/random.hpp"
#include "unit/expect_error.hpp"

namespace {

using namespace exactdot;
using unit::expect_error;
template <class T>
using numbers = std::vector<std::complex<T>>;
constexpr reduction of_one[] = {reduction::sum, reduction::mean, reduction::asum, reduction::sum_of_squares,
                                reduction::nrm2};

template <class R>
std::uint64_t word_of(R x) {
  if constexpr (std::is_same_v<R, float>) return std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<std::uint64_t>(static_cast<double>(x));
}

/// Both parts of the result of one line.
template <class R, class T>
detail::complex_words expected(reduction what, const numbers<T>& a, const numbers<T>& b, bool conjugates) {
  if (what == reduction::dot) return detail::multiply_complex(conjugates, detail::to_complex(a.data(), a.size()),
                                                              detail::to_complex(b.data(), b.size()), type_of<R>, {});
  return detail::reduce_complex(what, detail::to_complex(a.data(), a.size()), type_of<R>, {});
}

/// Results of any reduction as pairs of parts; of real ones the second is 0.
template <class R>
struct results {
  bool is_complex;
  std::vector<R> words;

  results(reduction what, std::size_t count) : is_complex(detail::gives_complex(what)), words((is_complex ? 2 : 1) * count, R(77)) {}
  [[nodiscard]] element_type type() const {
    return is_complex ? detail::number_type_of<std::complex<R>> : type_of<R>;
  }
  [[nodiscard]] std::ptrdiff_t size() const { return (is_complex ? 2 : 1) * sizeof(R); }
  void expect(std::size_t i, const detail::complex_words& right, const char* shape, reduction what) const {
    ASSERT_EQ(word_of(words[is_complex ? 2 * i : i]), right.real) << shape << " " << name_of(what) << " " << i;
    if (is_complex) {
      ASSERT_EQ(word_of(words[2 * i + 1]), right.imaginary) << shape << " " << name_of(what) << " " << i;
    }
  }
};

/// A matrix in memory: number k of line i at (i·next + k·stride).
template <class T>
struct matrix {
  numbers<T> memory;
  std::ptrdiff_t next, stride;
  std::size_t m, n, first;

  matrix(oracle::rng& random, std::size_t lines, std::size_t length) : m(lines), n(length), first(0) {
    const auto long_n = static_cast<std::ptrdiff_t>(n), long_m = static_cast<std::ptrdiff_t>(m);
    const int kind = static_cast<int>(random.below(6));
    next = kind == 1 ? 1 : kind == 2 ? 0 : kind == 3 ? 1 : long_n + 2, stride = kind == 1 ? long_m + 1 : kind == 4 ? -1 : kind == 5 ? 0 : 1;
    if (stride < 0) first = n;
    memory = oracle::random_numbers<T>(random, (m + 2) * (n + 3) + n + 2, true);
  }
  [[nodiscard]] numbers<T> line(std::size_t i) const {
    numbers<T> found(n);
    for (std::size_t k = 0; k < n; ++k) {
      found[k] = memory[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(first) + static_cast<std::ptrdiff_t>(i) * next +
                                                 static_cast<std::ptrdiff_t>(k) * stride)];
    }
    return found;
  }
  [[nodiscard]] const void* data() const { return memory.data() + first; }
};

template <class T, class R>
void check_grids(oracle::rng& random) {
  constexpr auto size = static_cast<std::ptrdiff_t>(2 * sizeof(T));
  const std::size_t m = random.below(9), n = random.below(random.coin() ? 8 : 700);
  const matrix<T> a(random, m, n), b(random, m, n);
  const axis rows_a{m, a.next * size}, along_a{n, a.stride * size}, rows_b{m, b.next * size}, along_b{n, b.stride * size};
  const element_type type = detail::number_type_of<std::complex<T>>;
  any_grid x{a.data(), type, {&rows_a, 1}, {&along_a, 1}};
  const any_grid y{b.data(), type, {&rows_b, 1}, {&along_b, 1}};
  const auto run = [&](reduction what, bool conjugates) {
    results<R> out(what, m);
    const axis places{m, out.size()};
    x.conjugated = conjugates;
    detail::reduce_grid(what, x, y, {out.words.data(), out.type(), {&places, 1}}, {.threads = static_cast<int>(random.below(3))});
    for (std::size_t i = 0; i < m; ++i) out.expect(i, expected<R>(what, a.line(i), b.line(i), conjugates), "rows", what);
  };
  for (const reduction what : of_one) run(what, false);
  run(reduction::dot, false), run(reduction::dot, true);
}

template <class T, class R>
void check_segments_and_groups(oracle::rng& random) {
  const std::size_t n = random.below(300), groups = 1 + random.below(9);
  const std::ptrdiff_t stride = random.coin() ? 1 : random.below(3);
  const numbers<T> of_a = oracle::random_numbers<T>(random, 3 * n + 1, true), of_b = oracle::random_numbers<T>(random, n, true);
  constexpr auto size = static_cast<std::ptrdiff_t>(2 * sizeof(T));
  const element_type type = detail::number_type_of<std::complex<T>>;
  any_vector a{of_a.data(), n, type, stride * size};
  const any_vector b{of_b.data(), n, type, size};
  std::vector<std::int32_t> offsets{static_cast<std::int32_t>(random.below(n + 1))};
  while (offsets.size() <= groups) {
    offsets.push_back(offsets.back() + static_cast<std::int32_t>(random.below(n + 1 - static_cast<std::size_t>(offsets.back()))));
  }
  std::vector<std::int8_t> keys(n);
  for (std::int8_t& key : keys) {
    const int between = static_cast<int>(random.below(groups + 1)) - static_cast<int>(random.coin());
    key = static_cast<std::int8_t>(between);
  }
  if (random.coin()) std::ranges::sort(keys);
  const auto run = [&](reduction what, bool conjugates) {
    a.conjugated = conjugates;
    results<R> of_segments(what, groups), of_groups(what, groups);
    const axis places{groups, of_groups.size()};
    detail::reduce_segments(what, a, b, {offsets.data(), groups, element_type::int32, 4},
                            {of_segments.words.data(), of_segments.type(), {&places, 1}}, {});
    detail::element_line first(a), second(b);
    any_grid x = first.view();
    x.conjugated = conjugates;
    detail::reduce_groups(what, x, second.view(), {keys.data(), n, element_type::int8, 1, groups, true},
                          {of_groups.words.data(), of_groups.type(), {&places, 1}}, {});
    for (std::size_t group = 0; group < groups; ++group) {
      numbers<T> in_segment[2], in_group[2];
      for (std::size_t i = 0; i < n; ++i) {
        const std::complex<T> left = of_a[i * static_cast<std::size_t>(stride)];
        if (std::cmp_greater_equal(i, offsets[group]) && std::cmp_less(i, offsets[group + 1])) {
          in_segment[0].push_back(left), in_segment[1].push_back(of_b[i]);
        }
        if (std::cmp_equal(keys[i], group)) in_group[0].push_back(left), in_group[1].push_back(of_b[i]);
      }
      of_segments.expect(group, expected<R>(what, in_segment[0], in_segment[1], conjugates), "segment", what);
      of_groups.expect(group, expected<R>(what, in_group[0], in_group[1], conjugates), "group", what);
    }
  };
  for (const reduction what : of_one) run(what, false);
  run(reduction::dot, false), run(reduction::dot, true);
}

TEST(complex_shapes, have_the_bits_of_vectors) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    oracle::rng random(seed);
    check_grids<float, float>(random), check_grids<double, double>(random);
    check_grids<float, double>(random), check_grids<double, float>(random);
    check_segments_and_groups<float, float>(random), check_segments_and_groups<double, double>(random);
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST(complex_shapes, of_types_that_are_known) {
  const numbers<double> x{{1, 2}, {3, -1}, {0, 1}, {2, 2}, {-4, 0}, {1, 1}};
  numbers<double> out(2);
  sum(rows{x.data(), 2, 3}, out);
  EXPECT_EQ(out, (numbers<double>{{4, 2}, {-1, 3}}));
  dot(rows{x.data(), 2, 3}, repeated{x.data(), 3}, out);
  EXPECT_EQ(out, (numbers<double>{dot(x.data(), x.data(), 3), dot(x.data() + 3, x.data(), 3)}));
  vdot(rows{x.data(), 2, 3}, rows{x.data(), 2, 3}, out);
  EXPECT_EQ(out, (numbers<double>{16.0, 26.0}));
  std::vector<float> norms(3);
  nrm2(columns{x.data(), 2, 3}, norms);
  EXPECT_EQ(norms[1], std::sqrt(26.0F));
  const std::vector<std::int64_t> offsets{0, 2, 6};
  mean(segments{x, offsets}, out);
  EXPECT_EQ(out, (numbers<double>{{2, 0.5}, {-0.25, 1}}));
  vdot(segments{x, offsets}, x, out);
  EXPECT_EQ(out, (numbers<double>{15.0, 27.0}));
  const std::vector<int> keys{0, 1, 0, 1, 1, 0};
  sum(groups{x, keys, 2}, added_to{out});
  EXPECT_EQ(out, (numbers<double>{{17, 4}, {28, 1}}));
  dot(groups{x, keys, 2}, x, out);
  EXPECT_EQ(out, (numbers<double>{{-4, 6}, {24, 2}}));
  std::vector<double> squares(2);
  sum_of_squares(groups{x, keys, 2}, squares);
  EXPECT_EQ(squares, (std::vector<double>{8, 34}));
}

TEST(complex_shapes, one_factor_may_be_real) {
  const numbers<float> x{{1, 2}, {3, -1}, {0, 1}, {std::numeric_limits<float>::infinity(), 2}};
  const std::vector<float> w{2, 3, 5, 7};
  const axis row{2, 16}, along{2, 8}, row_of_w{2, 8}, along_w{2, 4}, places{2, 8};
  const any_grid of_w{w.data(), element_type::float32, {&row_of_w, 1}, {&along_w, 1}};
  any_grid of_x{x.data(), element_type::complex64, {&row, 1}, {&along, 1}};
  numbers<float> out(2);
  const any_results to{out.data(), element_type::complex64, {&places, 1}};
  const float infinity = std::numeric_limits<float>::infinity();
  reduce(reduction::dot, of_x, of_w, to);
  EXPECT_EQ(out, (numbers<float>{{11, 1}, {infinity, 19}}));
  of_x.conjugated = true;
  reduce(reduction::dot, of_x, of_w, to);
  EXPECT_EQ(out, (numbers<float>{{11, -1}, {infinity, -19}}));
}

TEST(complex_shapes, of_vectors_of_any_type_have_their_conjugates) {
  const numbers<double> x{{1, 2}, {3, -1}, {0, 1}, {2, 2}}, y{{0, 1}, {1, 0}, {2, 0}, {1, 1}};
  const element_type type = element_type::complex128;
  any_vector a{x.data(), 4, type, 16};
  const any_vector b{y.data(), 4, type, 16};
  a.conjugated = true;
  const std::vector<int> keys{0, 1, 0, 1}, offsets{0, 1, 4};
  const any_keys by{keys.data(), 4, element_type::int32, 4, 2};
  numbers<double> out(2, {7, 7});
  const axis places{2, 16};
  const any_results to{out.data(), type, {&places, 1}};
  dot(a, b, by, to);
  EXPECT_EQ(out, (numbers<double>{{2, -1}, {7, 1}}));
  dot(a, b, any_offsets{offsets.data(), 2, element_type::int32, 4}, to);
  EXPECT_EQ(out, (numbers<double>{{2, 1}, {7, -1}}));
  expect_error(errc::bad_option, "takes no conjugates", [&] { reduce(reduction::sum, a, by, to); });
}

TEST(complex_shapes, of_nothing_need_no_memory) {
  const axis none{0, 16}, two{2, 16};
  const any_grid empty{nullptr, element_type::complex128, {&two, 1}, {&none, 1}}, no_lines{nullptr, element_type::complex128, {&none, 1}, {&two, 1}};
  numbers<double> out(2, {7, 7});
  dot(empty, empty, {out.data(), element_type::complex128, {&two, 1}});
  EXPECT_EQ(out, (numbers<double>{0.0, 0.0}));
  reduce(reduction::sum, empty, {out.data(), element_type::complex128, {&two, 1}});
  dot(no_lines, no_lines, {nullptr, element_type::complex128, {&none, 1}});
  reduce(reduction::sum, no_lines, {nullptr, element_type::complex128, {&none, 1}});
  EXPECT_EQ(out, (numbers<double>{0.0, 0.0}));
}

TEST(complex_shapes, refuse_what_does_not_fit) {
  const numbers<double> x(6);
  numbers<double> out(2, {7, 7});
  std::vector<double> real(2);
  const axis row{2, 48}, along{3, 16}, short_row{2, 32}, short_along{2, 16}, places{2, 16}, one{1, 16};
  const element_type type = element_type::complex128;
  any_grid a{x.data(), type, {&row, 1}, {&along, 1}}, other{x.data(), type, {&short_row, 1}, {&short_along, 1}};
  const any_results to{out.data(), type, {&places, 1}};
  const auto expect = [](const char* words, const auto& call) { expect_error(errc::bad_option, words, call); };
  expect("not max", [&] { reduce(reduction::max, a, to); });
  expect("not variance", [&] { reduce(reduction::variance, a, to); });
  expect("complex128: this call takes real", [&] { (void)reduce(reduction::sum, any_vector{x.data(), 6, type, 16}, element_type::float64); });
  expect("is real", [&] { reduce(reduction::nrm2, a, to); });
  expect("not float64; use complex64", [&] { reduce(reduction::sum, a, {real.data(), element_type::float64, {&places, 1}}); });
  expect("the elements real", [&] {
    const any_grid of_real{real.data(), element_type::float64, {&one, 1}, {&one, 1}};
    reduce(reduction::sum, of_real, {out.data(), type, {&one, 1}});
  });
  expect_error(errc::size_mismatch, "(3,) and (2,)", [&] { dot(a, other, to); });
  expect_error(errc::size_mismatch, "(2,) and (1,)", [&] { reduce(reduction::sum, a, {out.data(), type, {&one, 1}}); });
  a.conjugated = true;
  expect("takes no conjugates", [&] { reduce(reduction::sum, a, to); });
  a.conjugated = false, other = a, other.conjugated = true;
  expect("not the second", [&] { dot(a, other, to); });
  expect("results lie within", [&] { reduce(reduction::sum, a, {const_cast<std::complex<double>*>(x.data()), type, {&places, 1}}); });
  const std::vector<double> parts(12);  // results between the parts of a factor, which the engine sees copies of
  const axis two{2, 48};
  for (const std::size_t inside : {0, 1, 3}) {
    auto* const within = const_cast<double*>(parts.data()) + inside;
    const any_grid of{parts.data(), type, {&two, 1}, {&along, 1}};
    const any_vector vector{parts.data(), 6, type, 16}, other_vector{x.data(), 6, type, 16};
    expect("results lie within", [&] { dot(of, of, {within, type, {&two, 1}}); });
    expect("results lie within", [&] { dot(a, of, {within, type, {&two, 1}}); });
    const std::vector<int> both{0, 3, 6}, key{0, 1, 0, 1, 1, 0};
    expect("results lie within", [&] { dot(other_vector, vector, any_offsets{both.data(), 2, element_type::int32, 4}, {within, type, {&two, 1}}); });
    expect("results lie within", [&] { reduce(reduction::sum, vector, any_offsets{both.data(), 2, element_type::int32, 4}, {within, type, {&two, 1}}); });
    expect("results lie within", [&] { dot(other_vector, vector, any_keys{key.data(), 6, element_type::int32, 4, 2}, {within, type, {&two, 1}}); });
  }
  std::vector<std::int64_t> room{0, 1, 0, 3, 0, 6, 0};  // an imaginary part among the offsets, or the keys
  for (const bool is_sum : {false, true}) {
    const any_vector vector{x.data(), 6, type, 16};
    const any_offsets among{&room[1], 1, element_type::int64, 16};
    const any_results one_result{room.data(), type, {&one, 1}};
    expect("results lie within the offsets", [&] { is_sum ? reduce(reduction::sum, vector, among, one_result) : dot(vector, vector, among, one_result); });
  }
  const any_vector three{x.data(), 3, type, 16};
  expect("results lie within the keys", [&] { dot(three, three, any_keys{&room[1], 3, element_type::int64, 16, 1, true}, {room.data(), type, {&one, 1}}); });
  EXPECT_EQ(room, (std::vector<std::int64_t>{0, 1, 0, 3, 0, 6, 0}));
  const std::vector<std::int64_t> offsets{0, 7, 6};
  expect("offset 1 is 7, past the end of 6", [&] { nrm2(segments{x, offsets}, real); });
  expect("offset 1 is 7, past the end of 6", [&] { dot(segments{x, offsets}, x, out); });
  const std::vector<int> keys{0, 1, 0, 1, 2, 0};
  expect("key 4 is 2", [&] { nrm2(groups{x, keys, 2}, real); });
  expect("key 4 is 2", [&] { vdot(groups{x, keys, 2}, x, out); });
  expect("key 4 is 2", [&] { sum(groups{x, keys, 2}, out); });
}

}  // namespace
