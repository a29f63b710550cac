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

/// What a block of keys holds; then where its runs are stored.
struct key_block {
  std::size_t runs = 0, inside = 0, negative = 0;
};

/// The key before key `first`, or one that is equal to none of `keys` in range.
std::uint64_t key_before(const any_keys& keys, std::size_t first) {
  std::uint64_t before = ~std::uint64_t{0};
  if (first != 0) for_keys(keys, first - 1, 1, [&](std::size_t, std::uint64_t key) { before = key; });
  return before;
}

/// False if a key is less than the one before it.
bool look_at(const any_keys& keys, std::size_t first, std::size_t n, key_block& found) {
  const std::uint64_t sign = is_signed(keys.type) ? std::uint64_t{1} << 63 : 0;  // in the order of the keys
  const std::size_t groups = keys.groups;
  std::uint64_t before = first == 0 ? 0 : key_before(keys, first) ^ sign;
  std::size_t descents = 0, runs = 0, inside = 0, negative = 0;
  bool begins = first == 0;
  for_keys(keys, first, n, [&](std::size_t, std::uint64_t key) {
    const std::uint64_t ordered = key ^ sign;
    const std::size_t is_inside = key < groups ? 1 : 0;
    descents += ordered < before ? 1 : 0;
    runs += is_inside & ((ordered != before ? 1U : 0U) | (begins ? 1U : 0U));
    inside += is_inside;
    negative += ordered < sign ? 1 : 0;
    before = ordered, begins = false;
  });
  found = {runs, inside, negative};
  return descents == 0;
}

/// Stores the runs that begin in a block: as many as were counted, also of keys that were overwritten since.
void store_runs(const any_keys& keys, std::size_t first, std::size_t n, std::size_t runs, std::uint64_t* groups,
                std::uint64_t* offsets) {
  std::uint64_t before = key_before(keys, first);
  std::size_t stored = 0;
  for_keys(keys, first, n, [&](std::size_t i, std::uint64_t key) {
    const bool begins = key < keys.groups && (key != before || first + i == 0);
    before = key;
    if (!begins || stored == runs) return;
    groups[stored] = key, offsets[stored] = first + i;
    ++stored;
  });
  std::fill(groups + stored, groups + runs, 0);
  std::fill(offsets + stored, offsets + runs, first + n);
}

}  // namespace

group_runs find_runs(const any_keys& keys, int threads, const monitor* monitor) {
  group_runs all;
  threads = threads_for(keys.n, threads);
  std::vector<key_block> blocks(keys.n / block_size + (keys.n % block_size != 0));
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
    if (!look_at(keys, first, n, blocks[i])) decreases = true, ends = true;
  });
  all.never_decrease = !decreases;
  all.is_cancelled = ends && !decreases;
  if (ends) return all;
  std::size_t runs = 0, negative = 0;
  for (key_block& each : blocks) {
    all.inside += each.inside, negative += each.negative;
    runs += std::exchange(each.runs, runs);  // where they are stored
  }
  if (all.inside != keys.n) all.first_outside = negative != 0 ? 0 : all.inside;
  all.groups.resize(runs), all.offsets.resize(runs + 1);
  for_blocks([&](std::size_t i, std::size_t first, std::size_t n) {
    const std::size_t at = blocks[i].runs, end = i + 1 < blocks.size() ? blocks[i + 1].runs : runs;
    store_runs(keys, first, n, end - at, all.groups.data() + at, all.offsets.data() + at);
  });
  all.is_cancelled = ends;
  all.offsets[runs] = std::max(negative + all.inside, runs == 0 ? 0 : all.offsets[runs - 1]);
  for (std::size_t i = 0; i < runs; ++i)
    all.longest = std::max<std::size_t>(all.longest, all.offsets[i + 1] - all.offsets[i]);
  return all;
}

}  // namespace exactdot::inline v0_3::engine
