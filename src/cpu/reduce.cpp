// The levels of a reduction on the CPU (reduce.hpp), each for one thread and for several, in place and staged.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cpu/equal_elements.hpp>
#include <cpu/inputs.hpp>
#include <cpu/integer_sums.hpp>
#include <cpu/levels.hpp>
#include <cpu/ratios.hpp>
#include <cpu/reduce.hpp>
#include <cpu/sums.hpp>
#include <exactdot/order_v1.hpp>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

using engine::plan;

/// What slices that are only looked at add up to.
struct no_sum {};
void add(no_sum&, no_sum) {}

/// sum = the sum of all terms with its error bound, computed by slice_sum(a, b, n, Sum&) for slices of at most
/// `slice_length` elements. False if the data does not suit it.
template <class Sum, class SliceSum>
bool total_within_bound(const plan& plan, Sum& sum, std::size_t slice_length, SliceSum slice_sum) {
  const bool is_one_slice = plan.contiguous && plan.threads == 1 && plan.n <= slice_length;
  if (is_one_slice) return slice_sum(plan.a.data, plan.b.data, plan.n, sum);
  std::vector<Sum> sums(static_cast<std::size_t>(plan.threads));
  std::atomic<bool> suits{true};
  inputs inputs(plan, plan.threads, slice_length);
  engine::for_shares(
      plan.n, engine::min_share, plan.threads, [&](std::size_t start, std::size_t count, int thread) noexcept {
        Sum& range = sums[static_cast<std::size_t>(thread)];
        inputs.for_slices(start, count, thread, [&](const void* a, const void* b, std::size_t, std::size_t length) {
          Sum slice;
          if (!suits || !slice_sum(a, b, length, slice)) suits = false;
          add(range, slice);
        });
      });
  if (!suits) return false;
  for (const Sum& range : sums) add(sum, range);
  return true;
}

/// result = the bits of the result, from level 1. False if that leaves them undecided.
bool finish_within_bound(const plan& plan, std::uint64_t& result) {
  const kernels& kernels = current_kernels(plan.carrier, plan.term);
  const auto bounded = [&](bounded_sum& total) {
    return total_within_bound(plan, total, plan.n,
                              [&](const void* a, const void* b, std::size_t n, bounded_sum& slice) {
                                return kernels.bounded(a, b, n, nullptr, slice);
                              });
  };
  const auto exact = [&](exact_pair& total) {
    return total_within_bound(plan, total, plan.n,
                              [&](const void* a, const void* b, std::size_t n, exact_pair& slice) {
                                return kernels.exact_pair(a, b, n, slice);
                              }) &&
           total.is_exact;
  };
  const auto refined = [&](int levels, int exponent, refined_sum& total) {
    return total_within_bound(plan, total, plan.n,
                              [&](const void* a, const void* b, std::size_t n, refined_sum& slice) {
                                return kernels.refined(a, b, n, levels, exponent, slice);
                              });
  };
  const auto suggested_levels = [&](int exponent) {
    if (!plan.contiguous) return refined_sum::max_levels;
    return kernels.suggested_levels(plan.a.data, plan.b.data, plan.n, exponent);
  };
  return cpu_engine::finish_within_bound(plan.result, plan.n, bounded, exact, suggested_levels, refined, result);
}

/// Whether all elements have the bits of the first, which is finite.
bool elements_are_equal(const plan& plan) {
  engine::chunk_reader reader(plan.a, plan.carrier, 1, current_widening(plan.a.type));
  const equal_elements equal(plan.carrier, reader.read(0, 1));
  no_sum none;
  return total_within_bound(plan, none, chunk_of(plan), [&](const void* x, const void*, std::size_t n, no_sum&) {
    return equal.has_only(x, n);
  });
}

/// result = the bits of a variance or its root, from bounded sums. False if these leave it undecided.
bool finish_moments_within_bound(const plan& plan, std::uint64_t& result) {
  const sums of(plan);
  bounded_moments found;
  const auto slice_sum = [&](const void* x, const void*, std::size_t n, bounded_moments& slice) {
    return of.term->bounded(x, x, n, nullptr, slice.sum) && of.squares->bounded(x, x, n, nullptr, slice.squares);
  };
  if (!total_within_bound(plan, found, chunk_of(plan), slice_sum)) return false;
  core::decision decided = decide_moments(plan, plan.n, found);
  if (!decided.certain && plan.is_zero_if_equal() && elements_are_equal(plan)) decided = {0, true};
  result = decided.word;
  return decided.certain;
}

