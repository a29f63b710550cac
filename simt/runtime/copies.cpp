// Copies and fills: checked against the allocations, and against what was written.
//
// A range outside of an allocation, or a direction that does not fit the addresses, is cudaErrorInvalidValue, as in
// CUDA. A copy out of device memory that nothing has written is a finding at the line of the call.
#include <link.h>

#include <algorithm>
#include <cstring>
#include <exactdot/simt/runtime/memory.hpp>
#include <exactdot/simt/runtime/streams.hpp>

#include "context.hpp"
#include "graphs.hpp"
#include "machine.hpp"
#include "program_variables.hpp"
#include "row_copies.hpp"

namespace exactdot::simt {
namespace {

/// A range of bytes in rows: `width` bytes every `pitch`.
struct rows {
  std::uintptr_t first;
  std::size_t pitch, width, height;
  [[nodiscard]] std::size_t span() const { return height == 0 || width == 0 ? 0 : pitch * (height - 1) + width; }
  [[nodiscard]] copied_range copied(bool write, const char* action, const void* caller) const {
    return {first, span(), write, action, caller, height == 1 ? 0 : pitch, width};
  }
};

/// Returns whether the rows are memory that an operand of a copy may have: on the device, or on the host.
bool is_allowed(const rows& range, bool on_device) {
  const auto& runtime = runtime_context::instance();
  const auto at = runtime.find(reinterpret_cast<const void*>(range.first));
  if (at == runtime.allocations.end()) {
    // a released or foreign address of the simulator; a variable of the device; or host memory
    if (device_memory::instance().holds(range.first)) return false;
    const auto symbol = runtime.find_symbol(range.first);
    return !symbol || range.first + range.span() <= symbol->first + symbol->second;
  }
  if (!on_device && at->second.use == memory_use::device) return false;
  const std::size_t offset = range.first - reinterpret_cast<std::uintptr_t>(at->first);
  return range.span() <= at->second.bytes - offset;
}

/// Returns whether host memory is given where device memory is expected. A variable of the device is host memory
/// too until the program has asked for its address.
bool is_host_memory(std::uintptr_t address) {
  const auto& runtime = runtime_context::instance();
  return runtime.find(reinterpret_cast<const void*>(address)) == runtime.allocations.end() &&
         !runtime.find_symbol(address);
}

/// Returns the first byte of a range that holds data and is unwritten; its end if there is none. Without a type,
/// what looks like padding is taken for it.
std::uintptr_t first_unwritten(const region& source, std::uintptr_t first, std::size_t bytes,
                               const detail::element_layout& layout) {
  for (std::size_t i = 0; i < bytes; ++i) {
    if (source.is_written(first + i, 1)) continue;
    if (layout.bytes == 0) {
      std::size_t run = 1;
      while (i + run < bytes && !source.is_written(first + i + run, 1)) ++run;
      std::size_t alignment = 1;
      while (alignment <= run) alignment *= 2;
      if (i == 0 || alignment > 16 || (first + i + run) % alignment != 0) return first + i;
      i += run;
    } else if (layout.data == nullptr || layout.data[i % layout.bytes] != 0) {
      return first + i;
    }
  }
  return first + bytes;
}

void report_if_unwritten(const rows& from, const detail::element_layout& layout, const char* action,
                         const void* caller) {
  region* const source = device_memory::instance().find(from.first);
  if (source == nullptr) return;
  for (std::size_t row = 0; row < from.height; ++row) {
    const std::uintptr_t first = from.first + row * from.pitch;
    if (source->is_written(first, from.width)) continue;
    const std::uintptr_t place = first_unwritten(*source, first, from.width, layout);
    if (place == first + from.width) continue;
    const std::size_t unwritten = place - source->start;
    runtime_context::instance().report(
        fault_kind::uninitialised_global,
        "buffer of " + std::to_string(source->size) + " bytes + " + std::to_string(unwritten), action, caller);
    return;
  }
}

/// Addresses of the device's variables that the device has stored, and that the host gets by a copy, are as good as
/// those of cudaGetSymbolAddress.
void note_addresses(const void* from, std::size_t bytes) {
  constexpr std::size_t max_bytes = 1 << 16;
  const auto* const first = static_cast<const char*>(from);
  for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= std::min(bytes, max_bytes);
       at += sizeof(std::uintptr_t)) {
    std::uintptr_t word = 0;
    std::memcpy(&word, first + at, sizeof word);
    if (!is_device_variable(word)) continue;
    const detail::program_variable& variable = *find_program_variable(word);
    runtime_context::instance().symbols[reinterpret_cast<std::uintptr_t>(variable.address)] = variable.bytes;
  }
}

cudaError_t copy(const rows& to, const rows& from, cudaMemcpyKind kind, const char* action, const void* caller,
                 const detail::element_layout& layout = {}) {
  auto& runtime = runtime_context::instance();
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return finish(cudaErrorInvalidMemcpyDirection);
  if (to.span() == 0) return runtime.wait();
  if (to.first == 0 || from.first == 0 || to.pitch < to.width || from.pitch < from.width)
    return finish(to.first == 0 || from.first == 0 ? cudaErrorInvalidValue : cudaErrorInvalidPitchValue);
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const bool any = kind == cudaMemcpyDefault;
  if (!is_allowed(to, any || to_device) || !is_allowed(from, any || from_device) ||
      (to_device && is_host_memory(to.first)) || (from_device && is_host_memory(from.first))) {
    return finish(cudaErrorInvalidValue);
  }
  const cudaError_t failed = runtime.wait();
  if (failed != cudaSuccess) return failed;
  report_if_unwritten(from, layout, action, caller);
  if (!runtime.find_symbol(from.first)) check_device_variable(from.first, action, false, caller);
  if (!runtime.find_symbol(to.first)) check_device_variable(to.first, action, true, caller);
  for (const rows* const range : {&from, &to}) runtime.begin_copy(range->copied(range == &to, action, caller));
  for (std::size_t row = 0; row < to.height; ++row) {
    const std::uintptr_t first = to.first + row * to.pitch;
    std::memmove(reinterpret_cast<void*>(first), reinterpret_cast<const void*>(from.first + row * from.pitch),
                 to.width);
    device_memory::instance().mark_read(from.first + row * from.pitch, from.width);
    device_memory::instance().mark_written(first, to.width);
    if (!device_memory::instance().holds(first)) note_addresses(reinterpret_cast<const void*>(first), to.width);
  }
  return cudaSuccess;
}

rows row(const void* first, std::size_t bytes) {
  return {reinterpret_cast<std::uintptr_t>(first), bytes, bytes, 1};
}
rows row(const void* first, std::size_t pitch, std::size_t width, std::size_t height) {
  return {reinterpret_cast<std::uintptr_t>(first), pitch, width, height};
}

cudaError_t fill(const rows& to, int value, const char* action, const void* caller) {
  auto& runtime = runtime_context::instance();
  if (to.span() == 0) return runtime.wait();
  if (!is_allowed(to, true) || is_host_memory(to.first)) return finish(cudaErrorInvalidValue);
  const cudaError_t failed = runtime.wait();
  runtime.begin_copy(to.copied(true, action, caller));
  for (std::size_t i = 0; i < to.height && failed == cudaSuccess; ++i) {
    std::memset(reinterpret_cast<void*>(to.first + i * to.pitch), value, to.width);
    device_memory::instance().mark_written(to.first + i * to.pitch, to.width);
  }
  return failed;
}

}  // namespace

