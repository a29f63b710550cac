// Reductions: each names a term and a finish. The terms that are compiled are those that reductions name.
#pragma once

#include <exactdot/core/finish.hpp>
#include <exactdot/reduction.hpp>

namespace exactdot::inline v0_3::core {

/// A sum of terms, and how it becomes a result; of moments a second sum, of the squares.
template <class Term, finish result, class... Second>
struct reduce {
  static_assert(sizeof...(Second) == (has_second_sum(result) ? 1 : 0));
  using terms = std::tuple<Term, Second...>;
  static constexpr core::finish finish = result;
};

/// A reduction without a sum: the least or greatest element, or its index (core/extremum.hpp).
struct extremum {};

/// What a ratio is made of, in the sums of x and y and their number n. y are the weights of weighted ratios.
enum class ratio_numerator : unsigned char {
  product,           ///< Σxy
  comoment,          ///< n·Σxy − Σx·Σy
  moment,            ///< n·Σx² − (Σx)²
  intercept,         ///< Σy·Σx² − Σx·Σxy
  squared_distance,  ///< Σx² − 2·Σxy + Σy²
  weighted_moment,   ///< Σy·Σx²y − (Σxy)²
};
enum class ratio_divisor : unsigned char {
  weights,          ///< Σy
  squares,          ///< Σx²·Σy²
  one,              ///< 1
  degrees,          ///< n − ddof
  count_degrees,    ///< n·(n − ddof)
  counts_degrees,   ///< n²·(n − ddof)
  weights_degrees,  ///< Σy·(Σy − ddof)
  moment,           ///< n·Σx² − (Σx)²
  moments,          ///< the product of that of x and that of y
};
/// Whether n − ddof is a factor, or Σy − ddof, without which there is no result unless it is above 0.
constexpr bool has_degrees_of_count(ratio_divisor divisor) {
  return divisor == ratio_divisor::degrees || divisor == ratio_divisor::count_degrees ||
         divisor == ratio_divisor::counts_degrees;
}
constexpr bool has_degrees(ratio_divisor divisor) {
  return has_degrees_of_count(divisor) || divisor == ratio_divisor::weights_degrees;
}
enum class ratio_form : unsigned char {
  quotient,       ///< numerator/divisor
  over_root,      ///< numerator/√divisor
  quotient_root,  ///< √(numerator/divisor)
};

/// A reduction that is a quotient of sums of one or two vectors (core/ratio.hpp).
template <int inputs, ratio_numerator numerator, ratio_divisor divisor, ratio_form form>
struct ratio {};

namespace ratios {
using numerator = ratio_numerator;
using divisor = ratio_divisor;
using form = ratio_form;
using weighted_mean = ratio<2, numerator::product, divisor::weights, form::quotient>;
using cosine = ratio<2, numerator::product, divisor::squares, form::over_root>;
using distance = ratio<2, numerator::squared_distance, divisor::one, form::quotient_root>;
using covariance = ratio<2, numerator::comoment, divisor::count_degrees, form::quotient>;
using correlation = ratio<2, numerator::comoment, divisor::moments, form::over_root>;
using slope = ratio<2, numerator::comoment, divisor::moment, form::quotient>;
using intercept = ratio<2, numerator::intercept, divisor::moment, form::quotient>;
using standard_error = ratio<1, numerator::moment, divisor::counts_degrees, form::quotient_root>;
using weighted_variance = ratio<2, numerator::weighted_moment, divisor::weights_degrees, form::quotient>;
using weighted_stddev = ratio<2, numerator::weighted_moment, divisor::weights_degrees, form::quotient_root>;
using variance_about = ratio<2, numerator::squared_distance, divisor::degrees, form::quotient>;
using stddev_about = ratio<2, numerator::squared_distance, divisor::degrees, form::quotient_root>;
}  // namespace ratios

/// In the order of the enumerators of `reduction`.
using reductions = std::tuple<                 //
    reduce<product, finish::round>,            // dot
    reduce<value, finish::round>,              // sum
    reduce<magnitude, finish::round>,          // asum
    reduce<square, finish::round>,             // sum_of_squares
    reduce<square, finish::root>,              // nrm2
    reduce<value, finish::quotient>,           // mean
    reduce<value, finish::variance, square>,   // variance
    reduce<value, finish::deviation, square>,  // stddev
    extremum, extremum,                        // min, max
    extremum, extremum,                        // argmin, argmax
    ratios::weighted_mean, ratios::cosine, ratios::distance, ratios::covariance, ratios::correlation, ratios::slope,
    ratios::intercept, ratios::standard_error, ratios::weighted_variance, ratios::weighted_stddev,
    ratios::variance_about, ratios::stddev_about>;

namespace terms {
template <class Term, class Terms>
struct append;
template <class Term, class... Terms>
struct append<Term, std::tuple<Terms...>> {
  static constexpr bool is_known = (std::is_same_v<Term, Terms> || ...);
  using type = std::conditional_t<is_known, std::tuple<Terms...>, std::tuple<Terms..., Term>>;
};
template <class Found, class Terms>
struct append_all {
  using type = Found;
};
template <class Found, class First, class... Rest>
struct append_all<Found, std::tuple<First, Rest...>>
    : append_all<typename append<First, Found>::type, std::tuple<Rest...>> {};
template <class Found, class Reductions>
struct collect {
  using type = Found;
};
template <class Found, class... Rest>
struct collect<Found, std::tuple<extremum, Rest...>> : collect<Found, std::tuple<Rest...>> {};
template <class Found, int inputs, ratio_numerator numerator, ratio_divisor divisor, ratio_form form, class... Rest>
struct collect<Found, std::tuple<ratio<inputs, numerator, divisor, form>, Rest...>>
    : collect<Found, std::tuple<Rest...>> {};
template <class Found, class First, class... Rest>
struct collect<Found, std::tuple<First, Rest...>>
    : collect<typename append_all<Found, typename First::terms>::type, std::tuple<Rest...>> {};
}  // namespace terms

/// The terms of all reductions, each once; kernels are compiled for every element type and each of these.
using term_types = terms::collect<std::tuple<>, reductions>::type;
template <class Term>
inline constexpr std::size_t term_index = detail::index_in<Term, term_types>;

namespace terms {
template <class... Terms>
constexpr std::array<term_info, sizeof...(Terms)> describe_all(std::tuple<Terms...>) {
  return {describe_term<Terms>()...};
}
template <std::size_t count>
constexpr bool all_differ(const std::array<term_info, count>& of) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (of[i] == of[j]) return false;
    }
  }
  return true;
}
}  // namespace terms

