// The report as JSON; see report.hpp.
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

/// "nan", "inf" or "-inf": what JSON has no number for is a string.
std::string special_text(double x) { return std::isnan(x) ? "nan" : fmt::format("{}", x); }

json value_json(double x) { return std::isfinite(x) ? json(x) : json(special_text(x)); }
json hex_json(double x) { return json(std::isfinite(x) ? fmt::format("{:a}", x) : special_text(x)); }

json findings_json(const row& one) {
  json list = json::array();
  for (const finding& found : one.found) {
    list.push_back({{"kind", found.kind},
                    {"where", found.where},
                    {"file", found.file},
                    {"line", found.line},
                    {"text", found.text}});
  }
  return list;
}

json row_json(const ladder_result& result, const row& one) {
  const figures f = figures_of(result, one);
  const bool kernels = one.info.blocks != block_rule::none;
  json object = {{"number", one.info.number},
                 {"name", one.info.name},
                 {"value", value_json(one.value)},
                 {"hex", hex_json(one.value)},
                 {"correct", or_null(one.correct)},
                 {"wrong_on_purpose", one.info.wrong_on_purpose},
                 {"ulps", finite_or_null(one.ulps)},
                 {"ulps_allowed", finite_or_null(one.allowed)},
                 {"distinct_results", one.distinct_results},
                 {"runs", one.runs},
                 {"deterministic", or_null(one.deterministic)},
                 {"promises_same_bits", one.info.same_bits == determinism::none         ? "no"
                                        : one.info.same_bits == determinism::fixed_grid ? "for one grid"
                                                                                        : "always"}};
  object["grids"] = one.grids != 0 ? json(one.grids) : json(nullptr);
  object["distinct_over_grids"] = one.grids != 0 ? json(one.distinct_over_grids) : json(nullptr);
  object["grid"] = kernels ? json(one.size.grid) : json(nullptr);
  object["block"] = kernels ? json(one.size.block) : json(nullptr);
  object["launches"] = kernels ? json(one.counted.launches) : json(nullptr);
  object["atomics"] = or_null(kernels ? atomics_of(result, one) : std::nullopt);
  object["steps"] = or_null(kernels ? one.counted.steps : std::nullopt);
  object["barriers"] = or_null(kernels ? one.counted.barriers : std::nullopt);
  object["microseconds"] = or_null(f.microseconds);
  object["copy_microseconds"] = or_null(f.finish_microseconds);
  object["gb_per_s"] = or_null(f.gb_per_s);
  object["gflop_per_s"] = or_null(f.gflop_per_s);
  object["percent_of_ceiling"] = or_null(f.percent_of_ceiling);
  object["speedup_over_naive"] = or_null(f.speedup_over_naive);
  object["ratio_to_cublas"] = or_null(f.ratio_to_cublas);
  object["claim"] = *one.info.claim != '\0' ? json(one.info.claim) : json(nullptr);
  object["check"] =
      !one.fault.empty() ? json(one.fault) : json(one.correct ? "passed" : "nothing is promised for these data");
  if (one.info.wrong_on_purpose) object["check"] = "wrong on purpose";
  object["detected"] = findings_json(one);
  return object;
}

}  // namespace

json json_of(const ladder_result& result) {
  json object = {{"device", result.device}};
  for (const auto& [key, value] : result.facts) object[key] = value;
  object["n"] = result.n;
  object["data"] = io::data_set_names[static_cast<std::size_t>(result.data)];
  object["dtype"] = io::name(result.type);
  object["op"] = operation_names[static_cast<std::size_t>(result.op)];
  object["exact"] = {{"value", value_json(result.exact)}, {"hex", hex_json(result.exact)}};
  const double bytes = 2 * static_cast<double>(result.n) * static_cast<double>(io::item_size(result.type));
  object["ceiling_gb_per_s"] = result.ceiling ? json(bytes / *result.ceiling * 1e-9) : json(nullptr);
  object["rungs"] = json::array();
  for (const row& one : result.rows) object["rungs"].push_back(row_json(result, one));
  object["left_out"] = result.left_out;
  for (const ramp_truth& truth : result.ramp) {
    json rungs = json::object();
    for (const auto& [name, value] : truth.rungs) rungs[name] = value_json(value);
    object["ramp"].push_back(
        {{"n", truth.n}, {"integers", truth.integers}, {"exact", truth.exact}, {"rungs", rungs}});
  }
  return object;
}

}  // namespace exactdot::lab
