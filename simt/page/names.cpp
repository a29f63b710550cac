// Names of arrays; see names.hpp. simtcc notes the pointers of a kernel by name and type; what else a kernel
// declares is read from the text of its source, which is no parser: a name that it does not find is left out.
#include "names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>

namespace exactdot::simt {
namespace {

struct type_name {
  std::string_view name;
  std::size_t size;
  char kind;  // integer, unsigned, float
};
constexpr std::array<type_name, 21> known_types{{{"float", 4, 'f'},
                                                 {"double", 8, 'f'},
                                                 {"int", 4, 'i'},
                                                 {"unsigned", 4, 'u'},
                                                 {"unsigned int", 4, 'u'},
                                                 {"long long", 8, 'i'},
                                                 {"unsigned long long", 8, 'u'},
                                                 {"std::uint32_t", 4, 'u'},
                                                 {"std::uint64_t", 8, 'u'},
                                                 {"std::size_t", 8, 'u'},
                                                 {"uint32_t", 4, 'u'},
                                                 {"uint64_t", 8, 'u'},
                                                 {"size_t", 8, 'u'},
                                                 {"short", 2, 'i'},
                                                 {"unsigned short", 2, 'u'},
                                                 {"char", 1, 'i'},
                                                 {"unsigned char", 1, 'u'},
                                                 {"long", 8, 'i'},
                                                 {"unsigned long", 8, 'u'},
                                                 {"int64_t", 8, 'i'},
                                                 {"bool", 1, 'u'}}};

/// Returns the name of a type by its size and kind; "" if there is none.
std::string type_of(char kind, std::size_t size) {
  const auto at = std::find_if(known_types.begin(), known_types.end(),
                               [&](const type_name& known) { return known.kind == kind && known.size == size; });
  return at == known_types.end() ? "" : std::string(at->name);
}

const type_name* find_type(std::string_view name) {
  const auto at = std::find_if(known_types.begin(), known_types.end(),
                               [&](const type_name& known) { return known.name == name; });
  return at == known_types.end() ? nullptr : &*at;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

/// Returns the words of a declaration without const, volatile and symbols.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word(text.substr(i, end - i));
    if (!word.empty() && word != "const" && word != "volatile" && word != "__restrict__") words.push_back(word);
    i = std::max(end, i + 1);
  }
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

parameter parse_parameter(std::string_view text) {
  std::vector<std::string> words = words_of(text);
  parameter found;
  if (words.empty()) return found;
  found.name = words.back();
  words.pop_back();
  found.type = joined(words);
  const bool is_scalar = find_type(found.type) != nullptr || found.type == "T" || found.type == "V";
  found.may_point = text.find('*') != std::string_view::npos || !is_scalar;
  return found;
}

/// Returns the parts of a list, separated by commas outside of brackets.
std::vector<std::string_view> split_list(std::string_view list) {
  std::vector<std::string_view> all;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && (list[i] == '<' || list[i] == '(')) ++depth;
    if (i < list.size() && (list[i] == '>' || list[i] == ')')) --depth;
    if (i < list.size() && (list[i] != ',' || depth != 0)) continue;
    if (!trimmed(list.substr(start, i - start)).empty()) all.push_back(trimmed(list.substr(start, i - start)));
    start = i + 1;
  }
  return all;
}

/// Returns the type of `name` in a declaration whose line contains `mark`; "" if there is none. A declaration may
/// have several names.
std::string declared_type(std::string_view source, std::string_view mark, std::string_view name) {
  for (std::size_t at = source.find(mark); at != std::string_view::npos; at = source.find(mark, at + 1)) {
    const std::string_view rest = source.substr(at + mark.size());
    std::string type;
    for (const std::string_view one : split_list(rest.substr(0, rest.find_first_of(";{=")))) {
      std::vector<std::string> words = words_of(one.substr(0, one.find('[')));
      if (words.empty()) break;
      const bool is_it = words.back() == name;
      words.pop_back();
      if (type.empty()) type = joined(words);
      if (is_it && !type.empty()) return type;
    }
  }
  return "";
}

