// exactdot lab; see lab.hpp.
#include <algorithm>
#include <cli/available_memory.hpp>
#include <cli/element_count.hpp>
#include <cli/gpu_probe.hpp>
#include <cli/interruption.hpp>
#include <cli/lab.hpp>
#include <cli/output.hpp>
#include <cli/progress.hpp>
#include <exactdot/error.hpp>
#include <iterator>
#include <lab/explain.hpp>
#include <lab/report.hpp>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace exactdot::cli {
namespace {

using lab::world;

template <class Names>
std::size_t index_of(const Names& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(std::begin(names), std::end(names), name) - std::begin(names));
}

world choose_world(const std::string& device) {
  if (device == "simt") return world::simt;
  if (device == "cuda") return world::cuda;
  return EXACTDOT_CUDA_AT_BUILD && !gpu_names().empty() ? world::cuda : world::simt;
}

/// The simulator takes tens of nanoseconds for what a GPU does in none.
std::size_t default_length(io::data_set data, world where) {
  constexpr std::size_t longest_simulated = std::size_t{1} << 16;
  const std::size_t usual = data == io::data_set::ramp ? std::size_t{1} << 20 : io::default_length(data);
  return where == world::cuda ? usual : std::min(usual, longest_simulated);
}

lab::ladder_request request_of(const lab_arguments& arguments) {
  lab::ladder_request request;
  request.where = choose_world(arguments.device);
  request.settings.lock_step = arguments.model == "lock_step";
  if (!arguments.model.empty() && request.where != world::simt) {
    throw error(errc::bad_option, "--model goes with --device simt only");
  }
  request.data.data = static_cast<io::data_set>(index_of(io::data_set_names, arguments.data));
  request.data.n =
      arguments.n.empty() ? default_length(request.data.data, request.where) : *parse_element_count(arguments.n);
  request.data.seed = arguments.seed;
  request.data.condition = arguments.condition.value_or(request.data.condition);
  request.data.monitor = &program_monitor();
  if (arguments.condition && request.data.data != io::data_set::ill) {
    throw error(errc::bad_option, "--cond goes with --data ill only");
  }
  request.type = arguments.type == "float32" ? io::dtype::float32 : io::dtype::float64;
  request.rungs = arguments.rungs;
  request.how = {.runs = arguments.runs.value_or(request.where == world::cuda ? 20 : 5),
                 .seed = arguments.seed,
                 .op = static_cast<lab::operation>(index_of(lab::operation_names, arguments.op)),
                 .block = arguments.block,
                 .grid = arguments.grid};
  request.memory = available_memory();
  return request;
}

}  // namespace

void run_lab(const lab_arguments& arguments) {
  if (arguments.explain) {
    write_output(lab::explain(*arguments.explain));
    return;
  }
  lab::ladder_request request = request_of(arguments);
  lab::ladder_result result;
  {
    const end_at_once nothing_to_clean_up;
    progress shown("lab", program_monitor(), 0);
    request.say = [&](const std::string& rung) { shown.say("lab: " + rung); };
    result = lab::climb(request);
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
