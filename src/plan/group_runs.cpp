// Implementation of group_runs.hpp.
#include <algorithm>
#include <atomic>
#include <plan/group_keys.hpp>
#include <plan/group_runs.hpp>
#include <plan/thread_count.hpp>
#include <plan/threads.hpp>
#include <utility>

namespace exactdot::inline v0_3::engine {
namespace {

/// Keys that one thread reads at a time.
constexpr std::size_t block_size = std::size_t{1} << 16;

/// How many keys begin a run, of keys first to first + n, or no_runs if a key is less than the one before it.
constexpr std::size_t no_runs = ~std::size_t{0};
std::size_t runs_unless_decreasing(const any_keys& keys, std::size_t first, std::size_t n) {
  const std::uint64_t sign = is_signed(keys.type) ? std::uint64_t{1} << 63 : 0;  // in the order of the keys
  std::size_t descents = 0, runs = first == 0 ? 1 : 0;
  with_key_reader(keys, [&](auto key_at) {
    std::uint64_t before = key_at(first == 0 ? 0 : first - 1) ^ sign;
    for (std::size_t i = first; i < first + n; ++i) {
      const std::uint64_t ordered = key_at(i) ^ sign;
      descents += ordered < before ? 1 : 0;
      runs += ordered != before ? 1 : 0;
      before = ordered;
    }
  });
  return descents == 0 ? runs : no_runs;
}

/// The end of the run of equal keys that begins at `first`, or `end`. Keys between equal ones are not read. Where a run
/// ends cannot be predicted, so the steps back take no branch.
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

/// Where runs are stored: as many as were counted, also of keys that were overwritten since.
struct stored_runs {
  std::uint64_t *groups, *offsets;
  std::size_t left;
  std::uint64_t last_group;

