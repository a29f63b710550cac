// Results of bounded sums in the lanes of registers: whatever is decided is the exact result of every sum within
// the bound, rounded once, of every format and finish, on every instruction set. Sums are aimed at the numbers half
// way between two results, at both sides of powers of two and at the ends of formats; ties that are known exactly,
// and sums away from ties, have to be decided.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cpu/kernels.hpp>
#include <vector>

#include "oracle/cases.hpp"
#include "oracle/integer_sum.hpp"
#include "oracle/random.hpp"

namespace {

using namespace exactdot;
using namespace exactdot::cpu_engine;
namespace core = exactdot::core;
using core::finish;
using oracle::integer_sum;

constexpr element_type formats[] = {element_type::float64,  element_type::float32,       element_type::float16,
                                    element_type::bfloat16, element_type::float8_e4m3fn, element_type::float8_e5m2};
constexpr finish finishes[] = {finish::round, finish::quotient, finish::root, finish::variance, finish::deviation};

bool has_root(finish how) { return how == finish::root || how == finish::deviation; }

/// A sum head + tail + off, where |off| <= bound.
struct given {
  double head = 0, tail = 0, bound = 0, off = 0;
  bool is_tie = false, is_far = false;  // from ties, known without an error; both to be decided

  [[nodiscard]] mpz_class units() const {
    integer_sum sum;
    sum.add(head), sum.add(tail), sum.add(off);
    return sum.units();
  }
};

/// The result of the exact sum by the rule.
std::uint64_t exact_result(finish how, element_type type, std::uint64_t divisor, const mpz_class& units) {
  constexpr int up = 800;  // bits that divisions and roots keep
  mpz_class value = abs(units) << up;
  int exponent = integer_sum::unit_exponent - up;
  bool is_exact = true;
  if (how != finish::round && how != finish::root) {
    const mpz_class whole = value;
    value /= static_cast<unsigned long>(divisor);
    is_exact = value * static_cast<unsigned long>(divisor) == whole;
  }
  if (has_root(how)) {
    const mpz_class whole = value;
    value = sqrt(whole), exponent /= 2;
    is_exact = is_exact && value * value == whole;
  }
  value = 2 * value + (is_exact ? 0 : 1);
  if (units < 0) value = -value;
  return oracle::round_number(value, exponent - 1, info_of(type).precision, info_of(type).exponent_bits);
}

/// The sum whose result is about c + h, by TwoProduct and TwoSum.
given sum_of(finish how, double divisor, double c, double h) {
  const bool squares = has_root(how), divides = how != finish::round && how != finish::root;
  // c² + 2·c·h + h² or c + h, times the divisor
  double parts[] = {squares ? c * c : c, squares ? std::fma(c, c, -c * c) : 0, squares ? 2 * c * h : h,
                    squares ? h * h : 0};
  given made;
  for (const double part : parts) {
    const double d = divides ? divisor : 1, product = part * d, rest = std::fma(part, d, -product);
    const auto high = core::two_sum(made.head, product);
    made.head = high.value, made.tail += high.error + rest;
  }
  const auto both = core::two_sum(made.head, made.tail);
  made.head = both.value, made.tail = both.error;
  return made;
}

/// A case of a rule: a number c of the format and half a unit of its last place, or another distance.
given make_case(oracle::rng& random, finish how, element_type type, std::uint64_t divisor) {
  const core::number_format format = core::format_of(type);
  const int p = format.precision, w = format.exponent_bits, reach = std::min(format.highest_exponent(), 400);
  const int exponent =
      random.between(0, 3) == 0 ? random.between(-reach, reach) : random.between(-5, std::min(5, reach - 2));
  const double last = std::ldexp(1.0, exponent - p + 1);
  double c = std::ldexp(1.0, exponent);
  const bool is_power = random.between(0, 3) == 0;
  if (!is_power) c += std::floor(random.unit() * std::ldexp(1.0, p - 1)) * last;
  const int kind = random.between(0, 3);
  double h = last / 2 * (random.coin() ? 1 : -1);
  if (is_power && h < 0 && random.coin()) h /= 2;
  if (kind == 0) h *= 2 * random.unit();
  given made = sum_of(how, static_cast<double>(divisor), c, h);
  if (!has_root(how) && random.coin()) made.head = -made.head, made.tail = -made.tail;
  const double size = std::abs(made.head);
  made.bound = random.between(0, 2) == 0 ? 0 : std::ldexp(size * random.unit(), -random.between(p + 3, 112));
  if (kind == 2) {  // just beside
    const double beside = (made.bound + std::ldexp(size, -108)) * (random.unit() * 2.4 - 1.2);
    const auto moved = core::two_sum(made.head, made.tail + beside);
    made.head = moved.value, made.tail = moved.error;
  }
  made.off =
      made.bound * std::array{-1.0, 1.0, 2 * random.unit() - 1}[static_cast<std::size_t>(random.between(0, 2))];
  const bool is_inside =
      exponent > 3 - (1 << (w - 1)) && exponent < format.highest_exponent() - 2 && std::abs(exponent) < 300;
  // without a second rounding the sum is that of the tie itself
  const mpz_class tie = [&] {
    integer_sum sum;
    const double sign = made.head < 0 ? -1.0 : 1.0;
    if (how == finish::round) sum.add(sign * c), sum.add(sign * h);
    if (how == finish::quotient || how == finish::variance)
      sum.add(sign * c, static_cast<double>(divisor)), sum.add(sign * h, static_cast<double>(divisor));
    return sum.units();
  }();
  const bool is_seen = p == 53 ? std::has_single_bit(divisor) : made.tail == 0;
  made.is_tie = is_inside && made.bound == 0 && !has_root(how) && is_seen && made.units() == tie;
  made.is_far = is_inside && kind == 0 && std::abs(std::abs(h) / last - 0.5) > 0.02 && std::abs(h) > last * 0.02 &&
                !is_power && made.bound < std::ldexp(size, -p - 20);
  return made;
}

struct tally {
  int tried = 0, decided = 0, ties = 0, far = 0;
};

/// Decides all cases at once, `count` of them from the given place on.
void check(const instruction_set& set, finish how, element_type type, std::uint64_t divisor,
           const std::vector<given>& cases, tally& done) {
  const std::size_t room = cases.size() + sum_bounds::padding, size = size_of(type);
  std::vector<double> head(room), tail(room), bound(room);
  for (std::size_t i = 0; i < cases.size(); ++i)
    head[i] = cases[i].head, tail[i] = cases[i].tail, bound[i] = cases[i].bound;
  std::vector<char> results(cases.size() * size + 1, 0x55);
  const std::unique_ptr<bool[]> is_open(new bool[cases.size()]{});
  asked_results asked({how, core::format_of(type)}, 1);
  asked.divisor = static_cast<double>(divisor);
  const bool any =
      set.decide_sums(asked, {head.data(), tail.data(), bound.data()}, cases.size(), results.data(), is_open.get());
  EXPECT_EQ(results.back(), 0x55);
  EXPECT_EQ(any, std::find(is_open.get(), is_open.get() + cases.size(), true) != is_open.get() + cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const given& each = cases[i];
    ++done.tried;
    const auto text = [&] {
      return testing::Message() << std::hexfloat << each.head << ' ' << each.tail << ' ' << each.bound << ' '
                                << each.off << " divisor " << divisor << ' ' << name_of(type) << ' '
                                << static_cast<int>(how) << ' ' << set.name;
    };
    if (each.is_tie) ++done.ties;
    if (each.is_far) ++done.far;
    ASSERT_FALSE(is_open[i] && (each.is_tie || each.is_far)) << text() << each.is_tie;
    if (is_open[i]) continue;
    ++done.decided;
    std::uint64_t word = 0;
    std::memcpy(&word, results.data() + i * size, size);
    ASSERT_EQ(word, exact_result(how, type, divisor, each.units())) << text();
  }
}

TEST(decisions, are_the_results_of_all_sums_within_the_bound) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    for (const element_type type : formats) {
      for (const finish how : finishes) {
        oracle::rng random(static_cast<std::uint64_t>(how) * 10 + static_cast<std::uint64_t>(type));
        tally done;
        for (int round = 0; round < oracle::scaled(1500); ++round) {
          const bool divides = how != finish::round && how != finish::root;
          const std::uint64_t most = std::uint64_t{1} << std::array{3, 12, 30, 50}[random.below(4)];
          const std::uint64_t divisor = !divides ? 1 : random.between(0, 3) == 0 ? most : 1 + random.below(most);
          std::vector<given> cases(1 + random.below(30));
          for (given& each : cases) each = make_case(random, how, type, divisor);
          check(*set, how, type, divisor, cases, done);
          if (HasFatalFailure()) return;
        }
        SCOPED_TRACE(std::string(set->name) + ' ' + std::string(name_of(type)) + ' ' +
                     std::to_string(static_cast<int>(how)));
        EXPECT_GT(done.decided, done.tried / 5);
        EXPECT_GT(done.far, done.tried / 50);
        if (!has_root(how)) {
          EXPECT_GT(done.ties, done.tried / 50);
        }
      }
    }
  }
}