namespace {

/// A call that waits for its work: refused while a stream is captured.
template <class Work>
cudaError_t run_waiting(Work work) {
  const runtime_lock lock;
  if (const cudaError_t refused = refuse_while_any_captures(); refused != cudaSuccess) return finish(refused);
  auto& runtime = runtime_context::instance();
  runtime.current_stream = nullptr;
  const cudaError_t result = work();
  runtime.order.synchronise(nullptr);
  return result;
}

/// Whether an address is that of a variable of the device: not of a literal, a temporary or a variable of the host,
/// as in cudaMemcpyToSymbol("name", …) and cudaMemcpyToSymbol(&name, …). Not all variables are listed.
bool is_symbol(const void* address, bool to_write) {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  if (const detail::program_variable* const listed = find_program_variable(place)) return *listed->keyword != '\0';
  struct search {
    std::uintptr_t place;
    bool to_write, found;
  } look{place, to_write, false};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& state = *static_cast<search*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          const bool holds = state.place - (info->dlpi_addr + segment.p_vaddr) < segment.p_memsz;
          const bool fits = !state.to_write || (segment.p_flags & PF_W) != 0;
          state.found = state.found || (segment.p_type == PT_LOAD && holds && fits);
        }
        return 0;
      },
      &look);
  return look.found;
}

