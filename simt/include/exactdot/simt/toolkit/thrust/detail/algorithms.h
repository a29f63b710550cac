// Thrust's algorithms: each with an execution policy before its arguments, or without. See execution.h.
#pragma once

#include <thrust/detail/execution.h>

#include <algorithm>
#include <numeric>

namespace thrust {
namespace detail {

template <class Iterator>
std::size_t length(Iterator first, Iterator last) {
  return static_cast<std::size_t>(last - first);
}

// Each element by itself.
template <bool device, class Iterator, class Function>
Iterator for_each_of(Iterator first, Iterator last, Function function) {
  const auto x = in_kernel(first);
  for_each_index<device>(length(first, last),
                         [=](std::size_t i) mutable { function(x[static_cast<std::ptrdiff_t>(i)]); });
  return last;
}
template <bool device, class Iterator, class Size, class Function>
Iterator for_each_n_of(Iterator first, Size n, Function function) {
  return for_each_of<device>(first, first + static_cast<std::ptrdiff_t>(n), function);
}
template <bool device, class In, class Out, class Function>
Out transform_of(In first, In last, Out out, Function function) {
  const auto x = in_kernel(first);
  const auto y = in_kernel(out);
  const std::size_t n = length(first, last);
  for_each_index<device>(n, [=](std::size_t i) mutable {
    y[static_cast<std::ptrdiff_t>(i)] = function(x[static_cast<std::ptrdiff_t>(i)]);
  });
  return out + static_cast<std::ptrdiff_t>(n);
}
template <bool device, class In, class Second, class Out, class Function>
Out transform_of(In first, In last, Second second, Out out, Function function) {
  const auto x = in_kernel(first);
  const auto z = in_kernel(second);
  const auto y = in_kernel(out);
  const std::size_t n = length(first, last);
  for_each_index<device>(n, [=](std::size_t i) mutable {
    const auto at = static_cast<std::ptrdiff_t>(i);
    y[at] = function(x[at], z[at]);
  });
  return out + static_cast<std::ptrdiff_t>(n);
}
template <bool device, class Iterator, class T>
void fill_of(Iterator first, Iterator last, T value) {
  const auto x = in_kernel(first);
  for_each_index<device>(length(first, last), [=](std::size_t i) { x[static_cast<std::ptrdiff_t>(i)] = value; });
}
template <bool device, class Iterator, class Size, class T>
Iterator fill_n_of(Iterator first, Size n, T value) {
  fill_of<device>(first, first + static_cast<std::ptrdiff_t>(n), value);
  return first + static_cast<std::ptrdiff_t>(n);
}
template <bool device, class Iterator, class T = value_of<Iterator>>
void sequence_of(Iterator first, Iterator last, T start = T{}, T step = T{1}) {
  const auto x = in_kernel(first);
  for_each_index<device>(length(first, last), [=](std::size_t i) {
    x[static_cast<std::ptrdiff_t>(i)] = static_cast<T>(start + static_cast<T>(i) * step);
  });
}
template <bool device, class Iterator, class Function>
void tabulate_of(Iterator first, Iterator last, Function function) {
  const auto x = in_kernel(first);
  for_each_index<device>(length(first, last), [=](std::size_t i) mutable {
    x[static_cast<std::ptrdiff_t>(i)] = function(static_cast<std::ptrdiff_t>(i));
  });
}
/// Of the host, where functions such as rand are; the values then go to the device.
template <bool device, class Iterator, class Function>
void generate_of(Iterator first, Iterator last, Function function) {
  const std::size_t n = length(first, last);
  const std::unique_ptr<value_of<Iterator>[]> values(new value_of<Iterator>[n]);
  for (std::size_t i = 0; i < n; ++i) values[i] = function();
  store<device>(values.get(), n, first);
}
template <bool device, class Map, class In, class Out>
Out gather_of(Map first, Map last, In in, Out out) {
  const auto map = in_kernel(first);
  const auto x = in_kernel(in);
  const auto y = in_kernel(out);
  const std::size_t n = length(first, last);
  for_each_index<device>(
      n, [=](std::size_t i) { y[static_cast<std::ptrdiff_t>(i)] = x[map[static_cast<std::ptrdiff_t>(i)]]; });
  return out + static_cast<std::ptrdiff_t>(n);
}
template <bool device, class In, class Map, class Out>
void scatter_of(In first, In last, Map target, Out out) {
  const auto x = in_kernel(first);
  const auto map = in_kernel(target);
  const auto y = in_kernel(out);
  for_each_index<device>(length(first, last), [=](std::size_t i) {
    y[map[static_cast<std::ptrdiff_t>(i)]] = x[static_cast<std::ptrdiff_t>(i)];
  });
}

/// Between host and device, or within one of them: a policy of the device says that both are the device's.
template <bool device, class In, class Out>
Out copy_of(In first, In last, Out out) {
  constexpr bool to_device = device || is_of_device<Out>;
  constexpr bool from_device = device || is_of_device<In> || (is_of_neither<In> && to_device);
  const std::size_t n = length(first, last);
  if constexpr (from_device && to_device) {
    return transform_of<true>(first, last, out, identity<value_of<In>>());
  } else {
    return store<to_device>(host_copy<from_device>(first, n).get(), n, out);
  }
}
template <bool device, class In, class Size, class Out>
Out copy_n_of(In first, Size n, Out out) {
  return copy_of<device>(first, first + static_cast<std::ptrdiff_t>(n), out);
}

// On a copy, by the host.
template <bool device, class In, class Out, class Predicate>
Out copy_if_of(In first, In last, Out out, Predicate predicate) {
  const std::size_t n = length(first, last);
  const auto x = host_copy<device>(first, n);
  const auto holds = where_holds<device>(first, n, predicate);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (holds[i]) x[kept++] = x[i];
  }
  return store<device>(x.get(), kept, out);
}
template <bool device, class Iterator, class Predicate>
Iterator remove_if_of(Iterator first, Iterator last, Predicate predicate) {
  return copy_if_of<device>(first, last, first, [=](const value_of<Iterator>& x) mutable { return !predicate(x); });
}
template <bool device, class Iterator, class T = value_of<Iterator>, class Combine = plus<T>>
T reduce_of(Iterator first, Iterator last, T start = T{}, Combine combine = {}) {
  const std::size_t n = length(first, last);
  const auto x = host_copy<device>(first, n);
  for (std::size_t i = 0; i < n; ++i) start = combine(start, x[i]);
  return start;
}
template <bool device, class Iterator, class Function, class T, class Combine>
T transform_reduce_of(Iterator first, Iterator last, Function function, T start, Combine combine) {
  return reduce_of<device>(make_transform_iterator(first, function), make_transform_iterator(last, function), start,
                           combine);
}
template <bool device, class Iterator, class Second, class T, class Combine = plus<T>,
          class Multiply = multiplies<T>>
T inner_product_of(Iterator first, Iterator last, Second second, T start, Combine combine = {},
                   Multiply multiply = {}) {
  const std::size_t n = length(first, last);
  const auto x = host_copy<device>(first, n);
  const auto y = host_copy<device>(second, n);
  for (std::size_t i = 0; i < n; ++i) start = combine(start, multiply(x[i], y[i]));
  return start;
}
template <bool device, class In, class Out, class Combine = plus<value_of<In>>>
Out inclusive_scan_of(In first, In last, Out out, Combine combine = {}) {
  const std::size_t n = length(first, last);
  const auto x = host_copy<device>(first, n);
  for (std::size_t i = 1; i < n; ++i) x[i] = combine(x[i - 1], x[i]);
  store<device>(x.get(), n, out);
  return out + static_cast<std::ptrdiff_t>(n);
}
template <bool device, class In, class Out, class T = value_of<In>, class Combine = plus<T>>
Out exclusive_scan_of(In first, In last, Out out, T start = T{}, Combine combine = {}) {
  const std::size_t n = length(first, last);
  const auto x = host_copy<device>(first, n);
  const std::unique_ptr<T[]> y(new T[n]);
  for (std::size_t i = 0; i < n; ++i) y[i] = start, start = combine(start, static_cast<T>(x[i]));
  store<device>(y.get(), n, out);
  return out + static_cast<std::ptrdiff_t>(n);
}
template <bool device, class Iterator, class Compare = less<value_of<Iterator>>>
void stable_sort_of(Iterator first, Iterator last, Compare compare = {}) {
  const std::size_t n = length(first, last);
  const auto x = host_copy<device>(first, n);
  std::stable_sort(x.get(), x.get() + n, compare);
  store<device>(x.get(), n, first);
}
template <bool device, class Iterator, class Compare = less<value_of<Iterator>>>
void sort_of(Iterator first, Iterator last, Compare compare = {}) {
  stable_sort_of<device>(first, last, compare);
}
template <bool device, class Keys, class Values, class Compare = less<value_of<Keys>>>
void stable_sort_by_key_of(Keys first, Keys last, Values values, Compare compare = {}) {
  const std::size_t n = length(first, last);
  const auto keys = host_copy<device>(first, n);
  const auto x = host_copy<device>(values, n);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return compare(keys[i], keys[j]); });
  const std::unique_ptr<value_of<Keys>[]> sorted_keys(new value_of<Keys>[n]);
  const std::unique_ptr<value_of<Values>[]> sorted(new value_of<Values>[n]);
  for (std::size_t i = 0; i < n; ++i) sorted_keys[i] = keys[order[i]], sorted[i] = x[order[i]];
  store<device>(sorted_keys.get(), n, first);
  store<device>(sorted.get(), n, values);
}
template <bool device, class Keys, class Values, class Compare = less<value_of<Keys>>>
void sort_by_key_of(Keys first, Keys last, Values values, Compare compare = {}) {
  stable_sort_by_key_of<device>(first, last, values, compare);
}
/// Sums of stretches of equal keys.
template <bool device, class Keys, class Values, class OutKeys, class Out, class Equal = equal_to<value_of<Keys>>,
          class Combine = plus<value_of<Values>>>
