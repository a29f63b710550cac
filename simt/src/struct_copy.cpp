// Copies of structs: bytes that nobody has written may be padding.
//
// Compilers copy a struct as one word or range, with its padding. A read that follows a write of the same thread
// and size, with no access between them, is such a copy if the destination then holds what was read. The copy is no
// use of unwritten bytes: they count as unwritten in the destination too, and are reported when they are read
// there. A struct of which nothing was written is reported when it is copied. GCC announces both accesses before
// the copy, the write first. Clang announces the read, then the write of the same line: so a read of 8 bytes or
// more is judged at the thread's next access.
#include <cstring>
#include <utility>

#include "access.hpp"

namespace exactdot::simt {
namespace {

/// Returns whether bytes without a value can be padding: each run ends where a type of larger alignment than the
/// run's length may begin, and does not begin the struct.
bool may_be_padding(const region& range, std::uintptr_t address, std::size_t size) {
  for (std::size_t i = 0, run = 0; i <= size; ++i) {
    if (i < size && !range.is_written(address + i, 1)) {
      ++run;
    } else if (run != 0) {
      std::size_t alignment = 1;
      while (alignment <= run) alignment *= 2;
      if (run == i || alignment > 16 || (address + i) % alignment != 0) return false;
      run = 0;
    }
  }
  return true;
}

}  // namespace

/// Returns whether the current thread's read may be half of a copy of a struct, to be judged at the next step. A
/// copy into the thread's own stack, where unwritten bytes are not tracked, must look like padding.
bool machine::begin_struct_copy(const location& place, std::size_t size, const void* caller) {
  const written_range& target = current_->written;
  const bool write_precedes = target.size == size;
  if ((!write_precedes && size < 8) || !place.range->is_partly_written(place.address, size)) return false;
  if ((!write_precedes || target.place.range == nullptr) && !may_be_padding(*place.range, place.address, size))
    return false;
  const unsigned char* const bytes = storage_of(place);
  struct_copy copy{current_, place, target.place, {bytes, bytes + size}, caller};
  if (write_precedes) {
    copy_ = std::move(copy);
  } else {
    current_->copied_read = std::make_unique<struct_copy>(std::move(copy));
  }
  return true;
}

/// The current thread's first access or other step after a read that may be half of a copy. Returns whether it may
/// be the other half, else reports the read.
bool machine::continues_copy(std::size_t size, bool write, access_order order, const void* caller) {
  const struct_copy& copy = *current_->copied_read;
  if (write && order == access_order::plain && size == copy.bytes.size() &&
      same_line(copy.caller, attributed(*current_, caller)))
    return true;
  report_unwritten(*std::exchange(current_->copied_read, nullptr));
  return false;
}

/// An access that may be that other half: then the copy is judged at the next step.
void machine::access_after_read(std::uintptr_t address, std::size_t size, bool write, access_order order,
                                const void* caller) {
  std::unique_ptr<struct_copy> copied;
  if (continues_copy(size, write, order, caller)) copied = std::move(current_->copied_read);
  const bool to_stack = is_local(address);
  access(address, size, write, order, caller);
  const location& to = current_->written.place;
  if (copied && (to_stack || to.range != nullptr)) copied->to = to, copy_ = std::move(*copied);
}

void machine::report_unwritten(const struct_copy& copy) {
  thread* const self = std::exchange(current_, copy.reader);
  report(copy.from.range->shared ? fault_kind::uninitialised_shared : fault_kind::uninitialised_global, copy.from,
         "read", copy.caller);
  current_ = self;
}

/// Called at the next step, when the copy has been executed.
void machine::finish_struct_copy() {
  const struct_copy copy = std::exchange(copy_, {});
  const bool is_local = copy.to.range == nullptr;
  const std::size_t size = copy.bytes.size();
  const auto* const to = is_local ? reinterpret_cast<unsigned char*>(copy.to.address) : storage_of(copy.to);
  if (std::memcmp(to, copy.bytes.data(), size) == 0) {
    if (!is_local) copy.to.range->copy_written(copy.to.address, *copy.from.range, copy.from.address, size);
    return;
  }
  report_unwritten(copy);
}

}  // namespace exactdot::simt
