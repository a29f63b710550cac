// cooperative_groups/scan.h for programs that simtcc compiles: running totals over the ranks of a group.
#pragma once

#include <cooperative_groups/reduce.h>

#include <utility>

namespace cooperative_groups {

namespace detail {
template <class Group, class T, class = void>
inline constexpr bool has_shuffles = false;
template <class Group, class T>
inline constexpr bool
    has_shuffles<Group, T, std::void_t<decltype(std::declval<const Group&>().shfl_up(std::declval<T>(), 1U))>> =
        true;

/// Value of the thread `delta` ranks lower; the own one if there is none.
template <class Group, class T>
[[gnu::always_inline]] inline T value_below(const Group& group, T value, unsigned delta) {
  if constexpr (has_shuffles<Group, T>) {
    return group.shfl_up(value, delta);
  } else {
    const unsigned rank = group.thread_rank();
    return group.value_of(value, rank >= delta ? rank - delta : rank);
  }
}
}  // namespace detail

template <class Group, class T, class Operation = plus<T>>
[[gnu::always_inline]] inline T inclusive_scan(const Group& group, T value, Operation operation = {}) {
  for (unsigned delta = 1; delta < group.num_threads(); delta *= 2) {
    const T earlier = detail::value_below(group, value, delta);
    if (group.thread_rank() >= delta) value = operation(earlier, value);
  }
  return value;
}
/// Without the thread's own value; zero for rank 0.
template <class Group, class T, class Operation = plus<T>>
[[gnu::always_inline]] inline T exclusive_scan(const Group& group, T value, Operation operation = {}) {
  const T earlier = detail::value_below(group, inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T{} : earlier;
}

}  // namespace cooperative_groups
