// exactdot info; see info.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cli/gpu_probe.hpp>
#include <cli/info.hpp>
#include <cli/output.hpp>
#include <exactdot/info.hpp>
#include <lab/peers.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace exactdot::cli {
namespace {

void print_json(const cpu_info& processor, const std::vector<std::string>& gpus, const lab::openblas& openblas) {
  nlohmann::ordered_json object = {{"version", version()},
                                   {"instruction_set", processor.instruction_set},
                                   {"instruction_sets", processor.instruction_sets},
                                   {"threads", processor.threads}};
  object["cuda"] = {{"compiler_at_build", has_cuda_engine()}, {"engine", has_cuda_engine()}, {"gpus", gpus}};
  if (openblas.available()) {
    object["openblas"] = openblas.core_name();
  } else {
    object["openblas"] = nullptr;
  }
  write_json(object);
}

void print_text(const cpu_info& processor, const std::vector<std::string>& gpus, const lab::openblas& openblas) {
  write_output(fmt::format(
      "exactdot          {}\n"
      "instruction set   {} (of {})\n"
      "threads           {}\n"
      "CUDA              {}\n"
      "GPU               {}\n"
      "OpenBLAS          {} (used by --compare only)\n",
      version(), processor.instruction_set, fmt::join(processor.instruction_sets, ", "), processor.threads,
      has_cuda_engine() ? "engine built in" : "no engine: built without a CUDA compiler",
      gpus.empty() ? "none found" : fmt::format("{}", fmt::join(gpus, "; ")),
      openblas.available() ? openblas.core_name() : openblas.fault()));
}

}  // namespace

void run_info(bool json) { (json ? print_json : print_text)(cpu(), gpu_names(), lab::openblas::instance()); }

}  // namespace exactdot::cli