cudaError_t copy_words(void* to, const void* from, std::size_t bytes, std::size_t symbol_bytes, std::size_t offset,
                       bool to_symbol) {
  auto& runtime = runtime_context::instance();
  if (!is_symbol(to_symbol ? to : from, to_symbol)) return finish(cudaErrorInvalidSymbol);
  if (offset > symbol_bytes || bytes > symbol_bytes - offset) return finish(cudaErrorInvalidValue);
  const rows other = row(to_symbol ? from : to, bytes);
  if (bytes != 0 && !is_allowed(other, true)) return finish(cudaErrorInvalidValue);
  const cudaError_t failed = runtime.wait();
  if (failed != cudaSuccess) return failed;
  if (to_symbol) {
    std::memmove(static_cast<char*>(to) + offset, from, bytes);
    device_memory::instance().mark_read(reinterpret_cast<std::uintptr_t>(from), bytes);
  } else {
    std::memmove(to, static_cast<const char*>(from) + offset, bytes);
    device_memory::instance().mark_written(reinterpret_cast<std::uintptr_t>(to), bytes);
    note_addresses(to, bytes);
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t detail::copy_symbol(void* to, const void* from, std::size_t bytes, std::size_t symbol_bytes,
                                std::size_t offset, bool to_symbol) {
  return run_waiting([=] { return copy_words(to, from, bytes, symbol_bytes, offset, to_symbol); });
}
cudaError_t detail::copy_symbol(void* to, const void* from, std::size_t bytes, std::size_t symbol_bytes,
                                std::size_t offset, bool to_symbol, cudaStream_t stream) {
  return run_or_capture(stream, [=] { return copy_words(to, from, bytes, symbol_bytes, offset, to_symbol); });
}

cudaError_t detail::get_symbol_address(void** pointer, const void* symbol, std::size_t bytes) {
  const runtime_lock lock;
  auto& runtime = runtime_context::instance();
  if (pointer == nullptr) return runtime.finish(cudaErrorInvalidValue);
  if (!is_symbol(symbol, false)) return runtime.finish(cudaErrorInvalidSymbol);
  *pointer = const_cast<void*>(symbol);
  runtime.symbols[reinterpret_cast<std::uintptr_t>(symbol)] = bytes;
  return runtime.wait();
}

cudaError_t detail::copy_elements(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                  const element_layout& layout) {
  const void* const caller = __builtin_return_address(0);
  return run_waiting([=] { return copy(row(to, bytes), row(from, bytes), kind, "cudaMemcpy", caller, layout); });
}
cudaError_t detail::copy_elements(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                  const element_layout& layout, cudaStream_t stream) {
  const void* const caller = __builtin_return_address(0);
  return run_or_capture(
      stream, [=] { return copy(row(to, bytes), row(from, bytes), kind, "cudaMemcpyAsync", caller, layout); });
}

cudaError_t detail::copy_rows_of_elements(void* to, const void* from, const copied_rows& rows, cudaMemcpyKind kind,
                                          const element_layout& layout) {
  const void* const caller = __builtin_return_address(0);
  return run_waiting([=] {
    return copy(row(to, rows.to_pitch, rows.width, rows.height),
                row(from, rows.from_pitch, rows.width, rows.height), kind, "cudaMemcpy2D", caller, layout);
  });
}
cudaError_t detail::copy_rows_of_elements(void* to, const void* from, const copied_rows& rows, cudaMemcpyKind kind,
                                          const element_layout& layout, cudaStream_t stream) {
  const void* const caller = __builtin_return_address(0);
  return run_or_capture(stream, [=] {
    return copy(row(to, rows.to_pitch, rows.width, rows.height),
                row(from, rows.from_pitch, rows.width, rows.height), kind, "cudaMemcpy2DAsync", caller, layout);
  });
}

cudaError_t copy_rows_in_order(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                               std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind, const char* action,
                               const void* caller) {
  return copy(row(to, to_pitch, width_bytes, height), row(from, from_pitch, width_bytes, height), kind, action,
              caller, {1, nullptr});
}
cudaError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind, const char* action,
                      const void* caller) {
  return run_waiting([=] {
    return copy_rows_in_order(to, to_pitch, from, from_pitch, width_bytes, height, kind, action, caller);
  });
}

}  // namespace exactdot::simt

