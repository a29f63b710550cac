// Implementation of group_runs.hpp.
#include <algorithm>
#include <atomic>
#include <new>
#include <plan/group_keys.hpp>
#include <plan/group_runs.hpp>
#include <plan/thread_count.hpp>
#include <plan/threads.hpp>
#include <utility>

namespace exactdot::inline v0_3::engine {
namespace {

/// Keys that a thread takes at a time, and of those it looks at, which stay in the first cache for the second look;
/// and of the first look, after which most keys in random order are known to be.
constexpr std::size_t block_size = std::size_t{1} << 16, slice_size = 1024, first_slice = 64;

/// Runs of some keys, in their order.
struct run_list {
  run_groups groups;
  std::vector<std::uint64_t> offsets;

  /// For n more runs; if memory lacks for these, then for as many in a block as there were among the keys `seen`.
  void make_room(std::size_t n, std::size_t seen, std::size_t block) {
    if (offsets.size() + n < offsets.capacity()) return;
    constexpr std::size_t max_growth = 1024;
    const std::size_t total = (offsets.size() + n) * (std::min(block / seen, max_growth) + 1);
    groups.reserve(total), offsets.reserve(total + 1);
  }
  void add(const std::uint64_t* keys, const std::uint64_t* places, std::size_t n) {
    groups.add(keys, n), offsets.insert(offsets.end(), places, places + n);
  }
};

/// Whether no key from `first` to first + n is less than the one before it.
template <class KeyAt>
bool never_decrease(KeyAt key_at, std::uint64_t sign, std::size_t first, std::size_t n) {
  std::size_t descents = 0;
  std::uint64_t before = key_at(first == 0 ? 0 : first - 1) ^ sign;
  for (std::size_t i = first; i < first + n; ++i) {
    const std::uint64_t ordered = key_at(i) ^ sign;
    descents += ordered < before ? 1 : 0;
    before = ordered;
  }
  return descents == 0;
}

/// At most how many runs n > 0 such keys from `first` on are part of: as many as numbers between the first and the
/// last, if these are at most `few`; otherwise the runs are counted.
template <class KeyAt>
std::size_t bound_of_runs(KeyAt key_at, std::size_t first, std::size_t n, std::size_t few) {
  std::uint64_t before = key_at(first);
  const std::uint64_t distance = key_at(first + n - 1) - before;
  if (distance < few) return static_cast<std::size_t>(distance) + 1;
  std::size_t runs = 1;
  for (std::size_t i = first + 1; i < first + n; ++i) {
    const std::uint64_t key = key_at(i);
    runs += key != before ? 1 : 0;
    before = key;
  }
  return runs;
}

/// The end of the run of equal keys that begins at `first`, or `end`. Keys between equal ones are not read. Where a
/// run ends cannot be predicted, so the steps back take no branch.
template <class KeyAt>
std::size_t end_of_run(KeyAt key_at, std::size_t first, std::size_t end) {
  const std::uint64_t key = key_at(first);
  std::size_t at = first + 1, step = 16;
  for (; at + step <= end && key_at(at + step - 1) == key; step *= 2) at += step;
  for (; step != 0; step /= 2) {
    const std::size_t next = at + step;
    at = next <= end && key_at(std::min(next, end) - 1) == key ? next : at;
  }
  return at;
}

/// The runs that begin at first to before first + n, of which there are few.
template <class KeyAt>
void add_few_runs(KeyAt key_at, std::size_t first, std::size_t n, run_list& to) {
  const std::size_t end = first + n;
  std::size_t at = first;
  if (first != 0 && key_at(first - 1) == key_at(first)) at = end_of_run(key_at, first, end);
  for (; at < end; at = end_of_run(key_at, at, end)) {
    const std::uint64_t key = key_at(at), place = at;
    to.add(&key, &place, 1);
  }
}

/// The same of many: where a run ends cannot be predicted, so there is no branch.
template <class KeyAt>
void add_many_runs(KeyAt key_at, std::size_t first, std::size_t n, run_list& to) {
  std::uint64_t names[slice_size + 1], places[slice_size + 1];
  names[0] = places[0] = 0;
  std::uint64_t before = first == 0 ? ~key_at(0) : key_at(first - 1);
  std::size_t found = 0;
  for (std::size_t i = first; i < first + n; ++i) {
    const std::uint64_t key = key_at(i);
    names[found] = key, places[found] = i;
    found += key != before ? 1 : 0;
    before = key;
  }
  to.add(names, places, found);
}

/// Adds the runs that begin in a stretch of a block of so many keys. False if a key is less than the one before it,
/// or the call is to end.
bool add_runs(const any_keys& keys, std::size_t first, std::size_t n, std::size_t block, run_list& to,
              const std::atomic<bool>& ends) {
  const std::uint64_t sign = is_signed(keys.type) ? std::uint64_t{1} << 63 : 0;  // in the order of the keys
  constexpr std::size_t long_run = 32;
  bool goes_on = true;
  with_key_reader(keys, [&](auto key_at) {
    for (std::size_t done = 0, count = 0; done < n && goes_on; done += count) {
      const std::size_t at = first + done;
      count = std::min(at == 0 ? first_slice : slice_size, n - done);
      goes_on = never_decrease(key_at, sign, at, count);
      if (!goes_on) break;
      const std::size_t few = count / long_run, runs = bound_of_runs(key_at, at, count, few);
      to.make_room(runs, at % block + count, block);
      if (runs <= few) {
        add_few_runs(key_at, at, count, to);
      } else {
        add_many_runs(key_at, at, count, to);
      }
      goes_on = !ends.load(std::memory_order_relaxed);
    }
  });
  return goes_on;
}

/// The runs of all blocks.
group_runs joined(std::vector<run_list>& lists) {
  group_runs all;
  if (lists.size() == 1) {
    all.groups = std::move(lists[0].groups), all.offsets = std::move(lists[0].offsets);
    return all;
  }
  std::size_t runs = 0;
  for (const run_list& each : lists) runs += each.groups.size();
  all.groups.reserve(runs), all.offsets.reserve(runs + 1);
  for (run_list& each : lists) {
    all.groups.add(each.groups);
    all.offsets.insert(all.offsets.end(), each.offsets.begin(), each.offsets.end());
    each = {};
  }
  return all;
}

/// Drops the runs of keys out of range, which are the first and the last.
void clip(group_runs& all, const any_keys& keys) {
  const auto end_of = [&](std::size_t from, auto is_before) {
    for (std::size_t end = all.groups.size(); from != end;) {  // a binary search
      const std::size_t middle = from + (end - from) / 2;
      is_before(all.groups[middle]) ? from = middle + 1 : end = middle;
    }
    return from;
  };
  const bool has_sign = is_signed(keys.type);
  const std::size_t begin = end_of(0, [&](std::uint64_t key) { return has_sign && key >> 63 != 0; });
  const std::size_t end = end_of(begin, [&](std::uint64_t key) { return key < keys.groups; });
  all.offsets.push_back(keys.n);
  all.inside = all.offsets[end] - all.offsets[begin];
  if (all.inside != keys.n) all.first_outside = begin != 0 ? 0 : all.offsets[end];
  all.offsets.resize(end + 1);
  all.offsets.erase(all.offsets.begin(), all.offsets.begin() + static_cast<std::ptrdiff_t>(begin));
  // keys that were overwritten since they were compared may have any value
  all.groups.keep(begin, end, keys.groups - 1);
  for (std::size_t i = 0; i < all.groups.size(); ++i)
    all.longest = std::max<std::size_t>(all.longest, all.offsets[i + 1] - all.offsets[i]);
}

}  // namespace

std::size_t run_groups::first_missing() const noexcept {
  if (listed_.empty()) return first_ == 0 ? count_ : 0;
  std::size_t i = 0;
  while (i < count_ && listed_[i] == i) ++i;
  return i;
}

std::vector<std::uint64_t> run_groups::list() && {
  if (listed_.empty()) make_list();
  return std::move(listed_);
}

void run_groups::make_list() {
  listed_.reserve(std::max(expected_, count_));
  for (std::size_t i = 0; i < count_; ++i) listed_.push_back(first_ + i);
}

void run_groups::add(const std::uint64_t* groups, std::size_t n) {
  if (n == 0) return;
  if (listed_.empty()) {
    if (count_ == 0) first_ = groups[0];
    bool follow = groups[0] == first_ + count_;
    for (std::size_t i = 0; i < n; ++i) follow &= groups[i] == groups[0] + i;
    if (!follow) make_list();
    if (follow) {
      count_ += n;
      return;
    }
  }
  listed_.insert(listed_.end(), groups, groups + n);
  count_ += n;
}

void run_groups::add(const run_groups& more) {
  if (more.count_ == 0) return;
  if (listed_.empty() && more.listed_.empty() && (count_ == 0 || more.first_ == first_ + count_)) {
    if (count_ == 0) first_ = more.first_;
    count_ += more.count_;
    return;
  }
  if (listed_.empty()) make_list();
  for (std::size_t i = 0; i < more.count_; ++i) listed_.push_back(more[i]);
  count_ += more.count_;
}

void run_groups::keep(std::size_t begin, std::size_t end, std::uint64_t greatest) {
  if (!listed_.empty()) {
    listed_.resize(end), listed_.erase(listed_.begin(), listed_.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  first_ += begin, count_ = end - begin;
  const bool exceed = count_ != 0 && (first_ > greatest || count_ - 1 > greatest - first_);
  if (listed_.empty() && exceed) make_list();
  for (std::uint64_t& group : listed_) group = std::min(group, greatest);
}

group_runs find_runs(const any_keys& keys, int threads, const monitor* monitor) {
  threads = threads_for(keys.n, threads);
  const std::size_t block = threads == 1 ? std::max<std::size_t>(keys.n, 1) : block_size;
  std::vector<run_list> lists(keys.n / block + (keys.n % block != 0));
  std::atomic<bool> ends = false, decreases = false, is_short_of_memory = false;
  for_shares(keys.n, std::min(block, block_size), threads, [&](std::size_t start, std::size_t count, int) noexcept {
    const std::size_t stop = start + count;
    for (std::size_t first = start, n = 0; first < stop; first += n) {
      n = std::min(block_size, stop - first);
      if (monitor != nullptr && monitor->cancel.load(std::memory_order_relaxed)) ends = true;
      try {
        if (add_runs(keys, first, n, std::min(block, keys.n), lists[first / block], ends)) continue;
        if (!ends) decreases = true;
      } catch (const std::bad_alloc&) {
        is_short_of_memory = true;
      }
      ends = true;
      return;
    }
  });
  if (is_short_of_memory) throw std::bad_alloc();
  group_runs all;
  all.never_decrease = !decreases, all.is_cancelled = ends && !decreases;
  if (ends) return all;
  all = joined(lists);
  clip(all, keys);
  return all;
}

}  // namespace exactdot::inline v0_3::engine