  void add(std::uint64_t key, std::size_t at) {
    if (left == 0) return;
    *groups++ = std::min(key, last_group), *offsets++ = at;
    --left;
  }
  template <class KeyAt>
  void add(KeyAt key_at, const std::size_t* places, std::size_t n) {
    n = std::min(n, left);
    for (std::size_t i = 0; i < n; ++i) groups[i] = std::min(key_at(places[i]), last_group), offsets[i] = places[i];
    groups += n, offsets += n, left -= n;
  }
};

/// The runs that begin at first to before first + n, of which there are few.
template <class KeyAt>
void store_few_runs(KeyAt key_at, std::size_t first, std::size_t n, stored_runs& to) {
  const std::size_t end = first + n;
  std::size_t at = first;
  if (first != 0 && n != 0 && key_at(first - 1) == key_at(first)) at = end_of_run(key_at, first, end);
  for (; at < end; at = end_of_run(key_at, at, end)) to.add(key_at(at), at);
}

/// The same of many: where a run ends cannot be predicted, so there is no branch.
template <class KeyAt>
void store_many_runs(KeyAt key_at, std::size_t first, std::size_t n, stored_runs& to) {
  constexpr std::size_t slice = 256;
  std::size_t places[slice + 1];
  std::uint64_t before = first == 0 ? ~key_at(0) : key_at(first - 1);
  for (std::size_t done = 0; done < n; done += slice) {
    std::size_t found = 0;
    const std::size_t end = std::min(done + slice, n);
    for (std::size_t i = first + done; i < first + end; ++i) {
      const std::uint64_t key = key_at(i);
      places[found] = i;
      found += key != before ? 1 : 0;
      before = key;
    }
    to.add(key_at, places, found);
  }
}

/// Stores the runs that begin in a stretch of keys: as many as were counted.
void store_runs(const any_keys& keys, std::size_t first, std::size_t n, std::size_t runs, std::uint64_t* groups,
                std::uint64_t* offsets) {
  stored_runs to{groups, offsets, runs, keys.groups - 1};
  constexpr std::size_t long_run = 32;
  with_key_reader(keys, [&](auto key_at) {
    if (runs < n / long_run) {
      store_few_runs(key_at, first, n, to);
    } else {
      store_many_runs(key_at, first, n, to);
    }
  });
  std::fill_n(to.groups, to.left, 0);
  std::fill_n(to.offsets, to.left, first + n);
}

/// The first index whose key is at least `least`, of keys that never decrease.
std::size_t lower_bound(const any_keys& keys, std::uint64_t least) {
  const std::uint64_t sign = is_signed(keys.type) ? std::uint64_t{1} << 63 : 0;
  std::size_t first = 0;
  with_key_reader(keys, [&](auto key_at) {
    for (std::size_t n = keys.n; n != 0;) {
      const std::size_t half = n / 2;
      const bool is_below = (key_at(first + half) ^ sign) < (least ^ sign);
      first += is_below ? half + 1 : 0;
      n = is_below ? n - half - 1 : half;
    }
  });
  return first;
}

}  // namespace

group_runs find_runs(const any_keys& keys, int threads, const monitor* monitor) {
  group_runs all;
  threads = threads_for(keys.n, threads);
  std::vector<std::size_t> blocks(keys.n / block_size + (keys.n % block_size != 0));  // runs, then the first one
  std::atomic<bool> ends = false, decreases = false;
  const auto for_blocks = [&](auto work) {
    for_shares(blocks.size(), 1, threads, [&](std::size_t start, std::size_t count, int) noexcept {
      for (std::size_t i = start; i < start + count && !ends.load(std::memory_order_relaxed); ++i) {
        const std::size_t first = i * block_size;
        work(i, first, std::min(block_size, keys.n - first));
        if (monitor != nullptr && monitor->cancel.load(std::memory_order_relaxed)) ends = true;
      }
    });
  };
  for_blocks([&](std::size_t i, std::size_t first, std::size_t n) {
    blocks[i] = runs_unless_decreasing(keys, first, n);
    if (blocks[i] == no_runs) decreases = true, ends = true;
  });
  all.never_decrease = !decreases;
  all.is_cancelled = ends && !decreases;
  if (ends) return all;
  const bool all_are_below = is_signed(keys.type) && keys.groups > std::uint64_t{1} << 63;
  const std::size_t begin = is_signed(keys.type) ? lower_bound(keys, 0) : 0;
  const std::size_t end = all_are_below ? keys.n : std::max(lower_bound(keys, keys.groups), begin);
  all.inside = end - begin;
  if (all.inside != keys.n) all.first_outside = begin != 0 ? 0 : end;
  const auto clipped = [&](std::size_t first, std::size_t n) {  // to keys in range
    const std::size_t from = std::clamp(first, begin, end);
    return std::pair(from, std::clamp(first + n, from, end) - from);
  };
  std::size_t runs = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t first = i * block_size, n = std::min(block_size, keys.n - first);
    if (const auto [from, count] = clipped(first, n); count != n)
      blocks[i] = count == 0 ? 0 : runs_unless_decreasing(keys, from, count);
    if (blocks[i] == no_runs) blocks[i] = 0;  // overwritten
    runs += std::exchange(blocks[i], runs);   // where they are stored
  }
  all.groups.resize(runs), all.offsets.resize(runs + 1);
  for_blocks([&](std::size_t i, std::size_t first, std::size_t n) {
    const std::size_t at = blocks[i], behind = i + 1 < blocks.size() ? blocks[i + 1] : runs;
    const auto [from, count] = clipped(first, n);
    if (count != 0) store_runs(keys, from, count, behind - at, all.groups.data() + at, all.offsets.data() + at);
  });
  all.is_cancelled = ends;
  all.offsets[runs] = std::max(end, runs == 0 ? 0 : all.offsets[runs - 1]);
  for (std::size_t i = 0; i < runs; ++i)
    all.longest = std::max<std::size_t>(all.longest, all.offsets[i + 1] - all.offsets[i]);
  return all;
}

}  // namespace exactdot::inline v0_3::engine
