// Exact sums of magnitudes, for the errors of asum.
#pragma once

#include <cstddef>
#include <exactdot/accumulator.hpp>
#include <exactdot/element.hpp>
#include <exactdot/options.hpp>

namespace exactdot::lab {

/// Adds |x[i]| for n elements, which may be unaligned. Copies them chunk by chunk.
template <element T>
void add_magnitudes(accumulator<T>& sum, const T* x, std::size_t n, const options& options);

extern template void add_magnitudes(accumulator<float>&, const float*, std::size_t, const options&);
extern template void add_magnitudes(accumulator<double>&, const double*, std::size_t, const options&);

}  // namespace exactdot::lab
