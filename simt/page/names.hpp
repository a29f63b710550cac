// Names and types of the arrays of a recorded launch, as the kernel's source calls them, and their values as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exactdot/simt/recording.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "page.hpp"

namespace exactdot::simt {

/// A range of a recorded array that the kernel knows by one name.
struct named_range {
  int array = 0;  ///< of the recorded launch
  std::size_t offset = 0, bytes = 0;
  std::string name, type;   ///< type: "" if unknown
  std::size_t element = 4;  ///< bytes of an element
};

/// A parameter of a kernel, as its source declares it.
struct parameter {
  std::string type, name;
  bool may_point = false;  ///< a pointer, or a struct
};

/// Returns the parameters of a kernel in a source text; empty if the text does not have it.
[[nodiscard]] std::vector<parameter> parameters_of(std::string_view source, std::string_view kernel);

/// Returns the ranges of all arrays, in order of array and offset. `element_type`: what T means in the lab's
/// kernels; a template's parameters have the types in the kernel's name.
[[nodiscard]] std::vector<named_range> name_ranges(const recorded_launch& launch, const source_reader& source_of,
                                                   std::string_view element_type);

/// Returns an element as text. Of an unknown type: as an integer or a floating-point number, whichever is likelier.
[[nodiscard]] std::string value_text(const void* bytes, const named_range& range);

}  // namespace exactdot::simt
