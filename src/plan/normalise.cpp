// The checks of rms_norm and layer_norm (normalise.hpp).
#include <cstdio>
#include <exactdot/core/normalisation.hpp>
#include <exactdot/normalise.hpp>
#include <plan/axes.hpp>
#include <plan/batch_checks.hpp>
#include <plan/normalise.hpp>
#include <string>

namespace exactdot::inline v0_3::engine {
namespace {

using detail::normalisation;

[[noreturn]] void refuse(const normalisation& how, const std::string& sentence, errc code = errc::bad_option) {
  throw_error(code, how.caller, sentence);
}

bool is_normalised(element_type type) { return is_known(type) && !is_integer(type) && size_of(type) >= 2; }

std::string name_or_number(element_type type) {
  return is_known(type) ? std::string(name_of(type)) : "unknown type " + std::to_string(static_cast<int>(type));
}

void check_choices(const normalisation& how, const any_results& out, const options& options) {
  check_options({how.caller, reduction::sum_of_squares, out}, options);
  if (options.mode == mode::fast) refuse(how, "mode fast has no norms of rows; use mode exact");
  if (options.mode != mode::exact) refuse(how, "unknown mode; use exact");
  if (!core::is_normalisation_epsilon(how.epsilon)) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", how.epsilon);
    refuse(how, std::string("epsilon is ") + text + "; use 0, or 1e-150 to 1e100");
  }
}

void check_types(const normalisation& how, const any_grid& x, const any_results& out) {
  if (!is_normalised(x.type)) {
    refuse(how, "the elements are of " + name_or_number(x.type) + "; use float16, bfloat16, float32 or float64");
  }
  if (out.type != x.type) {
    refuse(how, "the results are of " + name_or_number(out.type) + "; use " + name_or_number(x.type) +
                    ", the type of the elements");
  }
  if (x.swapped || out.swapped) refuse(how, "elements and results have this machine's byte order");
}

void check_rows(const normalisation& how, const any_grid& x, const any_results& out) {
  const axis &rows = x.results[0], &elements = x.elements[0];
  const auto is_row = [&](const axis& of) {
    return rows.n == 0 || of.n <= 1 || of.stride == static_cast<std::ptrdiff_t>(size_of(x.type));
  };
  if (out.axes[0].n != rows.n || out.axes[1].n != elements.n) {
    refuse(how,
           "the shapes of the elements and the results differ (" + std::to_string(rows.n) + " by " +
               std::to_string(elements.n) + " and " + std::to_string(out.axes[0].n) + " by " +
               std::to_string(out.axes[1].n) + ")",
           errc::size_mismatch);
  }
  if (!is_row(elements) || !is_row(out.axes[1])) refuse(how, "the elements of a row follow each other; copy them");
  if (elements.n > core::max_normalised_row) {
    refuse(how, "rows of " + std::to_string(elements.n) + " elements; use less than 2^31");
  }
}

/// Throws for an array that lies nowhere, or in whose memory results lie.
void check_memory(const normalisation& how, const char* name, const void* data, std::span<const axis> axes,
                  element_type type, const any_results& out) {
  if (data == nullptr) refuse(how, std::string("a null pointer for ") + name, errc::null_pointer);
  const std::size_t size = size_of(type);
  if (!extent_of(data, axes, {}, size)) refuse(how, std::string(name) + " exceeds the address space");
  const auto results = extent_of(out.data, out.axes, {}, size_of(out.type));
  const std::size_t bytes = out.axes[1].n * size_of(out.type);
  const auto shares = [&](const void* from, std::size_t count) {
    return may_overlap(data, axes, {}, size, from, count);
  };
  if (!shares(reinterpret_cast<const void*>(results->begin), results->end - results->begin)) return;
  for (std::size_t i = 0; i < out.axes[0].n; ++i) {  // gaps between rows do not count
    const auto offset = static_cast<std::ptrdiff_t>(i) * out.axes[0].stride;
    if (!shares(static_cast<const char*>(out.data) + offset, bytes)) continue;
    refuse(how, std::string("results lie within ") + name + ", or may; pass memory outside the array");
  }
}

/// Throws unless there are none, or one for each place of a row. Their address, or null.
const void* checked_parameters(const normalisation& how, const char* name, const any_vector& given,
                               element_type type, std::size_t n, const any_results& out) {
  if (given.n == 0) return nullptr;
  const bool is_type = is_normalised(given.type) && (given.type == type || given.type == element_type::float32);
  if (!is_type) {
    refuse(how, std::string(name) + " is of " + name_or_number(given.type) + "; use float32 or " +
                    name_or_number(type) + ", the type of the elements");
  }
  if (given.n != n) {
    refuse(how, std::string(name) + " has " + std::to_string(given.n) + " elements, a row " + std::to_string(n),
           errc::size_mismatch);
  }
  if (!is_contiguous(given)) refuse(how, std::string("the elements of ") + name + " follow each other; copy them");
  if (out.axes[0].n != 0) {
    const axis places[] = {{n, static_cast<std::ptrdiff_t>(size_of(given.type))}};
    check_memory(how, name, given.data, places, given.type, out);
  }
  return given.data;
}

}  // namespace

normalise_request make_normalise_request(const normalisation& how, const any_grid& x, const any_results& out,
                                         const options& options) {
  check_choices(how, out, options);
  check_types(how, x, out);
  check_rows(how, x, out);
  const std::size_t m = x.results[0].n, n = x.elements[0].n;
  if (m != 0 && n != 0) {
    if (out.data == nullptr) refuse(how, "a null pointer for the results", errc::null_pointer);
    const std::size_t size = size_of(out.type);
    if (!extent_of(out.data, out.axes, {}, size)) refuse(how, "the results exceed the address space");
    if (!are_separate(out.axes, size)) refuse(how, "results would overwrite each other; check their strides");
    const axis places[] = {x.results[0], x.elements[0]};
    check_memory(how, "x", x.data, places, x.type, out);
  }
  const void* const weight = checked_parameters(how, "weight", how.weight, x.type, n, out);
  const void* const bias = checked_parameters(how, "bias", how.bias, x.type, n, out);
  if (weight != nullptr && bias != nullptr && how.weight.type != how.bias.type) {
    refuse(how, "weight and bias are of different types");
  }
  const element_type parameters = weight != nullptr ? how.weight.type : bias != nullptr ? how.bias.type : x.type;
  return {how.caller,          how.is_centred, how.epsilon,        m,          n,      x.type, x.data,
          x.results[0].stride, out.data,       out.axes[0].stride, parameters, weight, bias};
}

}  // namespace exactdot::inline v0_3::engine
