// Names of arrays; see html_names.hpp. The kernels of the lab are simple enough to be read by their text.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <lab/html_names.hpp>
#include <map>

namespace exactdot::lab {
namespace {

struct type_name {
  std::string_view name;
  std::size_t size;
  char kind;  // integer, unsigned, float
};
constexpr std::array<type_name, 11> known_types{{{"float", 4, 'f'},
                                                 {"double", 8, 'f'},
                                                 {"int", 4, 'i'},
                                                 {"unsigned", 4, 'u'},
                                                 {"unsigned int", 4, 'u'},
                                                 {"long long", 8, 'i'},
                                                 {"unsigned long long", 8, 'u'},
                                                 {"std::uint32_t", 4, 'u'},
                                                 {"std::uint64_t", 8, 'u'},
                                                 {"std::size_t", 8, 'u'},
                                                 {"bool", 1, 'u'}}};

const type_name* find_type(std::string_view name) {
  const auto at = std::ranges::find(known_types, name, &type_name::name);
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

parameter parse_parameter(std::string_view text) {
  std::vector<std::string> words = words_of(text);
  parameter found;
  if (words.empty()) return found;
  found.name = words.back();
  words.pop_back();
  found.type = fmt::format("{}", fmt::join(words, " "));
  const bool is_scalar = find_type(found.type) != nullptr || found.type == "T" || found.type == "V";
  found.may_point = text.find('*') != std::string_view::npos || !is_scalar;
  return found;
}

std::vector<parameter> split_parameters(std::string_view list) {
  std::vector<parameter> all;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && (list[i] == '<' || list[i] == '(')) ++depth;
    if (i < list.size() && (list[i] == '>' || list[i] == ')')) --depth;
    if (i < list.size() && (list[i] != ',' || depth != 0)) continue;
    if (!trimmed(list.substr(start, i - start)).empty())
      all.push_back(parse_parameter(list.substr(start, i - start)));
    start = i + 1;
  }
  return all;
}

/// Returns the type before `name` in a declaration whose line contains `mark`; "" if there is none.
std::string declared_type(std::string_view source, std::string_view mark, std::string_view name) {
  for (std::size_t at = source.find(mark); at != std::string_view::npos; at = source.find(mark, at + 1)) {
    const std::string_view rest = source.substr(at + mark.size());
    const std::string_view declaration = rest.substr(0, rest.find_first_of("[;="));
    std::vector<std::string> words = words_of(declaration);
    if (words.size() < 2 || words.back() != name) continue;
    words.pop_back();
    return fmt::format("{}", fmt::join(words, " "));
  }
  return "";
}

/// Returns the name of the pointer to dynamic shared memory, and its type.
parameter dynamic_shared_name(std::string_view source) {
  const std::size_t at = source.find("gpu::dynamic_shared<");
  if (at == std::string_view::npos) return {"", "shared", true};
  const std::size_t line = source.rfind('\n', at) + 1;
  parameter found = parse_parameter(source.substr(line, source.find('=', line) - line));
  return found.name.empty() ? parameter{"", "shared", true} : found;
}

class range_namer {
 public:
  range_namer(const simt::recorded_launch& launch,
              const std::function<std::string_view(std::string_view)>& source_of, std::string_view element_type)
      : launch_(launch), element_type_(element_type) {
    for (const std::string& file : launch.files) text_ += source_of(file.substr(file.rfind('/') + 1));
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
        if (all[j].type == "T" || all[j].type == "V") all[j].type = element_type_;
        const type_name* const known = find_type(all[j].type);
        if (known == nullptr) all[j].type = "";
        all[j].element = known == nullptr ? accessed_size(all[j]) : known->size;
      }
    }
    return all;
  }

 private:
  void append_variable(std::vector<named_range>& all, int index) {
    const simt::recorded_array& array = launch_.arrays[static_cast<std::size_t>(index)];
    const bool dynamic = array.name == "dynamic shared memory";
    const parameter pointer = dynamic ? dynamic_shared_name(text_) : parameter{};
    const std::string mark = array.shared ? "__shared__" : "__device__";
    all.push_back({index, 0, array.bytes, dynamic ? pointer.name : array.name,
                   dynamic ? pointer.type : declared_type(text_, mark, array.name)});
  }

  /// A buffer has a range from each pointer into it to the next.
  void append_buffer(std::vector<named_range>& all, int index) {
    const simt::recorded_array& array = launch_.arrays[static_cast<std::size_t>(index)];
    std::map<std::size_t, parameter> starts;
    for (std::size_t i = 0; i < launch_.pointers.size(); ++i) {
      const std::uintptr_t offset = launch_.pointers[i] - array.address;
      if (offset >= array.bytes) continue;
      const bool matches = pointers_.size() == launch_.pointers.size();
      const parameter given = matches ? pointers_[i] : parameter{"", fmt::format("argument {}", i + 1), true};
      parameter& held = starts[offset];
      held.name += (held.name.empty() ? "" : ", ") + given.name;
      held.type = given.type;
    }
    if (!starts.contains(0)) starts[0].name = starts.empty() ? fmt::format("buffer {}", ++unnamed_) : "before";
    for (auto at = starts.begin(); at != starts.end(); ++at) {
      const auto next = std::next(at);
      const std::size_t end = next == starts.end() ? array.bytes : next->first;
      all.push_back({index, at->first, end - at->first, at->second.name, at->second.type});
    }
  }

  [[nodiscard]] std::size_t accessed_size(const named_range& range) const {
    std::size_t smallest = 8;
    for (const simt::recorded_step& step : launch_.steps) {
      if (step.array != range.array || step.offset - range.offset >= range.bytes) continue;
      smallest = std::min(smallest, std::max<std::size_t>(1, step.size));
    }
    return smallest;
  }

  const simt::recorded_launch& launch_;
  std::string element_type_, text_;
  std::vector<parameter> pointers_;
  int unnamed_ = 0;
};

}  // namespace

std::vector<parameter> parameters_of(std::string_view source, std::string_view kernel) {
  const std::string_view name = kernel.substr(0, kernel.find('<'));
  for (std::size_t at = source.find("__global__"); at != std::string_view::npos;
       at = source.find("__global__", at + 1)) {
    const std::size_t open = source.find('(', at);
    if (open == std::string_view::npos) return {};
    const std::vector<std::string> words = words_of(source.substr(at, open - at));
    if (words.empty() || words.back() != name) continue;
    int depth = 0;
    for (std::size_t end = open; end < source.size(); ++end) {
      depth += source[end] == '(' ? 1 : source[end] == ')' ? -1 : 0;
      if (depth == 0) return split_parameters(source.substr(open + 1, end - open - 1));
    }
  }
  return {};
}

std::vector<named_range> name_ranges(const simt::recorded_launch& launch,
                                     const std::function<std::string_view(std::string_view)>& source_of,
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
    integer = static_cast<std::int64_t>(natural);
    if (range.element == 8) std::memcpy(&real, bytes, 8);
  }
  const type_name* const known = find_type(range.type);
  const bool likely_real = (range.element == 4 || range.element == 8) &&
                           std::abs(static_cast<double>(integer)) > 1e7 && std::abs(real) > 1e-9 &&
                           std::abs(real) < 1e12;
  const char kind = known != nullptr ? known->kind : likely_real ? 'f' : 'i';
  if (kind == 'f') return fmt::format("{:.6g}", real);
  return kind == 'u' ? fmt::format("{}", natural) : fmt::format("{}", integer);
}

}  // namespace exactdot::lab
