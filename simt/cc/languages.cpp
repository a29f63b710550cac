// Implementation of languages.hpp.
#include "languages.hpp"

#include <algorithm>
#include <filesystem>
#include <initializer_list>

namespace exactdot::simtcc {

std::string_view language_of(const std::string& file, std::string_view given) {
  const std::filesystem::path ending = std::filesystem::path(file).extension();
  const auto is_one_of = [&](std::initializer_list<const char*> known) {
    return std::find(known.begin(), known.end(), ending) != known.end();
  };
  if (is_one_of({".o", ".obj", ".a", ".so", ".lib"}) || file.find(".so.") != std::string::npos) return "";
  if (!given.empty()) return given;
  if (ending == ".cu") return "cu";
  if (ending == ".c") return "c";
  return is_one_of({".cc", ".cpp", ".cxx", ".C", ".c++"}) ? "c++" : "";
}

}  // namespace exactdot::simtcc
