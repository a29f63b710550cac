// xd_accumulator: accumulator<T> with the element type as a value.
//
// __func__ is the name of the function that the user called.
#include <c/convert.hpp>
#include <c/state.hpp>
#include <c/status.hpp>
#include <exactdot/core/state_enclosure.hpp>
#include <string>

struct xd_accumulator {
  exactdot::c::state sum;
};

namespace exactdot::c {

void require_holds(element_type type, element_type other, const char* caller) {
  if (detail::state_holds(type, other)) return;
  refuse(errc::bad_option, caller,
         "cannot merge a state of " + std::string(name_of(other)) + " into one of " + std::string(name_of(type)) +
             ", which does not hold it");
}

void require_word_count(std::size_t given, std::size_t count, const char* caller) {
  if (given == count) return;
  refuse(errc::size_mismatch, caller,
         "an array of " + std::to_string(given) + " words, this state has " + std::to_string(count));
}

namespace {

/// work(state, caller) for a call that must not get a null pointer.
template <class Work>
xd_status with_accumulator(const char* caller, xd_accumulator* accumulator, Work work) noexcept {
  return guarded([&] {
    require(accumulator, caller, "accumulator");
    work(accumulator->sum, caller);
  });
}

void add_products(state& sum, const char* caller, const xd_vector* a, const xd_vector* b, const xd_options* given) {
  const options chosen = to_options(given, caller);
  const any_vector first = to_vector(a, caller, "a"), second = to_vector(b, caller, "b");
  detail::add_products(sum.view(caller), first, second, chosen);
}

void add_values(state& sum, const char* caller, reduction what, const xd_vector* x, const xd_options* given) {
  const options chosen = to_options(given, caller);
  detail::add_values(sum.view(caller), what, to_vector(x, caller, "x"), chosen);
}

xd_status round(const char* caller, xd_accumulator* accumulator, detail::rounding kind, std::uint64_t count,
                int type, void* result) noexcept {
  return with_accumulator(caller, accumulator, [&](state& sum, const char*) {
    const element_type to = to_type(type, caller);
    if (kind != detail::rounding::sum) require_floating(to, caller);
    require(result, caller, "result");
    store(result, to, detail::round(sum.view(caller), to, kind, count));
  });
}

xd_status round_scaled(const char* caller, xd_accumulator* accumulator, detail::rounding kind, std::uint64_t count,
                       double* significand, std::int64_t* exponent) noexcept {
  return with_accumulator(caller, accumulator, [&](state& sum, const char*) {
    require(significand, caller, "significand");
    require(exponent, caller, "exponent");
    const scaled_double rounded = detail::round_scaled(sum.view(caller), kind, count);
    *significand = rounded.significand;
    *exponent = rounded.exponent;
  });
}

}  // namespace
}  // namespace exactdot::c

using namespace exactdot;
using namespace exactdot::c;

