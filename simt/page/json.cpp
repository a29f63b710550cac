// JSON of recorded launches; see json.hpp.
#include "json.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "json_text.hpp"
#include "names.hpp"

namespace exactdot::simt {
namespace {

constexpr std::size_t row = 32, max_rows = 16;  // elements of an array
constexpr std::size_t max_source_bytes = 256 << 10;

std::string base_name(const std::string& file) { return file.substr(file.rfind('/') + 1); }

/// The files of a page: names that differ, and texts. A path has its folders only where two files have one name.
class page_sources {
 public:
  explicit page_sources(const source_reader& source_of) : source_of_(source_of) {}

  std::string name_of(const std::string& path) {
    const auto known = names_.find(path);
    if (known != names_.end()) return known->second;
    std::string name = base_name(path);
    const auto is_taken = [this](const std::string& one) {
      return std::any_of(names_.begin(), names_.end(), [&](const auto& entry) { return entry.second == one; });
    };
    for (int i = 2; is_taken(name); ++i) name = base_name(path) + " (" + std::to_string(i) + ")";
    names_[path] = name;
    const std::string text = source_of_(path);
    if (!text.empty() && text.size() <= max_source_bytes) texts_.add_text(name, text);
    return name;
  }
  [[nodiscard]] std::string texts() const { return texts_.object(); }

 private:
  const source_reader& source_of_;
  std::map<std::string, std::string> names_;
  json_list texts_;
};

/// One launch, with what all parts of its JSON need.
class run_writer {
 public:
  run_writer(const page_subject& subject, const recorded_launch& launch, const source_reader& source_of)
      : launch_(launch), ranges_(name_ranges(launch, source_of, subject.element_type)) {
    for (const recorded_step& step : launch.steps) note_values_before(step);
    for (std::size_t i = 0; i < ranges_.size(); ++i) shown_.push_back(shown_elements(i));
  }

  [[nodiscard]] std::string arrays() const {
    json_list all;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      const named_range& range = ranges_[i];
      const recorded_array& array = launch_.arrays[static_cast<std::size_t>(range.array)];
      json_list values, stretches;
      for (const auto& [first, end] : shown_[i]) {
        stretches.add(json_list().add_number(first).add_number(end - first).array());
        for (std::size_t j = first; j < end; ++j)
          values.add(initial_value(array, range, range.offset + j * range.element));
      }
      json_list one;
      one.add_text("name", range.name).add_text("space", array.shared ? "shared" : "global");
      one.add_number("block", array.block).add_text("type", range.type).add_number("element", range.element);
      one.add_number("start", range.offset % 128).add_number("count", range.bytes / range.element);
      one.add("stretches", stretches.array()).add("values", values.array());
      all.add(one.object());
    }
    return all.array();
  }

  std::string steps() {
    json_list all;
    for (const recorded_step& step : launch_.steps) all.add(step_json(step));
    return all.array();
  }

  /// Threads with steps before the first recorded one: thread, whether it has passed its barrier, last step or
  /// null.
  std::string before() {
    json_list all;
    for (const thread_before& one : launch_.before) {
      json_list thread;
      thread.add_number(one.thread).add(one.has_passed ? "true" : "false");
      all.add(thread.add(one.has_exited ? "null" : step_json(one.last)).array());
    }
    return all.array();
  }

  [[nodiscard]] std::string actions() const {
    json_list all;
    for (const std::string& action : actions_) all.add(json_text(action));
    return all.array();
  }

 private:
  static constexpr const char* unknown = "false";
  struct held_value {
    recorded_value value;
    std::size_t offset;
  };

  /// What each word holds before the first step that uses it: of long arrays all that is known.
  void note_values_before(const recorded_step& step) {
    if (step.array < 0) return;
    auto& values = values_before_[step.array];
    const std::size_t size = std::min(step.size, sizeof step.before.words);
    for (std::size_t byte = 0; byte < size; ++byte)
      values.try_emplace(step.offset + byte, held_value{step.before, byte});
  }

  [[nodiscard]] std::string initial_value(const recorded_array& array, const named_range& range,
                                          std::size_t offset) const {
    if (offset + range.element <= array.initial.size()) {
      if (!array.is_written[offset / 4]) return "null";
      return json_text(value_text(array.initial.data() + offset, range));
    }
    const auto values = values_before_.find(range.array);
    if (values == values_before_.end()) return unknown;
    const auto held = values->second.find(offset);
    if (held == values->second.end()) return unknown;
    if (!held->second.value.is_written || held->second.offset + range.element > sizeof held->second.value.words)
      return "null";
    return json_text(value_text(bytes_of(held->second.value) + held->second.offset, range));
  }

