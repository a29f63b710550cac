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
  const float_environment found = environment();
  object["environment"] = {{"rounding", found.rounding},
                           {"flush_to_zero", found.flush_to_zero},
                           {"denormals_are_zero", found.denormals_are_zero},
                           {"traps", found.traps}};
  object["cuda"] = {{"compiler_at_build", has_cuda_engine()}, {"engine", has_cuda_engine()}, {"gpus", gpus}};
  if (openblas.available()) {
    object["openblas"] = openblas.core_name();
  } else {
    object["openblas"] = nullptr;
  }
  write_json(object);
}

/// "rounds to_nearest", and what else is not the default.
std::string description_of(const float_environment& found) {
  std::string text = "rounds " + found.rounding;
  if (found.flush_to_zero) text += ", flushes subnormal results to zero";
  if (found.denormals_are_zero) text += ", reads subnormal numbers as zero";
  if (found.traps) text += ", traps";
  return text;
}

void print_text(const cpu_info& processor, const std::vector<std::string>& gpus, const lab::openblas& openblas) {
  write_output(fmt::format(
      "exactdot          {}\n"
      "instruction set   {} (of {})\n"
      "threads           {}\n"
      "floating point    {}\n"
      "CUDA              {}\n"
      "GPU               {}\n"
      "OpenBLAS          {} (used by --compare only)\n",
      version(), processor.instruction_set, fmt::join(processor.instruction_sets, ", "), processor.threads,
      description_of(environment()),
      has_cuda_engine() ? "engine built in" : "no engine: built without a CUDA compiler",
      gpus.empty() ? "none found" : fmt::format("{}", fmt::join(gpus, "; ")),
      openblas.available() ? openblas.core_name() : openblas.fault()));
}

}  // namespace

void run_info(bool json) { (json ? print_json : print_text)(cpu(), gpu_names(), lab::openblas::instance()); }

}  // namespace exactdot::cli
