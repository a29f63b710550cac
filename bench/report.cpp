// Report of the CPU benchmark; see report.hpp.
//
// GB/s and the ratio to OpenBLAS are derived from the median time alone, by the same functions in table and JSON.
// GB/s counts each vector once, whatever a peer reads.
#include "report.hpp"

#include <fmt/format.h>

#include <cmath>

namespace bench {
namespace {

double bytes(const measurement& measured) {
  return static_cast<double>(measured.n) * measured.vectors *
         (measured.type == "float32" ? sizeof(float) : sizeof(double));
}

/// JSON has no infinity, the error of a result that overflowed; null: a loop without a result.
nlohmann::ordered_json error_as_json(double ulps) {
  if (std::isnan(ulps)) return nullptr;
  if (std::isinf(ulps)) return std::to_string(ulps);
  return ulps;
}

}  // namespace

double openblas_time(const std::vector<measurement>& measurements, const measurement& like) {
  double best = 0;
  for (const auto& measured : measurements) {
    const bool comparable = measured.type == like.type && measured.n == like.n && measured.threads == like.threads;
    if (comparable && measured.peer.starts_with(openblas_name) && (best == 0 || measured.nanoseconds < best))
      best = measured.nanoseconds;
  }
  return best;
}

void print_header() {
  fmt::print("{:8}{:>10}{:>8}  {:12}{:22}{:>14}{:>12}{:>9}{:>11}{:>12}{:>9}\n", "type", "n", "threads", "data",
             "peer", "ns/call", "ns/element", "GB/s", "xOpenBLAS", "error, ulp", "spread");
}

void print(const std::vector<measurement>& measurements) {
  for (const auto& measured : measurements) {
    const double reference = openblas_time(measurements, measured);
    fmt::print("{:8}{:>10}{:>8}  {:12}{:22}{:>14.1f}{:>12.4f}{:>9.2f}{:>11}{:>12}{:>8.1f}%\n", measured.type,
               measured.n, measured.threads, measured.data, measured.peer, measured.nanoseconds,
               measured.nanoseconds / static_cast<double>(measured.n), bytes(measured) / measured.nanoseconds,
               reference > 0 ? fmt::format("{:.3f}", measured.nanoseconds / reference) : "-",
               std::isnan(measured.error_ulps) ? "-" : fmt::format("{:.3g}", measured.error_ulps),
               100 * measured.spread);
  }
  std::fflush(stdout);
}

nlohmann::ordered_json as_json(const std::vector<measurement>& measurements) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& measured : measurements) {
    const double reference = openblas_time(measurements, measured);
    nlohmann::ordered_json entry = {{"type", measured.type},
                                    {"n", measured.n},
                                    {"threads", measured.threads},
                                    {"data", measured.data},
                                    {"peer", measured.peer},
                                    {"ns", measured.nanoseconds},
                                    {"spread", measured.spread},
                                    {"ns_per_element", measured.nanoseconds / static_cast<double>(measured.n)},
                                    {"gb_per_s", bytes(measured) / measured.nanoseconds}};
    if (reference > 0) entry["ratio_to_openblas"] = measured.nanoseconds / reference;
    entry["error_ulps"] = error_as_json(measured.error_ulps);
    entry["a_modulo_64"] = measured.a_modulo_64;
    entry["b_modulo_64"] = measured.b_modulo_64;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace bench
