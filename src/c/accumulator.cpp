// xd_accumulator: accumulator<T> with the element type as a value.
#include <c/convert.hpp>
#include <c/state.hpp>
#include <c/status.hpp>
#include <string>

struct xd_accumulator {
  exactdot::c::state sum;
};

namespace exactdot::c {

void require_same_type(element_type type, element_type other, const char* caller) {
  if (type == other) return;
  refuse(errc::bad_option, caller,
         "cannot merge a state of " + std::string(name_of(other)) + " into one of " + std::string(name_of(type)));
}

void require_word_count(std::size_t given, std::size_t count, const char* caller) {
  if (given == count) return;
  refuse(errc::size_mismatch, caller,
         "an array of " + std::to_string(given) + " words, this state has " + std::to_string(count));
}

namespace {

constexpr const char* accumulator_caller = "accumulator";

/// work(state, options) for a call on an accumulator.
template <class Work>
xd_status change(xd_accumulator* accumulator, const xd_options* given, Work work) noexcept {
  return guarded([&] {
    require(accumulator, accumulator_caller, "accumulator");
    options chosen = to_options(given, accumulator_caller);
    work(accumulator->sum, chosen);
  });
}

template <class Work>
xd_status change(xd_accumulator* accumulator, Work work) noexcept {
  return change(accumulator, nullptr, [&](state& sum, const options&) { work(sum); });
}

void add_products(state& sum, const xd_vector* a, const xd_vector* b, const options& options) {
  const any_vector first = to_vector(a, accumulator_caller, "a"), second = to_vector(b, accumulator_caller, "b");
  detail::add_products(sum.view(), first, second, options);
}

void add_values(state& sum, reduction what, const xd_vector* x, const options& options) {
  detail::add_values(sum.view(), what, to_vector(x, accumulator_caller, "x"), options);
}

xd_status round(xd_accumulator* accumulator, detail::rounding how, std::uint64_t count, int type,
                void* result) noexcept {
  return change(accumulator, [&](state& sum) {
    const element_type to = to_type(type, accumulator_caller);
    if (how != detail::rounding::sum) require_floating(to, accumulator_caller);
    require(result, accumulator_caller, "result");
    store(result, to, detail::round(sum.view(), to, how, count));
  });
}

xd_status round_scaled(xd_accumulator* accumulator, detail::rounding how, std::uint64_t count, double* significand,
                       std::int64_t* exponent) noexcept {
  return change(accumulator, [&](state& sum) {
    require(significand, accumulator_caller, "significand");
    require(exponent, accumulator_caller, "exponent");
    const scaled_double rounded = detail::round_scaled(sum.view(), how, count);
    *significand = rounded.significand;
    *exponent = rounded.exponent;
  });
}

}  // namespace
}  // namespace exactdot::c

using namespace exactdot;
using namespace exactdot::c;

xd_status xd_accumulator_create(int type, xd_accumulator** accumulator) {
  return guarded([&] {
    require(accumulator, "xd_accumulator_create", "accumulator");
    *accumulator = new xd_accumulator{state(to_type(type, "xd_accumulator_create"))};
  });
}

xd_status xd_accumulator_copy(const xd_accumulator* accumulator, xd_accumulator** copy) {
  return guarded([&] {
    require(accumulator, "xd_accumulator_copy", "accumulator");
    require(copy, "xd_accumulator_copy", "copy");
    *copy = new xd_accumulator(*accumulator);
  });
}

void xd_accumulator_destroy(xd_accumulator* accumulator) { delete accumulator; }

xd_status xd_accumulator_clear(xd_accumulator* accumulator) {
  return change(accumulator, [](state& sum) { sum.clear(); });
}

int xd_accumulator_type(const xd_accumulator* accumulator) {
  return accumulator == nullptr ? -1 : static_cast<int>(accumulator->sum.type());
}

xd_status xd_accumulator_add(xd_accumulator* accumulator, const xd_vector* x, const xd_options* options) {
  return change(accumulator, options,
                [&](state& sum, const auto& chosen) { add_values(sum, reduction::sum, x, chosen); });
}

xd_status xd_accumulator_add_products(xd_accumulator* accumulator, const xd_vector* a, const xd_vector* b,
                                      const xd_options* options) {
  return change(accumulator, options, [&](state& sum, const auto& chosen) { add_products(sum, a, b, chosen); });
}

xd_status xd_accumulator_add_squares(xd_accumulator* accumulator, const xd_vector* x, const xd_options* options) {
  return change(accumulator, options,
                [&](state& sum, const auto& chosen) { add_values(sum, reduction::sum_of_squares, x, chosen); });
}

xd_status xd_accumulator_subtract(xd_accumulator* accumulator, const xd_vector* x, const xd_options* options) {
  return change(accumulator, options, [&](state& sum, const auto& chosen) {
    state terms(sum.type());
    add_values(terms, reduction::sum, x, chosen);
    sum.subtract(terms);
  });
}

xd_status xd_accumulator_subtract_products(xd_accumulator* accumulator, const xd_vector* a, const xd_vector* b,
                                           const xd_options* options) {
  return change(accumulator, options, [&](state& sum, const auto& chosen) {
    state terms(sum.type());
    add_products(terms, a, b, chosen);
    sum.subtract(terms);
  });
}

xd_status xd_accumulator_negate(xd_accumulator* accumulator) {
  return change(accumulator, [](state& sum) { detail::negate(sum.view()); });
}

xd_status xd_accumulator_merge(xd_accumulator* accumulator, xd_accumulator* other) {
  return change(accumulator, [&](state& sum) {
    require(other, accumulator_caller, "other");
    require_same_type(sum.type(), other->sum.type(), accumulator_caller);
    detail::merge(sum.view(), other->sum.view());
  });
}

size_t xd_accumulator_word_count(int type) {
  return xd_type_size(type) == 0 ? 0 : word_count_of(static_cast<element_type>(type));
}

xd_status xd_accumulator_words(xd_accumulator* accumulator, int64_t* words, size_t count) {
  return change(accumulator, [&](state& sum) {
    require(words, accumulator_caller, "words");
    require_word_count(count, sum.count(), accumulator_caller);
    std::ranges::copy(sum.words(), words);
  });
}

xd_status xd_accumulator_load(xd_accumulator* accumulator, const int64_t* words, size_t count) {
  return change(accumulator, [&](state& sum) {
    require(words, accumulator_caller, "words");
    sum.load({words, count});
  });
}

xd_status xd_accumulator_round(xd_accumulator* accumulator, int type, void* result) {
  return c::round(accumulator, detail::rounding::sum, 1, type, result);
}
xd_status xd_accumulator_round_root(xd_accumulator* accumulator, int type, void* result) {
  return c::round(accumulator, detail::rounding::root, 1, type, result);
}
xd_status xd_accumulator_round_quotient(xd_accumulator* accumulator, uint64_t count, int type, void* result) {
  return c::round(accumulator, detail::rounding::quotient, count, type, result);
}
xd_status xd_accumulator_round_scaled(xd_accumulator* accumulator, double* significand, int64_t* exponent) {
  return c::round_scaled(accumulator, detail::rounding::sum, 1, significand, exponent);
}
xd_status xd_accumulator_round_root_scaled(xd_accumulator* accumulator, double* significand, int64_t* exponent) {
  return c::round_scaled(accumulator, detail::rounding::root, 1, significand, exponent);
}
xd_status xd_accumulator_round_quotient_scaled(xd_accumulator* accumulator, uint64_t count, double* significand,
                                               int64_t* exponent) {
  return c::round_scaled(accumulator, detail::rounding::quotient, count, significand, exponent);
}
