// Stack allocation: one mmap per slab of 64 stacks; below each stack lies an inaccessible guard page. And the
// switch.
//
// The switch ends with a return, so that the processor predicts it, and the returns after it as those of the fiber
// that was left, which mostly waits in the same functions. A jump puts all of them off by one.
// Each fiber has its own MXCSR, as a turn may end within an operation with another rounding mode; it is loaded only
// if it differs from that of the fiber that is left. The x87 control word belongs to the host, as kernels have no
// long double.
#include "fiber.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <new>

#if !defined(__x86_64__) || !defined(__LP64__)
#error "the simulator switches fibers on x86-64 only"
#endif

asm(R"(
.pushsection .text
.p2align 4
.globl exactdot_simt_switch
.hidden exactdot_simt_switch
.type exactdot_simt_switch, @function
exactdot_simt_switch:
  .cfi_startproc
  pushq %rbp
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbp, 0
  pushq %rbx
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbx, 0
  pushq %r12
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r12, 0
  pushq %r13
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r13, 0
  pushq %r14
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r14, 0
  pushq %r15
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r15, 0
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  stmxcsr (%rsp)
  movl (%rsp), %eax
  movq %rsp, (%rsi)
  movq %rdi, %rsp
  cmpl (%rsp), %eax
  jne 2f
1:
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %r15
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r15
  popq %r14
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r14
  popq %r13
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r13
  popq %r12
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r12
  popq %rbx
  .cfi_adjust_cfa_offset -8
  .cfi_restore %rbx
  popq %rbp
  .cfi_adjust_cfa_offset -8
  .cfi_restore %rbp
  ret
  .cfi_adjust_cfa_offset 56
2:
  ldmxcsr (%rsp)
  jmp 1b
  .cfi_endproc
.size exactdot_simt_switch, .-exactdot_simt_switch
.popsection
)");

namespace exactdot::simt {
namespace {
constexpr std::size_t stride = stack_pool::stack_bytes + stack_pool::guard_bytes;

/// A new fiber's MXCSR: that of a program's begin, whatever the host has set. A GPU rounds to nearest and flushes
/// no denormal.
constexpr std::uintptr_t first_mxcsr = 0x1f80;
}  // namespace

context make_context(void* stack_top) {
  constexpr std::size_t registers = 6;
  auto* top = static_cast<std::uintptr_t*>(stack_top);
  *--top = 0;  // where start_fiber() would return to: the end of a stack for unwinders
  *--top = reinterpret_cast<std::uintptr_t>(&start_fiber);
  for (std::size_t i = 0; i < registers; ++i) *--top = 0;
  *--top = first_mxcsr;
  return top;
}

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
