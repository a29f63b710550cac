// exactdot hazards; see hazards.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cli/gpu_probe.hpp>
#include <cli/hazards.hpp>
#include <cli/interruption.hpp>
#include <cli/output.hpp>
#include <exactdot/error.hpp>
#include <io/fault.hpp>
#include <lab/hazard_report.hpp>
#include <nlohmann/json.hpp>

namespace exactdot::cli {
namespace {

struct chosen_device {
  lab::world where = lab::world::simt;
  std::string name;  // "simt", "cuda"
};

chosen_device choose_device(const std::string& wanted) {
  const bool built_for_cuda = !lab::hazards(lab::world::cuda).empty();
  const bool has_gpu = built_for_cuda && wanted != "simt" && !gpu_names().empty();
  if (wanted == "cuda" && !built_for_cuda) {
    throw error(errc::no_device, "--device cuda: this was built without a CUDA compiler; --device simt runs here");
  }
  if (wanted == "cuda" && !has_gpu) {
    throw error(errc::no_device, "--device cuda: no CUDA device found; --device simt runs on the CPU");
  }
  if (has_gpu) return {lab::world::cuda, "cuda"};
  if (lab::hazards(lab::world::simt).empty()) {
    throw error(errc::no_device, "hazards: this was built without the simulator, and no CUDA device can be used");
  }
  return {lab::world::simt, "simt"};
}

/// Those of that name, in the order asked for; all where none is.
std::vector<lab::hazard> choose_hazards(const std::vector<lab::hazard>& all,
                                        const std::vector<std::string>& names) {
  if (names.empty()) return all;
  std::vector<lab::hazard> chosen;
  for (const std::string& name : names) {
    const auto at = std::ranges::find_if(all, [&](const lab::hazard& one) { return one.info.name == name; });
    if (at == all.end()) {
      std::string known;
      for (const lab::hazard& one : all) known += (known.empty() ? "" : ", ") + std::string(one.info.name);
      throw error(errc::bad_option, fmt::format("'{}' is no hazard; there are {}", io::printable(name), known));
    }
    chosen.push_back(*at);
  }
  return chosen;
}

}  // namespace

void run_hazards(const hazards_arguments& arguments) {
  const chosen_device device = choose_device(arguments.device);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  bool first = true;
  for (const lab::hazard& one : choose_hazards(lab::hazards(device.where), arguments.names)) {
    if (program_monitor().cancel) throw error(errc::cancelled, "interrupted");
    const lab::hazard_outcome seen = one.run({.seed = arguments.seed});
    if (arguments.json) {
      list.push_back(lab::hazard_json(one.info, device.name, seen));
    } else {
      write_output((first ? "" : "\n") + lab::hazard_text(one.info, device.name, seen));
    }
    first = false;
  }
  if (arguments.json) write_json({{"hazards", list}});
}

}  // namespace exactdot::cli
