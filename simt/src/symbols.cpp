// By libbacktrace, which GCC brings along; without it lines are not known.
#include "symbols.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

#if EXACTDOT_HAS_BACKTRACE
#include <backtrace.h>
#endif

namespace exactdot::simt {
namespace {

/// The calls that are inlined at an address, innermost first.
using lines = std::vector<source_line>;

#if EXACTDOT_HAS_BACKTRACE
void ignore(void*, const char*, int) {}

int take(void* data, std::uintptr_t, const char* file, int line, const char*) {
  if (file != nullptr) static_cast<lines*>(data)->push_back({file, line});
  return 0;
}

lines look_up(const void* address) {
  static backtrace_state* const state = backtrace_create_state(nullptr, 1, ignore, nullptr);
  lines found;
  backtrace_pcinfo(state, reinterpret_cast<std::uintptr_t>(address) - 1, take, ignore, &found);
  return found;
}
#else
lines look_up(const void*) { return {}; }
#endif

const lines& lines_of(const void* return_address) {
  static std::unordered_map<const void*, lines> known;
  const auto [at, fresh] = known.try_emplace(return_address);
  if (fresh) at->second = look_up(return_address);
  return at->second;
}

}  // namespace

source_line find_line(const void* return_address) {
  if (return_address == nullptr) return {};
  const lines& all = lines_of(return_address);
  for (const source_line& one : all) {
    if (one.file.find("exactdot/simt/") == std::string::npos) return one;
  }
  return all.empty() ? source_line{} : all.back();
}

bool same_line(const void* left, const void* right) {
  return left == right || (!lines_of(left).empty() && lines_of(left) == lines_of(right));
}

}  // namespace exactdot::simt