inline constexpr auto term_table = terms::describe_all(term_types());
static_assert(terms::all_differ(term_table), "engines that read a term at run time find it by its description");
constexpr const term_info& term_at(std::size_t index) { return term_table[index]; }

/// The term of two inputs that multiplies and takes absolute values as `of` does; term_table.size() if there is
/// none. Where an element is a sum of parts, a product of two factors is one of parts that differ: a square becomes
/// this.
constexpr std::size_t term_of_pairs(const term_info& of) {
  std::size_t index = 0;
  while (index < term_table.size() && !(term_table[index].inputs == 2 && term_table[index].factors == of.factors &&
                                        term_table[index].absolute == of.absolute)) {
    ++index;
  }
  return index;
}
/// The term whose kernels compute term `index` of elements in parts, halves of 64-bit integers.
constexpr std::size_t term_of_parts(std::size_t index) {
  const term_info& of = term_at(index);
  return of.factors == 2 && of.inputs == 1 ? term_of_pairs(of) : index;
}

/// A reduction at run time.
struct reduction_info {
  int sums = 0;                           ///< 0: an extremum, or a ratio of the sums of other reductions
  std::size_t term = 0, second_term = 0;  ///< of the sums: indices in term_types
  core::finish finish = finish::round;
  bool is_extremum = false;
  int inputs = 1;
  bool is_ratio = false;
  ratio_numerator numerator = {};  ///< of a ratio
  ratio_divisor divisor = {};
  ratio_form form = {};

