// The levels of a reduction on the CPU (reduce.hpp), each for one thread and for several, in place and staged.
#include <algorithm>
#include <atomic>
#include <bit>
#include <core/order_v1.hpp>
#include <cpu/levels.hpp>
#include <cpu/reduce.hpp>
#include <plan/staging.hpp>
#include <plan/threads.hpp>

namespace exactdot::cpu_engine {
namespace {

using engine::plan;

/// Vectors up to this size are assumed to be in cache. From memory the exact state costs no more than the bounded
/// sum: both wait for memory.
constexpr std::size_t max_bytes_in_cache = std::size_t{1} << 21;

std::size_t chunk_of(const plan& plan) {
  return engine::with_element_of(plan, []<class T>(T) { return engine::staged_chunk<T>; });
}

/// What the threads of a call read: per thread a reader of each input.
class inputs {
 public:
  inputs(const plan& plan, int threads) : plan_(plan), slice_(plan.contiguous ? plan.n : chunk_of(plan)) {
    const std::size_t longest = std::min(slice_, plan.n);
    for (int thread = 0; thread < threads; ++thread) {
      readers_.push_back({{plan.a, plan.element, longest}, {plan.b, plan.element, longest}});
    }
  }

  /// Calls step(a, b, start, count) over a thread's range, in slices; polls the monitor.
  template <class Step>
  void for_slices(std::size_t start, std::size_t count, int thread, Step step) noexcept {
    readers& read = readers_[static_cast<std::size_t>(thread)];
    engine::with_progress(start, count, slice_, plan_.monitor, [&](std::size_t first, std::size_t length) {
      const void* const x = read.a.read(first, length);
      step(x, read.b.read(first, length), first, length);
    });
  }

