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

/// Whether keys first - 1 to first + n never decrease.
bool never_decrease(const any_keys& keys, std::size_t first, std::size_t n) {
  const std::uint64_t sign = is_signed(keys.type) ? std::uint64_t{1} << 63 : 0;  // in the order of the keys
  std::size_t descents = 0;
  with_key_reader(keys, [&](auto key_at) {
    std::uint64_t before = first == 0 ? 0 : key_at(first - 1) ^ sign;
    for (std::size_t i = first; i < first + n; ++i) {
      const std::uint64_t ordered = key_at(i) ^ sign;
      descents += ordered < before ? 1 : 0;
      before = ordered;
    }
  });
  return descents == 0;
}

/// The end of the run of equal keys that begins at `first`, or `end`. Keys between equal ones are not read.
template <class KeyAt>
std::size_t end_of_run(KeyAt key_at, std::size_t first, std::size_t end) {
  constexpr std::size_t near = 16;
  const std::uint64_t key = key_at(first);
  std::size_t at = first + 1;
  for (const std::size_t last = std::min(first + near, end); at < last; ++at) {
    if (key_at(at) != key) return at;
  }
  std::size_t step = near;
  for (; at + step <= end && key_at(at + step - 1) == key; step *= 2) at += step;
  for (; step != 0; step /= 2) {
    if (at + step <= end && key_at(at + step - 1) == key) at += step;
  }
  return at;
}

/// Calls visit(index, key) for the runs of keys in range that begin at first to before first + n.
template <class Visit>
void for_runs(const any_keys& keys, std::size_t first, std::size_t n, Visit visit) {
  const std::size_t end = first + n;
  with_key_reader(keys, [&](auto key_at) {
    std::size_t at = first;
    if (first != 0 && n != 0 && key_at(first - 1) == key_at(first)) at = end_of_run(key_at, first, end);
    for (; at < end; at = end_of_run(key_at, at, end)) {
      const std::uint64_t key = key_at(at);
      if (key < keys.groups) visit(at, key);
    }
  });
}

std::size_t count_runs(const any_keys& keys, std::size_t first, std::size_t n) {
  std::size_t runs = 0;
  for_runs(keys, first, n, [&](std::size_t, std::uint64_t) { ++runs; });
  return runs;
}

/// Stores the runs that begin in a block: as many as were counted, also of keys that were overwritten since.
void store_runs(const any_keys& keys, std::size_t first, std::size_t n, std::size_t runs, std::uint64_t* groups,
                std::uint64_t* offsets) {
  std::size_t stored = 0;
  for_runs(keys, first, n, [&](std::size_t i, std::uint64_t key) {
    if (stored == runs) return;
    groups[stored] = key, offsets[stored] = i;
    ++stored;
  });
  std::fill(groups + stored, groups + runs, 0);
  std::fill(offsets + stored, offsets + runs, first + n);
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
    if (!never_decrease(keys, first, n)) {
      decreases = true, ends = true;
    } else {
      blocks[i] = count_runs(keys, first, n);  // while they are in the cache
    }
  });
  all.never_decrease = !decreases;
  all.is_cancelled = ends && !decreases;
  if (ends) return all;
  std::size_t runs = 0;
  for (std::size_t& each : blocks) runs += std::exchange(each, runs);
  const bool all_are_below = is_signed(keys.type) && keys.groups > std::uint64_t{1} << 63;
  const std::size_t negative = is_signed(keys.type) ? lower_bound(keys, 0) : 0;
  const std::size_t inside_end = all_are_below ? keys.n : std::max(lower_bound(keys, keys.groups), negative);
  all.inside = inside_end - negative;
  if (all.inside != keys.n) all.first_outside = negative != 0 ? 0 : all.inside;
  all.groups.resize(runs), all.offsets.resize(runs + 1);
  for_blocks([&](std::size_t i, std::size_t first, std::size_t n) {
    const std::size_t at = blocks[i], end = i + 1 < blocks.size() ? blocks[i + 1] : runs;
    store_runs(keys, first, n, end - at, all.groups.data() + at, all.offsets.data() + at);
  });
  all.is_cancelled = ends;
  all.offsets[runs] = std::max(inside_end, runs == 0 ? 0 : all.offsets[runs - 1]);
  for (std::size_t i = 0; i < runs; ++i)
    all.longest = std::max<std::size_t>(all.longest, all.offsets[i + 1] - all.offsets[i]);
  return all;
}

}  // namespace exactdot::inline v0_3::engine
