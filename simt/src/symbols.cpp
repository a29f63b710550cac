// By libbacktrace, which GCC brings along; without it lines are not known.
#include "symbols.hpp"

#include <cstdint>
#include <string_view>
#include <unordered_map>

#if EXACTDOT_HAS_BACKTRACE
#include <backtrace.h>
#endif

namespace exactdot::simt {
namespace {

#if EXACTDOT_HAS_BACKTRACE
void ignore(void*, const char*, int) {}

int take(void* data, std::uintptr_t, const char* file, int line, const char*) {
  auto& found = *static_cast<source_line*>(data);
  if (file == nullptr) return 0;
  const bool own = std::string_view(file).find("exactdot/simt/") != std::string_view::npos;
  if (own && found.line != 0) return 0;
  found = {file, line};
  return own ? 0 : 1;
}

source_line look_up(const void* address) {
  static backtrace_state* const state = backtrace_create_state(nullptr, 0, ignore, nullptr);
  source_line found;
  backtrace_pcinfo(state, reinterpret_cast<std::uintptr_t>(address) - 1, take, ignore, &found);
  return found;
}
#else
source_line look_up(const void*) { return {}; }
#endif

}  // namespace

source_line find_line(const void* return_address) {
  if (return_address == nullptr) return {};
  static std::unordered_map<const void*, source_line> known;
  const auto [at, fresh] = known.try_emplace(return_address);
  if (fresh) at->second = look_up(return_address);
  return at->second;
}

}  // namespace exactdot::simt