/// Returns the name of the pointer to dynamic shared memory, or of the array, and its type.
parameter dynamic_shared_name(std::string_view source) {
  const parameter unknown{"", "shared", true};
  if (const std::size_t at = source.find("gpu::dynamic_shared<"); at != std::string_view::npos) {
    const std::size_t line = source.rfind('\n', at) + 1;
    const parameter found = parse_parameter(source.substr(line, source.find('=', line) - line));
    return found.name.empty() ? unknown : found;
  }
  constexpr std::string_view mark = "extern __shared__";
  const std::size_t at = source.find(mark);
  if (at == std::string_view::npos) return unknown;
  const std::string_view rest = source.substr(at + mark.size());
  std::string_view declaration = rest.substr(0, rest.find_first_of("[;"));
  if (const std::size_t aligned = declaration.find("__align__"); aligned != std::string_view::npos)
    declaration.remove_prefix(std::min(declaration.size(), declaration.find(')', aligned)));
  const parameter found = parse_parameter(declaration);
  return found.name.empty() ? unknown : found;
}

/// Returns the position of the definition of a kernel, at its __global__; npos if the text does not have it.
std::size_t find_kernel(std::string_view source, std::string_view kernel) {
  const std::string_view full = kernel.substr(0, kernel.find('<'));
  const std::string_view name = full.substr(full.rfind(':') + 1);
  for (std::size_t at = source.find("__global__"); at != std::string_view::npos;
       at = source.find("__global__", at + 1)) {
    std::size_t open = source.find('(', at);
    if (source.substr(at, open - at).find("__launch_bounds__") != std::string_view::npos)
      open = source.find('(', open + 1);
    if (open == std::string_view::npos) break;
    const std::vector<std::string> words = words_of(source.substr(at, open - at));
    if (!words.empty() && words.back() == name) return at;
  }
  return std::string_view::npos;
}

/// Returns what the parameters of a kernel's template are, by their names.
std::map<std::string, std::string, std::less<>> template_arguments(std::string_view source,
                                                                   std::string_view kernel) {
  std::map<std::string, std::string, std::less<>> found;
  const std::size_t at = find_kernel(source, kernel), open = kernel.find('<');
  if (at == std::string_view::npos || open == std::string_view::npos) return found;
  const std::string_view before = source.substr(0, at);
  const std::size_t start = before.rfind("template"), end = before.rfind('>');
  if (start == std::string_view::npos || end == std::string_view::npos || end < start ||
      before.find_first_of(";}", start) != std::string_view::npos)
    return found;
  const std::size_t first = before.find('<', start) + 1;
  if (first > end) return found;
  const auto names = split_list(before.substr(first, end - first));
  const auto values = split_list(kernel.substr(open + 1, kernel.rfind('>') - open - 1));
  for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i) {
    const std::vector<std::string> words = words_of(names[i].substr(0, names[i].find('=')));
    if (!words.empty()) found[words.back()] = std::string(values[i]);
  }
  return found;
}

class range_namer {
 public:
  range_namer(const recorded_launch& launch, const source_reader& source_of, std::string_view element_type)
      : launch_(launch), element_type_(element_type) {
    text_ = source_of(launch.file);
    for (const std::string& file : launch.files) text_ += file == launch.file ? "" : source_of(file);
    template_arguments_ = template_arguments(text_, launch.kernel);
    for (const parameter& one : parameters_of(text_, launch.kernel))
      if (one.may_point) pointers_.push_back(one);
  }

  std::vector<named_range> ranges() {
    std::vector<named_range> all;
    for (std::size_t i = 0; i < launch_.arrays.size(); ++i) {
      const std::size_t first = all.size();
      launch_.arrays[i].shared || !launch_.arrays[i].name.empty() ? append_variable(all, static_cast<int>(i))
                                                                  : append_buffer(all, static_cast<int>(i));
      for (std::size_t j = first; j < all.size(); ++j) {
        const auto given = template_arguments_.find(all[j].type);
        if ((all[j].type == "T" || all[j].type == "V") && !element_type_.empty()) {
          all[j].type = element_type_;
        } else if (given != template_arguments_.end()) {
          all[j].type = given->second;
        }
        const type_name* const known = find_type(all[j].type);
        if (known == nullptr) all[j].type = "";
        all[j].element = known == nullptr ? accessed_size(all[j]) : known->size;
      }
    }
    return all;
  }

 private:
  void append_variable(std::vector<named_range>& all, int index) {
    const recorded_array& array = launch_.arrays[static_cast<std::size_t>(index)];
    const bool dynamic = array.name == "dynamic shared memory";
    // other kernels of the file may have variables of the same name
    const std::size_t kernel = std::min(find_kernel(text_, launch_.kernel), text_.size());
    for (const std::string_view text : {std::string_view(text_).substr(kernel), std::string_view(text_)}) {
      const parameter pointer = dynamic ? dynamic_shared_name(text) : parameter{};
      const std::string type =
          dynamic ? pointer.type : declared_type(text, array.shared ? "__shared__" : "__device__", array.name);
      if (type.empty() && text.size() != text_.size()) continue;
      all.push_back({index, 0, array.bytes, dynamic ? pointer.name : array.name, type});
      return;
    }
  }

