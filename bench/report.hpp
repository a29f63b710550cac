// The table on the screen and the same as JSON, from which scripts/performance writes the documents.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "measure.hpp"

namespace bench {

/// The best median among OpenBLAS's rows of the same type, length and thread count; 0 where there is none.
double openblas_time(const std::vector<row>& rows, const row& like);

void print_header();
/// One line a row: time, ns an element, GB/s, ratio to OpenBLAS at equal threads, error, spread.
void print(const std::vector<row>& rows);

nlohmann::ordered_json as_json(const std::vector<row>& rows);

}  // namespace bench
