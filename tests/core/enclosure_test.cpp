// Tests of core/enclosure.hpp, exact_result.hpp and moment_decision.hpp: whenever an enclosure decides a result, it
// is that of every sum in it.
//
// The sums lie in the enclosure by construction, many next to ties, and are known exactly by an accumulator. A
// share of the cases must be decided, so that a function that never decides does not pass.
#include <gtest/gtest.h>

#include <cmath>
#include <exactdot/core/error_free.hpp>
#include <exactdot/core/moment_decision.hpp>
#include <exactdot/moments.hpp>
#include <random>
#include <vector>

namespace {

using exactdot::core::enclosure;
using exactdot::core::finish;

struct engine : exactdot::core::rounding_in_integers {
  static double root(double x) { return std::sqrt(x); }
  static double fma(double x, double y, double z) { return std::fma(x, y, z); }
};

/// A sum of three doubles, and an enclosure of it.
struct enclosed {
  enclosure known;
  exactdot::accumulator<double> sum;
};

/// Heads next to ties of `precision` bits or anywhere; the sum is off by up to the whole bound.
enclosed make_case(std::mt19937_64& random, int precision, bool positive) {
  std::uniform_real_distribution<double> unit(0, 1);
  const int exponent =
      static_cast<int>(random() % 5 == 0 ? random() % 1700 : random() % 40) - (random() % 2 == 0 ? 20 : 850);
  double head = std::ldexp(1 + unit(random), exponent);
  const double last = std::ldexp(1.0, exponent - precision + 1);
  if (random() % 2 == 0 && precision < 52) head = (std::floor(head / last) + 0.5) * last;
  if (random() % 8 == 0) head = std::ldexp(1.0, exponent);
  double tail = random() % 3 == 0 ? 0 : std::ldexp(unit(random) - 0.5, exponent - 53);
  if (precision == 53 && random() % 2 == 0) tail = std::ldexp(random() % 2 == 0 ? 1 : -1, exponent - 53);
  const double bound =
      random() % 8 == 0 ? 0 : std::ldexp(unit(random), exponent - 50 - static_cast<int>(random() % 70));
  const double off = bound * (2 * unit(random) - 1);
  tail += std::ldexp(unit(random) - 0.5, exponent - 110);
  const auto ends = exactdot::core::two_sum(head, tail);
  enclosed made{{ends.value, ends.error, bound}, {}};
  if (!positive && random() % 2 == 0) made.known.head = -made.known.head, made.known.tail = -made.known.tail;
  made.sum.add(made.known.head), made.sum.add(made.known.tail), made.sum.add(off);
  return made;
}

/// A case in units of 2^unit. A third have a result next to a tie of subnormal Rs or to the threshold of overflow.
template <class R>
enclosed make_scaled_case(std::mt19937_64& random, int precision, bool positive, int unit) {
  using result = exactdot::core::format<R>;
  enclosed made = make_case(random, precision, positive);
  enclosure& known = made.known;
  const int of_unit = static_cast<int>(random() % 60) - unit;
  const double sign = positive || random() % 2 == 0 ? 1 : -1;
  if (random() % 6 == 0 && std::abs(result::lowest_exponent + of_unit) < 900) {
    const double last = std::ldexp(1.0, result::lowest_exponent - unit);
    known.head = std::ldexp(1.0, result::lowest_exponent + of_unit) + last / 2, known.tail = 0;
  } else if (random() % 5 == 0 && std::abs(result::highest_exponent - unit) < 900) {
    const double beyond = std::ldexp(1.0, result::highest_exponent - unit);
    known.head = beyond - std::ldexp(beyond, -precision);
    known.tail = std::ldexp(beyond, -precision - 1);
  }
  const double size = std::abs(known.head);
  known.bound = random() % 8 == 0 ? 0 : std::ldexp(size, -40 - static_cast<int>(random() % 70));
  const auto ends = exactdot::core::two_sum(
      sign * size, sign * known.tail + std::ldexp(size, -45 - static_cast<int>(random() % 60)) *
                                           static_cast<double>(static_cast<int>(random() % 3) - 1));
  known.head = ends.value, known.tail = ends.error;
  const double factor = std::ldexp(1.0, unit), off = known.bound * (static_cast<double>(random() % 3) - 1);
  made.sum = {};
  for (const double x : {known.head, known.tail, off}) made.sum.add(x, factor);
  return made;
}

template <class R>
void expect_right(finish kind, int precision, double least_decided) {
  std::mt19937_64 random(11);
  const exactdot::core::result_rule rule(kind, exactdot::core::format<R>::number);
  const int cases = 200000;
  int decided = 0;
  for (int i = 0; i < cases; ++i) {
    const std::uint64_t count = 1 + random() % 1000;
    const enclosed given = make_case(random, precision, kind == finish::root);
    const auto found = exactdot::core::decide_finish<engine>(rule, static_cast<double>(count), given.known);
    if (!found.certain) continue;
    ++decided;
    const R expected = kind == finish::root       ? given.sum.template round_root<R>()
                       : kind == finish::quotient ? given.sum.template round_quotient<R>(count)
                                                  : given.sum.template round<R>();
    ASSERT_EQ(exactdot::core::from_word<R>(found.word), expected)
        << "head " << given.known.head << ", tail " << given.known.tail << ", bound " << given.known.bound
        << ", count " << count << ", case " << i;
  }
  EXPECT_GT(decided, cases * least_decided);
}

TEST(enclosure, decides_only_what_every_sum_in_it_rounds_to) {
  expect_right<float>(finish::round, 24, 0.3);
  expect_right<double>(finish::round, 53, 0.3);
}

TEST(enclosure, decides_only_what_every_root_in_it_rounds_to) {
  expect_right<float>(finish::root, 24, 0.5);
  expect_right<double>(finish::root, 53, 0.3);
}

TEST(enclosure, decides_only_what_every_quotient_in_it_rounds_to) {
  expect_right<float>(finish::quotient, 24, 0.5);
  expect_right<double>(finish::quotient, 53, 0.3);
}

/// Sums in units of 2^±1000, so that results overflow, are subnormal, or vanish.
template <class R>
void expect_right_scaled(finish kind, int precision, double least_decided) {
  std::mt19937_64 random(14);
  const exactdot::core::result_rule rule(kind, exactdot::core::format<R>::number);
  const int cases = 200000;
  int decided = 0, subnormal = 0, infinite = 0;
  for (int i = 0; i < cases; ++i) {
    const std::uint64_t count = 1 + random() % 1000;
    const int exponent = random() % 2 == 0 ? 1000 : -1000;
    const enclosed given = make_scaled_case<R>(random, precision, kind == finish::root, exponent);
    const auto found =
        exactdot::core::decide_scaled_finish<engine>(rule, static_cast<double>(count), given.known, exponent);
    if (!found.certain) continue;
    ++decided;
    const R expected = kind == finish::root       ? given.sum.template round_root<R>()
                       : kind == finish::quotient ? given.sum.template round_quotient<R>(count)
                                                  : given.sum.template round<R>();
    subnormal += std::fpclassify(expected) == FP_SUBNORMAL, infinite += std::isinf(expected);
    ASSERT_EQ(found.word, exactdot::core::to_word(expected))
        << "head " << given.known.head << ", tail " << given.known.tail << ", bound " << given.known.bound
        << ", exponent " << exponent << ", count " << count << ", case " << i;
  }
  EXPECT_GT(decided, cases * least_decided);
  if (kind == finish::root) return;
  EXPECT_GT(subnormal, 100);
  EXPECT_GT(infinite, 1000);
}

TEST(enclosure, decides_scaled_sums_over_the_whole_range) {
  expect_right_scaled<float>(finish::round, 24, 0.5);
  expect_right_scaled<double>(finish::round, 53, 0.3);
  expect_right_scaled<float>(finish::quotient, 24, 0.5);
  expect_right_scaled<double>(finish::quotient, 53, 0.3);
  expect_right_scaled<float>(finish::root, 24, 0.5);
  expect_right_scaled<double>(finish::root, 53, 0.3);
}

TEST(enclosure, decides_scaled_zeros_and_no_scaled_integers) {
  const exactdot::core::result_rule to_double(finish::round, exactdot::core::format<double>::number);
  const exactdot::core::result_rule to_int64(finish::round,
                                             exactdot::core::format_of(exactdot::element_type::int64));
  const auto word = [&](const enclosure& sum, int exponent) {
    const auto found = exactdot::core::decide_scaled_finish<engine>(to_double, 1, sum, exponent);
    return found.certain ? found.word : 1;
  };
  EXPECT_EQ(word({0, 0, 0}, -1200), 0U);
  EXPECT_EQ(word({0x1p-800, 0, 0x1p-860}, -1200), 0U);
  EXPECT_EQ(word({-0x1p-800, 0, 0x1p-860}, -1200), std::uint64_t{1} << 63);
  EXPECT_EQ(word({0x1p-800, 0, 0x1p-800}, -1200), 1U);
  EXPECT_EQ(word({0, 0, 0x1p-900}, 1200), 1U);
  EXPECT_EQ(word({0x1p978, 0, 0}, -1200), 1U);  // ends may be infinite
  EXPECT_EQ(word({HUGE_VAL, 0, 0}, -1200), 1U);
  EXPECT_EQ(word({1, std::nan(""), 0}, -1200), 1U);
  EXPECT_FALSE(exactdot::core::decide_scaled_finish<engine>(to_int64, 1, {0x1p600, 0, 0}, -600).certain);
  EXPECT_TRUE(exactdot::core::decide_scaled_finish<engine>(to_int64, 1, {0, 0, 0}, -600).certain);
}

TEST(enclosure, decides_formats_without_a_type_like_the_exact_state) {
  const exactdot::core::result_rule half(finish::round, exactdot::core::format_of(exactdot::element_type::float16));
  std::mt19937_64 random(12);
  int decided = 0;
  for (int i = 0; i < 100000; ++i) {
    const enclosed given = make_case(random, 11, false);
    const auto found = exactdot::core::decide_finish<engine>(half, 1, given.known);
    if (!found.certain) continue;
    ++decided;
    const auto expected = given.sum.template round<exactdot::float16>();
    ASSERT_EQ(found.word, std::uint64_t{expected.bits}) << given.known.head;
  }
  EXPECT_GT(decided, 30000);
}

TEST(enclosure, decides_integers_within_a_quarter) {
  const exactdot::core::result_rule to_int64(finish::round,
                                             exactdot::core::format_of(exactdot::element_type::int64));
  const exactdot::core::result_rule to_uint64(finish::round,
                                              exactdot::core::format_of(exactdot::element_type::uint64));
  for (const double x : {0.0, 1.0, -1.0, 7.0, 4503599627370497.0, 9007199254740992.0, 4611686018427387904.0 / 2}) {
    for (const double off : {0.0, 0.2, -0.2}) {
      const auto ends = exactdot::core::two_sum(x, off);
      const enclosure sum{ends.value, ends.error, 0.21};
      const auto found = exactdot::core::decide_finish<engine>(to_int64, 1, sum);
      ASSERT_TRUE(found.certain) << x;
      EXPECT_EQ(static_cast<std::int64_t>(found.word), static_cast<std::int64_t>(x)) << x << " + " << off;
      EXPECT_EQ(exactdot::core::decide_finish<engine>(to_uint64, 1, sum).certain, x >= 0) << x;
    }
  }
  EXPECT_FALSE(exactdot::core::decide_finish<engine>(to_int64, 1, {7, 0, 0.25}).certain);
  EXPECT_FALSE(exactdot::core::decide_finish<engine>(to_int64, 1, {0x1p62, 0, 0}).certain);
}

/// Σx and Σx² of n elements, of which n·Σx² exceeds (Σx)² by a factor of 1 + 2^-cancelled.
struct enclosed_moments {
  enclosed sum, squares;
  double n;
};

/// A sum of three doubles with this head.
enclosed make_enclosed(std::mt19937_64& random, double head) {
  std::uniform_real_distribution<double> unit(0, 1);
  const int exponent = std::ilogb(head);
  const double tail = std::ldexp(unit(random) - 0.5, exponent - 53);
  const double bound =
      random() % 8 == 0 ? 0 : std::ldexp(unit(random), exponent - 50 - static_cast<int>(random() % 70));
  enclosed made{{head, tail, bound}, {}};
  const double off = random() % 2 == 0 ? 2 * unit(random) - 1 : random() % 2 == 0 ? 1 : -1;  // often an end
  made.sum.add(head), made.sum.add(tail), made.sum.add(bound * off);
  return made;
}

enclosed_moments make_moments(std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(1, 2);
  const double n = static_cast<double>(2 + random() % 1000);
  const double sum =
      std::ldexp(unit(random), static_cast<int>(random() % 600) - 300) * (random() % 2 == 0 ? 1 : -1);
  const int cancelled = static_cast<int>(random() % 45) - 5;
  const double squares = sum * sum / n * (1 + std::ldexp(unit(random), -cancelled));
  return {make_enclosed(random, sum), make_enclosed(random, squares), n};
}

exactdot::moments<double> moments_of(const enclosed_moments& given) {
  std::vector<std::int64_t> words{static_cast<std::int64_t>(given.n)};
  for (const auto* part : {&given.sum, &given.squares}) {
    const auto of_part = part->sum.words();
    words.insert(words.end(), of_part.begin(), of_part.end());
  }
  return exactdot::moments<double>(words);
}

template <class R>
void expect_right_moments(finish kind, double least_decided) {
  std::mt19937_64 random(13);
  const exactdot::core::result_rule rule(kind, exactdot::core::format<R>::number);
  const int cases = 50000;
  int decided = 0;
  for (int i = 0; i < cases; ++i) {
    const enclosed_moments given = make_moments(random);
    const std::uint64_t ddof = random() % 2;
    const auto found = exactdot::core::decide_moments<engine>(rule, given.n, static_cast<double>(ddof),
                                                              given.sum.known, given.squares.known);
    if (!found.certain) continue;
    ++decided;
    const auto expected = moments_of(given);
    const R value =
        kind == finish::deviation ? expected.template stddev<R>(ddof) : expected.template variance<R>(ddof);
    ASSERT_EQ(exactdot::core::from_word<R>(found.word), value)
        << "sum " << given.sum.known.head << ", squares " << given.squares.known.head << ", bounds "
        << given.sum.known.bound << ", " << given.squares.known.bound << ", n " << given.n << ", ddof " << ddof
        << ", case " << i;
  }
  EXPECT_GT(decided, cases * least_decided);
}

TEST(enclosure, decides_only_what_every_variance_in_it_rounds_to) {
  expect_right_moments<float>(finish::variance, 0.4);
  expect_right_moments<double>(finish::variance, 0.1);
  expect_right_moments<float>(finish::deviation, 0.4);
  expect_right_moments<double>(finish::deviation, 0.1);
}

/// Elements of few bits, sometimes equal ones or nearly a tie.
std::vector<double> elements_of_few_bits(std::mt19937_64& random, std::size_t n, unsigned bits) {
  std::vector<double> x(n);
  const int exponent = static_cast<int>(random() % 40) - 20;
  if (random() % 4 == 0) {  // squares of 27 bits are ties, which a second element breaks
    x[0] = std::ldexp(static_cast<double>(random() >> 37 | 1), exponent);
    x[1] = std::ldexp(random() % 2 == 0 ? 1 : -1, exponent - static_cast<int>(random() % 60));
    return x;
  }
  const bool are_equal = random() % 8 == 0;
  for (double& each : x) {
    if (are_equal && &each != x.data()) {
      each = x[0];
      continue;
    }
    each = std::ldexp(static_cast<double>(random() >> (64 - bits)), exponent + static_cast<int>(random() % 6));
    if (random() % 2 == 0) each = -each;
  }
  return x;
}

/// The variances that sums without an error decide, of `cases`; ties and zeros among them.
template <class R>
int decided_variances(std::mt19937_64& random, finish kind, std::size_t n, unsigned bits, int cases) {
  const exactdot::core::result_rule rule(kind, exactdot::core::format<R>::number);
  int decided = 0;
  for (int i = 0; i < cases; ++i) {
    const auto x = elements_of_few_bits(random, n, bits);
    enclosure sum{0, 0, 0}, squares{0, 0, 0};
    bool loses = false;
    for (const double each : x) {
      const auto add = [&](enclosure& to, double term) {
        const auto upper = exactdot::core::two_sum(to.head, term);
        const auto lower = exactdot::core::two_sum(to.tail, upper.error);
        to.head = upper.value, to.tail = lower.value, loses = loses || lower.error != 0;
      };
      add(sum, each), add(squares, each * each), add(squares, std::fma(each, each, -(each * each)));
    }
    if (loses) continue;  // more bits than two doubles
    const std::uint64_t ddof = random() % 2;
    const auto found = exactdot::core::decide_moments<engine>(rule, static_cast<double>(n),
                                                              static_cast<double>(ddof), sum, squares);
    if (!found.certain) continue;
    ++decided;
    exactdot::moments<double> expected;
    for (const double each : x) expected.add(each);
    const R value =
        kind == finish::deviation ? expected.template stddev<R>(ddof) : expected.template variance<R>(ddof);
    EXPECT_EQ(exactdot::core::from_word<R>(found.word), value) << n << " elements, case " << i;
  }
  return decided;
}

TEST(enclosure, decides_every_variance_of_exact_sums_of_few_elements) {
  std::mt19937_64 random(14);
  constexpr int cases = 4000;
  for (const std::size_t n : {2, 3, 8, 16, 31, 64}) {
    for (const unsigned bits : {3, 11, 24}) {
      EXPECT_GT(decided_variances<float>(random, finish::variance, n, bits, cases), cases * 3 / 4)
          << n << ", " << bits;
      EXPECT_GT(decided_variances<double>(random, finish::variance, n, bits, cases), cases * 3 / 4)
          << n << ", " << bits;
    }
  }
  EXPECT_GT(decided_variances<double>(random, finish::variance, 16, 50, cases), cases / 10);
  EXPECT_GT(decided_variances<double>(random, finish::deviation, 16, 24, cases), cases * 3 / 4);
}

TEST(enclosure, decides_no_variance_that_could_be_negative_or_has_no_divisor) {
  const exactdot::core::result_rule rule(finish::variance, exactdot::core::format<double>::number);
  const enclosure sum{2, 0, 0}, squares{4, 0, 0};
  EXPECT_TRUE(exactdot::core::decide_moments<engine>(rule, 2, 1, sum, squares).certain);
  EXPECT_FALSE(exactdot::core::decide_moments<engine>(rule, 2, 2, sum, squares).certain);
  EXPECT_FALSE(exactdot::core::decide_moments<engine>(rule, 2, 3, sum, squares).certain);
  EXPECT_FALSE(exactdot::core::decide_moments<engine>(rule, 1, 0, sum, {4, 0, 0x1p-40}).certain);
  EXPECT_FALSE(
      exactdot::core::decide_moments<engine>(rule, 0x1p40 + 1, 0, sum, squares).certain);  // divisor rounded
  EXPECT_FALSE(exactdot::core::decide_moments<engine>(rule, 2, 0, {HUGE_VAL, 0, 0}, squares).certain);
  EXPECT_FALSE(exactdot::core::decide_moments<engine>(rule, 2, 0, sum, {std::nan(""), 0, 0}).certain);
}

TEST(enclosure, decides_nothing_that_is_not_finite) {
  const double infinity = HUGE_VAL, nan = std::nan("");
  for (const finish kind : {finish::round, finish::root, finish::quotient}) {
    for (const auto type : {exactdot::element_type::float16, exactdot::element_type::float32,
                            exactdot::element_type::float64, exactdot::element_type::int64}) {
      const exactdot::core::result_rule rule(kind, exactdot::core::format_of(type));
      for (const enclosure& sum : {enclosure{infinity, nan, 1}, enclosure{nan, nan, nan}, enclosure{1, nan, 0},
                                   enclosure{1, 0, infinity}, enclosure{1, 0, nan}, enclosure{-infinity, 0, 0}}) {
        EXPECT_FALSE(exactdot::core::decide_finish<engine>(rule, 3, sum).certain) << sum.head << ' ' << sum.bound;
      }
    }
  }
}

TEST(enclosure, gives_positive_zeros) {
  for (const finish kind : {finish::round, finish::root, finish::quotient}) {
    for (const auto type : {exactdot::element_type::float16, exactdot::element_type::float32,
                            exactdot::element_type::float64, exactdot::element_type::int64}) {
      const exactdot::core::result_rule rule(kind, exactdot::core::format_of(type));
      const auto found = exactdot::core::decide_finish<engine>(rule, 3, {0, 0, 0});
      EXPECT_TRUE(found.certain);
      EXPECT_EQ(found.word, 0U);
    }
  }
  const exactdot::core::result_rule to_double(finish::round, exactdot::core::format<double>::number);
  EXPECT_FALSE(exactdot::core::decide_finish<engine>(to_double, 1, {0, 0, 0x1p-1000}).certain);
}

/// Sums head + tail next to ties of every format, both neighbours, and the ties themselves.
TEST(enclosure, rounds_exact_sums_once) {
  const auto expect_rounded = [](auto zero, double head, double tail) {
    using R = decltype(zero);
    exactdot::accumulator<double> sum;
    sum.add(head), sum.add(tail);
    const exactdot::core::result_rule rule(finish::round, exactdot::core::format<R>::number);
    const auto found = exactdot::core::round_exact(rule, head, tail);
    EXPECT_TRUE(found.certain);
    EXPECT_EQ(found.word, exactdot::core::to_word(sum.template round<R>())) << head << " + " << tail;
  };
  for (const double sign : {1.0, -1.0}) {
    for (const int precision : {8, 11, 24, 53}) {
      for (const double odd : {0.0, std::ldexp(1, 1 - precision)}) {
        for (const double last : {0.0, 0x1p-120, -0x1p-120, 0x1p-60, -0x1p-60}) {
          for (const double scale : {1.0, 0x1p-14, 0x1p-100, 0x1p100}) {
            const double tie = (1 + odd) * sign * scale, rest = std::ldexp(1, -precision) * sign * scale;
            const auto upper = exactdot::core::two_sum(tie, rest);
            const auto lower = exactdot::core::two_sum(upper.error, last * scale);
            if (lower.error != 0) continue;
            const auto sum = exactdot::core::two_sum(upper.value, lower.value);
            expect_rounded(0.0, sum.value, sum.error);
            expect_rounded(0.0F, sum.value, sum.error);
            expect_rounded(exactdot::float16{}, sum.value, sum.error);
            expect_rounded(exactdot::bfloat16{}, sum.value, sum.error);
          }
        }
      }
    }
  }
  const exactdot::core::result_rule to_integer(finish::round, {63, 0}), to_float(finish::round, {24, 8});
  EXPECT_EQ(exactdot::core::round_exact(to_integer, 0x1p60, 3).word, (std::uint64_t{1} << 60) + 3);
  EXPECT_FALSE(exactdot::core::round_exact(to_float, HUGE_VAL, 0).certain);
}

/// A head half way between two floats, or next to it, decides nothing: its tail does if it exceeds the bound.
TEST(enclosure, decides_by_the_tail_beside_a_tie) {
  std::mt19937_64 random(17);
  const auto expect_decided = [&](auto of_result) {
    using R = decltype(of_result);
    constexpr auto format = exactdot::core::format<R>::number;
    const exactdot::core::result_rule rule(finish::round, format);
    for (int trial = 0; trial < 20000; ++trial) {
      const int exponent = static_cast<int>(random() % 20) - 10;
      const double last = std::ldexp(1.0, exponent - format.precision + 1);
      const auto units = static_cast<double>((std::uint64_t{1} << (format.precision - 1)) +
                                             random() % (std::uint64_t{1} << (format.precision - 1)));
      const double beside = std::ldexp(static_cast<double>(random() % 5) - 2, exponent - 52);
      const double sign = random() % 2 == 0 ? 1 : -1, head = sign * ((units + 0.5) * last + beside);
      const double tail = std::ldexp(static_cast<double>(random() % 1000) - 499.5, exponent - 64);
      const double bound = exactdot::core::magnitude_of(tail) * (random() % 2 == 0 ? 0.5 : 0x1p-30);
      const auto found = exactdot::core::decide_value<engine>(rule, {head, tail, bound});
      ASSERT_TRUE(found.certain) << head << " + " << tail;
      exactdot::accumulator<double> sum;
      sum.add(head), sum.add(tail);
      ASSERT_EQ(found.word, exactdot::core::to_word(sum.template round<R>())) << head << " + " << tail;
      if (beside != 0) continue;
      const double wide = exactdot::core::magnitude_of(tail) * 1.5;
      EXPECT_FALSE(exactdot::core::decide_value<engine>(rule, {head, tail, wide}).certain);
    }
  };
  expect_decided(0.0F);
  expect_decided(exactdot::float16{});
  expect_decided(exactdot::bfloat16{});
}

}  // namespace
