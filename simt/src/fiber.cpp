// Stack allocation: one mmap per slab of 64 stacks; below each stack lies an inaccessible guard page. And the
// switch.
//
// On x86-64 the switch ends with a return, so that the processor predicts it, and the returns after it as those of
// the fiber that was left, which mostly waits in the same functions. A jump, as Boost.Context's, puts all of them
// off by one. Nor does it save the control words of floating point, which kernels do not change.
#include "fiber.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <new>

#if !defined(__x86_64__)
#include <boost/context/detail/fcontext.hpp>
#endif

#if defined(__x86_64__)
asm(R"(
.text
.p2align 4
.globl exactdot_simt_switch
.hidden exactdot_simt_switch
.type exactdot_simt_switch, @function
exactdot_simt_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rsi)
  movq %rdi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size exactdot_simt_switch, .-exactdot_simt_switch
)");
#endif

namespace exactdot::simt {
namespace {
constexpr std::size_t stride = stack_pool::stack_bytes + stack_pool::guard_bytes;

#if !defined(__x86_64__)
/// Keeps the context that a jump has left, where the one that jumped said.
void keep_left(boost::context::detail::transfer_t from) { *static_cast<context*>(from.data) = from.fctx; }

void begin(boost::context::detail::transfer_t from) {
  keep_left(from);
  start_fiber();
}
#endif
}  // namespace

#if defined(__x86_64__)

context make_context(void* stack_top) {
  constexpr std::size_t registers = 6;
  auto* top = static_cast<std::uintptr_t*>(stack_top);
  *--top = 0;  // where start_fiber() would return to: the end of a stack for unwinders
  *--top = reinterpret_cast<std::uintptr_t>(&start_fiber);
  for (std::size_t i = 0; i < registers; ++i) *--top = 0;
  return top;
}

#else

context make_context(void* stack_top) {
  return boost::context::detail::make_fcontext(stack_top, stack_pool::stack_bytes, begin);
}

extern "C" void exactdot_simt_switch(context next, context* kept) {
  keep_left(boost::context::detail::jump_fcontext(next, kept));
}

#endif

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
