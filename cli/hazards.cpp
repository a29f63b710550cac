// exactdot hazards; see hazards.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cli/gpu_probe.hpp>
#include <cli/hazards.hpp>
#include <cli/interruption.hpp>
#include <cli/output.hpp>
#include <cli/progress.hpp>
#include <cli/watchdog.hpp>
#include <exactdot/error.hpp>
#include <io/fault.hpp>
#include <lab/hazard_report.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

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

/// The outcome in a report of one hazard; null where the text is none.
std::optional<lab::hazard_outcome> printed_outcome(const std::string& text) {
  try {
    return lab::outcome_of(nlohmann::ordered_json::parse(text).at("hazards").at(0));
  } catch (const nlohmann::ordered_json::exception&) {
    return {};
  }
}

/// In a process of its own, which is ended when it does not end by itself.
lab::hazard_outcome run_under_watchdog(const lab::hazard& one, std::uint32_t seed) {
  constexpr std::chrono::seconds patience(30);
  const std::vector<std::string> arguments{"hazards", one.info.name,        "--device", "cuda",
                                           "--seed",  std::to_string(seed), "--json",   "--unwatched"};
  return watched_outcome(run_watched(arguments, patience), patience);
}

lab::hazard_outcome run(const lab::hazard& one, const hazards_arguments& arguments) {
  const end_at_once nothing_to_clean_up;
  const progress shown(std::string("hazards: ") + one.info.name, program_monitor(), 0);
  const bool watch = one.where == lab::world::cuda && one.info.may_hang && !arguments.unwatched;
  return watch ? run_under_watchdog(one, arguments.seed) : one.run({.seed = arguments.seed});
}

}  // namespace

lab::hazard_outcome watched_outcome(const watched& seen, std::chrono::seconds patience) {
  lab::hazard_outcome outcome;
  outcome.expected = "undefined";
  outcome.ran = false;
  outcome.as_expected = seen.too_long || seen.signal != 0;
  if (seen.too_long) {
    outcome.observed = fmt::format("did not end within {} s; the watchdog ended its process", patience.count());
  } else if (seen.signal != 0) {
    outcome.observed = fmt::format("its process died of signal {}", seen.signal);
  } else if (const auto printed = printed_outcome(seen.output)) {
    return *printed;
  } else {
    outcome.observed = fmt::format("its process ended with status {} and printed no outcome", *seen.status);
  }
  return outcome;
}

void run_hazards(const hazards_arguments& arguments) {
  const chosen_device device = choose_device(arguments.device);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::string surprises;
  bool first = true;
  for (const lab::hazard& one : choose_hazards(lab::hazards(device.where), arguments.names)) {
    if (program_monitor().cancel) throw error(errc::cancelled, "interrupted");
    const lab::hazard_outcome seen = run(one, arguments);
    if (!seen.as_expected) surprises += (surprises.empty() ? "" : ", ") + std::string(one.info.name);
    if (arguments.json) {
      list.push_back(lab::hazard_json(one.info, device.name, seen));
    } else {
      write_output((first ? "" : "\n") + lab::hazard_text(one.info, device.name, seen));
    }
    first = false;
  }
  if (arguments.json) write_json({{"hazards", list}});
  if (!surprises.empty()) throw std::runtime_error("these hazards did not show what they should: " + surprises);
}

}  // namespace exactdot::cli
