// cooperative_groups/memcpy_async.h for programs that simtcc compiles: the threads of a group copy to shared memory
// together; wait() is a barrier of the group too.
#pragma once

#include <cooperative_groups.h>

#include <cuda/async_copies.hpp>

namespace cooperative_groups {

template <class Group, class Size>
[[gnu::always_inline]] inline void memcpy_async(const Group& group, void* to, const void* from, Size bytes) {
  cuda::detail::copy_share(to, from, bytes, static_cast<unsigned>(group.thread_rank()),
                           static_cast<unsigned>(group.size()));
  exactdot::simt::cp_async_commit_group();
}
/// With the numbers of elements at both ends.
template <class Group, class T, class ToLayout, class FromLayout>
[[gnu::always_inline]] inline void memcpy_async(const Group& group, T* to, const ToLayout& room, const T* from,
                                                const FromLayout& count) {
  const std::size_t elements = static_cast<std::size_t>(count) < static_cast<std::size_t>(room)
                                   ? static_cast<std::size_t>(count)
                                   : static_cast<std::size_t>(room);
  memcpy_async(group, static_cast<void*>(to), static_cast<const void*>(from), elements * sizeof(T));
}
/// Waits for all copies of the group but those of the last `stages_left` calls.
template <unsigned stages_left, class Group>
[[gnu::always_inline]] inline void wait_prior(const Group& group) {
  cuda::detail::wait_groups(stages_left);
  group.sync();
}
template <class Group>
[[gnu::always_inline]] inline void wait(const Group& group) {
  wait_prior<0>(group);
}

}  // namespace cooperative_groups