  /// A buffer has a range from each pointer into it to the next.
  void append_buffer(std::vector<named_range>& all, int index) {
    const recorded_array& array = launch_.arrays[static_cast<std::size_t>(index)];
    std::map<std::size_t, parameter> starts;
    const auto add = [&](std::uintptr_t address, const std::string& name, const std::string& type) {
      if (address - array.address >= array.bytes) return;
      parameter& held = starts[address - array.address];
      held.name += (held.name.empty() ? "" : ", ") + name;
      held.type = type;
    };
    for (const recorded_pointer& one : launch_.named_pointers)
      add(one.address, one.name, type_of(one.kind, one.element));
    const bool matches = pointers_.size() == launch_.pointers.size();
    for (std::size_t i = 0; launch_.named_pointers.empty() && i < launch_.pointers.size(); ++i) {
      const parameter given = matches ? pointers_[i] : parameter{"", "argument " + std::to_string(i + 1), true};
      add(launch_.pointers[i], given.name, given.type);
    }
    if (!starts.contains(0)) starts[0].name = starts.empty() ? "buffer " + std::to_string(++unnamed_) : "before";
    for (auto at = starts.begin(); at != starts.end(); ++at) {
      const auto next = std::next(at);
      const std::size_t end = next == starts.end() ? array.bytes : next->first;
      all.push_back({index, at->first, end - at->first, at->second.name, at->second.type});
    }
  }

  [[nodiscard]] std::size_t accessed_size(const named_range& range) const {
    std::size_t smallest = 8;
    for (const recorded_step& step : launch_.steps) {
      if (step.array != range.array || step.offset - range.offset >= range.bytes) continue;
      smallest = std::min(smallest, std::max<std::size_t>(1, step.size));
    }
    return smallest;
  }

  const recorded_launch& launch_;
  std::string element_type_, text_;
  std::map<std::string, std::string, std::less<>> template_arguments_;
  std::vector<parameter> pointers_;
  int unnamed_ = 0;
};

}  // namespace

std::vector<parameter> parameters_of(std::string_view source, std::string_view kernel) {
  const std::size_t at = find_kernel(source, kernel);
  if (at == std::string_view::npos) return {};
  const std::string_view full = kernel.substr(0, kernel.find('<'));
  const std::size_t open = source.find('(', source.find(full.substr(full.rfind(':') + 1), at));
  int depth = 0;
  for (std::size_t end = open; end < source.size(); ++end) {
    depth += source[end] == '(' ? 1 : source[end] == ')' ? -1 : 0;
    if (depth != 0) continue;
    std::vector<parameter> all;
    for (const std::string_view one : split_list(source.substr(open + 1, end - open - 1)))
      all.push_back(parse_parameter(one));
    return all;
  }
  return {};
}

std::vector<named_range> name_ranges(const recorded_launch& launch, const source_reader& source_of,
                                     std::string_view element_type) {
  return range_namer(launch, source_of, element_type).ranges();
}

std::string value_text(const void* bytes, const named_range& range) {
  std::int64_t integer = 0;
  std::uint64_t natural = 0;
  std::memcpy(&natural, bytes, std::min<std::size_t>(range.element, 8));
  double real = 0;
  if (range.element == 4) {
    std::int32_t word = 0;
    float single = 0;
    std::memcpy(&word, bytes, 4), std::memcpy(&single, bytes, 4);
    integer = word, real = static_cast<double>(single);
  } else {
    const unsigned unused = 64 - 8 * static_cast<unsigned>(std::min<std::size_t>(range.element, 8));
    integer = static_cast<std::int64_t>(natural << unused) >> unused;
    if (range.element == 8) std::memcpy(&real, bytes, 8);
  }
  const type_name* const known = find_type(range.type);
  const bool likely_real = (range.element == 4 || range.element == 8) &&
                           std::abs(static_cast<double>(integer)) > 1e7 && std::abs(real) > 1e-9 &&
                           std::abs(real) < 1e12;
  const char kind = known != nullptr ? known->kind : likely_real ? 'f' : 'i';
  if (kind != 'f') return kind == 'u' ? std::to_string(natural) : std::to_string(integer);
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", real);
  return text;
}

}  // namespace exactdot::simt
