// cooperative_groups/scan.h for programs that simtcc compiles: running totals over the ranks of a group.
#pragma once

#include <cooperative_groups/reduce.h>

namespace cooperative_groups {

template <class Group, class T, class Operation = plus<T>>
[[gnu::always_inline]] inline T inclusive_scan(const Group& group, T value, Operation operation = {}) {
  for (unsigned delta = 1; delta < group.num_threads(); delta *= 2) {
    const T earlier = group.shfl_up(value, delta);
    if (group.thread_rank() >= delta) value = operation(earlier, value);
  }
  return value;
}
/// Without the thread's own value; zero for rank 0.
template <class Group, class T, class Operation = plus<T>>
[[gnu::always_inline]] inline T exclusive_scan(const Group& group, T value, Operation operation = {}) {
  const T earlier = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T{} : earlier;
}

}  // namespace cooperative_groups