  static const unsigned char* bytes_of(const recorded_value& value) {
    return reinterpret_cast<const unsigned char*>(value.words.data());
  }

  using stretch = std::pair<std::size_t, std::size_t>;  // first element and end

  /// Returns the elements to show: all of a short array; else the rows that steps use, as far as there is room,
  /// those of findings first.
  [[nodiscard]] std::vector<stretch> shown_elements(std::size_t index) const {
    const named_range& range = ranges_[index];
    const std::size_t count = range.bytes / range.element;
    std::size_t end = 0;
    std::vector<std::size_t> used, found;  // rows
    for (const recorded_step& step : launch_.steps) {
      if (step.array != range.array || step.offset - range.offset >= range.bytes) continue;
      const std::size_t first = (step.offset - range.offset) / range.element;
      end = std::max(end, std::min(count, (step.offset - range.offset + step.size - 1) / range.element + 1));
      std::vector<std::size_t>& list = step.fault >= 0 ? found : used;
      if (list.size() < 1000 && std::find(list.begin(), list.end(), first / row) == list.end())
        list.push_back(first / row);
    }
    if (end <= 2 * row) return {{0, std::min(count, std::max<std::size_t>(end <= 1 ? 8 : row, (end + 7) / 8 * 8))}};
    std::set<std::size_t> rows;
    for (const auto* const list : {&found, &used}) {
      for (const std::size_t one : *list)
        if (rows.size() < max_rows) rows.insert(one);
    }
    std::vector<stretch> shown;
    for (const std::size_t one : rows) {
      if (shown.empty() || shown.back().second != one * row) shown.push_back({one * row, one * row});
      shown.back().second = std::min(count, one * row + row);
    }
    return shown;
  }

  [[nodiscard]] int range_of(const recorded_step& step) const {
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      if (ranges_[i].array == step.array && step.offset - ranges_[i].offset < ranges_[i].bytes)
        return static_cast<int>(i);
    }
    return -1;
  }

  static std::string values(const recorded_value& value, const named_range& range, std::size_t count) {
    json_list all;
    for (std::size_t i = 0; i < count; ++i)
      all.add(value.is_written ? json_text(value_text(bytes_of(value) + i * range.element, range)) : "null");
    const std::string list = all.array();
    return count == 1 ? list.substr(1, list.size() - 2) : list;
  }

  std::size_t index_of_action(const std::string& action) {
    const auto at = std::find(actions_.begin(), actions_.end(), action);
    if (at == actions_.end()) return actions_.push_back(action), actions_.size() - 1;
    return static_cast<std::size_t>(at - actions_.begin());
  }

  std::string step_json(const recorded_step& step) {
    const int array = step.array < 0 ? -1 : range_of(step);
    std::size_t first = 0, count = 0;
    std::string before = "null", after = "null";
    if (array >= 0) {
      const named_range& range = ranges_[static_cast<std::size_t>(array)];
      first = (step.offset - range.offset) / range.element;
      const std::size_t most = std::max<std::size_t>(1, sizeof step.before.words / range.element);
      count = std::clamp<std::size_t>(step.size / range.element, 1, most);
      before = values(step.before, range, count);
      after = values(step.after, range, count);
    }
    json_list all;
    all.add_number(step.turn).add_number(step.thread).add_number(static_cast<int>(step.kind));
    all.add_number(index_of_action(step.action)).add_number(step.file).add_number(step.line).add_number(array);
    all.add_number(first).add_number(count).add(before).add(after).add_number(step.fault);
    all.add_number(step.other_thread).add_number(step.mask).add_number(step.entries);
    if (step.request >= 0) all.add_number(step.request);
    return all.array();
  }

  const recorded_launch& launch_;
  std::vector<named_range> ranges_;
  std::map<int, std::map<std::size_t, held_value>> values_before_;  // by array and byte
  std::vector<std::vector<stretch>> shown_;
  std::vector<std::string> actions_;
};

/// Returns a site as [file, line, number of the thread in the grid or -1, action].
std::string site_json(const recorded_launch& launch, const fault_site& site, page_sources& sources) {
  const auto number_in = [](const index3& index, const index3& size) {
    return index.x + size.x * (index.y + size.y * index.z);
  };
  const long long thread =
      site.by_host ? -1
                   : static_cast<long long>(number_in(site.block, launch.grid)) * launch.threads_per_block +
                         number_in(site.thread, launch.block);
  json_list json;
  json.add(json_text(site.file.empty() ? "" : sources.name_of(site.file))).add_number(site.line);
  return json.add_number(thread).add(json_text(site.action)).array();
}