/// Zeros, infinities, NaNs, bounds that are none, sums beyond the range of products, results at the ends of
/// formats.
TEST(decisions, of_special_sums) {
  const double special[] = {0.0,
                            HUGE_VAL,
                            -HUGE_VAL,
                            std::nan(""),
                            0x1p-1074,
                            0x1p-1060,
                            0x1p-1000,
                            0x1p-300,
                            0x1p-149,
                            0x1.8p-150,
                            0x1p-151,
                            0x1p-24,
                            0x1.8p-25,
                            0x1p-26,
                            65504,
                            65519.999,
                            65520,
                            65536,
                            448,
                            464,
                            480,
                            57344,
                            61440,
                            61439.99,
                            0x1p127,
                            0x1p128,
                            0x1.ffffffp127,
                            0x1.fffffefp127,
                            0x1.fffffffp127,
                            0x1p1000,
                            0x1.fffffffffffffp1023};
  std::vector<given> finite;
  std::vector<double> head, tail, bound;
  for (const double x : special) {
    for (const double y : {0.0, std::ldexp(x, -60), std::nan(""), HUGE_VAL}) {
      for (const double within : {0.0, std::ldexp(std::abs(x), -90), HUGE_VAL, std::nan("")}) {
        if (std::isfinite(x) && std::isfinite(y) && std::isfinite(within)) finite.push_back({x, y, within, within});
        head.push_back(x), tail.push_back(y), bound.push_back(within);
      }
    }
  }
  const std::size_t count = head.size();
  for (auto* each : {&head, &tail, &bound}) each->resize(count + sum_bounds::padding);
  for (const instruction_set* set : runnable_instruction_sets()) {
    for (const element_type type : formats) {
      for (const finish how : finishes) {
        tally done;
        for (const std::uint64_t divisor : {1, 3, 4}) {
          check(*set, how, type, how == finish::round || how == finish::root ? 1 : divisor, finite, done);
          if (HasFatalFailure()) return;
        }
        std::vector<char> results(count * size_of(type));
        const std::unique_ptr<bool[]> is_open(new bool[count]{});
        set->decide_sums({{how, core::format_of(type)}, 3, 1}, {head.data(), tail.data(), bound.data()}, count,
                         results.data(), is_open.get());
        for (std::size_t i = 0; i < count; ++i) {
          const bool is_finite = std::isfinite(head[i]) && std::isfinite(tail[i]) && std::isfinite(bound[i]);
          EXPECT_TRUE(is_finite || is_open[i]) << head[i] << ' ' << tail[i] << ' ' << bound[i] << name_of(type);
        }
      }
    }
  }
}