  /// Whether the sum of squares is needed beside the sum of the term.
  [[nodiscard]] constexpr bool needs_squares() const { return sums == 2; }
  /// The term of a sum.
  [[nodiscard]] constexpr std::size_t term_of(int sum) const { return sum == 0 ? term : second_term; }
  /// Whether the result depends on the number of elements.
  [[nodiscard]] constexpr bool counts_elements() const { return finish_counts_elements(finish); }
  /// Whether it divides by degrees of freedom, n − ddof or the sum of the weights − ddof.
  [[nodiscard]] constexpr bool has_ddof() const { return is_ratio ? has_degrees(divisor) : needs_squares(); }
  /// Whether the result is a sum as it is: of integers an integer.
  [[nodiscard]] constexpr bool is_sum() const { return sums == 1 && finish == finish::round; }
  /// Whether it is made of the sum of the elements themselves, as windows that move along them need.
  [[nodiscard]] constexpr bool adds_elements() const {
    return sums != 0 && term_table[term].factors == 1 && !term_table[term].absolute;
  }
  /// Whether complex numbers have it, and have a complex number as result: elements and products, not magnitudes.
  [[nodiscard]] constexpr bool takes_complex() const { return sums == 1; }
  [[nodiscard]] constexpr bool gives_complex() const {
    const term_info& addend = term_table[term];
    return sums == 1 && addend.factors == addend.inputs && !addend.absolute;
  }
  /// Which of its sums is a sum of the term; `sums` if none is.
  [[nodiscard]] constexpr int sum_of(std::size_t term_index) const {
    int sum = 0;
    while (sum < sums && term_of(sum) != term_index) ++sum;
    return sum;
  }
  /// Whether a state of this reduction holds what `result` needs.
  [[nodiscard]] constexpr bool provides(const reduction_info& result) const {
    for (int sum = 0; sum < result.sums; ++sum) {
      if (sum_of(result.term_of(sum)) == sums) return false;
    }
    return result.sums != 0 && (counts_elements() || !result.counts_elements());
  }
};

namespace terms {
template <class Reduction>
constexpr reduction_info describe(Reduction) {
  using all = typename Reduction::terms;
  using first = std::tuple_element_t<0, all>;
  constexpr int sums = std::tuple_size_v<all>;
  return {sums,  term_index<first>, term_index<std::tuple_element_t<sums - 1, all>>, Reduction::finish,
          false, first::inputs};
}
constexpr reduction_info describe(extremum) { return {.is_extremum = true}; }
template <int inputs, ratio_numerator numerator, ratio_divisor divisor, ratio_form form>
constexpr reduction_info describe(ratio<inputs, numerator, divisor, form>) {
  return {.finish = finish::quotient,
          .inputs = inputs,
          .is_ratio = true,
          .numerator = numerator,
          .divisor = divisor,
          .form = form};
}
template <class... Reductions>
constexpr std::array<reduction_info, sizeof...(Reductions)> describe(std::tuple<Reductions...>) {
  return {describe(Reductions())...};
}
}  // namespace terms

inline constexpr auto reduction_table = terms::describe(reductions());

constexpr const reduction_info& info_of(reduction what) { return reduction_table[static_cast<std::size_t>(what)]; }

/// The reduction that is the sum of term `term`, as it is; the last one if there is none.
constexpr reduction sum_of_term(std::size_t term) {
  std::size_t what = 0;
  while (what + 1 < reduction_table.size() &&
         !(reduction_table[what].is_sum() && reduction_table[what].term == term)) {
    ++what;
  }
  return static_cast<reduction>(what);
}

}  // namespace exactdot::inline v0_3::core

namespace exactdot::inline v0_3 {
/// Vectors that a reduction reads: 1 or 2.
constexpr int inputs_of(reduction what) { return is_known(what) ? core::info_of(what).inputs : 1; }
/// Whether the result is a sum of terms as it is, which of integers is an integer.
constexpr bool gives_sum(reduction what) { return is_known(what) && core::info_of(what).is_sum(); }
/// Whether it is a sum of products of two vectors' elements.
constexpr bool multiplies_vectors(reduction what) {
  return is_known(what) && core::info_of(what).sums == 1 && core::info_of(what).inputs == 2;
}
/// Whether the number of elements − ddof, or the sum of the weights − ddof, is a divisor.
constexpr bool has_ddof(reduction what) { return is_known(what) && core::info_of(what).has_ddof(); }
}  // namespace exactdot::inline v0_3
