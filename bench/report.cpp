// One row a line, and the same rows as JSON; see report.hpp.
//
// GB/s and the ratio to OpenBLAS are derived in both from the median time alone, by the same few functions. GB/s
// counts each vector once, whatever a peer reads.
#include "report.hpp"

#include <fmt/format.h>

#include <cmath>

namespace bench {
namespace {

double bytes(const row& r) {
  return static_cast<double>(r.n) * 2 * (r.type == "float32" ? sizeof(float) : sizeof(double));
}

}  // namespace

double openblas_time(const std::vector<row>& rows, const row& like) {
  double best = 0;
  for (const auto& r : rows) {
    const bool comparable = r.type == like.type && r.n == like.n && r.threads == like.threads;
    if (comparable && r.peer.starts_with(openblas_name) && (best == 0 || r.nanoseconds < best))
      best = r.nanoseconds;
  }
  return best;
}

void print_header() {
  fmt::print("{:8}{:>10}{:>8}  {:12}{:22}{:>14}{:>12}{:>9}{:>11}{:>12}{:>9}\n", "type", "n", "threads", "data",
             "peer", "ns a call", "ns/element", "GB/s", "xOpenBLAS", "error, ulp", "spread");
}

void print(const std::vector<row>& rows) {
  for (const auto& r : rows) {
    const double reference = openblas_time(rows, r);
    fmt::print("{:8}{:>10}{:>8}  {:12}{:22}{:>14.1f}{:>12.4f}{:>9.2f}{:>11}{:>12.3g}{:>8.1f}%\n", r.type, r.n,
               r.threads, r.data, r.peer, r.nanoseconds, r.nanoseconds / static_cast<double>(r.n),
               bytes(r) / r.nanoseconds, reference > 0 ? fmt::format("{:.3f}", r.nanoseconds / reference) : "-",
               r.error_ulps, 100 * r.spread);
  }
  std::fflush(stdout);
}

nlohmann::ordered_json as_json(const std::vector<row>& rows) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& r : rows) {
    const double reference = openblas_time(rows, r);
    nlohmann::ordered_json entry = {{"type", r.type},
                                    {"n", r.n},
                                    {"threads", r.threads},
                                    {"data", r.data},
                                    {"peer", r.peer},
                                    {"ns", r.nanoseconds},
                                    {"spread", r.spread},
                                    {"ns_per_element", r.nanoseconds / static_cast<double>(r.n)},
                                    {"gb_per_s", bytes(r) / r.nanoseconds}};
    if (reference > 0) entry["ratio_to_openblas"] = r.nanoseconds / reference;
    // JSON has no infinity: a result that overflowed is off by no number of ulps
    entry["error_ulps"] = std::isfinite(r.error_ulps) ? nlohmann::ordered_json(r.error_ulps)
                                                      : nlohmann::ordered_json(std::to_string(r.error_ulps));
    entry["a_modulo_64"] = r.a_modulo_64;
    entry["b_modulo_64"] = r.b_modulo_64;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace bench
