// xd_reduce of complex numbers.
#pragma once

#include <c/convert.hpp>

namespace exactdot::c {

/// *result = the reduction of vectors of which one, or the result, is complex: one number or one real, of this type.
void reduce_numbers(reduction what, const xd_vector* a, const xd_vector* b, int result_type, void* result,
                    const xd_options* options, const char* caller);

}  // namespace exactdot::c
