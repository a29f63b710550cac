// The arguments where, skip_nan and initial of a call, checked and imported: what call_filter.hpp computes with.
#pragma once

#include <python/src/given_arguments.hpp>
#include <python/src/call_filter.hpp>

namespace exactdot::python {

/// Whether the call names one of them; calls that do not pay nothing for them.
inline bool names_filter(const call_arguments& given) {
  return given.keywords[where_parameter] != nullptr || given.keywords[skip_nan_parameter] != nullptr ||
         given.keywords[initial_parameter] != nullptr;
}

/// The arguments where, skip_nan and initial; nothing if they leave every element.
class given_filter {
 public:
  given_filter(const call_arguments& given, const char* caller)
      : caller_(caller),
        where_(keyword(given, where_parameter, Py_None)),
        initial_(keyword(given, initial_parameter, Py_None)) {
    filter_.skips_nan = is_true(given, skip_nan_parameter, caller);
  }
  [[nodiscard]] bool skips_nan() const { return filter_.skips_nan; }
  [[nodiscard]] bool is_given() const { return filter_.skips_nan || !where_.is_none() || !initial_.is_none(); }
  /// Checks what goes with it. The result lives as long as this.
  const call_filter* of(const vectors& inputs, bool adds);
  /// The mask for Python, or None; after of().
  [[nodiscard]] nb::object where() { return where_.is_none() ? nb::none() : mask_.for_numpy(); }

 private:
  /// Nulls of columns become a part of the mask.
  void leave_out_nulls(const vectors& inputs);

  const char* caller_;
  nb::handle where_, initial_;
  imported_array mask_, of_columns_;
  std::vector<std::uint8_t> valid_;
  call_filter filter_;
};

}  // namespace exactdot::python
