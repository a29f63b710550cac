// Report of the CPU benchmark: a printed table, and JSON from which scripts/performance writes the documents.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "measure.hpp"

namespace bench {

/// Returns OpenBLAS's best median time for the type, length and thread count of `like`; 0 if there is none.
double openblas_time(const std::vector<measurement>& measurements, const measurement& like);

void print_header();
/// Prints one line per measurement: time, ns per element, GB/s, ratio to OpenBLAS at equal threads, error, spread.
void print(const std::vector<measurement>& measurements);

nlohmann::ordered_json as_json(const std::vector<measurement>& measurements);

}  // namespace bench
