// Level 1 of mode exact for groups of several columns that lie beside each other: a row's columns are the lanes of a
// register (cpu/columns-inl.h), and the rows of a group are added to its sums.
//
// Memory: the sums of 64 groups for each thread. Cost: of keys that never decrease that of reading the rows, of
// others two cache misses a row; and a decision for each result.
#pragma once

#include <cpu/column_rows.hpp>
#include <cpu/sums.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// `count` columns from `first` on. open: what is left to do, column by column. What it does is unspecified once the
/// batch's monitor cancels.
void reduce_row_sums(const batch& of, std::size_t first, std::size_t count, const row_order& order,
                     result_sink& sink, std::span<unsigned char> open);

}  // namespace exactdot::inline v0_3::cpu_engine
