// Loads and stores of kernels, inline up to their scheduling point.
#pragma once

#include "step.hpp"

namespace exactdot::simt {

/// Returns whether no other thread accesses the address: the thread's stack, the kernel's arguments, constants.
inline bool machine::is_local(std::uintptr_t address) const {
  constexpr std::size_t stack = stack_pool::stack_bytes;
  if (address - (reinterpret_cast<std::uintptr_t>(current_->stack) - stack) < stack) return true;
  if (memory_.holds(address) || module_.is_shared(address)) return false;
  return address - reinterpret_cast<std::uintptr_t>(call_.arguments) < call_.argument_bytes ||
         module_.is_constant(address);
}

/// The shadow of an address, to be prefetched; null if that would take long to find.
inline const void* machine::shadow_of(std::uintptr_t address) const {
  const region* const range = memory_.holds(address)       ? memory_.find_again(address)
                              : module_.is_shared(address) ? current_->parent->shared.find_again(address)
                                                           : nullptr;
  return range == nullptr ? nullptr : range->find_cell(address);
}

inline void machine::access(std::uintptr_t address, std::size_t size, bool write, access_order order,
                            const void* caller) {
  if (current_->copied_read) [[unlikely]]
    return access_after_read(address, size, write, order, caller);
  if (is_local(address)) {
    current_->written = {{nullptr, address, nullptr}, write ? size : 0};
    return;
  }
  if (steps_left_ <= 1)  // the turn ends here
    current_->parent->resumptions[current_->index_in_block].shadow = shadow_of(address);
  step(caller);
  judge_plain_access(address, size, write, order, caller);
}

}  // namespace exactdot::simt
