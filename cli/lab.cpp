// exactdot lab; see lab.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cli/available_memory.hpp>
#include <cli/element_count.hpp>
#include <cli/gpu_probe.hpp>
#include <cli/html.hpp>
#include <cli/interruption.hpp>
#include <cli/lab.hpp>
#include <cli/output.hpp>
#include <cli/progress.hpp>
#include <cli/suggestion.hpp>
#include <exactdot/error.hpp>
#include <io/fault.hpp>
#include <iterator>
#include <lab/explain.hpp>
#include <lab/hazard_report.hpp>
#include <lab/report.hpp>
#include <lab/workload.hpp>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace exactdot::cli {
namespace {

using lab::backend;

template <class Names>
std::size_t index_of(const Names& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(std::begin(names), std::end(names), name) - std::begin(names));
}

backend choose_backend(const std::string& device) {
  if (device == "simt") return backend::simt;
  if (device == "cuda") return backend::cuda;
  return has_cuda_engine() && !gpu_names().empty() ? backend::cuda : backend::simt;
}

/// Returns the default of --n; shorter on the simulator, which is orders of magnitude slower than a GPU.
std::size_t default_length(io::data_set data, backend target) {
  constexpr std::size_t max_simulated = std::size_t{1} << 16;
  const std::size_t usual = data == io::data_set::ramp ? std::size_t{1} << 20 : io::default_length(data);
  return target == backend::cuda ? usual : std::min(usual, max_simulated);
}

/// Throws errc::bad_option if the workload is unknown, or if the build has no rung of that name over it;
/// errc::no_device if the rung cannot run on this device. `given` is the argument as in messages: "--rung NAME" or
/// "'NAME'".
void check_rung(const std::string& name, const std::string& given, const std::string& workload, backend target) {
  std::vector<std::string> all = lab::rung_names(workload);
  if (target != backend::cuda) std::erase_if(all, lab::needs_gpu);
  const std::string other = lab::workload_of(name);
  if (!other.empty() && other != workload) {
    throw error(errc::bad_option, fmt::format("{}: a rung of workload {}, not of {}; use --workload {}", given,
                                              other, workload, other));
  }
  if (target != backend::cuda && lab::needs_gpu(name)) {
    const bool has_simulator = !lab::hazards(backend::simt).empty();
    const char* const why = has_simulator ? "needs a GPU; this run is on the simulator"
                                          : "this program was built without the simulator (EXACTDOT_BUILD_SIMT=OFF)";
    throw error(errc::no_device, fmt::format("{}: {}", given, why));
  }
  if (std::ranges::find(all, name) != all.end() || lab::needs_gpu(name)) return;
  throw error(errc::bad_option,
              fmt::format("{}: unknown rung{}; of workload {}, the rungs on this device are {}", given,
                          suggestion(name, lab::rung_names()), workload, fmt::join(all, ", ")));
}

/// Returns the rungs that were named in either way.
std::vector<std::string> named_rungs(const lab_arguments& arguments, backend target) {
  const std::string& workload = arguments.workload;
  for (const std::string& name : arguments.names) {
    check_rung(name, "'" + io::printable(name) + "'", workload, target);
  }
  for (const std::string& name : arguments.rungs) {
    check_rung(name, "--rung " + io::printable(name), workload, target);
  }
  std::vector<std::string> all = arguments.names;
  all.insert(all.end(), arguments.rungs.begin(), arguments.rungs.end());
  return all;
}

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const lab::workload& kind : lab::workloads()) names.emplace_back(kind.name);
  return names;
}

/// Throws errc::bad_option if the workload is unknown.
void check_workload(const std::string& name) {
  const std::vector<std::string> all = workload_names();
  if (std::ranges::find(all, name) != all.end()) return;
  throw error(errc::bad_option, fmt::format("--workload {}: unknown workload{}; the workloads are {}",
                                            io::printable(name), suggestion(name, all), fmt::join(all, ", ")));
}

/// Returns the workload of the first rung that is named; dot without one.
std::string workload_of_names(const lab_arguments& arguments) {
  for (const std::vector<std::string>* const names : {&arguments.names, &arguments.rungs}) {
    if (names->empty()) continue;
    const std::string found = lab::workload_of(names->front());
    return found.empty() ? "dot" : found;
  }
  return "dot";
}