TEST(decisions, of_integers_need_the_sum_itself) {
  const double most = 0x1p51;
  std::vector<double> head = {0,     2,         1,    -1, 123456789, most - 1, most,
                              -most, -most - 1, 1e18, 5,  5,         HUGE_VAL, std::nan("")};
  const std::size_t count = head.size();
  head.resize(count + sum_bounds::padding);
  std::vector<double> tail(head.size()), bound(head.size());
  tail[10] = 0x1p-60, bound[11] = 0x1p-60;
  for (const instruction_set* set : runnable_instruction_sets()) {
    for (const element_type type : {element_type::int64, element_type::uint64}) {
      std::vector<std::int64_t> results(count);
      bool is_open[14] = {};
      EXPECT_TRUE(set->decide_sums({{finish::round, core::format_of(type)}, 1},
                                   {head.data(), tail.data(), bound.data()}, count,
                                   reinterpret_cast<char*>(results.data()), is_open));
      for (std::size_t i = 0; i < count; ++i) {
        const bool has_room = head[i] < most && head[i] >= (type == element_type::uint64 ? 0 : -most);
        EXPECT_EQ(is_open[i], !(i < 10 && has_room)) << head[i];
        if (!is_open[i]) {
          EXPECT_EQ(results[i], static_cast<std::int64_t>(head[i]));
        }
      }
    }
  }
}

