// Explanation of a rung; see explain.hpp. Its text is the opening comment of the rung's file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exactdot/error.hpp>
#include <io/fault.hpp>
#include <lab/explain.hpp>
#include <lab/paragraph.hpp>
#include <lab/registry.hpp>
#include <lab/source_listing.hpp>
#include <lab/workload.hpp>
#include <vector>

namespace exactdot::lab {
namespace {

/// Returns every rung of this build over a workload once; rungs of vendor libraries only if the build includes a
/// GPU.
std::vector<rung_info> rungs_over(std::string_view name) {
  std::vector<rung_info> all;
  for (const backend target : {backend::simt, backend::cuda}) {
    for (const rung& candidate : ladder(target, name)) {
      const auto same = [&](const rung_info& other) { return std::string_view(other.name) == candidate.info.name; };
      if (std::ranges::none_of(all, same)) all.push_back(candidate.info);
    }
  }
  std::ranges::stable_sort(all, {}, &rung_info::number);
  return all;
}

/// Returns the rungs of all workloads.
std::vector<rung_info> all_rungs() {
  std::vector<rung_info> all;
  for (const workload& kind : workloads()) {
    const std::vector<rung_info> rungs = rungs_over(kind.name);
    all.insert(all.end(), rungs.begin(), rungs.end());
  }
  return all;
}

const char* text_of(block_rule rule) {
  switch (rule) {
    case block_rule::none:
      return "no kernel of its own";
    case block_rule::any:
      return "1 to 1024 threads";
    case block_rule::whole_warps:
      return "a multiple of 32 threads, up to 1024";
    case block_rule::tree:
      return "64, 128, 256, 512 or 1024 threads";
    case block_rule::any_tree:
      return "a power of two of threads, from 2 to 1024";
  }
  return "";
}

const char* text_of(determinism promise) {
  switch (promise) {
    case determinism::none:
      return "not promised: the last bits may differ between runs";
    case determinism::fixed_grid:
      return "in every run with the same grid and block";
    case determinism::always:
      return "in every run, for every grid and block";
  }
  return "";
}

const char* text_of(error_rule rule) {
  switch (rule) {
    case error_rule::none:
      return "no bound";
    case error_rule::working:
      return "at most about k u S in the type of the data";
    case error_rule::in_float:
      return "at most about k u S in float";
    case error_rule::in_double:
      return "at most about k u S in double, and one rounding";
    case error_rule::kahan:
      return "at most about (3 + 3k) u S if 8 n u < 1; otherwise no bound";
    case error_rule::neumaier:
      return "one rounding, and at most about (2 k u)^2 S";
    case error_rule::fixed_point:
      return "half a step of the fixed-point format for each term, and one rounding";
    case error_rule::correctly_rounded:
      return "one rounding";
  }
  return "";
}

/// The opening comment of a source file, without slashes, and the number of the line after it.
struct opening_comment {
  std::string text;
  int next_line = 1;
};

opening_comment opening_comment_of(std::string_view source) {
  opening_comment comment;
  while (source.starts_with("//")) {
    const std::size_t end = source.find('\n');
    const std::size_t start = std::min<std::size_t>(3, end);
    comment.text += std::string(source.substr(start, end - start)) + "\n";
    ++comment.next_line;
    source.remove_prefix(end + 1);
  }
  return comment;
}

}  // namespace

std::vector<std::string> rung_names(std::string_view workload) {
  std::vector<std::string> names;
  for (const rung_info& info : workload.empty() ? all_rungs() : rungs_over(workload)) names.emplace_back(info.name);
  return names;
}

std::string workload_of(std::string_view rung) {
  const std::vector<rung_info> all = all_rungs();
  const auto found =
      std::ranges::find(all, rung, [](const rung_info& info) { return std::string_view(info.name); });
  if (found != all.end()) return found->workload;
  const std::string_view source = source_of(std::string(rung) + ".cu");  // of a rung that needs a GPU
  if (source.empty()) return {};
  constexpr std::string_view field = ".workload = \"";
  const std::size_t at = source.find(field);
  if (at == std::string_view::npos) return "dot";
  const std::string_view rest = source.substr(at + field.size());
  return std::string(rest.substr(0, rest.find('"')));
}

bool needs_gpu(std::string_view name) {
  const auto is_named = [&](const rung& candidate) { return candidate.info.name == name; };
  for (const workload& kind : workloads()) {
    if (std::ranges::any_of(ladder(backend::simt, kind.name), is_named)) return false;
  }
  return !source_of(std::string(name) + ".cu").empty();
}

std::string rung_list(std::string_view workload) {
  std::string text;
  for (const lab::workload& kind : workloads()) {
    if (!workload.empty() && workload != kind.name) continue;
    text += paragraph(fmt::format("workload {}:", kind.name), kind.summary, 3);
    for (const rung_info& info : rungs_over(kind.name)) {
      const std::string heading = fmt::format("{:>2} {}", info.number, info.name);
      text += paragraph(heading, std::string(info.summary) + (needs_gpu(info.name) ? " (needs a GPU)" : ""), 23);
    }
  }
  return text;
}

std::string explain(std::string_view name) {
  const std::vector<rung_info> all = all_rungs();
  const auto found =
      std::ranges::find(all, name, [](const rung_info& info) { return std::string_view(info.name); });
  if (found == all.end()) {
    throw error(errc::bad_option, fmt::format("--explain {}: unknown rung; the rungs are {}", io::printable(name),
                                              fmt::join(rung_names(), ", ")));
  }
  const opening_comment comment = opening_comment_of(source_of(found->file));
  std::string text = fmt::format("rung {}: {}{}\n\n{}\n", found->number, found->name,
                                 found->wrong_on_purpose ? " (wrong on purpose)" : "", comment.text);
  const auto line = [&](const char* key, const std::string& value) {
    if (!value.empty()) text += fmt::format("{:<11} {}\n", key, value);
  };
  line("summary", found->summary);
  line("claimed", found->claim);
  line("blocks", text_of(found->blocks));
  line("same bits", text_of(found->same_bits));
  line("error", text_of(found->error));
  if (found->error != error_rule::none && found->error != error_rule::correctly_rounded) {
    line("", "k: roundings on the longest path to the result; u: 2^-24 (float), 2^-53 (double); S: sum of |a b|");
  }
  line("operations", found->any_operation ? "sum, min, max, absmax, product" : "sum");
  const std::string folder = found->workload == std::string_view("dot") ? "" : found->workload + std::string("/");
  return text + listing("lab/rungs/" + folder, found->file, source_of, comment.next_line);
}

}  // namespace exactdot::lab