/// Returns how the elements are divided. Throws errc::bad_option for an option of another workload.
lab::division division_of(const lab_arguments& arguments) {
  const auto require = [&](bool given, const char* option, const char* workload) {
    if (!given || arguments.workload == workload) return;
    throw error(errc::bad_option,
                fmt::format("{}: requires --workload {}, not {}", option, workload, arguments.workload));
  };
  require(!arguments.row_length.empty(), "--row-length", "rows");
  require(arguments.groups.has_value(), "--groups", "groups");
  lab::division parts;
  if (!arguments.row_length.empty()) parts.row_length = *parse_element_count(arguments.row_length);
  if (arguments.groups) parts.groups = *arguments.groups;
  return parts;
}

void check_explained(const std::string& name) {
  const std::vector<std::string> all = lab::rung_names();
  if (std::ranges::find(all, name) != all.end()) return;
  if (lab::needs_gpu(name)) {
    throw error(errc::no_device,
                fmt::format("--explain {}: needs a GPU; this program was built without a CUDA compiler",
                            io::printable(name)));
  }
  throw error(errc::bad_option, fmt::format("--explain {}: unknown rung{}; the rungs are {}", io::printable(name),
                                            suggestion(name, all), fmt::join(all, ", ")));
}

/// Returns the one rung that --explain names, or the one before it.
std::string explained_rung(const lab_arguments& arguments) {
  std::vector<std::string> given = arguments.names;
  if (!arguments.explain->empty()) given.push_back(*arguments.explain);
  if (given.size() == 1) return given.front();
  throw error(errc::bad_option, fmt::format("--explain: expected one rung, not {}: exactdot lab NAME --explain",
                                            given.empty() ? "none" : std::to_string(given.size())));
}

lab::ladder_request request_of(const lab_arguments& arguments) {
  const lab_problem problem = problem_of(arguments, "uniform");
  lab::ladder_request request;
  request.workload = arguments.workload;
  request.parts = division_of(arguments);
  request.target = choose_backend(arguments.device);
  request.settings.lock_step = arguments.model == "lock_step";
  if (!arguments.model.empty() && request.target != backend::simt) {
    throw error(errc::bad_option, "--model " + arguments.model + ": requires --device simt");
  }
  request.data = problem.data;
  if (arguments.n.empty()) request.data.n = default_length(request.data.data, request.target);
  request.data.monitor = &program_monitor();
  request.type = problem.type;
  request.rungs = named_rungs(arguments, request.target);
  request.options = {.runs = arguments.runs.value_or(request.target == backend::cuda ? 20 : 5),
                     .seed = arguments.seed,
                     .op = problem.op,
                     .block = arguments.block,
                     .grid = arguments.grid};
  request.memory_limit = available_memory();
  return request;
}

}  // namespace

lab_problem problem_of(const lab_arguments& arguments, const std::string& usual_data) {
  lab_problem problem;
  const std::string data = arguments.data.empty() ? usual_data : arguments.data;
  problem.data.data = static_cast<io::data_set>(index_of(io::data_set_names, data));
  problem.data.n = arguments.n.empty() ? 0 : *parse_element_count(arguments.n);
  problem.data.seed = arguments.seed;
  problem.data.condition = arguments.condition.value_or(problem.data.condition);
  if (arguments.condition && problem.data.data != io::data_set::ill) {
    throw error(errc::bad_option, "--cond: requires --data ill, not " + data);
  }
  problem.type = *type_named(arguments.type);
  problem.op = static_cast<lab::operation>(index_of(lab::operation_names, arguments.op));
  return problem;
}

void run_lab(const lab_arguments& given) {
  lab_arguments arguments = given;
  if (!arguments.workload.empty()) check_workload(arguments.workload);
  if (arguments.list) {
    write_output(lab::rung_list(arguments.workload));
    return;
  }
  if (arguments.explain) {
    const std::string rung = explained_rung(arguments);
    check_explained(rung);
    write_output(lab::explain(rung));
    return;
  }
  if (arguments.workload.empty()) arguments.workload = workload_of_names(arguments);
  if (!arguments.html.empty()) {
    if (arguments.workload != "dot") {
      throw error(errc::bad_option, "--html: shows rungs of workload dot, not of " + arguments.workload);
    }
    arguments.rungs = named_rungs(arguments, backend::simt), arguments.names.clear();
    return write_lab_page(arguments);
  }
  lab::ladder_request request = request_of(arguments);
  lab::ladder_result result;
  {
    const immediate_exit no_cleanup_needed;
    progress progress_line("lab", program_monitor(), 0);
    request.on_progress = [&](const std::string& rung) { progress_line.set_text("lab: " + rung); };
    result = lab::run_ladder(request);
  }
  if (arguments.json) {
    write_json(lab::json_of(result));
  } else {
    write_output(lab::table_of(result));
  }
  const std::string failures = lab::failures_of(result);
  if (!failures.empty()) throw std::runtime_error(failures);
}

}  // namespace exactdot::cli
