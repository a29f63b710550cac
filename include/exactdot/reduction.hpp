// SPDX-License-Identifier: Apache-2.0
// The reductions that exactdot computes, by name.
#pragma once

namespace exactdot {

enum class reduction : unsigned char {
  dot,  ///< Σ aᵢ·bᵢ
};

/// The name of a reduction, as the program and error sentences use it.
constexpr const char* name_of(reduction what) { return what == reduction::dot ? "dot" : "reduction"; }

}  // namespace exactdot
