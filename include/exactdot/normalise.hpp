// SPDX-License-Identifier: Apache-2.0
// RMS norms and layer norms of the rows of a matrix, every element the real number rounded once:
// rms_norm(rows{x, m, n}, weight, out, epsilon), layer_norm(rows{x, m, n}, weight, bias, out, epsilon).
//
// rms_norm is x·w/√(Σx²/n + ε), of B. Zhang, R. Sennrich, NeurIPS 2019; layer_norm (x − m)·w/√(v + ε) + b, with
// mean and variance (divided by n) of the row, of J. Ba, J. Kiros, G. Hinton, arXiv:1607.06450. Sums, root, product
// and addition are those of real numbers; ε is the double that it is.
//
// Elements, and results of the same type: float16, bfloat16, float32 or float64. Weights and biases: both of that
// type or of float32, as many as a row has elements, or none: then 1 and 0. `out`: a contiguous range of m·n
// elements, row after row, outside all that is read. Arrays lie in host memory or, in programs that link
// exactdot::cuda, all in a GPU's. Special values: docs/contract.md.
//
// Errors: errc::size_mismatch; errc::bad_option for rows whose elements do not follow each other or are 2^31 or
// more, an epsilon other than 0 and 1e-150 to 1e100, weights of another type than biases, results inside an input,
// and mode fast, which has no norms; errc::null_pointer; errc::cancelled. Nothing is written unless the call
// succeeds, except after errc::cancelled. Cost: rows of up to 8192 elements are read once from memory, longer ones
// twice.
#pragma once

#include <exactdot/requirements.hpp>

#include <array>
#include <exactdot/batches.hpp>

namespace exactdot::inline v0_3 {

namespace detail {
/// How rows are normalised. weight, bias: of places in a row, or of no elements.
struct normalisation {
  const char* caller;
  bool is_centred;  ///< layer_norm
  double epsilon;
  any_vector weight, bias;
};
/// x: with one axis of results and one of elements, both of which `out` has.
void normalise(const normalisation& how, const any_grid& x, const any_results& out, const options& options);
/// The axes of results of rows that follow each other. Throws errc::size_mismatch unless there are m·n.
std::array<axis, 2> axes_of_results(const char* caller, std::size_t m, std::size_t n, element_type type,
                                    std::size_t results);

template <class T>
inline constexpr bool is_normalised_type = floating_element<T> && sizeof(T) >= 2;

template <class T, class Parameters>
any_vector to_parameters(const Parameters& x) {
  using parameter = std::remove_cv_t<std::ranges::range_value_t<Parameters>>;
  static_assert(std::is_same_v<parameter, T> || std::is_same_v<parameter, float>,
                "weights and biases have the type of the elements, or are floats");
  return to_any(x);
}

template <class T, result_range Out>
void normalise_rows(const normalisation& how, const rows<T>& x, Out&& out, const options& options) {
  static_assert(is_normalised_type<T>, "norms take elements of float16, bfloat16, float32 or float64");
  static_assert(std::is_same_v<result_of<Out>, T>, "the results of a norm have the type of its elements");
  const line_grid lines = to_lines(x);
  const auto places = axes_of_results(how.caller, x.m, x.n, type_of<T>, std::ranges::size(out));
  normalise(how, lines.view(), {std::ranges::data(out), type_of<T>, places}, options);
}
}  // namespace detail

/// out[i, k] = x[i, k]·weight[k]/√(Σx[i]²/n + epsilon), rounded once. PyTorch's epsilon is, by default, the machine
/// epsilon of float, or of double elements that of double.
template <element T, detail::contiguous_view Weight, result_range Out>
void rms_norm(const rows<T>& x, const Weight& weight, Out&& out, double epsilon, const options& options = {}) {
  detail::normalise_rows({"rms_norm", false, epsilon, detail::to_parameters<T>(weight), {}}, x, out, options);
}

/// out[i, k] = (x[i, k] − mean of x[i])·weight[k]/√(variance of x[i] + epsilon) + bias[k], rounded once. PyTorch's
/// epsilon is 1e-5.
template <element T, detail::contiguous_view Weight, detail::contiguous_view Bias, result_range Out>
void layer_norm(const rows<T>& x, const Weight& weight, const Bias& bias, Out&& out, double epsilon,
                const options& options = {}) {
  detail::normalise_rows(
      {"layer_norm", true, epsilon, detail::to_parameters<T>(weight), detail::to_parameters<T>(bias)}, x, out,
      options);
}

}  // namespace exactdot::inline v0_3