 private:
  const plan& plan_;
  std::size_t slice_;
  struct readers {
    engine::chunk_reader a, b;
  };
  std::vector<readers> readers_;
};

/// sum = the sum of all terms within a bound. False if the data does not suit it.
bool bounded_total(const plan& plan, const kernels& kernels, bounded_sum& sum) {
  if (plan.contiguous && plan.threads == 1) return bounded(kernels, plan.a.data, plan.b.data, plan.n, sum);
  std::vector<bounded_sum> sums(static_cast<std::size_t>(plan.threads));
  std::atomic<bool> suits{true};
  inputs all(plan, plan.threads);
  engine::for_ranges(plan.n, 1, plan.threads, [&](std::size_t start, std::size_t count, int thread) noexcept {
    bounded_sum& range = sums[static_cast<std::size_t>(thread)];
    all.for_slices(start, count, thread, [&](const void* a, const void* b, std::size_t, std::size_t length) {
      bounded_sum slice;
      if (!suits || !bounded(kernels, a, b, length, slice)) suits = false;
      add(range, slice);
    });
  });
  if (!suits) return false;
  for (const bounded_sum& range : sums) add(sum, range);
  return true;
}

/// result = the bits of the rounded sum, from a bounded sum. False if its bound leaves the rounding undecided.
bool round_bounded(const plan& plan, const kernels& kernels, std::uint64_t& result) {
  bounded_sum sum;
  return bounded_total(plan, kernels, sum) && round_if_certain(plan.result_type, sum, result);
}

/// words += the exact state of all terms; normalised on entry and on return. If `skip_integer_path`: false, and the
/// words are worthless, if the data is finite but suits only the integer path.
bool add_state(const plan& plan, const kernels& kernels, std::int64_t* words, bool skip_integer_path) {
  const core::state_layout layout = plan.layout();
  const auto count_of_words = static_cast<std::size_t>(layout.words());
  std::vector<std::int64_t> others(static_cast<std::size_t>(plan.threads - 1) *
                                   count_of_words);  // the first thread uses `words`
  std::atomic<bool> complete{true};
  const auto add_slice = [&](std::int64_t* sum, const void* a, const void* b, std::size_t n) noexcept {
    if (!accumulate(kernels, plan.element, a, b, n, sum, skip_integer_path)) complete = false;
  };
  if (plan.contiguous && plan.threads == 1 && plan.monitor == nullptr) {
    add_slice(words, plan.a.data, plan.b.data, plan.n);
    return complete;
  }
  inputs all(plan, plan.threads);
  engine::for_ranges(plan.n, 1, plan.threads, [&](std::size_t start, std::size_t count, int thread) noexcept {
    state_words range(layout);
    std::int64_t* const sum = thread == 0 ? words : range.data();
    all.for_slices(start, count, thread, [&](const void* a, const void* b, std::size_t, std::size_t length) {
      add_slice(sum, a, b, length);
    });
    if (thread != 0) {
      std::copy_n(range.data(), count_of_words, &others[static_cast<std::size_t>(thread - 1) * count_of_words]);
    }
  });
  engine::throw_if_cancelled(plan);
  for (std::size_t i = 0; i < others.size(); i += count_of_words) core::merge(layout, words, &others[i]);
  core::normalise(layout, words);
  return complete;
}

std::uint64_t exact(const plan& plan, const kernels& kernels) {
  if (plan.n == 0) return 0;
  std::uint64_t result = 0;
  // A monitored computation makes one pass, so that its progress only grows.
  const bool may_bound = plan.monitor == nullptr && plan.bounded_sum_can_decide;
  const bool in_cache = plan.n * size_of(plan.element) <= max_bytes_in_cache;
  if (may_bound && in_cache && round_bounded(plan, kernels, result)) return result;
  state_words words(plan.layout());
  if (!add_state(plan, kernels, words.data(), may_bound && !in_cache)) {
    if (round_bounded(plan, kernels, result)) return result;
    words.clear();
    add_state(plan, kernels, words.data(), false);
  }
  return core::finish_state(plan.result, plan.layout(), words.data());
}

/// Order v1 on several threads, or in slices: a thread adds the chunks of whole subtrees, in its own tree; their
/// sums are the leaves of the rest of the tree. At most max_subtrees of them, whatever n.
template <class T>
std::uint64_t fast_in_subtrees(const plan& plan, const kernels& kernels) {
  constexpr std::size_t chunk = engine::staged_chunk<T>, max_subtrees = 1024;
  const std::size_t grain = chunk * std::bit_ceil(plan.n / chunk / max_subtrees + 1);
  std::vector<T> subtree((plan.n + grain - 1) / grain);
  const caller_environment environment;
  inputs all(plan, plan.threads);
  engine::for_ranges(plan.n, grain, plan.threads, [&](std::size_t start, std::size_t count, int thread) noexcept {
    const auto arithmetic = environment.enter();
    core::tile_tree<T> tree;
    all.for_slices(start, count, thread, [&](const void* a, const void* b, std::size_t first, std::size_t length) {
      for (std::size_t i = 0; i < length; i += chunk) {
        const auto at = [&](const void* x) { return static_cast<const T*>(x) + i; };
        const std::size_t end = std::min(i + chunk, length);
        tree.push(core::from_word<T>(kernels.fast(at(a), at(b), end - i)));
        if ((first + end) % grain != 0 && first + end != plan.n) continue;
        subtree[(first + i) / grain] = tree.root();
        tree.clear();
      }
    });
  });
  engine::throw_if_cancelled(plan);
  core::tile_tree<T> tree;
  for (const T sum : subtree) tree.push(sum);
  return core::to_word(tree.root());
}

/// The sum in order v1, as the bits of the accumulation type.
std::uint64_t fast(const plan& plan, const kernels& kernels) {
  if (plan.contiguous && plan.threads == 1 && plan.monitor == nullptr) {
    return kernels.fast(plan.a.data, plan.b.data, plan.n);
  }
  return engine::with_element_of(plan, [&]<class T>(T) { return fast_in_subtrees<T>(plan, kernels); });
}

}  // namespace

std::uint64_t reduce(const plan& plan, const kernels& kernels) {
  if (plan.mode == mode::exact) return exact(plan, kernels);
  return converted(plan.element, plan.result_type, fast(plan, kernels));
}

void add(const plan& plan, const kernels& kernels, std::int64_t* words) { add_state(plan, kernels, words, false); }

}  // namespace exactdot::cpu_engine
