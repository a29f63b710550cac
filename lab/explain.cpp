// A rung explained; see explain.hpp. The opening comment of its file is the explanation, so that the two cannot
// part.
#include <fmt/format.h>

#include <algorithm>
#include <exactdot/error.hpp>
#include <io/fault.hpp>
#include <lab/explain.hpp>
#include <lab/registry.hpp>
#include <vector>

namespace exactdot::lab {
namespace {

/// Every rung that this build knows, each once; those of the vendor's libraries only where a GPU was built for.
std::vector<rung_info> all_rungs() {
  std::vector<rung_info> all;
  for (const world where : {world::simt, world::cuda}) {
    for (const rung& one : ladder(where)) {
      const auto same = [&](const rung_info& other) { return std::string_view(other.name) == one.info.name; };
      if (std::ranges::none_of(all, same)) all.push_back(one.info);
    }
  }
  std::ranges::stable_sort(all, {}, &rung_info::number);
  return all;
}

const char* text_of(block_rule rule) {
  switch (rule) {
    case block_rule::none:
      return "none of its own";
    case block_rule::any:
      return "1 to 1024 threads";
    case block_rule::whole_warps:
      return "a multiple of 32 threads, up to 1024";
    case block_rule::tree:
      return "64, 128, 256, 512 or 1024 threads";
  }
  return "";
}

const char* text_of(determinism promise) {
  switch (promise) {
    case determinism::none:
      return "not promised: the last bits may change from run to run";
    case determinism::fixed_grid:
      return "every run, for one grid and block";
    case determinism::always:
      return "always";
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
      return "at most about (3 + 3k) u S while 8 n u < 1; beyond that nothing";
    case error_rule::neumaier:
      return "one rounding, and at most about (2 k u)^2 S";
    case error_rule::correctly_rounded:
      return "one rounding";
  }
  return "";
}

struct parts {
  std::string comment;
  std::string_view code;
};

/// The opening comment without its slashes, and what follows.
parts split(std::string_view source) {
  parts found;
  while (source.starts_with("//")) {
    const std::size_t end = source.find('\n');
    found.comment +=
        std::string(source.substr(std::min<std::size_t>(3, end), end - std::min<std::size_t>(3, end))) + "\n";
    source.remove_prefix(end + 1);
  }
  found.code = source;
  return found;
}

/// The files of lab/ that `source` includes for its kernels, and those that these include; each once.
void add_shared(std::string_view source, std::vector<std::string>& files) {
  constexpr std::string_view start = "#include <lab/", end = ".cuh>";
  for (std::size_t at = source.find(start); at != std::string_view::npos; at = source.find(start, at + 1)) {
    const std::string_view line = source.substr(at, source.find('\n', at) - at);
    if (!line.ends_with(end)) continue;
    const std::string file(line.substr(start.size(), line.size() - start.size() - 1));
    if (std::ranges::find(files, file) != files.end()) continue;
    files.push_back(file);
    add_shared(source_of(file), files);
  }
}

}  // namespace

std::string explain(std::string_view name) {
  const std::vector<rung_info> all = all_rungs();
  const auto found = std::ranges::find(all, name, [](const rung_info& one) { return std::string_view(one.name); });
  if (found == all.end()) {
    std::string names;
    for (const rung_info& one : all) names += (names.empty() ? "" : ", ") + std::string(one.name);
    throw error(errc::bad_option,
                fmt::format("--explain {}: there is no such rung; there are {}", io::printable(name), names));
  }
  const auto [comment, code] = split(source_of(found->file));
  std::string text = fmt::format("rung {}: {}{}\n\n{}\n", found->number, found->name,
                                 found->wrong_on_purpose ? " (wrong on purpose)" : "", comment);
  const auto line = [&](const char* key, const std::string& value) {
    if (!value.empty()) text += fmt::format("{:<11} {}\n", key, value);
  };
  line("notice", found->notice);
  line("claimed", found->claim);
  line("blocks", text_of(found->blocks));
  line("same bits", text_of(found->same_bits));
  line("error", text_of(found->error));
  if (found->error != error_rule::none && found->error != error_rule::correctly_rounded) {
    line("", "k: roundings on the longest way to the result; u: 2^-24 (float), 2^-53 (double); S: sum of |a b|");
  }
  line("operations", found->any_operation ? "sum, min, max, absmax, product" : "sum");
  text += fmt::format("\nlab/rungs/{}\n{}", found->file, code);
  std::vector<std::string> shared;
  add_shared(code, shared);
  for (const std::string& file : shared) text += fmt::format("\nlab/{}\n{}", file, source_of(file));
  return text;
}

}  // namespace exactdot::lab
