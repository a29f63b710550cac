// Option --html; see html.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cli/html.hpp>
#include <cli/interruption.hpp>
#include <cstdio>
#include <exactdot/error.hpp>
#include <io/fault.hpp>
#include <lab/html_runs.hpp>
#include <lab/ladder.hpp>
#include <simt/page/page.hpp>
#include <span>
#include <string_view>

namespace exactdot::cli {
namespace {

constexpr std::size_t max_steps_of_page = 25000;

simt::recorder_settings settings_for(const std::string& device, const std::string& model,
                                     const std::vector<unsigned>& schedule, std::size_t subjects,
                                     const char* subject) {
  if (device == "cuda") throw error(errc::bad_option, "--html: shows the simulator; use --device simt, not cuda");
  if (!schedule.empty() && model == "lock_step")
    throw error(errc::bad_option, "--schedule: lanes in lock step follow no schedule; use --model independent");
  if (!schedule.empty() && subjects != 1)
    throw error(errc::bad_option, fmt::format("--schedule: expected one {}, not {}", subject, subjects));
  simt::recorder_settings settings;
  settings.max_run_length = 1;     // the threads alternate, so that a short run shows what they do to each other
  settings.max_watched_steps = 0;  // launches are small; what leads to a finding begins with their first steps
  settings.script = schedule;
  if (settings.script.size() > settings.max_steps)
    throw error(errc::bad_option, fmt::format("--schedule: {} steps; a page shows at most {} of a launch",
                                              settings.script.size(), settings.max_steps));
  if (!model.empty())
    settings.model = model == "lock_step" ? simt::execution::lock_step : simt::execution::independent;
  return settings;
}

/// Records each subject with its share of the steps that remain, of which a launch may take half.
template <class Items, class Record>
std::vector<lab::html_subject> record_all(const Items& items, simt::recorder_settings settings, Record record) {
  std::vector<lab::html_subject> subjects;
  std::size_t steps = max_steps_of_page;
  const std::size_t max_steps = settings.max_steps;
  for (const auto& item : items) {
    if (program_monitor().cancel) throw error(errc::cancelled, "interrupted");
    settings.max_total_steps = steps / (items.size() - subjects.size());
    settings.max_steps = std::min(max_steps, settings.max_total_steps / 2);
    subjects.push_back(record(item, settings));
    for (const auto& launch : subjects.back().launches) steps -= launch.steps.size();
  }
  return subjects;
}

/// Throws errc::file if the file cannot be written, or holds something other than a page; before the runs, which
/// take seconds.
void require_writable(const std::string& file) {
  const std::string obstacle = simt::obstacle_to_page(file);
  if (!obstacle.empty()) io::fail(file, "--html: " + obstacle);
}

void write_subjects(const std::string& file, const std::string& title, const std::string& command,
                    const std::vector<lab::html_subject>& subjects) {
  const std::string failure = simt::write_page(file, simt::page_of(title, command, subjects, lab::kernel_source));
  if (!failure.empty()) io::fail(file, "cannot write it: " + failure);
  std::fputs(fmt::format("exactdot: {}: written; open it in a browser\n", io::printable(file)).c_str(), stderr);
  for (const std::string& line : simt::left_out_of(subjects))
    std::fputs(fmt::format("exactdot: {}: {}\n", io::printable(file), line).c_str(), stderr);
}

std::string with_options(std::string command, std::uint32_t seed, std::uint32_t usual_seed,
                         const std::string& model, const std::vector<unsigned>& schedule) {
  if (seed != usual_seed) command += fmt::format(" --seed {}", seed);
  if (!model.empty()) command += " --model " + model;
  if (!schedule.empty()) command += fmt::format(" --schedule {}", fmt::join(schedule, ","));
  return command;
}

lab::html_rung_request rung_request(const lab_arguments& arguments) {
  const lab_problem problem = problem_of(arguments, "ones");
  lab::html_rung_request request;
  request.data = problem.data, request.type = problem.type, request.op = problem.op;
  if (!arguments.n.empty()) request.n = problem.data.n;
  constexpr std::size_t max_length = std::size_t{1} << 20;
  if (request.n.value_or(0) > max_length)
    throw error(errc::bad_option,
                fmt::format("--n {}: a page shows small runs; expected at most {}", arguments.n, max_length));
  request.block = arguments.block, request.grid = arguments.grid;
  return request;
}

/// Returns the rungs of the command line; without any, those whose kernels are in the lab's own files.
std::vector<lab::rung> rungs_of_page(const lab_arguments& arguments, const lab::html_rung_request& request) {
  lab::ladder_request all;
  all.rungs = arguments.rungs;
  all.options = {.op = request.op, .block = arguments.block, .grid = arguments.grid};
  std::vector<lab::rung> chosen = lab::choose_rungs(all);
  if (!arguments.rungs.empty()) return chosen;
  std::erase_if(chosen, [](const lab::rung& one) {
    return one.target != lab::backend::simt ||
           lab::kernel_source(one.info.file).find("__global__") == std::string::npos;
  });
  return chosen;
}

}  // namespace

void write_lab_page(const lab_arguments& arguments) {
  const lab::html_rung_request request = rung_request(arguments);
  const std::vector<lab::rung> rungs = rungs_of_page(arguments, request);
  const simt::recorder_settings settings =
      settings_for(arguments.device, arguments.model, arguments.schedule, rungs.size(), "rung");
  require_writable(arguments.html);
  std::string command = "exactdot lab";
  for (const std::string& name : arguments.rungs) command += " --rung " + name;
  if (!arguments.n.empty()) command += " --n " + arguments.n;
  if (arguments.block != 0) command += fmt::format(" --block {}", arguments.block);
  if (arguments.grid != 0) command += fmt::format(" --grid {}", arguments.grid);
  if (!arguments.data.empty()) command += " --data " + arguments.data;
  if (arguments.condition) command += fmt::format(" --cond {}", *arguments.condition);
  if (arguments.type != "float32") command += " --dtype " + arguments.type;
  if (arguments.op != "sum") command += " --op " + arguments.op;
  command = with_options(command, arguments.seed, 42, arguments.model, arguments.schedule) + " --html FILE";
  const auto subjects =
      record_all(rungs, settings, [&](const lab::rung& one, const simt::recorder_settings& limits) {
        return lab::record_rung(one, request, arguments.seed, limits);
      });
  const std::string title = rungs.size() == 1 ? fmt::format("Rung {}, step by step", rungs[0].info.name)
                                              : std::string("The ladder, step by step");
  write_subjects(arguments.html, title, command, subjects);
}

void write_hazards_page(const hazards_arguments& arguments) {
  const std::vector<lab::hazard> hazards = choose_hazards(lab::hazards(lab::backend::simt), arguments.names);
  const simt::recorder_settings settings =
      settings_for(arguments.device, arguments.model, arguments.schedule, hazards.size(), "hazard");
  require_writable(arguments.html);
  std::string command = "exactdot hazards";
  for (const std::string& name : arguments.names) command += " " + name;
  command = with_options(command, arguments.seed, 1, arguments.model, arguments.schedule) + " --html FILE";
  const auto subjects =
      record_all(hazards, settings, [&](const lab::hazard& one, const simt::recorder_settings& limits) {
        return lab::record_hazard(one, arguments.seed, limits);
      });
  const std::string title = hazards.size() == 1 ? fmt::format("Hazard {}, step by step", hazards[0].info.name)
                                                : std::string("Hazards, step by step");
  write_subjects(arguments.html, title, command, subjects);
}

}  // namespace exactdot::cli
