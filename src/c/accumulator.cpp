// xd_accumulator: accumulator<T> with the element type as a value.
//
// __func__ is the name of the function that the user called.
#include <c/convert.hpp>
#include <c/status.hpp>
#include <exactdot/core/state_enclosure.hpp>
#include <plan/state_words.hpp>
#include <run/exact_state.hpp>

using exactdot::engine::exact_state;

struct xd_accumulator {
  exact_state sum;
};

namespace exactdot::c {
namespace {

/// The state of an argument, whose errors are the caller's.
exact_state& state_of(xd_accumulator* given, const char* caller, const char* argument = "accumulator") {
  require(given, caller, argument);
  given->sum.caller = caller;
  return given->sum;
}

/// work(state) for a call that must not get a null pointer.
template <class Work>
xd_status with_accumulator(const char* caller, xd_accumulator* accumulator, Work work) noexcept {
  return guarded([&] { work(state_of(accumulator, caller)); });
}

/// sum += the terms of a dot (`b` is not null) or of a reduction of one vector; `x`: the name of the first.
void add(exact_state& sum, reduction terms, const xd_vector* a, const xd_vector* const* b,
         const xd_options* given) {
  const options chosen = to_options(given, sum.caller);
  const any_vector first = to_vector(a, sum.caller, b != nullptr ? "a" : "x");
  sum.add(terms, first, b != nullptr ? to_vector(*b, sum.caller, "b") : first, chosen);
}

/// The same of the negated terms.
void subtract(exact_state& sum, reduction terms, const xd_vector* a, const xd_vector* const* b,
              const xd_options* given) {
  exact_state added(sum.type(), sum.caller);
  add(added, terms, a, b, given);
  sum.subtract(std::move(added));
}

/// *result = find(sum, type of the result), which is a floating-point type unless any is allowed.
template <class Find>
xd_status round_to(const char* caller, xd_accumulator* accumulator, int type, void* result, bool allows_integers,
                   Find find) noexcept {
  return with_accumulator(caller, accumulator, [&](exact_state& sum) {
    const element_type to = to_type(type, caller);
    if (!allows_integers) require_floating(to, caller);
    require(result, caller, "result");
    store(result, to, find(sum, to));
  });
}

xd_status round(const char* caller, xd_accumulator* accumulator, core::finish finish, std::uint64_t count, int type,
                void* result) noexcept {
  return round_to(caller, accumulator, type, result, finish == core::finish::round,
                  [&](exact_state& sum, element_type to) { return sum.round(to, finish, count).bits; });
}

/// The same with an exponent of its own: find(sum).
template <class Find>
xd_status scaled_to(const char* caller, xd_accumulator* accumulator, double* significand, std::int64_t* exponent,
                    Find find) noexcept {
  return with_accumulator(caller, accumulator, [&](exact_state& sum) {
    require(significand, caller, "significand");
    require(exponent, caller, "exponent");
    const scaled_double rounded = find(sum);
    *significand = rounded.significand;
    *exponent = rounded.exponent;
  });
}

xd_status round_scaled(const char* caller, xd_accumulator* accumulator, core::finish finish, std::uint64_t count,
                       double* significand, std::int64_t* exponent) noexcept {
  return scaled_to(caller, accumulator, significand, exponent,
                   [&](exact_state& sum) { return detail::round_scaled(sum.view(), finish, count); });
}

}  // namespace
}  // namespace exactdot::c

using namespace exactdot;
using namespace exactdot::c;

xd_status xd_accumulator_create(int type, xd_accumulator** accumulator) {
  return guarded([&, caller = __func__] {
    require(accumulator, caller, "accumulator");
    *accumulator = new xd_accumulator{exact_state(to_type(type, caller))};
  });
}

xd_status xd_accumulator_copy(const xd_accumulator* accumulator, xd_accumulator** copy) {
  return guarded([&, caller = __func__] {
    require(accumulator, caller, "accumulator");
    require(copy, caller, "copy");
    *copy = new xd_accumulator(*accumulator);
  });
}

void xd_accumulator_destroy(xd_accumulator* accumulator) { delete accumulator; }

xd_status xd_accumulator_clear(xd_accumulator* accumulator) {
  return with_accumulator(__func__, accumulator, [](exact_state& sum) { sum.clear(); });
}

int xd_accumulator_type(const xd_accumulator* accumulator) {
  return accumulator == nullptr ? -1 : static_cast<int>(accumulator->sum.type());
}

xd_status xd_accumulator_add(xd_accumulator* accumulator, const xd_vector* x, const xd_options* options) {
  return with_accumulator(__func__, accumulator,
                          [&](exact_state& sum) { add(sum, reduction::sum, x, nullptr, options); });
}

xd_status xd_accumulator_add_products(xd_accumulator* accumulator, const xd_vector* a, const xd_vector* b,
                                      const xd_options* options) {
  return with_accumulator(__func__, accumulator,
                          [&](exact_state& sum) { add(sum, reduction::dot, a, &b, options); });
}

xd_status xd_accumulator_add_squares(xd_accumulator* accumulator, const xd_vector* x, const xd_options* options) {
  return with_accumulator(__func__, accumulator,
                          [&](exact_state& sum) { add(sum, reduction::sum_of_squares, x, nullptr, options); });
}

