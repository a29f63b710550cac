// Errors of the device and of calls; and where allocations are.
#include "context.hpp"

#include <unwind.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "program_variables.hpp"
#include "running.hpp"
#include "symbols.hpp"

namespace exactdot::simt {
namespace {

/// Reports host code that uses device memory: on a GPU it would crash. Here it continues.
void check_host_access(const void* address, bool write, const void* caller) {
  const auto word = reinterpret_cast<std::uintptr_t>(address);
  const bool is_memory = device_memory::instance().holds(word);
  if (!is_memory && !is_device_variable(word)) return;
  const runtime_lock lock(std::try_to_lock);
  auto& runtime = runtime_context::instance();
  if (!lock.is_held() || (lock.is_nested() && !runtime.in_callback)) return;
  if (!is_memory) return check_device_variable(word, write ? "write" : "read", write, caller);
  const auto at = runtime.find(address);
  if (at == runtime.allocations.end()) return;
  if (at->second.use != memory_use::device) {
    const region* const buffer = device_memory::instance().find(word);
    if (buffer != nullptr && !runtime.in_callback) runtime.check_host_order(*buffer, word, write, caller);
    return;
  }
  if (!write) device_memory::instance().mark_read(word, 1);
  const auto offset = static_cast<const char*>(address) - static_cast<const char*>(at->first);
  runtime.report(fault_kind::host_access,
                 "buffer of " + std::to_string(at->second.bytes) + " bytes + " + std::to_string(offset),
                 write ? "write" : "read", caller);
}

/// Returns the innermost return address on the stack whose line is the user's, from the frame that returns to
/// `from` outwards; `from` if there is none.
const void* user_frame(const void* from) {
  struct search {
    const void* from;
    const void* found;
    bool begun;
  } look{from, from, from == nullptr};
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* data) {
        auto& state = *static_cast<search*>(data);
        const auto* const caller = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
        state.begun = state.begun || caller == state.from;
        if (!state.begun) return _URC_NO_REASON;
        const source_line line = find_line(caller);
        const bool is_of_runtime = line.file.empty() || line.file.find("simt/runtime/") != std::string::npos;
        if (is_of_runtime || is_foreign(line.file)) return _URC_NO_REASON;
        state.found = caller;
        return _URC_END_OF_STACK;
      },
      &look);
  return look.found;
}

}  // namespace

/// The standard library's algorithms make their accesses in functions of their own. A look at the stack takes
/// microseconds: after some of them, the last answer for an address holds.
const void* user_call(const void* caller) {
  if (is_user_code(caller)) return caller;
  struct known_call {
    const void* call = nullptr;
    int looks = 0;
  };
  static auto& known = *new std::unordered_map<const void*, known_call>;
  constexpr int max_looks = 1000;
  known_call& answer = known[caller];
  if (answer.looks < max_looks) ++answer.looks, answer.call = user_frame(caller);
  return answer.call;
}

/// On a GPU the host has a variable of its own under the name.
void check_device_variable(std::uintptr_t address, const char* action, bool write, const void* caller) {
  if (!is_device_variable(address)) return;
  const detail::program_variable* const variable = find_program_variable(address);
  fault* const found = runtime_context::instance().report(
      fault_kind::host_access, std::string(variable->keyword) + " variable " + variable->name, action, caller);
  if (found == nullptr) return;
  found->cause = "the host sees a copy of its own, not the device's variable";
  found->fix = write ? "cudaMemcpyToSymbol" : "cudaMemcpyFromSymbol";
}

runtime_context& runtime_context::instance() {
  static auto* const instance = new runtime_context;  // lives until the report at the program's end
  return *instance;
}

runtime_context::runtime_context() : settings(read_settings()) {
  stream.settings().seed = settings.seed;
  stream.settings().model = settings.model;
  stream.settings().step_budget = 1'000'000'000;
  if (settings.steps != 0) stream.settings().step_budget = stream.settings().narrow_budget = settings.steps;
  stream.settings().budget_name = "SIMTCC_STEPS";
  stream.settings().show_progress = true;
  stream.settings().profile = settings.profile;
  find_program_variable(0);  // reads the list before any access of the host, which may come from reading it
  host_access = check_host_access;
}

