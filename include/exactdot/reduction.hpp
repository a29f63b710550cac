// SPDX-License-Identifier: Apache-2.0
// The reductions that exactdot computes, by name.
#pragma once

#include <array>
#include <cstddef>
#include <exactdot/requirements.hpp>
#include <optional>
#include <string_view>

namespace exactdot::inline v0_3 {

enum class reduction : unsigned char {
  dot,             ///< Σ aᵢ·bᵢ
  sum,             ///< Σ xᵢ
  asum,            ///< Σ |xᵢ|
  sum_of_squares,  ///< Σ xᵢ²
  nrm2,            ///< √(Σ xᵢ²)
  mean,            ///< (Σ xᵢ)/n
  variance,        ///< (n·Σ xᵢ² − (Σ xᵢ)²)/(n·(n − ddof))
  stddev,          ///< its root
  min,             ///< the least element: NaN wins, −0 < +0
  max,             ///< the greatest element: NaN wins, −0 < +0
  argmin,          ///< the lowest index of the least element
  argmax,          ///< the lowest index of the greatest element
  // ratios: of sums of two vectors, in which x is the first and y, or the weights, the second
  weighted_mean,  ///< (Σ xᵢ·yᵢ)/(Σ yᵢ)
  cosine,         ///< (Σ xᵢ·yᵢ)/√(Σ xᵢ²·Σ yᵢ²)
  distance,       ///< √(Σ (xᵢ − yᵢ)²)
  covariance,     ///< (n·Σ xᵢyᵢ − Σ xᵢ·Σ yᵢ)/(n·(n − ddof))
  correlation,  ///< (n·Σ xᵢyᵢ − Σ xᵢ·Σ yᵢ)/√((n·Σ xᵢ² − (Σ xᵢ)²)·(n·Σ yᵢ² − (Σ yᵢ)²))
  slope,           ///< of the least-squares line y = slope·x + intercept
  intercept,       ///< of the same line
  standard_error,  ///< of one vector: √(variance/n)
  weighted_variance,  ///< (Σ y·Σ x²y − (Σ xy)²)/(Σ y·(Σ y − ddof)): Σ y·(x − m)²/(Σ y − ddof), m the weighted mean
  weighted_stddev,    ///< its root
  variance_about,     ///< Σ (xᵢ − yᵢ)²/(n − ddof): the variance about the means y, the mean squared error of y
  stddev_about,       ///< its root
};

/// Names as the functions, the program and error sentences use them, in the order of the enumerators.
inline constexpr std::array<std::string_view, 24> reduction_names = {
    "dot",      "sum",        "asum",        "sum_of_squares", "nrm2",      "mean",          "variance",
    "stddev",   "min",        "max",         "argmin",         "argmax",    "weighted_mean", "cosine",
    "distance", "covariance", "correlation", "slope",          "intercept", "standard_error",
    "weighted_variance", "weighted_stddev", "variance_about", "stddev_about"};

/// Whether it is an enumerator, and its name.
constexpr bool is_known(reduction what) { return static_cast<std::size_t>(what) < reduction_names.size(); }
constexpr const char* name_of(reduction what) {
  return is_known(what) ? reduction_names[static_cast<std::size_t>(what)].data() : "reduction";
}

/// Other names of reductions: those of NumPy, of statistics, of mathematics. Messages use the names above.
struct reduction_alias {
  std::string_view name;
  reduction what;
};
inline constexpr std::array reduction_aliases = {reduction_alias{"norm", reduction::nrm2},
                                                 reduction_alias{"l2", reduction::nrm2},
                                                 reduction_alias{"l1", reduction::asum},
                                                 reduction_alias{"var", reduction::variance},
                                                 reduction_alias{"std", reduction::stddev},
                                                 reduction_alias{"stdev", reduction::stddev},
                                                 reduction_alias{"standard_deviation", reduction::stddev},
                                                 reduction_alias{"average", reduction::weighted_mean},
                                                 reduction_alias{"cov", reduction::covariance},
                                                 reduction_alias{"corr", reduction::correlation},
                                                 reduction_alias{"sem", reduction::standard_error},
                                                 reduction_alias{"weighted_var", reduction::weighted_variance},
                                                 reduction_alias{"weighted_std", reduction::weighted_stddev},
                                                 reduction_alias{"mean_squared_error", reduction::variance_about},
                                                 reduction_alias{"root_mean_squared_error", reduction::stddev_about}};

/// The reduction of this name or alias.
constexpr std::optional<reduction> reduction_named(std::string_view name) {
  for (std::size_t i = 0; i < reduction_names.size(); ++i) {
    if (reduction_names[i] == name) return static_cast<reduction>(i);
  }
  for (const reduction_alias& alias : reduction_aliases) {
    if (alias.name == name) return alias.what;
  }
  return std::nullopt;
}

/// Whether the result is an index.
constexpr bool gives_index(reduction what) { return what == reduction::argmin || what == reduction::argmax; }
/// Whether it looks for the greatest element, not for the least.
constexpr bool selects_greatest(reduction what) { return what == reduction::max || what == reduction::argmax; }
/// Whether the result is an element.
constexpr bool gives_element(reduction what) { return what == reduction::min || what == reduction::max; }
/// The ddof where a caller names none: NumPy's and SciPy's, 0 of variances and 1 of covariances and standard
/// errors.
constexpr int default_ddof(reduction what) {
  return what == reduction::covariance || what == reduction::standard_error ? 1 : 0;
}

}  // namespace exactdot::inline v0_3

#include <exactdot/core/reduction.hpp>  // what each is made of; it needs the enumerators
