// JSON of recorded launches; see html_json.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <lab/hazard.hpp>
#include <lab/html_json.hpp>
#include <lab/html_names.hpp>
#include <lab/registry.hpp>
#include <nlohmann/json.hpp>

namespace exactdot::lab {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t min_shown = 64, max_shown = 512;  // elements of an array

std::string base_name(const std::string& file) { return file.substr(file.rfind('/') + 1); }

/// One launch, with what all parts of its JSON need.
class run_writer {
 public:
  run_writer(const html_subject& subject, const simt::recorded_launch& launch)
      : launch_(launch), ranges_(name_ranges(launch, kernel_source, subject.element_type)) {}

  json arrays() const {
    json all = json::array();
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      const named_range& range = ranges_[i];
      const simt::recorded_array& array = launch_.arrays[static_cast<std::size_t>(range.array)];
      const std::size_t count = range.bytes / range.element;
      json values = json::array();
      for (std::size_t j = 0; j < std::min(count, shown_elements(i)); ++j)
        values.push_back(initial_value(array, range, range.offset + j * range.element));
      all.push_back({{"name", range.name},
                     {"space", array.shared ? "shared" : "global"},
                     {"block", array.block},
                     {"type", range.type},
                     {"count", count},
                     {"values", values}});
    }
    return all;
  }

  json steps() {
    json all = json::array();
    for (const simt::recorded_step& step : launch_.steps) all.push_back(step_json(step));
    return all;
  }

  [[nodiscard]] const std::vector<std::string>& actions() const { return actions_; }

 private:
  static json initial_value(const simt::recorded_array& array, const named_range& range, std::size_t offset) {
    if (offset + range.element > array.initial.size() || !array.is_written[offset / 4]) return nullptr;
    return value_text(array.initial.data() + offset, range);
  }

  [[nodiscard]] std::size_t shown_elements(std::size_t index) const {
    const named_range& range = ranges_[index];
    std::size_t used = 0;
    for (const simt::recorded_step& step : launch_.steps) {
      if (step.array != range.array || step.offset - range.offset >= range.bytes) continue;
      used = std::max(used, (step.offset - range.offset + step.size - 1) / range.element + 1);
    }
    return std::min(max_shown, std::max(used, min_shown));
  }

  [[nodiscard]] int range_of(const simt::recorded_step& step) const {
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      if (ranges_[i].array == step.array && step.offset - ranges_[i].offset < ranges_[i].bytes)
        return static_cast<int>(i);
    }
    return -1;
  }

  static json values(const simt::recorded_value& value, const named_range& range, std::size_t count) {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(value.words.data());
    json all = json::array();
    for (std::size_t i = 0; i < count; ++i)
      all.push_back(value.is_written ? json(value_text(bytes + i * range.element, range)) : json(nullptr));
    return count == 1 ? all[0] : all;
  }

  std::size_t index_of_action(const std::string& action) {
    const auto at = std::ranges::find(actions_, action);
    if (at == actions_.end()) return actions_.push_back(action), actions_.size() - 1;
    return static_cast<std::size_t>(at - actions_.begin());
  }

  json step_json(const simt::recorded_step& step) {
    const int array = step.array < 0 ? -1 : range_of(step);
    std::size_t first = 0, count = 0;
    json before, after;
    if (array >= 0) {
      const named_range& range = ranges_[static_cast<std::size_t>(array)];
      first = (step.offset - range.offset) / range.element;
      count = std::clamp<std::size_t>(step.size / range.element, 1, sizeof step.before.words / range.element);
      before = values(step.before, range, count);
      after = values(step.after, range, count);
    }
    return json::array({step.turn, step.thread, static_cast<int>(step.kind), index_of_action(step.action),
                        step.file, step.line, array, first, count, before, after, step.fault, step.other_thread,
                        step.mask, step.entries});
  }

  const simt::recorded_launch& launch_;
  std::vector<named_range> ranges_;
  std::vector<std::string> actions_;
};

