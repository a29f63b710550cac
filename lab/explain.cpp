// Explanation of a rung; see explain.hpp. Its text is the opening comment of the rung's file.
#include <fmt/format.h>

#include <algorithm>
#include <exactdot/error.hpp>
#include <io/fault.hpp>
#include <lab/explain.hpp>
#include <lab/registry.hpp>
#include <vector>

namespace exactdot::lab {
namespace {

/// Returns every rung of this build once; rungs of vendor libraries only if the build includes a GPU.
std::vector<rung_info> all_rungs() {
  std::vector<rung_info> all;
  for (const backend target : {backend::simt, backend::cuda}) {
    for (const rung& candidate : ladder(target)) {
      const auto same = [&](const rung_info& other) { return std::string_view(other.name) == candidate.info.name; };
      if (std::ranges::none_of(all, same)) all.push_back(candidate.info);
    }
  }
  std::ranges::stable_sort(all, {}, &rung_info::number);
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
    case error_rule::correctly_rounded:
      return "one rounding";
  }
  return "";
}

struct source_sections {
  std::string comment;
  std::string_view code;
};

/// Splits a source file into its opening comment, without slashes, and the code after it.
source_sections split(std::string_view source) {
  source_sections sections;
  while (source.starts_with("//")) {
    const std::size_t end = source.find('\n');
    sections.comment +=
        std::string(source.substr(std::min<std::size_t>(3, end), end - std::min<std::size_t>(3, end))) + "\n";
    source.remove_prefix(end + 1);
  }
  sections.code = source;
  return sections;
}

/// Appends the lab/*.cuh files that `source` includes, directly or indirectly; each once.
void add_included_files(std::string_view source, std::vector<std::string>& files) {
  constexpr std::string_view start = "#include <lab/", end = ".cuh>";
  for (std::size_t i = source.find(start); i != std::string_view::npos; i = source.find(start, i + 1)) {
    const std::string_view line = source.substr(i, source.find('\n', i) - i);
    if (!line.ends_with(end)) continue;
    const std::string file(line.substr(start.size(), line.size() - start.size() - 1));
    if (std::ranges::find(files, file) != files.end()) continue;
    files.push_back(file);
    add_included_files(source_of(file), files);
  }
}

}  // namespace

std::string explain(std::string_view name) {
  const std::vector<rung_info> all = all_rungs();
  const auto found =
      std::ranges::find(all, name, [](const rung_info& info) { return std::string_view(info.name); });
  if (found == all.end()) {
    std::string names;
    for (const rung_info& known : all) names += (names.empty() ? "" : ", ") + std::string(known.name);
    throw error(errc::bad_option,
                fmt::format("--explain {}: unknown rung; the rungs are {}", io::printable(name), names));
  }
  const auto [comment, code] = split(source_of(found->file));
  std::string text = fmt::format("rung {}: {}{}\n\n{}\n", found->number, found->name,
                                 found->wrong_on_purpose ? " (wrong on purpose)" : "", comment);
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
  text += fmt::format("\nlab/rungs/{}\n{}", found->file, code);
  std::vector<std::string> included;
  add_included_files(code, included);
  for (const std::string& file : included) text += fmt::format("\nlab/{}\n{}", file, source_of(file));
  return text;
}

}  // namespace exactdot::lab
