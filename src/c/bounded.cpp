// xd_bounded: a sum as value + error, give or take a bound, and the results that such sums decide.
//
// Programs that add bounded sums of several processes (exactdot_mpi.h) begin and end here. The finishes are those
// of the engines (exactdot/core/enclosure.hpp).
#include <c/convert.hpp>
#include <c/status.hpp>
#include <cmath>
#include <cpu/environment.hpp>
#include <exactdot/core/moment_decision.hpp>
#include <exactdot/core/reduction.hpp>
#include <exactdot/core/state_enclosure.hpp>
#include <plan/state_words.hpp>
#include <run/bounded.hpp>
#include <run/exact_state.hpp>
#include <string>

namespace exactdot::c {
namespace {

struct arithmetic : core::rounding_in_integers {
  static double root(double x) { return std::sqrt(x); }
  static double fma(double x, double y, double z) { return std::fma(x, y, z); }
};

/// What is the same for all results of a call.
struct bounded_finish {
  core::result_rule rule;
  std::int64_t ddof;

  [[nodiscard]] bool is_moment() const {
    return rule.finish() == core::finish::variance || rule.finish() == core::finish::deviation;
  }
};

core::enclosure normalised(const xd_bounded& x) {
  const auto sum = core::two_sum(x.value, x.error);
  return {sum.value, sum.error, x.bound};
}
bool is_special(const xd_bounded& x) { return x.bound == 0 && !(std::abs(x.value) < HUGE_VAL); }

/// The result of a sum of infinities or NaNs; of moments NaN.
core::decision decide_special(const bounded_finish& call, double value, std::uint64_t count) {
  const core::number_format to = call.rule.format();
  if (call.rule.is_integer()) return {0, false};
  const bool is_infinite = !std::isnan(value) && !call.is_moment();
  const bool has_result = (call.rule.finish() != core::finish::root || value > 0) &&
                          (call.rule.finish() != core::finish::quotient || count > 0);
  return {is_infinite && has_result ? core::infinity_word(to, value < 0) : core::nan_word(to), true};
}

core::decision decide(const bounded_finish& call, const xd_bounded& sum, const xd_bounded* squares,
                      std::uint64_t count) {
  if (is_special(sum)) return decide_special(call, sum.value, count);
  if (squares != nullptr && is_special(*squares)) return decide_special(call, squares->value, count);
  if (!(sum.bound < HUGE_VAL)) return {0, false};
  const core::enclosure value = normalised(sum);
  if (call.is_moment()) {
    return core::decide_moments<arithmetic>(call.rule, static_cast<double>(count), static_cast<double>(call.ddof),
                                            value, normalised(*squares));
  }
  if (call.rule.finish() == core::finish::round && value.bound == 0) {
    return core::round_exact(call.rule, value.head + 0.0, value.tail);  // ties too; a zero sum is +0
  }
  return core::decide_finish<arithmetic>(call.rule, static_cast<double>(count), value);
}

bounded_finish finish_of(const char* caller, int what, int type, std::int64_t ddof, int result_type) {
  const reduction chosen = to_reduction(what, caller);
  const element_type to = to_type(result_type, caller);
  if (core::info_of(chosen).sums == 0) {
    refuse(errc::bad_option, caller, std::string(name_of(chosen)) + " is no sum");
  }
  const core::finish finish = core::info_of(chosen).finish;
  const bool takes_integers =
      is_integer(to_type(type, caller)) && finish == core::finish::round && size_of(to) == 8;
  if (is_integer(to) && !takes_integers) {
    refuse(errc::bad_option, caller,
           std::string(name_of(chosen)) + " of " + std::string(name_of(to_type(type, caller))) +
               " has no result of " + std::string(name_of(to)));
  }
  if (ddof < 0) refuse(errc::bad_option, caller, "ddof is " + std::to_string(ddof) + "; use 0 or more");
  return {{finish, core::format_of(to)}, ddof};
}

}  // namespace
}  // namespace exactdot::c

using namespace exactdot;
using namespace exactdot::c;

xd_status xd_bound_words(int type, const int64_t* words, size_t count, xd_bounded* sum) {
  return guarded([&, caller = __func__] {
    const element_type of = to_type(type, caller);
    require(words, caller, "words");
    require(sum, caller, "sum");
    engine::require_word_count(count, {reduction::sum, of}, caller);
    const cpu_engine::standard_arithmetic environment;
    const core::enclosure found = core::enclosure_of_state(core::layout_of(of), words);
    *sum = {found.head, found.tail, found.bound};
  });
}

xd_status xd_bound(int what, const xd_vector* a, const xd_vector* b, int result_type, const xd_options* given,
                   xd_bounded* sum) {
  return guarded([&, caller = __func__] {
    const reduction chosen = to_reduction(what, caller);
    if (!core::info_of(chosen).is_sum()) {
      refuse(errc::bad_option, caller, "the sum is that of XD_DOT, XD_SUM, XD_ASUM or XD_SUM_OF_SQUARES");
    }
    const any_vector first = to_vector(a, caller, "a"), second = second_vector(chosen, first, b, caller);
    const options used = to_options(given, caller);
    require(sum, caller, "sum");
    if (second.type != first.type) {
      refuse(errc::bad_option, caller,
             "the vectors hold " + std::string(name_of(first.type)) + " and " + std::string(name_of(second.type)) +
                 "; a bounded sum has one type");
    }
    const cpu_engine::standard_arithmetic environment;
    core::enclosure found{};
    if (!engine::bound_short_sum(chosen, first, second, to_type(result_type, caller), used, found)) {
      engine::exact_state total(first.type, caller);
      total.add(chosen, first, second, used);
      found = core::enclosure_of_state(core::layout_of(first.type), total.words().data());
    }
    *sum = {found.head, found.tail, found.bound};
  });
}

xd_status xd_round_bounded(int what, int type, size_t k, const xd_bounded* sums, const xd_bounded* squares,
                           const uint64_t* counts, int64_t ddof, int result_type, void* results,
                           unsigned char* decided) {
  return guarded([&, caller = __func__] {
    const bounded_finish call = finish_of(caller, what, type, ddof, result_type);
    if (k == 0) return;
    require(sums, caller, "sums");
    require(results, caller, "results");
    require(decided, caller, "decided");
    if (call.is_moment()) require(squares, caller, "squares");
    if (call.is_moment() || call.rule.finish() == core::finish::quotient) require(counts, caller, "counts");
    const element_type to = static_cast<element_type>(result_type);
    const cpu_engine::standard_arithmetic environment;
    const bool is_plain = call.rule.finish() == core::finish::round && call.rule.gives<double>();
    for (size_t i = 0; i < k; ++i) {
      const xd_bounded& x = sums[i];
      core::decision found =
          is_plain ? core::decide_rounding<double>({x.value, x.error, x.bound}) : core::decision{0, false};
      if (!found.certain) {
        found = decide(call, x, call.is_moment() ? squares + i : nullptr, counts == nullptr ? 1 : counts[i]);
      }
      decided[i] = found.certain;
      if (found.certain) store(static_cast<char*>(results) + i * size_of(to), to, found.word);
    }
  });
}