json faults_of(const simt::recorded_launch& launch) {
  json all = json::array();
  for (const simt::fault& found : launch.faults) {
    json sites = json::array();
    for (const simt::fault_site& site : {found.site, found.other_site}) {
      if (site.line != 0) sites.push_back(json::array({base_name(site.file), site.line}));
    }
    all.push_back({{"kind", simt::name_of(found.kind)}, {"text", found.text()}, {"sites", sites}});
  }
  return all;
}

std::string title_of(const simt::recorded_launch& launch, std::size_t number) {
  std::vector<std::string> kinds;
  for (const simt::fault& found : launch.faults) {
    if (std::ranges::find(kinds, name_of(found.kind)) == kinds.end()) kinds.emplace_back(name_of(found.kind));
  }
  return fmt::format("{}. {}: {}", number, launch.kernel,
                     kinds.empty() ? "no findings" : fmt::format("{}", fmt::join(kinds, ", ")));
}

json run_json(const html_subject& subject, const simt::recorded_launch& launch, std::size_t number) {
  run_writer writer(subject, launch);
  json files = json::array();
  for (const std::string& file : launch.files) files.push_back(base_name(file));
  json steps = writer.steps();
  return {{"title", title_of(launch, number)},
          {"kernel", launch.kernel},
          {"file", base_name(launch.file)},
          {"line", launch.line},
          {"model", launch.model == simt::execution::lock_step ? "lock_step" : "independent"},
          {"seed", launch.seed},
          {"scheduled", launch.is_scripted},
          {"grid", {launch.grid.x, launch.grid.y, launch.grid.z}},
          {"block", {launch.block.x, launch.block.y, launch.block.z}},
          {"threads", launch.threads},
          {"threadsPerBlock", launch.threads_per_block},
          {"shownThreads", std::min(launch.threads, subject.limits.max_threads)},
          {"files", files},
          {"actions", writer.actions()},
          {"arrays", writer.arrays()},
          {"faults", faults_of(launch)},
          {"leftOut", left_out_of(launch, subject.limits)},
          {"schedule", launch.schedule},
          {"steps", std::move(steps)}};
}

}  // namespace

std::string_view kernel_source(std::string_view name) {
  const std::string_view text = source_of(name);
  return text.empty() ? hazard_source_of(name) : text;
}

std::string left_out_of(const simt::recorded_launch& launch, const simt::recorder_settings& limits) {
  std::vector<std::string> parts;
  if (launch.dropped_steps != 0)
    parts.push_back(fmt::format("{} steps after the first {}", launch.dropped_steps, launch.steps.size()));
  if (launch.steps_of_others != 0)
    parts.push_back(fmt::format("{} steps of the {} threads after the first {}", launch.steps_of_others,
                                launch.threads - limits.max_threads, limits.max_threads));
  return parts.empty() ? "" : fmt::format("Left out: {}.", fmt::join(parts, "; "));
}

std::string launches_left_out_of(const html_subject& subject) {
  if (subject.dropped_launches == 0) return "";
  return fmt::format("Left out: {} of {} launches.", subject.dropped_launches,
                     subject.dropped_launches + subject.launches.size());
}

json json_of(const std::vector<html_subject>& subjects) {
  json all = json::array(), sources = json::object();
  for (const html_subject& subject : subjects) {
    json runs = json::array();
    for (const simt::recorded_launch& launch : subject.launches) {
      runs.push_back(run_json(subject, launch, runs.size() + 1));
      std::vector<std::string> files = launch.files;
      files.push_back(launch.file);
      for (const std::string& file : files) {
        const std::string name = base_name(file);
        if (!kernel_source(name).empty()) sources[name] = kernel_source(name);
      }
    }
    all.push_back({{"name", subject.name},
                   {"about", subject.about},
                   {"leftOut", launches_left_out_of(subject)},
                   {"runs", std::move(runs)}});
  }
  return {{"subjects", std::move(all)}, {"sources", std::move(sources)}};
}

}  // namespace exactdot::lab
