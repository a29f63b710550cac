// Report of the GPU benchmark; see gpu_report.hpp.
//
// GB/s counts each vector once, whatever a peer reads. Ratios are relative to cuBLAS in the same timing mode, if it
// was measured.
#include "gpu_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "machine.hpp"

namespace bench {
namespace {

std::size_t item_size(const gpu_measurement& measured) {
  return measured.type == "float32" ? sizeof(float) : sizeof(double);
}

double gb_per_s(const gpu_measurement& measured) {
  return 1e-3 * measured.vectors * static_cast<double>(measured.n * item_size(measured)) / measured.microseconds;
}

std::string bit_text(const gpu_measurement& measured) {
  return fmt::format("{:0{}x}", measured.bits, 2 * item_size(measured));
}

std::string ratio_to_cublas(const std::vector<gpu_measurement>& measurements, const gpu_measurement& measured) {
  const auto reference = std::ranges::find_if(measurements, [&](const gpu_measurement& other) {
    return other.peer == "cublas" && other.timing_mode == measured.timing_mode && other.l2 == measured.l2;
  });
  return reference == measurements.end() ? "-"
                                         : fmt::format("{:.3f}", measured.microseconds / reference->microseconds);
}

}  // namespace

void print(const std::vector<gpu_measurement>& measurements) {
  if (measurements.empty()) return;
  fmt::print("\n{}, n = {}\n{:12}{:14}{:8}{:6}{:>12}{:>8}{:>10}{:>10}{:>12}  {:18}{}\n", measurements[0].type,
             measurements[0].n, "data", "peer", "how", "L2", "µs/call", "spread", "GB/s", "xcuBLAS", "error, ulp",
             "bits", "same as CPU");
  for (const auto& measured : measurements) {
    fmt::print("{:12}{:14}{:8}{:6}{:>12.3f}{:>7.1f}%{:>10.1f}{:>10}{:>12}  {:18}{}\n", measured.data, measured.peer,
               measured.timing_mode, measured.l2, measured.microseconds, 100 * measured.spread, gb_per_s(measured),
               ratio_to_cublas(measurements, measured),
               measured.error_ulps ? fmt::format("{:.3g}", *measured.error_ulps) : "-",
               measured.error_ulps ? bit_text(measured) : "-",
               !measured.same_bits_as_cpu ? "-" : (*measured.same_bits_as_cpu ? "yes" : "NO"));
  }
  std::fflush(stdout);
}

nlohmann::ordered_json as_json(reduction what, const gpu_facts& facts,
                               const std::vector<gpu_measurement>& measurements) {
  nlohmann::ordered_json report, machine;
  if (what != reduction::dot) report["reduction"] = exactdot::name_of(what);
  for (const auto& [name, value] : facts.machine) machine[name] = value;
  machine["host"] = describe_machine();
  auto peers = nlohmann::ordered_json::array();
  for (const auto& [name, description] : facts.peers) peers.push_back({{"name", name}, {"how", description}});
  auto list = nlohmann::ordered_json::array();
  for (const auto& measured : measurements) {
    nlohmann::ordered_json entry = {{"type", measured.type},       {"n", measured.n},
                                    {"data", measured.data},       {"peer", measured.peer},
                                    {"how", measured.timing_mode}, {"l2", measured.l2}};
    if (!measured.launch_config.empty()) entry["shape"] = measured.launch_config;
    const auto rounded = [](double x) { return std::stod(fmt::format("{:.5g}", x)); };
    entry["us"] = rounded(measured.microseconds);
    entry["spread"] = rounded(measured.spread);
    entry["gb_per_s"] = rounded(gb_per_s(measured));
    if (measured.error_ulps) {
      // JSON has no infinity, the error of a result that overflowed
      entry["error_ulps"] = std::isfinite(*measured.error_ulps)
                                ? nlohmann::ordered_json(rounded(*measured.error_ulps))
                                : nlohmann::ordered_json(fmt::format("{}", *measured.error_ulps));
      entry["bits"] = bit_text(measured);
    }
    if (measured.same_bits_as_cpu) entry["same_bits_as_cpu"] = *measured.same_bits_as_cpu;
    list.push_back(std::move(entry));
  }
  report.update({{"machine", machine},
                 {"workspace_bytes", facts.workspace_bytes},
                 {"peers", peers},
                 {"missing", facts.missing},
                 {"rows", list}});
  return report;
}

}  // namespace bench