pair<OutKeys, Out> reduce_by_key_of(Keys first, Keys last, Values values, OutKeys out_keys, Out out,
                                    Equal equal = {}, Combine combine = {}) {
  const std::size_t n = length(first, last);
  const auto keys = host_copy<device>(first, n);
  const auto x = host_copy<device>(values, n);
  std::size_t groups = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (groups != 0 && equal(keys[groups - 1], keys[i])) {
      x[groups - 1] = combine(x[groups - 1], x[i]);
    } else {
      keys[groups] = keys[i], x[groups] = x[i], ++groups;
    }
  }
  store<device>(keys.get(), groups, out_keys);
  store<device>(x.get(), groups, out);
  return {out_keys + static_cast<std::ptrdiff_t>(groups), out + static_cast<std::ptrdiff_t>(groups)};
}
template <bool device, class Iterator, class Equal = equal_to<value_of<Iterator>>>
Iterator unique_of(Iterator first, Iterator last, Equal equal = {}) {
  const std::size_t n = length(first, last);
  const auto x = host_copy<device>(first, n);
  const auto kept = static_cast<std::size_t>(std::unique(x.get(), x.get() + n, equal) - x.get());
  store<device>(x.get(), kept, first);
  return first + static_cast<std::ptrdiff_t>(kept);
}
template <bool device, class Iterator>
void reverse_of(Iterator first, Iterator last) {
  const std::size_t n = length(first, last);
  const auto x = host_copy<device>(first, n);
  std::reverse(x.get(), x.get() + n);
  store<device>(x.get(), n, first);
}
template <bool device, class Iterator, class Predicate>
std::ptrdiff_t count_if_of(Iterator first, Iterator last, Predicate predicate) {
  const std::size_t n = length(first, last);
  const auto holds = where_holds<device>(first, n, predicate);
  return std::count(holds.get(), holds.get() + n, true);
}
template <bool device, class Iterator, class T>
std::ptrdiff_t count_of(Iterator first, Iterator last, T value) {
  return count_if_of<device>(first, last, [=](const value_of<Iterator>& x) { return x == value; });
}
template <bool device, class Iterator, class Predicate>
bool all_of_of(Iterator first, Iterator last, Predicate predicate) {
  return count_if_of<device>(first, last, predicate) == last - first;
}
template <bool device, class Iterator, class Predicate>
bool any_of_of(Iterator first, Iterator last, Predicate predicate) {
  return count_if_of<device>(first, last, predicate) != 0;
}
template <bool device, class Iterator, class Predicate>
bool none_of_of(Iterator first, Iterator last, Predicate predicate) {
  return count_if_of<device>(first, last, predicate) == 0;
}
template <bool device, class Iterator, class Compare = less<value_of<Iterator>>>
Iterator min_element_of(Iterator first, Iterator last, Compare compare = {}) {
  const std::size_t n = length(first, last);
  const auto x = host_copy<device>(first, n);
  return first + (std::min_element(x.get(), x.get() + n, compare) - x.get());
}
template <bool device, class Iterator, class Compare = less<value_of<Iterator>>>
Iterator max_element_of(Iterator first, Iterator last, Compare compare = {}) {
  const std::size_t n = length(first, last);
  const auto x = host_copy<device>(first, n);
  return first + (std::max_element(x.get(), x.get() + n, compare) - x.get());
}
template <bool device, class Iterator, class Compare = less<value_of<Iterator>>>
pair<Iterator, Iterator> minmax_element_of(Iterator first, Iterator last, Compare compare = {}) {
  return {min_element_of<device>(first, last, compare), max_element_of<device>(first, last, compare)};
}
template <bool device, class Iterator, class Second>
bool equal_of(Iterator first, Iterator last, Second second) {
  const std::size_t n = length(first, last);
  const auto x = host_copy<device>(first, n);
  const auto y = host_copy<device>(second, n);
  return std::equal(x.get(), x.get() + n, y.get());
}
template <bool device, class Iterator, class Compare = less<value_of<Iterator>>>
bool is_sorted_of(Iterator first, Iterator last, Compare compare = {}) {
  const std::size_t n = length(first, last);
  const auto x = host_copy<device>(first, n);
  return std::is_sorted(x.get(), x.get() + n, compare);
}
template <bool device, class Iterator, class T>
Iterator find_of(Iterator first, Iterator last, T value) {
  const std::size_t n = length(first, last);
  const auto x = host_copy<device>(first, n);
  return first + (std::find(x.get(), x.get() + n, value) - x.get());
}

}  // namespace detail