using namespace exactdot::simt;

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const void* const caller = __builtin_return_address(0);
  return run_waiting([=] { return copy(row(to, bytes), row(from, bytes), kind, "cudaMemcpy", caller); });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  const void* const caller = __builtin_return_address(0);
  return run_or_capture(stream,
                        [=] { return copy(row(to, bytes), row(from, bytes), kind, "cudaMemcpyAsync", caller); });
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind) {
  const void* const caller = __builtin_return_address(0);
  return run_waiting([=] {
    return copy(row(to, to_pitch, width_bytes, height), row(from, from_pitch, width_bytes, height), kind,
                "cudaMemcpy2D", caller);
  });
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  const void* const caller = __builtin_return_address(0);
  return run_or_capture(stream, [=] {
    return copy(row(to, to_pitch, width_bytes, height), row(from, from_pitch, width_bytes, height), kind,
                "cudaMemcpy2DAsync", caller);
  });
}
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
  if (to_device != 0 || from_device != 0) return finish(cudaErrorInvalidDevice);
  const void* const caller = __builtin_return_address(0);
  return run_waiting(
      [=] { return copy(row(to, bytes), row(from, bytes), cudaMemcpyDefault, "cudaMemcpyPeer", caller); });
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t stream) {
  if (to_device != 0 || from_device != 0) return finish(cudaErrorInvalidDevice);
  const void* const caller = __builtin_return_address(0);
  return run_or_capture(stream, [=] {
    return copy(row(to, bytes), row(from, bytes), cudaMemcpyDefault, "cudaMemcpyPeerAsync", caller);
  });
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  const void* const caller = __builtin_return_address(0);
  return run_waiting([=] { return fill(row(to, bytes), value, "cudaMemset", caller); });
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  const void* const caller = __builtin_return_address(0);
  return run_or_capture(stream, [=] { return fill(row(to, bytes), value, "cudaMemsetAsync", caller); });
}
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width_bytes, std::size_t height) {
  const void* const caller = __builtin_return_address(0);
  return run_waiting([=] { return fill(row(to, pitch, width_bytes, height), value, "cudaMemset2D", caller); });
}
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width_bytes, std::size_t height,
                              cudaStream_t stream) {
  const void* const caller = __builtin_return_address(0);
  return run_or_capture(
      stream, [=] { return fill(row(to, pitch, width_bytes, height), value, "cudaMemset2DAsync", caller); });
}
