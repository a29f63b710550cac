#include "cublas_operands.hpp"

#include <cstdio>

#include "context.hpp"
#include "memory.hpp"
#include "program_variables.hpp"
#include "row_copies.hpp"
#include "symbols.hpp"

namespace exactdot::simt {
namespace {

/// The buffer or variable that holds an address of the device: what it is, and how many bytes there are from there.
struct place {
  std::string name;  // "buffer of 64 bytes"
  std::size_t offset = 0, bytes_left = 0;
};

place find_place(const void* address) {
  const auto word = reinterpret_cast<std::uintptr_t>(address);
  const auto& runtime = runtime_context::instance();
  auto& memory = device_memory::instance();
  const auto within = [&](std::uintptr_t start, std::size_t size, const char* kind) {
    return place{kind + std::to_string(size) + " bytes", word - start, size - (word - start)};
  };
  if (const auto at = runtime.find(address); at != runtime.allocations.end())
    return within(reinterpret_cast<std::uintptr_t>(at->first), at->second.bytes, "buffer of ");
  if (const auto symbol = runtime.find_symbol(word)) return within(symbol->first, symbol->second, "variable of ");
  if (const region* const host = memory.find_registered(word))
    return within(host->start, host->size, "registered memory of ");
  if (is_device_variable(word)) {  // by its name: the copy reports it
    const detail::program_variable& variable = *find_program_variable(word);
    return within(reinterpret_cast<std::uintptr_t>(variable.address), variable.bytes, "variable of ");
  }
  if (address == nullptr) return {"a null pointer"};
  if (!memory.holds(word)) return {"host memory"};
  if (const auto [start, size] = memory.find_released(word); size != 0)
    return {"released buffer of " + std::to_string(size) + " bytes", word - start, 0};
  const region* const nearest = memory.nearest(word);
  if (nearest == nullptr) return {"memory of the device that is not allocated"};
  return {"buffer of " + std::to_string(nearest->size) + " bytes", word - nearest->start, 0};
}

}  // namespace

bool check_operand(const operand_rows& operand, bool writes, const cublas_call& call) {
  if (operand.width == 0 || operand.height == 0) return true;
  const place found = find_place(operand.first);
  std::size_t beyond = 0;  // the first byte that is not there
  if (found.bytes_left != 0) {
    if (operand.pitch * (operand.height - 1) + operand.width <= found.bytes_left) return true;
    const std::size_t row = operand.pitch == 0 ? 0 : found.bytes_left / operand.pitch;
    const bool ends_in_row = found.bytes_left - row * operand.pitch < operand.width;
    beyond = ends_in_row ? found.bytes_left : (row + 1) * operand.pitch;
  }
  const bool has_offset = found.name.find(" bytes") != std::string::npos;
  fault* const report = runtime_context::instance().report(
      fault_kind::out_of_bounds, found.name + (has_offset ? " + " + std::to_string(found.offset + beyond) : ""),
      call.name, call.caller);
  if (report == nullptr) return false;
  report->cause = std::string(call.name) + (writes ? " writes " : " reads ") + operand.text;
  if (found.name == "host memory") {
    report->cause += ": cuBLAS works on the device, which cannot use the host's memory";
    report->fix = "memory of cudaMalloc and cublasSetVector or cudaMemcpy, or managed memory";
  }
  return false;
}

cudaError_t copy_operand(void* host, const operand_rows& from, const cublas_call& call) {
  return copy_rows_in_order(host, from.width, from.first, from.pitch, from.width, from.height, cudaMemcpyDefault,
                            call.name, call.caller);
}
cudaError_t copy_operand(const operand_rows& to, const void* host, const cublas_call& call) {
  return copy_rows_in_order(const_cast<void*>(to.first), to.pitch, host, to.width, to.width, to.height,
                            cudaMemcpyDefault, call.name, call.caller);
}

void check_host_scalar(const void* scalar, bool writes, const cublas_call& call) {
  auto& runtime = runtime_context::instance();
  const auto at = runtime.find(scalar);
  if (at == runtime.allocations.end() || at->second.use != memory_use::device) return;
  const auto word = reinterpret_cast<std::uintptr_t>(scalar);
  if (writes) device_memory::instance().mark_written(word, 1);
  device_memory::instance().mark_read(word, 1);
  fault* const report = runtime.report(
      fault_kind::host_access, "buffer of " + std::to_string(at->second.bytes) + " bytes", call.name, call.caller);
  if (report == nullptr) return;
  report->cause = writes ? "the result is stored by the host: the pointer mode is CUBLAS_POINTER_MODE_HOST"
                         : "alpha or beta is read by the host: the pointer mode is CUBLAS_POINTER_MODE_HOST";
  report->fix = "the address of a variable of the host, or cublasSetPointerMode with CUBLAS_POINTER_MODE_DEVICE";
}

void print_at(const cublas_call& call, const std::string& text) {
  const source_line line = find_line(user_call(call.caller));
  const std::string file = line.file.substr(line.file.rfind('/') + 1);
  std::fprintf(stderr, "%s:%d: simtcc: %s: %s\n", file.c_str(), line.line, call.name, text.c_str());
}
cublasStatus_t refuse(const cublas_call& call, const char* name, long long value, long long least) {
  print_at(call,
           std::string(name) + " is " + std::to_string(value) + "; expected " + std::to_string(least) + " or more");
  return CUBLAS_STATUS_INVALID_VALUE;
}

}  // namespace exactdot::simt