cudaError_t runtime_context::finish(cudaError_t result) {
  const runtime_lock lock;
  if (failure_ != cudaSuccess) result = failure_;
  if (result != cudaSuccess) last_ = result;
  if (result != cudaSuccess && failure_ == cudaSuccess) note_failure(result);
  return result;
}

/// Of a call that fails: its line, which is that of the first frame outside of the runtime.
void runtime_context::note_failure(cudaError_t error) {
  constexpr cudaError_t expected[] = {cudaErrorNotReady, cudaErrorPeerAccessAlreadyEnabled,
                                      cudaErrorPeerAccessNotEnabled};
  if (failed.error != cudaSuccess ||
      std::find(std::begin(expected), std::end(expected), error) != std::end(expected))
    return;
  failed.error = error;
  const source_line line = find_line(user_frame(nullptr));
  failed.file = line.file, failed.line = line.line;
}

cudaError_t runtime_context::wait() {
  const runtime_lock lock;
  if (pending_ != cudaSuccess) failure_ = pending_;
  return finish(cudaSuccess);
}

void runtime_context::note_launch() {
  const auto& ended_by = stream.state().ended_by;
  if (!ended_by || pending_ != cudaSuccess) return;
  switch (*ended_by) {
    case fault_kind::misaligned:
      pending_ = cudaErrorMisalignedAddress;
      break;
    case fault_kind::livelock:
    case fault_kind::deadlock:
    case fault_kind::mbarrier_phase:
    case fault_kind::mbarrier_bytes:
      pending_ = cudaErrorLaunchTimeout;
      break;
    case fault_kind::trap:
      pending_ = cudaErrorLaunchFailure;
      for (const fault& found : stream.faults()) {
        if (found.kind == fault_kind::trap && found.site.action == "assert") pending_ = cudaErrorAssert;
      }
      break;
    default:
      pending_ = cudaErrorIllegalAddress;
  }
}

cudaError_t runtime_context::last_error(bool reset) {
  const runtime_lock lock;
  unseen = {}, failed = {};
  const cudaError_t error = failure_ != cudaSuccess ? failure_ : last_;
  if (reset) last_ = cudaSuccess;
  return error;
}

std::map<const void*, allocation>::const_iterator runtime_context::find(const void* address) const {
  auto at = allocations.upper_bound(address);
  if (at == allocations.begin()) return allocations.end();
  --at;
  const auto offset = static_cast<const char*>(address) - static_cast<const char*>(at->first);
  return static_cast<std::size_t>(offset) < at->second.bytes || offset == 0 ? at : allocations.end();
}

std::optional<std::pair<std::uintptr_t, std::size_t>> runtime_context::find_symbol(std::uintptr_t address) const {
  const auto after = symbols.upper_bound(address);
  if (after == symbols.begin()) return {};
  const auto& [first, bytes] = *std::prev(after);
  return address - first < bytes ? std::optional(std::pair(first, bytes)) : std::nullopt;
}

fault* runtime_context::report(fault_kind kind, const std::string& variable, const char* action,
                               const void* caller) {
  detail::stream_state& state = stream.state();
  const void* const site = user_call(caller);
  const auto [at, fresh] = state.known_faults.try_emplace({kind, site, nullptr, action}, state.faults.size());
  const source_line line = find_line(site);
  if (fresh && line.line != 0) {  // an algorithm with a function of the user makes its accesses at many addresses
    const std::string text = line.file + ":" + std::to_string(line.line) + " " + action;
    at->second = state.known_lines.try_emplace({kind, text, ""}, at->second).first->second;
  }
  if (at->second != state.faults.size()) {
    ++state.faults[at->second].times;
    return nullptr;
  }
  fault& found = state.faults.emplace_back();
  found.kind = kind;
  found.fix = fix_of(kind);
  found.space = "global";
  found.variable = variable;
  found.site.by_host = true;
  found.site.action = action;
  found.site.file = line.file;
  found.site.line = line.line;
  return &found;
}

}  // namespace exactdot::simt
