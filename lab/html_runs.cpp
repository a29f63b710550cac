// Runs under a recorder; see html_runs.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <exactdot/error.hpp>
#include <lab/harness.hpp>
#include <lab/html_runs.hpp>
#include <memory>
#include <stdexcept>

namespace exactdot::lab {
namespace {

/// Throws if the schedule of the command line could not be followed.
void check_schedule(const html_subject& subject) {
  const auto& script = subject.limits.script;
  if (script.empty() || subject.launches.empty()) return;
  const simt::recorded_launch& first = subject.launches.front();
  for (std::size_t i = 0; i < script.size(); ++i) {
    if (script[i] < first.threads) continue;
    throw error(errc::bad_option,
                fmt::format("--schedule: step {}: no thread {}; the launch of {} has threads 0 to {}", i + 1,
                            script[i], first.kernel, first.threads - 1));
  }
  if (!first.skipped) return;
  throw error(errc::bad_option,
              fmt::format("--schedule: step {}: thread {} of {} cannot take it: {}", first.skipped->position + 1,
                          first.skipped->thread, first.kernel, first.skipped->reason));
}

void take_launches(html_subject& subject, const simt::recorder& recorder) {
  subject.launches = recorder.launches();
  subject.dropped_launches = recorder.dropped_launches();
  const std::size_t recorded = subject.launches.size();
  std::erase_if(subject.launches, [](const simt::recorded_launch& launch) { return launch.steps.empty(); });
  subject.dropped_launches += recorded - subject.launches.size();
  if (subject.launches.empty())
    throw error(errc::bad_option, fmt::format("--html: {} launches no kernel, so it has no steps", subject.name));
  check_schedule(subject);
  for (simt::recorded_launch& launch : subject.launches) {
    constexpr std::string_view prefix = "exactdot::lab::";
    for (std::size_t at = 0; (at = launch.kernel.find(prefix)) != std::string::npos;)
      launch.kernel.erase(at, prefix.size());
  }
}

/// Says with how many threads the kernels of a page run, which is fewer than in the report of the hazard.
std::string kernels_of(const html_subject& subject) {
  std::vector<std::string> kernels;
  for (const simt::recorded_launch& launch : subject.launches) {
    std::string text =
        fmt::format("{} with {} thread{}", launch.kernel, launch.threads, launch.threads == 1 ? "" : "s");
    if (std::ranges::find(kernels, text) == kernels.end()) kernels.push_back(std::move(text));
  }
  return fmt::format(" Kernels on this page: {}.", fmt::join(kernels, ", "));
}

/// Returns the launch for a page: the smallest one that shows the rung's idea.
launch_config small_config(const rung_info& info, const html_rung_request& request) {
  const bool any = info.blocks == block_rule::any;
  const unsigned usual = any ? 4 : info.blocks == block_rule::any_tree ? 8 : smallest_block(info);
  const unsigned block = request.block != 0 ? request.block : usual;
  const unsigned rounds = any && info.grid != grid_rule::one_thread_each ? 4 : 2;  // blocks of elements
  const std::size_t n = request.n.value_or(std::size_t{rounds} * block);
  const unsigned blocks = info.blocks == block_rule::tree ? 1 : 2;
  const auto covering = static_cast<unsigned>(std::max<std::size_t>(1, (n + block - 1) / block));
  return choose_launch_config(info, n, block, request.grid != 0 ? request.grid : std::min(blocks, covering), 1);
}

template <element T>
void run_rung(html_subject& subject, const rung& recorded, const html_rung_request& request, std::uint64_t seed) {
  const launch_config config = small_config(recorded.info, request);
  const std::string reason = block_size_error(recorded.info, config.block);
  if (!reason.empty()) throw error(errc::bad_option, reason);
  io::data_request data = request.data;
  data.n = config.n;
  const workload& kind = find_workload(recorded.info.workload);
  const host_vectors<T> vectors = kind.of<T>().data(data, config.parts);
  const std::unique_ptr<executor> device = open_executor(backend::simt);
  const problem<T> run(*device, vectors, request.op, kind);
  const auto prepared = recorded.prepare(rung_input<T>{device->stream(), run.device_a(), run.device_b(), request.op,
                                                       config, kind.results(config.n, config.parts)});
  device->start_run(seed);
  const simt::recorder recorder(subject.limits);
  prepared->launch();
  const T result = prepared->result();
  subject.about =
      fmt::format("{}: {}. n = {}, result {}", recorded.info.name, recorded.info.summary, config.n, result);
  if (!run.references().empty()) subject.about += fmt::format(", exact {}", run.references().front().value());
  subject.about += ".";
  take_launches(subject, recorder);
}

}  // namespace

std::string kernel_source(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::string_view text = source_of(name);
  return std::string(text.empty() ? hazard_source_of(name) : text);
}

html_subject record_rung(const rung& recorded, const html_rung_request& request, std::uint64_t seed,
                         const simt::recorder_settings& settings) {
  html_subject subject{.name = recorded.info.name, .limits = settings};
  if (recorded.target != backend::simt)
    throw error(errc::bad_option,
                fmt::format("--html: rung {} has no kernel on the simulator", recorded.info.name));
  if (request.op != operation::sum && !recorded.info.any_operation)
    throw error(errc::bad_option, fmt::format("--op: rung {} supports sum only", recorded.info.name));
  with_carrier(request.type, [&](auto zero) {
    using T = decltype(zero);
    subject.element_type = sizeof(T) == sizeof(float) ? "float" : "double";
    run_rung<T>(subject, recorded, request, seed);
  });
  return subject;
}

html_subject record_hazard(const hazard& recorded, std::uint64_t seed, const simt::recorder_settings& settings) {
  html_subject subject{.name = recorded.info.name, .limits = settings};
  const simt::recorder recorder(settings);
  subject.launch_names = recorded.run({.seed = seed, .runs = 1, .small = true}).launches;
  subject.about = fmt::format("{} {} {}", recorded.info.effect, recorded.info.cause, recorded.info.fix);
  take_launches(subject, recorder);
  subject.about += kernels_of(subject);
  return subject;
}

}  // namespace exactdot::lab
