// One row a line, and the same rows as JSON; see gpu_report.hpp.
//
// GB/s counts each vector once, whatever a peer reads. Ratios are to cuBLAS called in the same way, where it is.
#include "gpu_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "machine.hpp"

namespace bench {
namespace {

std::size_t item_size(const gpu_row& row) { return row.type == "float32" ? sizeof(float) : sizeof(double); }

double gb_per_s(const gpu_row& row) {
  return 2e-3 * static_cast<double>(row.n * item_size(row)) / row.microseconds;
}

std::string bit_text(const gpu_row& row) { return fmt::format("{:0{}x}", row.bits, 2 * item_size(row)); }

std::string ratio_to_cublas(const std::vector<gpu_row>& rows, const gpu_row& row) {
  const auto reference = std::ranges::find_if(rows, [&](const gpu_row& other) {
    return other.peer == "cublas" && other.how == row.how && other.l2 == row.l2;
  });
  return reference == rows.end() ? "-" : fmt::format("{:.3f}", row.microseconds / reference->microseconds);
}

}  // namespace

void print(const std::vector<gpu_row>& rows) {
  if (rows.empty()) return;
  fmt::print("\n{}, n = {}\n{:12}{:14}{:8}{:6}{:>12}{:>8}{:>10}{:>10}{:>12}  {:18}{}\n", rows[0].type, rows[0].n,
             "data", "peer", "how", "L2", "us a call", "spread", "GB/s", "xcuBLAS", "error, ulp", "bits",
             "as the CPU's");
  for (const auto& row : rows) {
    fmt::print("{:12}{:14}{:8}{:6}{:>12.3f}{:>7.1f}%{:>10.1f}{:>10}{:>12}  {:18}{}\n", row.data, row.peer, row.how,
               row.l2, row.microseconds, 100 * row.spread, gb_per_s(row), ratio_to_cublas(rows, row),
               row.error_ulps ? fmt::format("{:.3g}", *row.error_ulps) : "-", row.error_ulps ? bit_text(row) : "-",
               !row.same_bits_as_cpu ? "-" : (*row.same_bits_as_cpu ? "yes" : "NO"));
  }
  std::fflush(stdout);
}

nlohmann::ordered_json as_json(const gpu_facts& facts, const std::vector<gpu_row>& rows) {
  nlohmann::ordered_json machine;
  for (const auto& [name, value] : facts.machine) machine[name] = value;
  machine["host"] = describe_machine();
  auto peers = nlohmann::ordered_json::array();
  for (const auto& [name, how] : facts.peers) peers.push_back({{"name", name}, {"how", how}});
  auto list = nlohmann::ordered_json::array();
  for (const auto& row : rows) {
    nlohmann::ordered_json entry = {{"type", row.type}, {"n", row.n},     {"data", row.data},
                                    {"peer", row.peer}, {"how", row.how}, {"l2", row.l2}};
    if (!row.shape.empty()) entry["shape"] = row.shape;
    const auto rounded = [](double x) { return std::stod(fmt::format("{:.5g}", x)); };
    entry["us"] = rounded(row.microseconds);
    entry["spread"] = rounded(row.spread);
    entry["gb_per_s"] = rounded(gb_per_s(row));
    if (row.error_ulps) {
      // JSON has no infinity: a result that overflowed is off by no number of ulps
      entry["error_ulps"] = std::isfinite(*row.error_ulps)
                                ? nlohmann::ordered_json(rounded(*row.error_ulps))
                                : nlohmann::ordered_json(fmt::format("{}", *row.error_ulps));
      entry["bits"] = bit_text(row);
    }
    if (row.same_bits_as_cpu) entry["same_bits_as_cpu"] = *row.same_bits_as_cpu;
    list.push_back(std::move(entry));
  }
  return {{"machine", machine},
          {"workspace_bytes", facts.workspace_bytes},
          {"peers", peers},
          {"missing", facts.missing},
          {"rows", list}};
}

}  // namespace bench