#define EXACTDOT_THRUST_UNLESS_TOLD(name, otherwise)       \
  template <class First, class... Rest>                    \
  auto name(First first, Rest... rest) {                   \
    if constexpr (detail::is_policy<First>) {              \
      const detail::on_stream scope(first.stream);         \
      return detail::name##_of<First::on_device>(rest...); \
    } else {                                               \
      return detail::name##_of<otherwise>(first, rest...); \
    }                                                      \
  }
#define EXACTDOT_THRUST(name) EXACTDOT_THRUST_UNLESS_TOLD(name, (detail::chooses_device<First, Rest...>))
// each iterator of a copy says where its elements are
EXACTDOT_THRUST_UNLESS_TOLD(copy, false)
EXACTDOT_THRUST_UNLESS_TOLD(copy_n, false)
EXACTDOT_THRUST(all_of)
EXACTDOT_THRUST(any_of)
EXACTDOT_THRUST(copy_if)
EXACTDOT_THRUST(count)
EXACTDOT_THRUST(count_if)
EXACTDOT_THRUST(equal)
EXACTDOT_THRUST(exclusive_scan)
EXACTDOT_THRUST(fill)
EXACTDOT_THRUST(fill_n)
EXACTDOT_THRUST(find)
EXACTDOT_THRUST(for_each)
EXACTDOT_THRUST(for_each_n)
EXACTDOT_THRUST(gather)
EXACTDOT_THRUST(generate)
EXACTDOT_THRUST(inclusive_scan)
EXACTDOT_THRUST(inner_product)
EXACTDOT_THRUST(is_sorted)
EXACTDOT_THRUST(max_element)
EXACTDOT_THRUST(min_element)
EXACTDOT_THRUST(minmax_element)
EXACTDOT_THRUST(none_of)
EXACTDOT_THRUST(reduce)
EXACTDOT_THRUST(reduce_by_key)
EXACTDOT_THRUST(remove_if)
EXACTDOT_THRUST(reverse)
EXACTDOT_THRUST(scatter)
EXACTDOT_THRUST(sequence)
EXACTDOT_THRUST(sort)
EXACTDOT_THRUST(sort_by_key)
EXACTDOT_THRUST(stable_sort)
EXACTDOT_THRUST(stable_sort_by_key)
EXACTDOT_THRUST(tabulate)
EXACTDOT_THRUST(transform)
EXACTDOT_THRUST(transform_reduce)
EXACTDOT_THRUST(unique)
#undef EXACTDOT_THRUST
#undef EXACTDOT_THRUST_UNLESS_TOLD

}  // namespace thrust
