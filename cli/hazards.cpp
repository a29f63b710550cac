// exactdot hazards; see hazards.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cli/gpu_probe.hpp>
#include <cli/hazards.hpp>
#include <cli/html.hpp>
#include <cli/interruption.hpp>
#include <cli/output.hpp>
#include <cli/progress.hpp>
#include <cli/suggestion.hpp>
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
  lab::backend target = lab::backend::simt;
  std::string name;  // "simt" or "cuda"
};

chosen_device choose_device(const std::string& requested) {
  const bool built_for_cuda = !lab::hazards(lab::backend::cuda).empty();
  const bool has_gpu = built_for_cuda && requested != "simt" && !gpu_names().empty();
  if (requested == "cuda" && !built_for_cuda) {
    throw error(errc::no_device,
                "--device cuda: this program was built without a CUDA compiler; use --device simt");
  }
  if (requested == "cuda" && !has_gpu) {
    throw error(errc::no_device, "--device cuda: the NVIDIA driver finds no GPU, or is missing; use --device simt");
  }
  if (has_gpu) return {lab::backend::cuda, "cuda"};
  if (lab::hazards(lab::backend::simt).empty()) {
    throw error(errc::no_device, "hazards: this program was built without the simulator, and no GPU can be used");
  }
  return {lab::backend::simt, "simt"};
}

/// Parses the outcome from a JSON report of one hazard; null if the text is not such a report.
std::optional<lab::hazard_outcome> printed_outcome(const std::string& text) {
  try {
    return lab::outcome_from_json(nlohmann::ordered_json::parse(text).at("hazards").at(0));
  } catch (const nlohmann::ordered_json::exception&) {
    return {};
  }
}

/// Runs the hazard in a separate process, which the watchdog ends after the time limit.
lab::hazard_outcome run_under_watchdog(const lab::hazard& chosen, std::uint32_t seed) {
  constexpr std::chrono::seconds time_limit(30);
  const std::vector<std::string> arguments{"hazards", chosen.info.name,     "--device", "cuda",
                                           "--seed",  std::to_string(seed), "--json",   "--no-watchdog"};
  return outcome_of(run_with_time_limit(arguments, time_limit), time_limit);
}

lab::hazard_outcome run(const lab::hazard& chosen, const hazards_arguments& arguments) {
  const immediate_exit no_cleanup_needed;
  const progress progress_line(std::string("hazards: ") + chosen.info.name, program_monitor(), chosen.info.work);
  const bool watch = chosen.target == lab::backend::cuda && chosen.info.separate_process && !arguments.no_watchdog;
  return watch ? run_under_watchdog(chosen, arguments.seed)
               : chosen.run({.seed = arguments.seed, .monitor = &program_monitor()});
}

/// Prints the list or explanations. Every backend of the build has all hazards.
void describe_hazards(const hazards_arguments& arguments) {
  std::vector<lab::hazard> all = lab::hazards(lab::backend::simt);
  if (all.empty()) all = lab::hazards(lab::backend::cuda);
  if (arguments.list) {
    write_output(lab::hazard_list(all));
    return;
  }
  std::string text;
  for (const lab::hazard& chosen : choose_hazards(all, arguments.names)) {
    text += (text.empty() ? "" : "\n") + lab::explain(chosen.info);
  }
  write_output(text);
}

}  // namespace

std::vector<lab::hazard> choose_hazards(const std::vector<lab::hazard>& all,
                                        const std::vector<std::string>& names) {
  if (names.empty()) return all;
  std::vector<lab::hazard> chosen;
  for (const std::string& name : names) {
    const auto found =
        std::ranges::find_if(all, [&](const lab::hazard& candidate) { return candidate.info.name == name; });
    if (found == all.end()) {
      std::vector<std::string> known;
      for (const lab::hazard& listed : all) known.emplace_back(listed.info.name);
      throw error(errc::bad_option, fmt::format("'{}': unknown hazard{}; expected {}", io::printable(name),
                                                suggestion(name, known), fmt::join(known, ", ")));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

lab::hazard_outcome outcome_of(const process_result& process, std::chrono::seconds time_limit) {
  lab::hazard_outcome outcome;
  outcome.expected = "undefined";
  outcome.completed = false;
  outcome.as_expected = process.timed_out || process.signal != 0;
  if (process.timed_out) {
    outcome.observed = fmt::format("did not end within {} s; the watchdog ended its process", time_limit.count());
  } else if (process.signal != 0) {
    outcome.observed = fmt::format("its process was ended by signal {}", process.signal);
  } else if (const auto printed = printed_outcome(process.output)) {
    return *printed;
  } else {
    outcome.observed = fmt::format("its process ended with status {} and printed no outcome", *process.status);
  }
  return outcome;
}

void run_hazards(const hazards_arguments& arguments) {
  if (arguments.list || arguments.explain) {
    describe_hazards(arguments);
    return;
  }
  if (!arguments.html.empty()) return write_hazards_page(arguments);
  const chosen_device device = choose_device(arguments.device);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::string unexpected;
  bool first = true;
  for (const lab::hazard& chosen : choose_hazards(lab::hazards(device.target), arguments.names)) {
    if (program_monitor().cancel) throw error(errc::cancelled, "interrupted");
    const lab::hazard_outcome outcome = run(chosen, arguments);
    if (!outcome.as_expected) unexpected += (unexpected.empty() ? "" : ", ") + std::string(chosen.info.name);
    if (arguments.json) {
      list.push_back(lab::hazard_json(chosen.info, device.name, outcome));
    } else {
      write_output((first ? "" : "\n") + lab::hazard_text(chosen.info, device.name, outcome));
    }
    first = false;
  }
  if (arguments.json) write_json({{"hazards", list}});
  if (!unexpected.empty()) throw std::runtime_error("these hazards had an unexpected outcome: " + unexpected);
}

}  // namespace exactdot::cli
