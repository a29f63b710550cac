// Stacks come in slabs of 64, each stack behind a page that must not be touched.
#include "fiber.hpp"

#include <sys/mman.h>

#include <new>

namespace exactdot::simt {
namespace {
constexpr std::size_t pitch = stack_pool::stack_bytes + stack_pool::guard_bytes;
}  // namespace

stack_pool::~stack_pool() {
  for (void* slab : slabs_) munmap(slab, stacks_a_slab * pitch);
}

void* stack_pool::take() {
  if (unused_.empty()) {
    void* slab = mmap(nullptr, stacks_a_slab * pitch, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slab == MAP_FAILED) throw std::bad_alloc();
    slabs_.push_back(slab);
    for (std::size_t i = 0; i < stacks_a_slab; ++i) {
      char* const lowest = static_cast<char*>(slab) + i * pitch;
      mprotect(lowest, guard_bytes, PROT_NONE);
      unused_.push_back(lowest + pitch);
    }
  }
  void* top = unused_.back();
  unused_.pop_back();
  return top;
}

}  // namespace exactdot::simt
