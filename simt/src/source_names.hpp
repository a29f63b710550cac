// Which names are those of C++ or CUDA sources: neither simtcc nor a program that it made may replace such a file.
#pragma once

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>

namespace exactdot::simt {

inline bool has_name_of_source(const std::string& file) {
  constexpr const char* endings[] = {".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx"};
  const std::filesystem::path ending = std::filesystem::path(file).extension();
  return std::any_of(std::begin(endings), std::end(endings), [&](const char* known) { return ending == known; });
}

}  // namespace exactdot::simt
