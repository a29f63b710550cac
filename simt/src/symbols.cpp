// Source lines by libbacktrace, which comes with GCC; without it all lines are unknown. Results are cached.
#include "symbols.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

#if EXACTDOT_HAS_BACKTRACE
#include <backtrace.h>
#endif

namespace exactdot::simt {
namespace {

/// The inlined frames at an address, innermost first.
using frames = std::vector<source_line>;

#if EXACTDOT_HAS_BACKTRACE
void ignore_error(void*, const char*, int) {}

int append_frame(void* data, std::uintptr_t, const char* file, int line, const char*) {
  if (file != nullptr) static_cast<frames*>(data)->push_back({file, line});
  return 0;
}

frames look_up(const void* address) {
  static backtrace_state* const state = backtrace_create_state(nullptr, 1, ignore_error, nullptr);
  frames found;
  backtrace_pcinfo(state, reinterpret_cast<std::uintptr_t>(address) - 1, append_frame, ignore_error, &found);
  return found;
}
#else
frames look_up(const void*) { return {}; }
#endif

const frames& frames_of(const void* return_address) {
  static std::unordered_map<const void*, frames> cache;
  const auto [at, fresh] = cache.try_emplace(return_address);
  if (fresh) at->second = look_up(return_address);
  return at->second;
}

}  // namespace

source_line find_line(const void* return_address) {
  if (return_address == nullptr) return {};
  const frames& all = frames_of(return_address);
  for (const source_line& frame : all) {
    if (frame.file.find(own_headers) == std::string::npos) return frame;
  }
  return all.empty() ? source_line{} : all.back();
}

bool same_line(const void* left, const void* right) {
  return left == right || (!frames_of(left).empty() && frames_of(left) == frames_of(right));
}

}  // namespace exactdot::simt
