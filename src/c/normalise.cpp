// RMS norms and layer norms of the rows of a matrix.
#include <c/convert.hpp>
#include <c/shapes.hpp>
#include <c/status.hpp>
#include <exactdot/normalise.hpp>

namespace {

using namespace exactdot;
using namespace exactdot::c;

/// Weights or biases of a row of n elements: none for a null pointer.
any_vector parameters(const xd_vector* given, std::size_t n, const char* caller, const char* argument) {
  if (given == nullptr) return {};
  const any_vector found = to_vector(given, caller, argument);
  if (found.n == n) return found;
  throw error(errc::size_mismatch, std::string(caller) + ": " + argument + " has " + std::to_string(found.n) +
                                       " elements, a row " + std::to_string(n));
}

xd_status normalise(const char* caller, bool is_centred, const xd_rows* x, const xd_vector* weight,
                    const xd_vector* bias, double epsilon, void* results, std::ptrdiff_t result_stride,
                    const xd_options* options) noexcept {
  return guarded([&] {
    const row_grid rows(x, caller, "x");
    const auto size = static_cast<std::ptrdiff_t>(size_of(rows.view.type));
    std::ptrdiff_t row = 0;  // one that overflows is refused: no memory is so large
    if (__builtin_mul_overflow(x->n, size, &row)) row = PTRDIFF_MAX;
    const axis places[] = {{x->rows, result_stride != 0 ? result_stride : row}, {x->n, size}};
    const detail::normalisation how{caller, is_centred, epsilon, parameters(weight, x->n, caller, "weight"),
                                    parameters(bias, x->n, caller, "bias")};
    detail::normalise(how, rows.view, {results, rows.view.type, places}, to_options(options, caller));
  });
}

}  // namespace

xd_status xd_rms_norm(const xd_rows* x, const xd_vector* weight, double epsilon, void* results,
                      ptrdiff_t result_stride, const xd_options* options) {
  return normalise(__func__, false, x, weight, nullptr, epsilon, results, result_stride, options);
}

xd_status xd_layer_norm(const xd_rows* x, const xd_vector* weight, const xd_vector* bias, double epsilon,
                        void* results, ptrdiff_t result_stride, const xd_options* options) {
  return normalise(__func__, true, x, weight, bias, epsilon, results, result_stride, options);
}