fault_site site_at(const recorded_launch& launch, const recorded_step& step) {
  const auto index_in = [](unsigned number, const index3& size) {
    return index3{number % size.x, number / size.x % size.y, number / size.x / size.y};
  };
  return {index_in(step.thread / launch.threads_per_block, launch.grid),
          index_in(step.thread % launch.threads_per_block, launch.block), step.action,
          step.file < 0 ? "" : launch.files[static_cast<std::size_t>(step.file)], step.line};
}

/// Returns the last access by a thread to the bytes of a step, before it; null if there is none.
const recorded_step* other_side(const recorded_launch& launch, const recorded_step& found) {
  const recorded_step* last = nullptr;
  for (const recorded_step& step : launch.steps) {
    if (&step == &found) break;
    const bool overlaps = step.offset < found.offset + found.size && found.offset < step.offset + step.size;
    if (static_cast<int>(step.thread) == found.other_thread && step.array == found.array && overlaps) last = &step;
  }
  return last;
}

/// Returns a finding as this launch shows it: of the steps that have it, the one that its text names, or the first
/// one. The text of a finding may be that of another launch, or of threads that are not shown.
fault as_shown(const recorded_launch& launch, std::size_t number) {
  fault found = launch.faults[number];
  const auto same = [](const index3& left, const index3& right) {
    return left.x == right.x && left.y == right.y && left.z == right.z;
  };
  const bool in_one_block = same(found.site.block, found.other_site.block);
  const recorded_step *first = nullptr, *alike = nullptr;
  for (const recorded_step& step : launch.steps) {
    if (step.fault != static_cast<int>(number)) continue;
    const fault_site site = site_at(launch, step);
    const bool is_named = site.line == found.site.line && site.file == found.site.file &&
                          same(site.block, found.site.block) && same(site.thread, found.site.thread);
    const recorded_step* const other = other_side(launch, step);
    if (is_named && (found.other_site.action.empty() || other != nullptr)) return found;
    if (other == nullptr || step.array < 0) continue;
    if (first == nullptr) first = &step;
    if (alike == nullptr && same(site.block, site_at(launch, *other).block) == in_one_block) alike = &step;
  }
  if (first == nullptr) return found;
  if (alike == nullptr) found.cause = "";  // it is that of another relation
  const recorded_step& shown = alike == nullptr ? *first : *alike;
  found.site = site_at(launch, shown), found.other_site = site_at(launch, *other_side(launch, shown));
  return found;
}

std::string faults_of(const recorded_launch& launch, page_sources& sources) {
  json_list all;
  for (std::size_t i = 0; i < launch.faults.size(); ++i) {
    const fault found = as_shown(launch, i);
    json_list sites;
    for (const fault_site& site : {found.site, found.other_site}) {
      if (!site.action.empty()) sites.add(site_json(launch, site, sources));
    }
    fault brief = found;
    brief.cause = brief.fix = "", brief.times = 1;
    json_list one;
    one.add_text("kind", name_of(found.kind)).add_text("head", brief.text()).add("sites", sites.array());
    one.add_text("cause", found.cause).add_text("fix", found.fix).add_number("times", found.times);
    one.add_number("otherLeftOut", i < launch.other_sides_left_out.size() ? launch.other_sides_left_out[i] : 0);
    all.add(one.object());
  }
  return all.array();
}

std::string title_of(const page_subject& subject, const recorded_launch& launch) {
  std::vector<std::string> kinds;
  for (const fault& found : launch.faults) {
    if (std::find(kinds.begin(), kinds.end(), name_of(found.kind)) == kinds.end())
      kinds.emplace_back(name_of(found.kind));
  }
  std::string list;
  for (const std::string& kind : kinds) list += (list.empty() ? "" : ", ") + kind;
  const bool has_name = launch.number - 1 < subject.launch_names.size();
  return std::to_string(launch.number) + ". " + launch.kernel +
         (has_name ? ", " + subject.launch_names[launch.number - 1] : "") + ": " +
         (list.empty() ? "no findings" : list);
}

template <class Numbers>
std::string number_list(const Numbers& numbers) {
  json_list all;
  for (const auto number : numbers) all.add_number(number);
  return all.array();
}

/// Requests as [lanes, degree, bank].
std::string requests_of(const recorded_launch& launch) {
  json_list all;
  for (const recorded_request& one : launch.requests)
    all.add(json_list().add_number(one.lanes).add_number(one.degree).add_number(one.bank).array());
  return all.array();
}

