// Complex numbers in the table: what is expected of each part of a result.
//
// Each part is a reduction of reals, which complex_parts.cpp writes out element by element (docs/contract.md):
// sums and means of the real and of the imaginary parts, norms of both, of products Σ xu ∓ yv and Σ xv ± yu.
#pragma once

#include "oracle/reference.hpp"
#include "table/engines.hpp"

namespace table {

/// Of real results one reference, of complex ones one for each part.
[[nodiscard]] std::vector<oracle::reference> references(const call& asked);

}  // namespace table
