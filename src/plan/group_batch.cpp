// make_group_batch: the checks and choices of groups by keys. Keys that never decrease make segments.
#include <algorithm>
#include <plan/axes.hpp>
#include <plan/batch_checks.hpp>
#include <plan/batch_setup.hpp>
#include <plan/gpu_engine.hpp>
#include <plan/group_batch.hpp>
#include <plan/group_counts.hpp>
#include <plan/group_keys.hpp>
#include <plan/group_runs.hpp>
#include <string>

namespace exactdot::inline v0_3::engine {
namespace {

/// Throws for what groups do not have.
void check_reduction(const batch_request& asked, const any_grid& a, const any_grid& b, mode mode) {
  for (const any_grid* each : {&a, &b}) {
    if (each->elements.size() == 1) continue;
    throw_error(errc::bad_option, asked.caller,
                "an array with " + std::to_string(each->elements.size()) + " axes of elements; groups take one");
  }
  if (gives_index(asked.what)) {
    throw_error(errc::bad_option, asked.caller, "groups have no indices of their elements; use min or max");
  }
  const bool is_sum = is_known(asked.what) && !core::info_of(asked.what).is_extremum;
  if (mode == mode::fast && is_sum && is_known(a.type) && !is_integer(a.type)) {
    throw_error(errc::bad_option, asked.caller,
                "groups have no mode fast, whose sums have an order; use mode exact");
  }
}

/// Throws unless results lie along an axis of the groups and then along those of the columns.
void check_shape(const batch_request& asked, const any_grid& a, const any_grid& b, std::size_t groups) {
  require_equal_axes(asked, a.results, b.results, "the shapes of the batches");
  std::vector<axis> places(a.results.begin(), a.results.end());
  places.insert(places.begin(), {groups, 0});
  require_equal_axes(
      asked, places, asked.out.axes,
      a.results.empty() ? "the numbers of groups and of results" : "the shapes of the groups and of their results");
}

void check_array(const batch_request& asked, const char* name, const any_grid& x, std::size_t columns,
                 std::size_t groups) {
  const axis& elements = x.elements[0];
  if (groups == 0) return;
  if (!x.results.empty()) return check_input(asked, name, x, columns, elements.n);
  check_vector(asked, name, {x.data, elements.n, x.type, elements.stride, x.swapped}, groups);
}

/// Whether all columns are one vector.
bool are_repeated(const any_grid& x) {
  return std::ranges::all_of(x.results, [](const axis& each) { return each.n == 1 || each.stride == 0; });
}

std::string text_of_key(const any_keys& keys, std::size_t index) {
  std::string text;
  for_keys(keys, index, 1, [&](std::size_t, std::uint64_t key) {
    text = is_signed(keys.type) ? std::to_string(static_cast<std::int64_t>(key)) : std::to_string(key);
  });
  return text;
}

/// Throws if the pass over the keys was cancelled, or found one out of range that is not to be skipped.
template <class Found>
void check_found(const batch_request& asked, const any_keys& keys, const Found& found) {
  if (found.is_cancelled) throw_error(errc::cancelled, asked.caller, "cancelled");
  if (found.first_outside == Found::no_index || keys.skips_out_of_range) return;
  throw_error(errc::bad_option, asked.caller,
              "key " + std::to_string(found.first_outside) + " is " + text_of_key(keys, found.first_outside) +
                  ", and there are " + std::to_string(keys.groups) +
                  " groups; correct it, or let elements with such keys be skipped");
}

/// The pass over keys that never decrease. Throws for a key out of range; nothing else counts if they do decrease.
group_runs checked_runs(const batch_request& asked, const any_keys& keys, const options& options) {
  group_runs runs = find_runs(keys, options.threads, options.monitor);
  if (runs.never_decrease) check_found(asked, keys, runs);
  return runs;
}

/// The pass over other keys. Throws for a key out of range.
group_counts checked_counts(const batch_request& asked, const any_keys& keys, const options& options) {
  group_counts counts = count_keys(keys, options.threads, options.monitor);
  check_found(asked, keys, counts);
  return counts;
}

/// Throws for a least or greatest element of a group that has none. `groups`: how many have some.
void check_empty(const batch_request& asked, std::size_t first_empty, std::size_t groups) {
  if (first_empty == groups || !core::info_of(asked.what).is_extremum) return;
  throw_error(errc::empty_input, asked.caller,
              "group " + std::to_string(first_empty) + " is empty, so it has no least or greatest element");
}

/// Groups that are segments; those without elements are no vectors of the batch.
void set_runs(batch& made, const any_keys& keys, group_runs runs) {
  const std::size_t count = runs.groups.size();
  if (count != keys.groups) {
    made.all_groups = keys.groups;
    made.group_names = std::move(runs.groups).list();
  }
  made.each.n = runs.longest;
  made.group_sizes = std::move(runs.offsets);
  made.offsets = {made.group_sizes.data(), count, element_type::uint64, sizeof(std::uint64_t)};
  made.count = count * made.column_count;
}

/// Groups with keys that have been numbered; those without elements are no vectors of the batch.
void set_numbers(batch& made, const any_keys& keys, numbered_keys numbered) {
  const std::size_t count = numbered.groups.size();
  made.all_groups = keys.groups;
  made.each.n = count == 0 ? 0 : *std::ranges::max_element(numbered.sizes);
  made.group_names = std::move(numbered.groups), made.group_sizes = std::move(numbered.sizes);
  made.own_keys = std::move(numbered.numbers);
  made.keys = {made.own_keys.data(), keys.n, element_type::uint64, sizeof(std::uint64_t), count, true};
  made.count = count * made.column_count;
}

/// The first group that is not among these.
std::size_t first_empty(const std::vector<std::uint64_t>& groups) {
  const auto has_elements = [i = std::uint64_t{0}](std::uint64_t group) mutable { return group == i++; };
  return static_cast<std::size_t>(std::ranges::find_if_not(groups, has_elements) - groups.begin());
}

/// Whether keys lie so far apart that those that occur are numbered.
bool are_far(const any_keys& keys) { return keys.groups > most_derived_groups(keys.n); }

numbered_keys checked_numbers(const batch_request& asked, const any_keys& keys, const options& options) {
  numbered_keys numbered = number_keys(keys, options.monitor);
  check_found(asked, keys, numbered);
  return numbered;
}

/// Segments if the keys never decrease, otherwise groups with keys. Throws for keys out of range and empty groups.
void set_groups(batch& made, const batch_request& asked, const any_keys& keys, const options& options) {
  std::size_t inside = 0;
  if (group_runs runs = checked_runs(asked, keys, options); runs.never_decrease) {
    if (made.count != 0) check_empty(asked, runs.groups.first_missing(), keys.groups);
    inside = runs.inside;
    if (made.count != 0) set_runs(made, keys, std::move(runs));
  } else if (are_far(keys)) {
    numbered_keys numbered = checked_numbers(asked, keys, options);
    if (made.count != 0) check_empty(asked, first_empty(numbered.groups), keys.groups);
    inside = numbered.inside;
    if (made.count != 0) set_numbers(made, keys, std::move(numbered));
  } else {
    group_counts counts = checked_counts(asked, keys, options);
    const auto empty = std::ranges::find(counts.sizes, 0U) - counts.sizes.begin();
    if (made.count != 0) check_empty(asked, static_cast<std::size_t>(empty), keys.groups);
    inside = counts.inside;
    made.group_sizes = std::move(counts.sizes);
    if (made.count != 0) made.each.n = *std::ranges::max_element(made.group_sizes), made.keys = keys;
  }
  if (__builtin_mul_overflow(inside, made.column_count, &made.elements)) made.elements = ~std::size_t{0};
}

/// Lets an engine be chosen before the keys are read. True if a GPU computes the batch: the engine then counts.
bool is_for_gpu(batch& made, const batch_request& asked, const any_keys& keys, const options& options) {
  if (made.count == 0 && keys.n == 0) return false;
  made.keys = keys;
  if (keys.n == 0) made.keys.data = asked.out.data;  // any address: no key is read
  made.each.n = keys.n, made.elements = keys.n;
  made.out_stride = asked.out.axes[0].stride;
  choose_engine(asked, made, options);
  if (made.each.on_gpu) {
    check_byte_order(asked, "keys", keys.swapped);
    return true;
  }
  made.keys = {}, made.elements = 0;
  return false;
}

}  // namespace

batch make_group_batch(const batch_request& asked, const any_grid& a, const any_grid& given_b, const any_keys& keys,
                       const options& options) {
  const bool two = inputs_of(asked.what) == 2;
  const any_grid& b = two ? given_b : a;
  check_reduction(asked, a, b, options.mode);
  const auto as_vector = [](const any_grid& x) {
    return any_vector{x.data, x.elements[0].n, x.type, x.elements[0].stride, x.swapped};
  };
  const std::size_t n = a.elements[0].n;
  check_shape(asked, a, b, keys.groups);
  check_adding(asked);
  check_options(asked, options);
  const std::size_t columns = count_or_refuse(asked, a.results, "results");
  const std::size_t count = count_or_refuse(asked, asked.out.axes, "results");
  check_each(asked, as_vector(a), as_vector(b), n == 0 ? 0 : keys.groups, options.mode);
  check_results(asked, count);
  check_keys(asked, keys, count, n);
  check_array(asked, two ? "a" : "x", a, columns, keys.groups);
  if (two) check_array(asked, "b", b, columns, keys.groups);
  // a row's weight is the second factor; of a ratio the inputs differ in more
  const bool swaps = two && are_repeated(a) && !are_repeated(b) && !core::info_of(asked.what).is_ratio;
  const any_grid &first = swaps ? b : a, &second = swaps ? a : b;
  batch made = unplaced_batch(asked, as_vector(first), as_vector(second), options.mode);
  made.count = count;
  made.column_count = columns;
  if (count != 0) made.columns = shared_axes(first.results, second.results, asked.out.axes.subspan(1));
  if (is_for_gpu(made, asked, keys, options)) return made;
  set_groups(made, asked, keys, options);
  if (count != 0) set_threads(made, options);
  return made;
}

batch make_count_batch(const batch_request& asked, const any_keys& keys, const options& options) {
  const axis places[] = {{keys.groups, 0}};
  if (asked.out.is_added_to)
    throw_error(errc::bad_option, asked.caller, "numbers of elements are not added to results; add them yourself");
  require_equal_axes(asked, places, asked.out.axes, "the numbers of groups and of results");
  check_options(asked, options);
  if (asked.out.type != element_type::int64 && asked.out.type != element_type::uint64) {
    throw_error(errc::bad_option, asked.caller,
                "the result type is " +
                    std::string(is_known(asked.out.type) ? name_of(asked.out.type) : "unknown") +
                    "; use int64 or uint64");
  }
  check_results(asked, keys.groups);
  check_keys(asked, keys, keys.groups, keys.n);
  batch made;
  made.each.caller = asked.caller;
  made.each.result_type = asked.out.type;
  made.each.result = {core::finish::round, core::format_of(asked.out.type)};
  made.count = keys.groups, made.is_count = true;
  made.out = static_cast<char*>(asked.out.data), made.out_swapped = asked.out.swapped;
  made.monitor = options.monitor;
  if (made.count != 0 || keys.n != 0) static_cast<void>(is_for_gpu(made, asked, keys, options));
  return made;
}

void store_group_sizes(const batch_request& asked, const any_keys& keys, const options& options) {
  const batch to = make_count_batch(asked, keys, options);
  if (to.each.on_gpu) return registered_gpu_engine.load(std::memory_order_acquire)->reduce_batch(to);
  const auto store = [&](std::size_t group, std::uint64_t size) {
    to.store(to.out + static_cast<std::ptrdiff_t>(group) * asked.out.axes[0].stride, size);
  };
  const auto store_few = [&](const auto& groups, auto size_of_group) {
    to.store_all(to.out, keys.groups, 0);
    for (std::size_t i = 0; i < groups.size(); ++i) store(groups[i], size_of_group(i));
  };
  const group_runs runs = checked_runs(asked, keys, options);
  if (runs.never_decrease) {
    store_few(runs.groups, [&](std::size_t i) { return runs.offsets[i + 1] - runs.offsets[i]; });
  } else if (are_far(keys)) {
    const numbered_keys numbered = checked_numbers(asked, keys, options);
    store_few(numbered.groups, [&](std::size_t i) { return numbered.sizes[i]; });
  } else {
    const group_counts counts = checked_counts(asked, keys, options);
    for (std::size_t i = 0; i < keys.groups; ++i) store(i, counts.sizes[i]);
  }
}

}  // namespace exactdot::inline v0_3::engine