/// words += the exact states of all terms; normalised on entry and on return.
void add_states(const plan& plan, std::int64_t* words) {
  const sums of(plan);
  if (of.states() == 2 && plan.has_parts()) {  // the sums pair the parts differently
    add_states(plan.for_sum(0), words);
    engine::throw_if_cancelled(plan);
    engine::plan second = plan.for_sum(1);
    second.monitor = nullptr;  // which counts every element once
    return add_states(second, words + of.layout.words());
  }
  const std::size_t count_of_words = of.words();
  std::vector<std::int64_t> others(static_cast<std::size_t>(plan.threads - 1) *
                                   count_of_words);  // the first thread uses `words`
  const auto add_slice = [&](const kernels& kernels, std::int64_t* sum, const void* a, const void* b,
                             std::size_t n) noexcept { kernels.accumulate(a, b, n, sum); };
  if (plan.contiguous && plan.threads == 1 && plan.monitor == nullptr && of.states() == 1) {
    return add_slice(*of.term, words, plan.a.data, plan.b.data, plan.n);
  }
  // two sums of a slice: the second finds it in the cache
  inputs inputs(plan, plan.threads, of.states() == 1 ? plan.n : chunk_of(plan));
  engine::for_shares(
      plan.n, engine::min_share, plan.threads, [&](std::size_t start, std::size_t count, int thread) noexcept {
        std::int64_t* const sum =
            thread == 0 ? words : &others[static_cast<std::size_t>(thread - 1) * count_of_words];
        inputs.for_slices(start, count, thread, [&](const void* a, const void* b, std::size_t, std::size_t length) {
          add_slice(*of.term, sum, a, b, length);
          if (of.squares != nullptr) add_slice(*of.squares, sum + of.layout.words(), a, b, length);
        });
      });
  engine::throw_if_cancelled(plan);
  const auto state = static_cast<std::size_t>(of.layout.words());
  for (std::size_t i = 0; i < others.size(); i += state) {
    core::merge(of.layout, words + i % count_of_words, &others[i]);
  }
  for (std::size_t i = 0; i < count_of_words; i += state) core::normalise(of.layout, words + i);
}

std::uint64_t exact_from_states(const plan& plan) {
  state_words words(plan.layout(), engine::states_of(plan));
  add_states(plan, words.data());
  return engine::exact_result(plan, words.data());
}

std::uint64_t exact(const plan& plan) {
  if (plan.n == 0) return engine::result_of_nothing(plan);
  if (suits_integers(plan)) return engine::word_of(plan, sum_in_integers(plan).finish(plan, plan.n));
  std::uint64_t result = 0;
  // A monitored computation makes one pass, so that its progress only grows.
  if (plan.monitor == nullptr && plan.bounded_sum_can_decide) {
    const bool is_decided =
        plan.info().needs_squares() ? finish_moments_within_bound(plan, result) : finish_within_bound(plan, result);
    if (is_decided) return result;
  }
  return exact_from_states(plan);
}

/// Order v1 on several threads, or in slices: a thread adds the chunks of whole subtrees, in its own tree; their
/// sums are the leaves of the rest of the tree. At most max_subtrees of them, whatever n. Contiguous subtrees are
/// added in pieces as long as a monitor allows.
template <class T>
std::uint64_t fast_in_subtrees(const plan& plan, const kernels& kernels) {
  constexpr std::size_t chunk = engine::staged_chunk<T>, max_subtrees = 1024;
  const std::size_t grain = chunk * std::bit_ceil(plan.n / chunk / max_subtrees + 1);
  const std::size_t piece = plan.contiguous ? std::min(grain, engine::elements_per_poll) : chunk;
  std::vector<T> subtree(plan.n / grain + (plan.n % grain != 0));
  inputs inputs(plan, plan.threads);
  engine::for_shares(plan.n, grain, plan.threads, [&](std::size_t start, std::size_t count, int thread) noexcept {
    tile_tree<T> tree;
    inputs.for_slices(start, count, thread,
                      [&](const void* a, const void* b, std::size_t first, std::size_t length) {
                        for (std::size_t i = 0; i < length; i += piece) {
                          const auto at = [&](const void* x) { return static_cast<const T*>(x) + i; };
                          const std::size_t end = std::min(i + piece, length);
                          tree.push(core::from_word<T>(kernels.fast(at(a), at(b), end - i)));
                          if ((first + end) % grain != 0 && first + end != plan.n) continue;
                          subtree[(first + i) / grain] = tree.root();
                          tree.clear();
                        }
                      });
  });
  engine::throw_if_cancelled(plan);
  tile_tree<T> tree;
  for (const T sum : subtree) tree.push(sum);
  return core::to_word(tree.root());
}

/// The result of mode fast.
template <class T>
std::uint64_t fast(const plan& plan) {
  if (plan.n == 0) return engine::result_of_nothing(plan);
  const kernels& kernels = current_kernels(plan.carrier, plan.term);
  const bool in_one_call = plan.contiguous && plan.threads == 1 && plan.monitor == nullptr;
  const std::uint64_t sum =
      in_one_call ? kernels.fast(plan.a.data, plan.b.data, plan.n) : fast_in_subtrees<T>(plan, kernels);
  return engine::fast_result(plan, core::from_word<T>(sum));
}

}  // namespace

integer_sums sum_in_integers(const plan& plan) {
  std::vector<integer_sums> sums(static_cast<std::size_t>(plan.threads));
  engine::for_shares(plan.n, engine::min_share, plan.threads,
                     [&](std::size_t start, std::size_t count, int thread) noexcept {
                       integer_sums sum;  // which no other thread's cache line holds
                       engine::with_progress(start, count, plan.n, plan.monitor,
                                             [&](std::size_t first, std::size_t n) { sum.add(plan, first, n); });
                       sums[static_cast<std::size_t>(thread)].add(sum);
                     });
  engine::throw_if_cancelled(plan);
  for (std::size_t i = 1; i < sums.size(); ++i) sums[0].add(sums[i]);
  return sums[0];
}

std::uint64_t reduce(const plan& plan) {
  engine::throw_if_cancelled(plan);
  if (plan.info().is_extremum) return find_extreme(plan);
  if (plan.info().is_ratio) return ratio(plan);
  if (plan.mode == mode::exact) return exact(plan);
  return with_carrier(plan.carrier, [&]<class T>(T) { return fast<T>(plan); });
}

void add(const plan& plan, std::int64_t* words) { add_states(plan, words); }

}  // namespace exactdot::inline v0_3::cpu_engine