xd_status xd_accumulator_create(int type, xd_accumulator** accumulator) {
  return guarded([&, caller = __func__] {
    require(accumulator, caller, "accumulator");
    *accumulator = new xd_accumulator{state(to_type(type, caller))};
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
  return with_accumulator(__func__, accumulator, [](state& sum, const char*) { sum.clear(); });
}

int xd_accumulator_type(const xd_accumulator* accumulator) {
  return accumulator == nullptr ? -1 : static_cast<int>(accumulator->sum.type());
}

xd_status xd_accumulator_add(xd_accumulator* accumulator, const xd_vector* x, const xd_options* options) {
  return with_accumulator(__func__, accumulator, [&](state& sum, const char* caller) {
    add_values(sum, caller, reduction::sum, x, options);
  });
}

xd_status xd_accumulator_add_products(xd_accumulator* accumulator, const xd_vector* a, const xd_vector* b,
                                      const xd_options* options) {
  return with_accumulator(__func__, accumulator,
                          [&](state& sum, const char* caller) { add_products(sum, caller, a, b, options); });
}

xd_status xd_accumulator_add_squares(xd_accumulator* accumulator, const xd_vector* x, const xd_options* options) {
  return with_accumulator(__func__, accumulator, [&](state& sum, const char* caller) {
    add_values(sum, caller, reduction::sum_of_squares, x, options);
  });
}

xd_status xd_accumulator_add_magnitudes(xd_accumulator* accumulator, const xd_vector* x, const xd_options* options) {
  return with_accumulator(__func__, accumulator, [&](state& sum, const char* caller) {
    add_values(sum, caller, reduction::asum, x, options);
  });
}

xd_status xd_accumulator_subtract(xd_accumulator* accumulator, const xd_vector* x, const xd_options* options) {
  return with_accumulator(__func__, accumulator, [&](state& sum, const char* caller) {
    state terms(sum.type());
    add_values(terms, caller, reduction::sum, x, options);
    sum.subtract(terms, caller);
  });
}

xd_status xd_accumulator_subtract_products(xd_accumulator* accumulator, const xd_vector* a, const xd_vector* b,
                                           const xd_options* options) {
  return with_accumulator(__func__, accumulator, [&](state& sum, const char* caller) {
    state terms(sum.type());
    add_products(terms, caller, a, b, options);
    sum.subtract(terms, caller);
  });
}

xd_status xd_accumulator_negate(xd_accumulator* accumulator) {
  return with_accumulator(__func__, accumulator,
                          [](state& sum, const char* caller) { detail::negate(sum.view(caller)); });
}

xd_status xd_accumulator_merge(xd_accumulator* accumulator, xd_accumulator* other) {
  return with_accumulator(__func__, accumulator, [&](state& sum, const char* caller) {
    require(other, caller, "other");
    require_holds(sum.type(), other->sum.type(), caller);
    detail::merge(sum.view(caller), other->sum.view(caller));
  });
}

xd_status xd_accumulator_subtract_sum(xd_accumulator* accumulator, xd_accumulator* other) {
  return with_accumulator(__func__, accumulator, [&](state& sum, const char* caller) {
    require(other, caller, "other");
    require_holds(sum.type(), other->sum.type(), caller);
    sum.subtract(other->sum, caller);
  });
}

xd_status xd_accumulator_compare(xd_accumulator* accumulator, xd_accumulator* other, int* order) {
  return with_accumulator(__func__, accumulator, [&](state& sum, const char* caller) {
    require(other, caller, "other");
    require(order, caller, "order");
    const std::partial_ordering found = detail::compare(sum.view(caller), other->sum.view(caller));
    *order = found == 0 ? XD_EQUAL : found < 0 ? XD_LESS : found > 0 ? XD_GREATER : XD_UNORDERED;
  });
}

size_t xd_accumulator_word_count(int type) {
  return xd_type_size(type) == 0 ? 0 : word_count_of(static_cast<element_type>(type));
}

xd_status xd_accumulator_words(xd_accumulator* accumulator, int64_t* words, size_t count) {
  return with_accumulator(__func__, accumulator, [&](state& sum, const char* caller) {
    require(words, caller, "words");
    require_word_count(count, sum.count(), caller);
    std::ranges::copy(sum.words(caller), words);
  });
}

xd_status xd_accumulator_bound(xd_accumulator* accumulator, xd_bounded* bounded) {
  return with_accumulator(__func__, accumulator, [&](state& sum, const char* caller) {
    require(bounded, caller, "bounded");
    const auto found = core::enclosure_of_state(core::layout_of(sum.type()), sum.words(caller).data());
    *bounded = {found.head, found.tail, found.bound};
  });
}

xd_status xd_accumulator_load(xd_accumulator* accumulator, const int64_t* words, size_t count) {
  return with_accumulator(__func__, accumulator, [&](state& sum, const char* caller) {
    require(words, caller, "words");
    sum.load({words, count}, caller);
  });
}

xd_status xd_accumulator_round(xd_accumulator* accumulator, int type, void* result) {
  return c::round(__func__, accumulator, detail::rounding::sum, 1, type, result);
}
xd_status xd_accumulator_round_root(xd_accumulator* accumulator, int type, void* result) {
  return c::round(__func__, accumulator, detail::rounding::root, 1, type, result);
}
xd_status xd_accumulator_round_quotient(xd_accumulator* accumulator, uint64_t count, int type, void* result) {
  return c::round(__func__, accumulator, detail::rounding::quotient, count, type, result);
}
xd_status xd_accumulator_round_scaled(xd_accumulator* accumulator, double* significand, int64_t* exponent) {
  return c::round_scaled(__func__, accumulator, detail::rounding::sum, 1, significand, exponent);
}
xd_status xd_accumulator_round_root_scaled(xd_accumulator* accumulator, double* significand, int64_t* exponent) {
  return c::round_scaled(__func__, accumulator, detail::rounding::root, 1, significand, exponent);
}
xd_status xd_accumulator_round_quotient_scaled(xd_accumulator* accumulator, uint64_t count, double* significand,
                                               int64_t* exponent) {
  return c::round_scaled(__func__, accumulator, detail::rounding::quotient, count, significand, exponent);
}

xd_status xd_accumulator_quotient(xd_accumulator* dividend, xd_accumulator* divisor, int type, void* result) {
  return with_accumulator(__func__, dividend, [&](state& sum, const char* caller) {
    require(divisor, caller, "divisor");
    const element_type to = to_type(type, caller);
    require_floating(to, caller);
    require(result, caller, "result");
    store(result, to, detail::round_quotient(sum.view(caller), divisor->sum.view(caller), to));
  });
}
xd_status xd_accumulator_quotient_scaled(xd_accumulator* dividend, xd_accumulator* divisor, double* significand,
                                         int64_t* exponent) {
  return with_accumulator(__func__, dividend, [&](state& sum, const char* caller) {
    require(divisor, caller, "divisor");
    require(significand, caller, "significand");
    require(exponent, caller, "exponent");
    const scaled_double rounded = detail::round_quotient_scaled(sum.view(caller), divisor->sum.view(caller));
    *significand = rounded.significand;
    *exponent = rounded.exponent;
  });
}