xd_status xd_accumulator_add_magnitudes(xd_accumulator* accumulator, const xd_vector* x, const xd_options* options) {
  return with_accumulator(__func__, accumulator,
                          [&](exact_state& sum) { add(sum, reduction::asum, x, nullptr, options); });
}

xd_status xd_accumulator_subtract(xd_accumulator* accumulator, const xd_vector* x, const xd_options* options) {
  return with_accumulator(__func__, accumulator,
                          [&](exact_state& sum) { subtract(sum, reduction::sum, x, nullptr, options); });
}

xd_status xd_accumulator_subtract_products(xd_accumulator* accumulator, const xd_vector* a, const xd_vector* b,
                                           const xd_options* options) {
  return with_accumulator(__func__, accumulator,
                          [&](exact_state& sum) { subtract(sum, reduction::dot, a, &b, options); });
}

xd_status xd_accumulator_negate(xd_accumulator* accumulator) {
  return with_accumulator(__func__, accumulator, [](exact_state& sum) { sum.negate(); });
}

xd_status xd_accumulator_merge(xd_accumulator* accumulator, xd_accumulator* other) {
  return with_accumulator(__func__, accumulator,
                          [&](exact_state& sum) { sum.merge(state_of(other, sum.caller, "other")); });
}

xd_status xd_accumulator_subtract_sum(xd_accumulator* accumulator, xd_accumulator* other) {
  return with_accumulator(__func__, accumulator,
                          [&](exact_state& sum) { sum.subtract(state_of(other, sum.caller, "other")); });
}

xd_status xd_accumulator_compare(xd_accumulator* accumulator, xd_accumulator* other, int* order) {
  return with_accumulator(__func__, accumulator, [&](exact_state& sum) {
    const exact_state& second = state_of(other, sum.caller, "other");
    require(order, sum.caller, "order");
    const std::partial_ordering found = sum.compare(second);
    *order = found == 0 ? XD_EQUAL : found < 0 ? XD_LESS : found > 0 ? XD_GREATER : XD_UNORDERED;
  });
}

size_t xd_accumulator_word_count(int type) { return xd_state_words({XD_SUM, type, XD_FULL}); }

xd_status xd_accumulator_words(xd_accumulator* accumulator, int64_t* words, size_t count) {
  return with_accumulator(__func__, accumulator, [&](exact_state& sum) {
    require(words, sum.caller, "words");
    engine::require_word_count(count, sum.format(), sum.caller);
    std::ranges::copy(sum.words(), words);
  });
}

xd_status xd_accumulator_bound(xd_accumulator* accumulator, xd_bounded* bounded) {
  return with_accumulator(__func__, accumulator, [&](exact_state& sum) {
    require(bounded, sum.caller, "bounded");
    const auto found = core::enclosure_of_state(core::layout_of(sum.type()), sum.words().data());
    *bounded = {found.head, found.tail, found.bound};
  });
}

xd_status xd_accumulator_load(xd_accumulator* accumulator, const int64_t* words, size_t count) {
  return with_accumulator(__func__, accumulator, [&](exact_state& sum) {
    require(words, sum.caller, "words");
    sum = exact_state(sum.type(), {words, count}, sum.caller);
  });
}

xd_status xd_accumulator_round(xd_accumulator* accumulator, int type, void* result) {
  return c::round(__func__, accumulator, core::finish::round, 1, type, result);
}
xd_status xd_accumulator_round_root(xd_accumulator* accumulator, int type, void* result) {
  return c::round(__func__, accumulator, core::finish::root, 1, type, result);
}
xd_status xd_accumulator_round_quotient(xd_accumulator* accumulator, uint64_t count, int type, void* result) {
  return c::round(__func__, accumulator, core::finish::quotient, count, type, result);
}
xd_status xd_accumulator_round_scaled(xd_accumulator* accumulator, double* significand, int64_t* exponent) {
  return c::round_scaled(__func__, accumulator, core::finish::round, 1, significand, exponent);
}
xd_status xd_accumulator_round_root_scaled(xd_accumulator* accumulator, double* significand, int64_t* exponent) {
  return c::round_scaled(__func__, accumulator, core::finish::root, 1, significand, exponent);
}
xd_status xd_accumulator_round_quotient_scaled(xd_accumulator* accumulator, uint64_t count, double* significand,
                                               int64_t* exponent) {
  return c::round_scaled(__func__, accumulator, core::finish::quotient, count, significand, exponent);
}

xd_status xd_accumulator_quotient(xd_accumulator* dividend, xd_accumulator* divisor, int type, void* result) {
  return round_to(__func__, dividend, type, result, false, [&](exact_state& sum, element_type to) {
    return detail::round_quotient(sum.view(), state_of(divisor, sum.caller, "divisor").view(), to);
  });
}
xd_status xd_accumulator_quotient_scaled(xd_accumulator* dividend, xd_accumulator* divisor, double* significand,
                                         int64_t* exponent) {
  return scaled_to(__func__, dividend, significand, exponent, [&](exact_state& sum) {
    return detail::round_quotient_scaled(sum.view(), state_of(divisor, sum.caller, "divisor").view());
  });
}
