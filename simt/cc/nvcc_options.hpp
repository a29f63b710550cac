// The options of nvcc 13.0 (`nvcc --help`), and what simtcc does with each.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace exactdot::simtcc {

enum class nvcc_effect : std::uint8_t {
  read,     // simtcc reads it (options.cpp)
  ignored,  // chooses machine code, or how nvcc itself works
  noted,    // ignored with a note
  passed,   // given to the host compiler
  refused   // simtcc makes something else
};

struct nvcc_option {
  std::string_view long_name, short_name;  // with their dashes
  bool has_value;
  nvcc_effect effect;
  std::string_view text;  // the note, the reason of a refusal, or what the host compiler gets
};

/// Returns the option that the argument names, before any `=value`; null if nvcc has none of this name.
const nvcc_option* find_nvcc_option(std::string_view argument);

/// Returns the word of the list that looks most like an unknown one; "" if none does.
std::string_view nearest_word(std::string_view unknown, const std::vector<std::string_view>& words);

/// Returns the option of nvcc or simtcc that looks most like an unknown one; "" if none does.
std::string_view similar_option(std::string_view argument);

}  // namespace exactdot::simtcc
