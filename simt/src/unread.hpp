// Data that is written and that nothing reads: notes, because a program may mean it.
//
// unread_global: a buffer's data is read from its first word on, by threads in order, and its end is not: a grid
// that was rounded down, a tail of n mod 4 elements, partial sums beyond the threads of a second launch.
// unread_shared: the same of a shared variable; and words whose writers do nothing else that anyone can see: the
// upper half of a tree whose step is missing.
#pragma once

#include <cstddef>
#include <optional>

#include "region.hpp"
#include "stream_state.hpp"

namespace exactdot::simt {

/// A line that writes shared words: in how many blocks it did, and in how many of them nothing read some of them.
struct shared_line {
  std::size_t blocks = 0, with_unread = 0;
  bool is_written = false, is_unread = false;  // in the block that has just ended
  std::optional<fault> note;                   // the first one
};

/// Called before a buffer is released, and for those that are left at the end.
void note_unread_words(detail::stream_state& state, const region& buffer);

/// The place of an access of a launch.
[[nodiscard]] fault_site site_of_kernel(std::uint32_t launch, const access_record& access, const char* action);

}  // namespace exactdot::simt
