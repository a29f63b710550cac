// Errors of the device and of calls; and where allocations are.
#include "context.hpp"

#include <unwind.h>

#include <algorithm>
#include <iterator>

#include "running.hpp"
#include "symbols.hpp"

namespace exactdot::simt {
namespace {

/// Reports host code that uses device memory: on a GPU it would crash. Here it continues.
void check_host_access(const void* address, bool write, const void* caller) {
  if (!device_memory::instance().holds(reinterpret_cast<std::uintptr_t>(address))) return;
  const runtime_lock lock(std::try_to_lock);
  if (!lock.is_held()) return;
  auto& runtime = runtime_context::instance();
  const auto at = runtime.find(address);
  if (at == runtime.allocations.end()) return;
  const auto word = reinterpret_cast<std::uintptr_t>(address);
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

}  // namespace

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
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* data) {
        const auto* const caller = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
        const source_line line = find_line(caller);
        if (line.file.empty() || is_foreign(line.file) || line.file.find("simt/runtime/") != std::string::npos)
          return _URC_NO_REASON;
        auto& found = *static_cast<failed_call*>(data);
        found.file = line.file, found.line = line.line;
        return _URC_END_OF_STACK;
      },
      &failed);
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

void runtime_context::report(fault_kind kind, const std::string& variable, const std::string& action,
                             const void* caller) {
  detail::stream_state& state = stream.state();
  const auto [at, fresh] = state.known_faults.try_emplace({kind, caller, nullptr, ""}, state.faults.size());
  if (!fresh) {
    ++state.faults[at->second].times;
    return;
  }
  fault& found = state.faults.emplace_back();
  const source_line line = find_line(caller);
  found.kind = kind;
  found.fix = fix_of(kind);
  found.space = "global";
  found.variable = variable;
  found.site.by_host = true;
  found.site.action = action;
  found.site.file = line.file;
  found.site.line = line.line;
}

}  // namespace exactdot::simt
