// Source lines by libbacktrace, which comes with GCC; without it all lines are unknown. Results are cached.
#include "symbols.hpp"

#include <algorithm>
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
  static auto& cache = *new std::unordered_map<const void*, frames>;  // lives until the report at the program's end
  const auto [at, fresh] = cache.try_emplace(return_address);
  if (fresh) at->second = look_up(return_address);
  return at->second;
}

}  // namespace

bool is_foreign(const std::string& file) {
  return file.find(own_headers) != std::string::npos || file.find("/include/c++/") != std::string::npos ||
         file.starts_with("/usr/include/") || file.find("/lib/gcc/") != std::string::npos ||
         file.find("/lib/clang/") != std::string::npos;
}

constinit std::array<call_site, 4096> call_sites = {};

namespace {

/// All sites, by number. They live until the report at the program's end.
struct site_list {
  std::vector<const void*> addresses = {nullptr};
  std::unordered_map<const void*, call_site> known;
};
site_list& all_sites() {
  static auto& list = *new site_list;
  return list;
}

}  // namespace

const call_site& look_up_site(const void* return_address, call_site& last) {
  auto& [addresses, known] = all_sites();
  const auto [at, fresh] = known.try_emplace(return_address, call_site{return_address, 0, true});
  if (fresh) {
    at->second.is_user = !is_foreign(find_line(return_address).file);
    if (return_address != nullptr && addresses.size() >> call_site_bits == 0) {
      at->second.number = addresses.size() & ((1U << call_site_bits) - 1);
      addresses.push_back(return_address);
    }
  }
  return last = at->second;
}

const void* address_of_site(std::uint32_t number) { return all_sites().addresses[number]; }

source_line find_line(const void* return_address) {
  if (return_address == nullptr) return {};
  const frames& all = frames_of(return_address);
  for (const source_line& frame : all) {
    if (!is_foreign(frame.file)) return frame;
  }
  return all.empty() ? source_line{} : all.back();
}

source_line kernel_line(const call_stack& calls, const void* return_address) {
  const auto outermost = [](const void* address) {
    if (address == nullptr) return source_line{};
    const frames& all = frames_of(address);
    const auto found =
        std::find_if(all.rbegin(), all.rend(), [](const source_line& frame) { return !is_foreign(frame.file); });
    return found == all.rend() ? source_line{} : *found;
  };
  // the first entries of a call stack are calls by the simulator and by host code that launches the kernel
  for (std::size_t i = 1; i < calls.size(); ++i) {
    const source_line line = outermost(calls[i]);
    if (line.line != 0) return line;
  }
  return outermost(return_address);
}

bool same_line(const void* left, const void* right) {
  return left == right || (!frames_of(left).empty() && frames_of(left) == frames_of(right));
}

}  // namespace exactdot::simt
