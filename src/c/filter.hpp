// The filter of the C interface as the library's: a mask, NaNs, an initial value.
#pragma once

#include <c/convert.hpp>
#include <c/shapes.hpp>
#include <cstring>
#include <exactdot/missing.hpp>
#include <utility>

namespace exactdot::c {

/// A filter with the axes of its mask, to which it refers.
class given_filter {
 public:
  /// What `where` goes along: its one row the elements, its rows those of the array, or its rows the elements of
  /// columns.
  enum class mask_of { vector, rows, columns };

  given_filter(const xd_filter& given, mask_of shape, element_type type, const char* caller) {
    made_.skips_nan = given.skip_nan != 0;
    if (given.initial != nullptr) {
      if (is_complex(type)) {
        refuse(errc::bad_option, caller,
               "filter->initial is for XD_MIN and XD_MAX, which complex numbers do not have");
      }
      made_.initial = any_scalar{type, 0};
      std::memcpy(&made_.initial->bits, given.initial, size_of(type));
    }
    if (given.where != nullptr) set_mask(*given.where, shape, caller);
  }
  given_filter(const given_filter&) = delete;
  given_filter& operator=(const given_filter&) = delete;

  [[nodiscard]] const element_filter& view() const { return made_; }

 private:
  void set_mask(const xd_rows& where, mask_of shape, const char* caller) {
    const element_type type = to_type(where.type, caller);
    if (type != element_type::uint8 && type != element_type::int8) {
      refuse(errc::bad_option, caller, "where holds " + std::string(name_of(type)) + "; use XD_UINT8 or XD_INT8");
    }
    if (shape == mask_of::vector && where.rows != 1) {
      refuse(errc::size_mismatch, caller,
             "where has " + std::to_string(where.rows) + " rows; that of a vector has one");
    }
    if (where.data == nullptr && where.rows != 0 && where.n != 0) {
      refuse(errc::null_pointer, caller, "a null pointer for where");
    }
    static constexpr unsigned char none = 0;  // of no elements a mask has no address
    rows_ = {where.rows, where.row_stride}, elements_ = {where.n, where.stride};
    if (shape == mask_of::columns) std::swap(rows_, elements_);
    const std::size_t axes_of_results = shape == mask_of::vector ? 0 : 1;
    made_.where = {where.data != nullptr ? where.data : &none, {&rows_, axes_of_results}, {&elements_, 1}};
  }

  axis rows_, elements_;
  element_filter made_;
};

}  // namespace exactdot::c
