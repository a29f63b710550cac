// Implementation of group_counts.hpp.
#include <algorithm>
#include <plan/group_counts.hpp>
#include <plan/group_keys.hpp>
#include <plan/thread_count.hpp>
#include <plan/threads.hpp>

namespace exactdot::inline v0_3::engine {
namespace {

/// What a thread counts beside the sizes.
struct alignas(64) thread_counts {
  std::size_t outside = 0, first_outside = group_counts::no_index;
  bool is_cancelled = false;
};

void count(const any_keys& keys, std::size_t first, std::size_t n, std::uint64_t* sizes, thread_counts& found) {
  const std::size_t groups = keys.groups;
  for_keys(keys, first, n, [groups, sizes, first, &found](std::size_t i, std::uint64_t key) {
    if (key < groups) [[likely]] {
      ++sizes[key];
      return;
    }
    ++found.outside;
    found.first_outside = std::min(found.first_outside, first + i);
  });
}

}  // namespace

group_counts count_keys(const any_keys& keys, int threads, const monitor* monitor) {
  group_counts all;
  all.sizes.resize(keys.groups);
  const std::size_t room = memory_beside(keys.n * size_of(keys.type)) / sizeof(std::uint64_t);
  const std::size_t more = room / (keys.groups + 1);  // threads with a table
  threads =
      static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads_for(keys.n, threads)), 1 + more));
  std::vector<thread_counts> found(static_cast<std::size_t>(threads));
  std::vector<std::uint64_t> others(static_cast<std::size_t>(threads - 1) * keys.groups);
  for_shares(keys.n, min_share, threads, [&](std::size_t start, std::size_t n, int thread) noexcept {
    std::uint64_t* const sizes =
        thread == 0 ? all.sizes.data() : &others[static_cast<std::size_t>(thread - 1) * keys.groups];
    thread_counts& counts = found[static_cast<std::size_t>(thread)];
    for (std::size_t done = 0; done < n; done += elements_per_poll) {
      counts.is_cancelled = monitor != nullptr && monitor->cancel.load(std::memory_order_relaxed);
      if (counts.is_cancelled) return;
      count(keys, start + done, std::min(elements_per_poll, n - done), sizes, counts);
    }
  });
  std::size_t outside = 0;
  for (const thread_counts& each : found) {
    outside += each.outside;
    all.first_outside = std::min(all.first_outside, each.first_outside);
    all.is_cancelled = all.is_cancelled || each.is_cancelled;
  }
  for (std::size_t i = 0; i < others.size(); ++i) all.sizes[i % keys.groups] += others[i];
  all.inside = keys.n - outside;
  return all;
}

numbered_keys number_keys(const any_keys& keys, const monitor* monitor) {
  numbered_keys all;
  all.numbers.reserve(keys.n);
  for_keys(keys, 0, keys.n, [&](std::size_t i, std::uint64_t key) {  // read once: others may overwrite them
    if (key >= keys.groups) {
      all.first_outside = std::min(all.first_outside, i);
      key = numbered_keys::no_index;
    } else {
      all.groups.push_back(key);
    }
    all.numbers.push_back(key);
  });
  all.inside = all.groups.size();
  const auto is_cancelled = [&] { return monitor != nullptr && monitor->cancel.load(std::memory_order_relaxed); };
  all.is_cancelled = is_cancelled();
  if (all.is_cancelled) return all;
  std::ranges::sort(all.groups);
  all.groups.erase(std::unique(all.groups.begin(), all.groups.end()), all.groups.end());
  all.sizes.resize(all.groups.size());
  for (std::uint64_t& key : all.numbers) {
    if (key == numbered_keys::no_index) continue;
    key = static_cast<std::uint64_t>(std::ranges::lower_bound(all.groups, key) - all.groups.begin());
    ++all.sizes[key];
  }
  all.is_cancelled = is_cancelled();
  return all;
}

}  // namespace exactdot::inline v0_3::engine
