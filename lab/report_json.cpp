// JSON of a ladder run; see report.hpp.
#include <fmt/format.h>

#include <cmath>
#include <lab/figures.hpp>
#include <lab/report.hpp>
#include <nlohmann/json.hpp>

namespace exactdot::lab {
namespace {

using json = nlohmann::ordered_json;

template <class T>
json or_null(const std::optional<T>& x) {
  return x ? json(*x) : json(nullptr);
}

json finite_or_null(long double x) {
  const auto rounded = static_cast<double>(x);
  return std::isfinite(rounded) ? json(rounded) : json(nullptr);
}

/// Returns "nan", "inf" or "-inf", which JSON cannot represent as numbers.
std::string special_text(double x) { return std::isnan(x) ? "nan" : fmt::format("{}", x); }

json value_json(double x) { return std::isfinite(x) ? json(x) : json(special_text(x)); }
json hex_json(double x) { return json(std::isfinite(x) ? fmt::format("{:a}", x) : special_text(x)); }

json findings_json(const measurement& tested) {
  json list = json::array();
  for (const finding& reported : tested.findings) {
    list.push_back({{"kind", reported.kind},
                    {"where", reported.thread},
                    {"file", reported.file},
                    {"line", reported.line},
                    {"text", reported.text}});
  }
  return list;
}

void add_costs(json& object, const std::optional<kernel_costs>& costs) {
  const auto counted = [&](auto count) { return costs ? json(count(*costs)) : json(nullptr); };
  object["requests"] = counted([](const kernel_costs& c) { return c.global_requests; });
  object["sectors_per_request"] = counted([](const kernel_costs& c) { return or_null(c.sectors_per_request()); });
  object["bank_conflict_degree"] = counted([](const kernel_costs& c) { return or_null(c.bank_conflict_degree()); });
  object["lanes_per_request"] = counted([](const kernel_costs& c) { return or_null(c.lanes_per_request()); });
  object["longest_queue"] = counted([](const kernel_costs& c) { return c.longest_queue; });
  object["bytes_moved"] = counted([](const kernel_costs& c) { return c.bytes_moved; });
}

json measurement_json(const ladder_result& result, const measurement& tested) {
  const figures f = figures_of(result, tested);
  const bool kernels = tested.info.blocks != block_rule::none;
  json object = {{"number", tested.info.number},
                 {"name", tested.info.name},
                 {"value", value_json(tested.value)},
                 {"hex", hex_json(tested.value)},
                 {"correct", or_null(tested.correct)},
                 {"wrong_on_purpose", tested.info.wrong_on_purpose},
                 {"ulps", finite_or_null(tested.error_ulps)},
                 {"ulps_allowed", finite_or_null(tested.allowed_ulps)},
                 {"distinct_results", tested.distinct_results},
                 {"runs", tested.runs},
                 {"deterministic", or_null(tested.deterministic)},
                 {"promises_same_bits", tested.info.same_bits == determinism::none         ? "no"
                                        : tested.info.same_bits == determinism::fixed_grid ? "for one grid"
                                                                                           : "always"}};
  object["grids"] = tested.grids != 0 ? json(tested.grids) : json(nullptr);
  object["distinct_over_grids"] = tested.grids != 0 ? json(tested.distinct_over_grids) : json(nullptr);
  object["grid"] = kernels ? json(tested.config.grid) : json(nullptr);
  object["block"] = kernels ? json(tested.config.block) : json(nullptr);
  object["launches"] = kernels ? json(tested.counts.launches) : json(nullptr);
  object["atomics"] = or_null(kernels ? atomics_of(result, tested) : std::nullopt);
  object["steps"] = or_null(kernels ? tested.counts.steps : std::nullopt);
  object["barriers"] = or_null(kernels ? tested.counts.barriers : std::nullopt);
  add_costs(object, kernels ? tested.counts.costs : std::nullopt);
  object["microseconds"] = or_null(f.microseconds);
  // the copy and the additions on the host together, then each, then all with the kernels
  object["copy_microseconds"] =
      tested.finish ? json((tested.finish->copy + tested.finish->add) * 1e6) : json(nullptr);
  object["transfer_microseconds"] = or_null(f.copy_microseconds);
  object["host_microseconds"] = or_null(f.host_microseconds);
  object["total_microseconds"] = or_null(f.total_microseconds);
  object["gb_per_s"] = or_null(f.gb_per_s);
  object["gflop_per_s"] = or_null(f.gflop_per_s);
  object["percent_of_ceiling"] = or_null(f.percent_of_ceiling);
  object["speedup_over_naive"] = or_null(f.speedup_over_naive);
  object["ratio_to_cublas"] = or_null(f.ratio_to_cublas);
  object["claim"] = *tested.info.claim != '\0' ? json(tested.info.claim) : json(nullptr);
  object["check"] = !tested.fault.empty() ? json(tested.fault)
                                          : json(tested.correct ? "passed" : "nothing is promised for these data");
  if (tested.info.wrong_on_purpose) object["check"] = "wrong on purpose";
  object["detected"] = findings_json(tested);
  return object;
}

}  // namespace

json json_of(const ladder_result& result) {
  json object = {{"device", result.device}};
  for (const auto& [key, value] : result.facts) object[key] = value;
  object["workload"] = result.workload;
  object["results"] = result.results;
  object["divided"] = result.divided.empty() ? json(nullptr) : json(result.divided);
  object["n"] = result.n;
  object["data"] = io::data_set_names[static_cast<std::size_t>(result.data)];
  object["dtype"] = std::string(name_of(result.type));
  object["op"] = operation_names[static_cast<std::size_t>(result.op)];
  object["exact"] = {{"value", value_json(result.exact)}, {"hex", hex_json(result.exact)}};
  object["ceiling_gb_per_s"] =
      result.read_seconds ? json(bytes_read(result) / *result.read_seconds * 1e-9) : json(nullptr);
  object["rungs"] = json::array();
  for (const measurement& tested : result.measurements) object["rungs"].push_back(measurement_json(result, tested));
  object["left_out"] = result.skipped;
  for (const ramp_result& length : result.ramp) {
    json rungs = json::object();
    for (const auto& [name, value] : length.rungs) rungs[name] = value_json(value);
    object["ramp"].push_back(
        {{"n", length.n}, {"integers", length.integers}, {"exact", length.exact}, {"rungs", rungs}});
  }
  return object;
}

}  // namespace exactdot::lab
