// exactdot/core/normalisation.hpp and the kernels of rows by themselves, against the oracle: an enclosure that
// decides an element decides it right, from sums that are exact and from sums that are off by a part of a wide
// bound; integers find every element, ties included.
#include <gtest/gtest.h>

#include <cpu/kernels.hpp>
#include <exactdot/core/normalisation.hpp>

#include "oracle/cases.hpp"
#include "property/normalised_matrices.hpp"

namespace {

using namespace exactdot;
using namespace exactdot::tests;

struct arithmetic : core::rounding_in_integers {
  static double root(double x) { return std::sqrt(x); }
  static double fma(double x, double y, double z) { return std::fma(x, y, z); }
};

/// Two doubles next to a state's sum, and what these miss at most.
template <class Carrier>
core::enclosure enclosure_of(const std::vector<std::int64_t>& state) {
  const auto rounded = [](std::vector<std::int64_t> words) {
    const core::result_rule to_double(core::finish::round, {53, 11});
    return core::from_word<double>(core::finish_state(to_double, core::layout_of<Carrier>(), words.data()).word);
  };
  const double head = rounded(state);
  if (!std::isfinite(head)) return {0, 0, HUGE_VAL};
  std::vector<std::int64_t> rest = state;
  core::exact_term taken = core::decompose(-head);  // whose last bits are below those of a state, and zero there
  for (; taken.exponent < core::lowest_product_exponent<Carrier>; ++taken.exponent) taken.magnitude >>= 1;
  core::add_term<64>(core::layout_of<Carrier>(), rest.data(), taken);
  core::normalise(core::layout_of<Carrier>(), rest.data());
  const double tail = rounded(rest);
  return {head, tail, std::abs(tail) * 0x1p-52};
}

/// The sums are off by a part of the bound that is added.
core::enclosure widened(core::enclosure sum, double by, double part) {
  const double bound = std::abs(sum.head) * by;
  return {sum.head, sum.tail + part * bound, sum.bound + bound};
}

struct counts {
  long elements = 0, decided = 0, of_kernels = 0, wrong = 0;
};

template <class T, class Parameter>
class row_check {
 public:
  using carrier = core::carrier_for<T>;

  row_check(std::span<const T> x, bool is_centred, double epsilon)
      : sum_(core::layout_of<carrier>().words()),
        squares_(sum_),
        n_(x.size()),
        is_centred_(is_centred),
        epsilon_(epsilon) {
    std::vector<double> row;
    for (const T each : x) {
      const core::exact_term term = core::decompose(static_cast<carrier>(each));
      if (is_centred) core::add_term<carrier>(sum_.data(), term);
      core::add_term<carrier>(squares_.data(), core::multiply(term, term));
      row.push_back(of(each));
    }
    core::normalise(core::layout_of<carrier>(), sum_.data());
    core::normalise(core::layout_of<carrier>(), squares_.data());
    right_.emplace(row, is_centred, epsilon, format_of_results<T>);
  }

  /// What the kernels decide from a scale.
  void check_kernels(const core::row_scale& scale, std::span<const T> x, std::span<const double> w,
                     std::span<const double> b, counts& found) const {
    std::vector<carrier> elements, weights, biases;
    for (std::size_t k = 0; k < x.size(); ++k) {
      elements.push_back(static_cast<carrier>(x[k]));
      weights.push_back(static_cast<carrier>(w[k])), biases.push_back(static_cast<carrier>(b[k]));
    }
    for (const cpu_engine::instruction_set* set : cpu_engine::runnable_instruction_sets()) {
      std::vector<T> out(x.size());
      std::vector<std::uint32_t> open(x.size());
      const auto kernel = set->normalisations[static_cast<std::size_t>(type_of<T>)];
      open.resize(kernel(scale, elements.data(), weights.data(), biases.data(), x.size(), out.data(), open.data()));
      for (std::size_t k = 0, next = 0; k < x.size(); ++k) {
        if (next < open.size() && open[next] == k) {
          ++next;
          continue;
        }
        ++found.of_kernels;
        const std::uint64_t expected = right_->element(of(x[k]), w[k], b[k]),
                            got = exactdot::detail::to_word(out[k]);
        if (got == expected || ++found.wrong > 1) continue;
        ADD_FAILURE() << set->name << ", " << name_of(type_of<T>) << ": x " << of(x[k]) << ", w " << w[k] << ", b "
                      << b[k] << ", relative bound " << scale.relative << ": expected " << std::hex << expected
                      << ", got " << got;
      }
    }
  }