std::string run_json(const page_subject& subject, const recorded_launch& launch, page_sources& sources,
                     const source_reader& source_of) {
  run_writer writer(subject, launch, source_of);
  json_list files;
  for (const std::string& file : launch.files) files.add(json_text(sources.name_of(file)));
  const std::string steps = writer.steps(), before = writer.before();
  json_list run;
  run.add_text("title", title_of(subject, launch)).add_text("kernel", launch.kernel);
  run.add_text("file", launch.file.empty() ? "" : sources.name_of(launch.file)).add_number("line", launch.line);
  run.add_text("model", launch.model == execution::lock_step ? "lock_step" : "independent");
  run.add_number("seed", launch.seed).add("scheduled", launch.is_scripted ? "true" : "false");
  run.add("grid", number_list(std::vector{launch.grid.x, launch.grid.y, launch.grid.z}));
  run.add("block", number_list(std::vector{launch.block.x, launch.block.y, launch.block.z}));
  run.add_number("threads", launch.threads).add_number("threadsPerBlock", launch.threads_per_block);
  run.add("shown", number_list(launch.shown_threads)).add("files", files.array());
  run.add("actions", writer.actions()).add("arrays", writer.arrays()).add("faults", faults_of(launch, sources));
  run.add_text("leftOut", left_out_of(launch)).add("before", before).add("schedule", number_list(launch.schedule));
  return run.add("requests", requests_of(launch)).add("steps", steps).object();
}

/// Returns the number of shown steps: of threads, as the ones that are left out; in lock step also that of turns,
/// which the page steps through.
std::string shown_steps(const recorded_launch& launch) {
  const auto count = std::count_if(launch.steps.begin(), launch.steps.end(),
                                   [](const recorded_step& step) { return step.kind < step_kind::opened; });
  if (launch.model != execution::lock_step) return std::to_string(count);
  std::uint64_t turns = 0, last = ~std::uint64_t{0};
  for (const recorded_step& step : launch.steps) turns += step.turn != last ? 1 : 0, last = step.turn;
  return std::to_string(count) + " of single lanes, which are " + std::to_string(turns) + " steps of warps here";
}

}  // namespace

std::string left_out_of(const recorded_launch& launch) {
  std::vector<std::string> parts;
  if (launch.skipped_steps != 0)
    parts.push_back(std::to_string(launch.skipped_steps) +
                    " steps of all threads before those around the first finding");
  if (launch.dropped_steps != 0) {
    parts.push_back(std::to_string(launch.dropped_steps) + " steps after " +
                    (launch.skipped_steps != 0 ? "them" : "the first " + shown_steps(launch)));
  }
  if (launch.steps_of_others != 0) {
    const std::size_t shown = launch.shown_threads.size();
    const bool are_first = !launch.shown_threads.empty() && launch.shown_threads.back() + 1 == shown;
    const std::string count = std::to_string(launch.steps_of_others) + " steps of ";
    const std::string others = std::to_string(launch.threads - shown);
    parts.push_back(
        count + "the " + others +
        (are_first ? " threads after the first " + std::to_string(shown) : " threads that are not shown"));
  }
  std::string list;
  for (const std::string& one : parts) list += (list.empty() ? "Left out: " : "; ") + one;
  return list.empty() ? "" : list + ".";
}

std::vector<std::string> sentences_of(const page_subject& subject) {
  std::vector<std::string> all = subject.notes;
  if (subject.dropped_launches != 0) {
    all.insert(all.begin(), "Left out: " + std::to_string(subject.dropped_launches) + " of " +
                                std::to_string(subject.dropped_launches + subject.launches.size()) + " launches.");
  }
  return all;
}

std::string json_of(const std::vector<page_subject>& subjects, const std::string& command,
                    const source_reader& source_of) {
  json_list all;
  page_sources sources(source_of);
  for (const page_subject& subject : subjects) {
    json_list runs;
    for (const recorded_launch& launch : subject.launches) runs.add(run_json(subject, launch, sources, source_of));
    std::string left_out;
    for (const std::string& sentence : sentences_of(subject)) left_out += (left_out.empty() ? "" : " ") + sentence;
    json_list one;
    one.add_text("name", subject.name).add_text("about", subject.about).add_text("leftOut", left_out);
    all.add(one.add("runs", runs.array()).object());
  }
  json_list page;
  page.add("subjects", all.array()).add("sources", sources.texts()).add_text("command", command);
  return page.object();
}

}  // namespace exactdot::simt