/// n·Σx² − (Σx)² lies within its bound for all sums within theirs; the bound is infinite where products have no
/// room.
TEST(numerators, lie_within_their_bounds) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    oracle::rng random(3);
    int finite = 0;
    const int rounds = oracle::scaled(20'000);
    for (int round = 0; round < rounds; ++round) {
      constexpr std::size_t count = 3, room = count + sum_bounds::padding;
      double memory[9][room] = {};
      const sum_bounds sums{memory[0], memory[1], memory[2]}, squares{memory[3], memory[4], memory[5]},
          to{memory[6], memory[7], memory[8]};
      const std::size_t n = 1 + random.below(random.coin() ? 10 : 100'000);
      mpz_class exact[count];
      for (std::size_t i = 0; i < count; ++i) {
        const int exponent = random.between(0, 9) == 0 ? random.between(-500, 500) : random.between(-9, 9);
        const auto bounded = [&](double x) {
          const auto parts = core::two_sum(x, std::ldexp(x * (random.unit() - 0.5), -52));
          const double within =
              random.coin() ? 0 : std::ldexp(std::abs(x) * random.unit(), -random.between(30, 110));
          return given{parts.value, parts.error, within, random.coin() ? within : -within};
        };
        const double x = random.between(0, 9) == 0 ? 0 : std::ldexp(2 * random.unit() - 1, exponent);
        // often next to n times the square of the mean, where the difference cancels
        const double cancels = x * x / static_cast<double>(n) * (1 + (random.coin() ? 1 : 0x1p-40) * random.unit());
        const given sum = bounded(x),
                    square = bounded(x != 0 && random.coin() ? cancels : std::ldexp(random.unit(), 2 * exponent));
        sums.set(i, {.head = sum.head, .tail = sum.tail, .bound = sum.bound});
        squares.set(i, {.head = square.head, .tail = square.tail, .bound = square.bound});
        const mpz_class s = sum.units();
        exact[i] = ((square.units() * static_cast<unsigned long>(n)) << -integer_sum::unit_exponent) - s * s;
      }
      set->bound_numerators(static_cast<double>(n), sums, squares, count, to);
      for (std::size_t i = 0; i < count; ++i) {
        if (!(to.bound[i] < HUGE_VAL)) continue;
        ++finite;
        integer_sum found, bound;
        found.add(to.head[i]), found.add(to.tail[i]), bound.add(to.bound[i]);
        const mpz_class off = exact[i] - (found.units() << -integer_sum::unit_exponent);
        ASSERT_TRUE(abs(off) <= bound.units() << -integer_sum::unit_exponent) << set->name << ' ' << n;
      }
    }
    EXPECT_GT(finite, 2 * rounds);
  }
}

}  // namespace
