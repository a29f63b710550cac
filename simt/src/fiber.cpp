// Stack allocation: one mmap per slab of 64 stacks; below each stack lies an inaccessible guard page.
#include "fiber.hpp"

#include <sys/mman.h>

#include <new>

namespace exactdot::simt {
namespace {
constexpr std::size_t stride = stack_pool::stack_bytes + stack_pool::guard_bytes;
}  // namespace

stack_pool::~stack_pool() {
  for (void* slab : slabs_) munmap(slab, stacks_per_slab * stride);
}

void* stack_pool::acquire() {
  if (unused_.empty()) {
    void* slab = mmap(nullptr, stacks_per_slab * stride, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slab == MAP_FAILED) throw std::bad_alloc();
    slabs_.push_back(slab);
    for (std::size_t i = 0; i < stacks_per_slab; ++i) {
      char* const lowest = static_cast<char*>(slab) + i * stride;
      mprotect(lowest, guard_bytes, PROT_NONE);
      unused_.push_back(lowest + stride);
    }
  }
  void* top = unused_.back();
  unused_.pop_back();
  return top;
}

}  // namespace exactdot::simt
