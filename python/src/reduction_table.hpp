// The reductions of the package: one table, from which reductions.cpp makes Python's functions.
#pragma once

#include <array>
#include <exactdot/core/reduction.hpp>
#include <exactdot/reduction.hpp>
#include <python/src/keywords.hpp>

namespace exactdot::python {

/// Which shapes a function takes.
enum class shapes : unsigned char {
  vectors,        ///< of one dimension
  flattened,      ///< all elements of arrays, in the order of C
  axes,           ///< any axes of an array
  pairs,          ///< one axis of two arrays, the others broadcast
  ratios,         ///< the same, or all axes of two arrays of one shape
  matrix_vector,  ///< matrices and vectors
  segments,       ///< stretches of one vector, or two
  groups,         ///< elements with the same key, of one array or two
  group_sizes,    ///< how many keys there are of each value
  lists,          ///< arrays of a list
  normalised,     ///< the last axis of an array; the results are as many as its elements
};

/// What a function returns.
enum class outcome : unsigned char {
  one,              ///< the results of its reduction
  extremes,         ///< those of min and of max, as a tuple
  magnitude_index,  ///< the index of the largest magnitude
};

struct reduction_function {
  function_signature signature;
  reduction what;
  shapes takes = shapes::axes;
  outcome gives = outcome::one;
  bool takes_complex = false;
};

constexpr unsigned bit(unsigned keyword) { return 1U << keyword; }
inline constexpr unsigned placement =
    bit(threads_parameter) | bit(device_parameter) | bit(out_parameter) | bit(stream_parameter);
inline constexpr unsigned filters = bit(where_parameter) | bit(skip_nan_parameter);
inline constexpr unsigned rounding_keywords = placement | bit(mode_parameter) | bit(dtype_parameter) | filters;
inline constexpr unsigned ratio_keywords = placement | bit(dtype_parameter) | filters;
inline constexpr unsigned index_keywords = placement | filters;
inline constexpr unsigned extremum_keywords = index_keywords | bit(initial_parameter);
inline constexpr unsigned extremes_keywords = extremum_keywords & ~bit(out_parameter);
constexpr unsigned of_groups(unsigned keywords) { return (keywords & ~bit(mode_parameter)) | bit(skip_parameter); }
inline constexpr unsigned group_sum_keywords = of_groups(rounding_keywords) | bit(add_to_parameter);
inline constexpr unsigned axes_keywords = bit(axis_parameter) | bit(keepdims_parameter);
inline constexpr unsigned list_keywords = placement | bit(dtype_parameter) | bit(joined_parameter);
inline constexpr unsigned deviation_keywords = bit(ddof_parameter) | bit(correction_parameter);
inline constexpr unsigned variance_keywords = deviation_keywords | bit(mean_parameter);

inline constexpr std::array<reduction_function, 79> function_rows = {{
    {{"dot", 2, rounding_keywords}, reduction::dot, shapes::vectors},
    {{"vecdot", 2, axes_keywords | rounding_keywords}, reduction::dot, shapes::pairs},
    {{"vdot", 2, rounding_keywords}, reduction::dot, shapes::flattened},
    {{"matvec", 2, rounding_keywords & ~filters}, reduction::dot, shapes::matrix_vector},
    {{"sum", 1, axes_keywords | rounding_keywords | bit(negative_zero_parameter)}, reduction::sum},
    {{"asum", 1, axes_keywords | rounding_keywords}, reduction::asum},
    {{"sum_of_squares", 1, axes_keywords | rounding_keywords}, reduction::sum_of_squares},
    {{"norm", 1, axes_keywords | rounding_keywords | bit(ord_parameter), shape_arguments::none, true},
     reduction::nrm2},
    {{"vector_norm", 1, axes_keywords | rounding_keywords | bit(ord_parameter), shape_arguments::none, true},
     reduction::nrm2},
    {{"mean", 1, axes_keywords | rounding_keywords}, reduction::mean},
    {{"var", 1, axes_keywords | rounding_keywords | variance_keywords}, reduction::variance},
    {{"std", 1, axes_keywords | rounding_keywords | variance_keywords}, reduction::stddev},
    {{"min", 1, axes_keywords | extremum_keywords}, reduction::min},
    {{"max", 1, axes_keywords | extremum_keywords}, reduction::max},
    {{"argmin", 1, axes_keywords | index_keywords}, reduction::argmin},
    {{"argmax", 1, axes_keywords | index_keywords}, reduction::argmax},
    {{"minmax", 1, axes_keywords | extremes_keywords}, reduction::min, shapes::axes, outcome::extremes},
    {{"iamax", 1, axes_keywords | (index_keywords & ~bit(out_parameter))},
     reduction::argmin,
     shapes::axes,
     outcome::magnitude_index},
    {{"list_sum", 1, list_keywords}, reduction::sum, shapes::lists},
    {{"list_asum", 1, list_keywords}, reduction::asum, shapes::lists},
    {{"list_sum_of_squares", 1, list_keywords}, reduction::sum_of_squares, shapes::lists},
    {{"list_norm", 1, list_keywords}, reduction::nrm2, shapes::lists},
    {{"segment_dot", 2, rounding_keywords, shape_arguments::offsets}, reduction::dot, shapes::segments},
    {{"segment_sum", 1, rounding_keywords, shape_arguments::offsets}, reduction::sum, shapes::segments},
    {{"segment_asum", 1, rounding_keywords, shape_arguments::offsets}, reduction::asum, shapes::segments},
    {{"segment_sum_of_squares", 1, rounding_keywords, shape_arguments::offsets},
     reduction::sum_of_squares,
     shapes::segments},
    {{"segment_norm", 1, rounding_keywords, shape_arguments::offsets}, reduction::nrm2, shapes::segments},
    {{"segment_mean", 1, rounding_keywords, shape_arguments::offsets}, reduction::mean, shapes::segments},
    {{"segment_var", 1, rounding_keywords | variance_keywords, shape_arguments::offsets},
     reduction::variance,
     shapes::segments},
    {{"segment_std", 1, rounding_keywords | variance_keywords, shape_arguments::offsets},
     reduction::stddev,
     shapes::segments},
    {{"segment_min", 1, extremum_keywords, shape_arguments::offsets}, reduction::min, shapes::segments},
    {{"segment_max", 1, extremum_keywords, shape_arguments::offsets}, reduction::max, shapes::segments},
    {{"segment_argmin", 1, index_keywords, shape_arguments::offsets}, reduction::argmin, shapes::segments},
    {{"segment_argmax", 1, index_keywords, shape_arguments::offsets}, reduction::argmax, shapes::segments},
    {{"segment_minmax", 1, extremes_keywords, shape_arguments::offsets},
     reduction::min,
     shapes::segments,
     outcome::extremes},
    {{"group_dot", 2, group_sum_keywords, shape_arguments::keys}, reduction::dot, shapes::groups},
    {{"group_sum", 1, group_sum_keywords, shape_arguments::keys}, reduction::sum, shapes::groups},
    {{"group_asum", 1, group_sum_keywords, shape_arguments::keys}, reduction::asum, shapes::groups},
    {{"group_sum_of_squares", 1, group_sum_keywords, shape_arguments::keys},
     reduction::sum_of_squares,
     shapes::groups},
    {{"group_norm", 1, of_groups(rounding_keywords), shape_arguments::keys}, reduction::nrm2, shapes::groups},
    {{"group_mean", 1, of_groups(rounding_keywords), shape_arguments::keys}, reduction::mean, shapes::groups},
    {{"group_var", 1, of_groups(rounding_keywords) | variance_keywords, shape_arguments::keys},
     reduction::variance,
     shapes::groups},
    {{"group_std", 1, of_groups(rounding_keywords) | variance_keywords, shape_arguments::keys},
     reduction::stddev,
     shapes::groups},
    {{"group_min", 1, of_groups(extremum_keywords), shape_arguments::keys}, reduction::min, shapes::groups},
    {{"group_max", 1, of_groups(extremum_keywords), shape_arguments::keys}, reduction::max, shapes::groups},
    {{"group_minmax", 1, of_groups(extremes_keywords), shape_arguments::keys},
     reduction::min,
     shapes::groups,
     outcome::extremes},
    {{"group_count", 0, of_groups(placement), shape_arguments::keys}, reduction::sum, shapes::group_sizes},
    {{"weighted_mean", 2, axes_keywords | ratio_keywords, shape_arguments::none, false, input_names::x_and_weights},
     reduction::weighted_mean,
     shapes::ratios},
    {{"cosine", 2, axes_keywords | ratio_keywords, shape_arguments::none, false, input_names::x_and_y},
     reduction::cosine,
     shapes::ratios},
    {{"distance", 2, axes_keywords | ratio_keywords, shape_arguments::none, false, input_names::x_and_y},
     reduction::distance,
     shapes::ratios},
    {{"cov", 2, axes_keywords | ratio_keywords | deviation_keywords | bit(rowvar_parameter), shape_arguments::none, false,
      input_names::x_and_y, 0, true},
     reduction::covariance,
     shapes::ratios},
    {{"corr", 2, axes_keywords | ratio_keywords | bit(rowvar_parameter), shape_arguments::none, false, input_names::x_and_y, 0, true},
     reduction::correlation,
     shapes::ratios},
    {{"slope", 2, axes_keywords | ratio_keywords, shape_arguments::none, false, input_names::x_and_y},
     reduction::slope,
     shapes::ratios},
    {{"intercept", 2, axes_keywords | ratio_keywords, shape_arguments::none, false, input_names::x_and_y},
     reduction::intercept,
     shapes::ratios},
    {{"standard_error", 1, axes_keywords | ratio_keywords | deviation_keywords, shape_arguments::none, false,
      input_names::a_and_b},
     reduction::standard_error},
    {{"segment_weighted_mean", 2, ratio_keywords, shape_arguments::offsets, false, input_names::x_and_weights},
     reduction::weighted_mean,
     shapes::segments},
    {{"segment_cosine", 2, ratio_keywords, shape_arguments::offsets, false, input_names::x_and_y},
     reduction::cosine,
     shapes::segments},
    {{"segment_distance", 2, ratio_keywords, shape_arguments::offsets, false, input_names::x_and_y},
     reduction::distance,
     shapes::segments},
    {{"segment_cov", 2, ratio_keywords | deviation_keywords, shape_arguments::offsets, false, input_names::x_and_y},
     reduction::covariance,
     shapes::segments},
    {{"segment_corr", 2, ratio_keywords, shape_arguments::offsets, false, input_names::x_and_y},
     reduction::correlation,
     shapes::segments},
    {{"segment_slope", 2, ratio_keywords, shape_arguments::offsets, false, input_names::x_and_y},
     reduction::slope,
     shapes::segments},
    {{"segment_intercept", 2, ratio_keywords, shape_arguments::offsets, false, input_names::x_and_y},
     reduction::intercept,
     shapes::segments},
    {{"segment_standard_error", 1, ratio_keywords | deviation_keywords, shape_arguments::offsets, false,
      input_names::a_and_b},
     reduction::standard_error,
     shapes::segments},
    {{"group_weighted_mean", 2, ratio_keywords | bit(skip_parameter), shape_arguments::keys, false,
      input_names::x_and_weights},
     reduction::weighted_mean,
     shapes::groups},
    {{"group_cosine", 2, ratio_keywords | bit(skip_parameter), shape_arguments::keys, false, input_names::x_and_y},
     reduction::cosine,
     shapes::groups},
    {{"group_distance", 2, ratio_keywords | bit(skip_parameter), shape_arguments::keys, false,
      input_names::x_and_y},
     reduction::distance,
     shapes::groups},
    {{"group_cov", 2, ratio_keywords | deviation_keywords | bit(skip_parameter), shape_arguments::keys, false,
      input_names::x_and_y},
     reduction::covariance,
     shapes::groups},
    {{"group_corr", 2, ratio_keywords | bit(skip_parameter), shape_arguments::keys, false, input_names::x_and_y},
     reduction::correlation,
     shapes::groups},
    {{"group_slope", 2, ratio_keywords | bit(skip_parameter), shape_arguments::keys, false, input_names::x_and_y},
     reduction::slope,
     shapes::groups},
    {{"group_intercept", 2, ratio_keywords | bit(skip_parameter), shape_arguments::keys, false,
      input_names::x_and_y},
     reduction::intercept,
     shapes::groups},
    {{"group_standard_error", 1, ratio_keywords | deviation_keywords | bit(skip_parameter), shape_arguments::keys,
      false, input_names::a_and_b},
     reduction::standard_error,
     shapes::groups},
    {{"weighted_var", 2, axes_keywords | ratio_keywords | deviation_keywords, shape_arguments::none, false,
      input_names::x_and_weights},
     reduction::weighted_variance,
     shapes::ratios},
    {{"weighted_std", 2, axes_keywords | ratio_keywords | deviation_keywords, shape_arguments::none, false,
      input_names::x_and_weights},
     reduction::weighted_stddev,
     shapes::ratios},
    {{"segment_weighted_var", 2, ratio_keywords | deviation_keywords, shape_arguments::offsets, false,
      input_names::x_and_weights},
     reduction::weighted_variance,
     shapes::segments},
    {{"segment_weighted_std", 2, ratio_keywords | deviation_keywords, shape_arguments::offsets, false,
      input_names::x_and_weights},
     reduction::weighted_stddev,
     shapes::segments},
    {{"group_weighted_var", 2, ratio_keywords | deviation_keywords | bit(skip_parameter), shape_arguments::keys, false,
      input_names::x_and_weights},
     reduction::weighted_variance,
     shapes::groups},
    {{"group_weighted_std", 2, ratio_keywords | deviation_keywords | bit(skip_parameter), shape_arguments::keys, false,
      input_names::x_and_weights},
     reduction::weighted_stddev,
     shapes::groups},
    {{"rms_norm", 1, placement | bit(epsilon_parameter), shape_arguments::weight},
     reduction::sum_of_squares,
     shapes::normalised},
    {{"layer_norm", 1, placement | bit(epsilon_parameter), shape_arguments::weight_and_bias},
     reduction::variance,
     shapes::normalised},
}};

/// The same with the defaults of ddof and whether elements may be complex, which follow from the reductions.
inline constexpr auto functions = [] {
  auto all = function_rows;
  for (reduction_function& each : all) {
    const bool is_of_arrays = each.takes != shapes::lists && each.takes != shapes::normalised;
    each.signature.ddof = default_ddof(each.what);
    each.takes_complex =
        is_of_arrays && each.signature.inputs != 0 && core::info_of(each.what).takes_complex();
  }
  return all;
}();

}  // namespace exactdot::python