  void check(std::span<const T> x, const std::vector<Parameter>& weight, const std::vector<Parameter>& bias,
             rng& random, counts& found) {
    const core::enclosure sum = is_centred_ ? enclosure_of<carrier>(sum_) : core::enclosure{0, 0, 0};
    core::enclosure squares = enclosure_of<carrier>(squares_);
    squares.bound += 0x1p-1000;
    const double by = std::ldexp(1, -random.between(30, 70)), part = 2 * random.unit() - 1;
    const auto scale = [&](const core::enclosure& of_sum, const core::enclosure& of_squares) {
      return core::scale_of<arithmetic>(static_cast<double>(n_), epsilon_, of_sum, of_squares);
    };
    const core::row_scale near = scale(sum, squares),
                          wide = scale(widened(sum, by, part), widened(squares, by, -part));
    core::exact_row<carrier> exact(sum_.data(), squares_.data(), n_, epsilon_, is_centred_, memory_);
    std::vector<double> weights, biases;
    for (std::size_t k = 0; k < x.size(); ++k) {
      weights.push_back(weight.empty() ? 1 : of(weight[k]));
      biases.push_back(bias.empty() || !is_centred_ ? 0 : of(bias[k]));
    }
    for (const core::row_scale* from : {&near, &wide}) {
      if (from->relative < 0x1p-20) check_kernels(*from, x, weights, biases, found);
    }
    for (std::size_t k = 0; k < x.size(); ++k) {
      const Parameter w = weight.empty() ? to<Parameter>(1) : weight[k];
      const Parameter b = bias.empty() || !is_centred_ ? to<Parameter>(0) : bias[k];
      const std::uint64_t expected = right_->element(of(x[k]), of(w), of(b));
      const auto take = [&](const char* way, std::uint64_t word) {
        if (word == expected || ++found.wrong > 1) return;
        ADD_FAILURE() << way << ", " << name_of(type_of<T>) << ": element " << k << " of " << n_ << ", x "
                      << of(x[k]) << ", w " << of(w) << ", b " << of(b) << ", epsilon " << epsilon_ << ", centred "
                      << is_centred_ << ": expected " << std::hex << expected << ", got " << word;
      };
      ++found.elements;
      take("exact", exact.element(core::format<T>::number, static_cast<carrier>(x[k]),
                                  static_cast<wider<Parameter>>(w), static_cast<wider<Parameter>>(b)));
      for (const core::row_scale* from : {&near, &wide}) {
        const core::result_rule rule(core::finish::round, core::format<T>::number);
        const auto value = core::normalised_value<arithmetic>(*from, of(x[k]), of(w), of(b) + 0.0);
        const core::decision decided = core::decide_value<arithmetic>(rule, value);
        if (!decided.certain) continue;
        found.decided += from == &near;
        take(from == &near ? "near" : "wide", decided.word);
      }
    }
  }

 private:
  std::vector<std::int64_t> sum_, squares_;
  std::uint64_t n_;
  bool is_centred_;
  double epsilon_;
  core::normalisation_scratch<carrier> memory_;
  std::optional<oracle::normalised_row> right_;
};

template <class T, class Parameter>
void expect_right(int cases, std::uint64_t seed) {
  rng random(seed);
  counts found;
  for (int i = 0; i < oracle::scaled(cases) && found.wrong == 0; ++i) {
    const bool is_centred = random.coin();
    for (const auto& of :
         {random_matrix<T, Parameter>(random, 60), matrix_of_ties<T, Parameter>(random, is_centred)}) {
      for (std::size_t row = 0; row < of.m; ++row) {
        const std::span<const T> x(&of.x[row * of.n], of.n);
        row_check<T, Parameter>(x, is_centred, of.epsilon).check(x, of.weight, of.bias, random, found);
      }
    }
  }
  EXPECT_EQ(found.wrong, 0) << "of " << found.elements;
  EXPECT_GT(found.decided, found.elements / 2);
  EXPECT_GT(found.of_kernels, found.elements / 2);
}

TEST(normalisation, of_floats_is_right) { expect_right<float, float>(2000, 1); }
TEST(normalisation, of_doubles_is_right) {
  expect_right<double, double>(400, 2), expect_right<double, float>(100, 3);
}
TEST(normalisation, of_16_bit_types_is_right) {
  expect_right<float16, float16>(500, 4), expect_right<float16, float>(1000, 5);
  expect_right<bfloat16, bfloat16>(500, 6), expect_right<bfloat16, float>(1000, 7);
}

}  // namespace
