// The CPU engines under test: one per instruction set of the machine, and the library's own choice.
//
// The variant selects the number of threads, the entry (typed pointers, or views) and how a state is built: by one
// call, or from random ranges whose states are merged.
#include <algorithm>
#include <exactdot/exactdot.hpp>
#include <plan/thread_count.hpp>

#include "oracle/generators.hpp"
#include "table/batch_engine.hpp"
#include "table/engines.hpp"
#include "table/instruction_set.hpp"

namespace table {
namespace {

using exactdot::any_scalar;
using exactdot::any_vector;
using exactdot::reduction;

exactdot::options options_of(const call& asked) {
  return {.mode = asked.mode, .threads = static_cast<int>(asked.variant % 9)};
}

std::optional<any_scalar> run(const call& asked) {
  const exactdot::options options = options_of(asked);
  const bool same_type = asked.a.type == asked.b.type;
  try {
    if (exactdot::is_complex(asked.a.type)) return run_complex(asked, options);
    if (exactdot::inputs_of(asked.what) == 1)
      return exactdot::reduce(asked.what, asked.a, asked.result, options, asked.ddof);
    if (asked.what != reduction::dot)
      return exactdot::reduce(asked.what, asked.a, asked.b, asked.result, options, asked.ddof);
    if (same_type && is_contiguous(asked.a) && is_contiguous(asked.b) && asked.variant % 2 == 0) {
      return any_scalar{asked.result, exactdot::detail::dot(asked.a.type, asked.result, asked.a.data, asked.b.data,
                                                            asked.a.n, options)};
    }
    return exactdot::dot(asked.a, asked.b, asked.result, options);
  } catch (const exactdot::error& refusal) {
    if (refusal.code() != exactdot::errc::overflow) throw;
    return std::nullopt;
  }
}

template <class T>
void add(exactdot::accumulator<T>& state, const call& asked, const any_vector& a, const any_vector& b) {
  if (asked.what == reduction::dot) return state.add(a, b, options_of(asked));
  if (asked.what == reduction::sum) return state.add(a, options_of(asked));
  state.add_squares(a, options_of(asked));
}

any_vector range_of(const any_vector& x, std::size_t first, std::size_t last) {
  any_vector range = x;
  range.n = last - first;
  if (range.n != 0) range.data = static_cast<const char*>(x.data) + static_cast<std::ptrdiff_t>(first) * x.stride;
  return range;
}

/// A state of the terms, merged from the states of random ranges, some of them rebuilt from their words.
template <class T>
exactdot::accumulator<T> merged_state(const call& asked, oracle::rng& random) {
  exactdot::accumulator<T> whole;
  for (std::size_t first = 0, last = 0; first < asked.a.n; first = last) {
    last = std::min(asked.a.n, first + 1 + random.below(asked.a.n));
    exactdot::accumulator<T> range;
    add(range, asked, range_of(asked.a, first, last), range_of(asked.b, first, last));
    whole.merge(random.coin() ? range : exactdot::accumulator<T>(range.words()));
  }
  return whole;
}

std::vector<std::int64_t> words_of_two_additions(const call& asked) {
  return exactdot::with_element(asked.a.type, [&]<class T>(T) {
    oracle::rng random(asked.variant);
    exactdot::accumulator<T> state = merged_state<T>(asked, random);
    add(state, asked, asked.a, asked.b);
    const auto words = state.words();
    return std::vector<std::int64_t>(words.begin(), words.end());
  });
}

engine engine_with(const std::string& set) {
  const auto with_set = [set](auto function) {
    return [set, function](const call& asked) {
      const forced_instruction_set forced(set);
      return function(asked);
    };
  };
  engine made;
  made.name = set.empty() ? "default" : set;
  made.reads_misaligned = true;
  made.run = with_set(run);
  made.words_of_two_additions = with_set(words_of_two_additions);
  made.threads = [](const call& asked) {
    return exactdot::engine::threads_for(asked.a.n, options_of(asked).threads);
  };
  return made;
}

}  // namespace

suite engines_under_test() {
  suite all;
  for (const std::string& set : exactdot::cpu().instruction_sets) all.engines.push_back(engine_with(set));
  all.engines.push_back(engine_with(""));
  engine batches = engine_with("");
  batches.name = "batch";
  batches.run = run_in_batch;
  all.engines.push_back(batches);
  all.lengths = oracle::border_lengths;
  all.long_lengths = std::span(oracle::long_lengths).first(9);  // the last has a test of its own
  all.repeats = 1;
  return all;
}

}  // namespace table
