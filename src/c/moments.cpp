// xd_moments: moments<T> with the element type as a value.
//
// __func__ is the name of the function that the user called.
#include <c/convert.hpp>
#include <c/state.hpp>
#include <c/status.hpp>
#include <exactdot/moments.hpp>
#include <string>

struct xd_moments {
  explicit xd_moments(exactdot::element_type type) : sum(type), squares(type) {}

  std::uint64_t count = 0;
  exactdot::c::state sum, squares;
};

namespace exactdot::c {
namespace {

/// work(moments, caller) for a call that must not get a null pointer.
template <class Moments, class Work>
xd_status with_moments(const char* caller, Moments* moments, Work work) noexcept {
  return guarded([&] {
    require(moments, caller, "moments");
    work(*moments, caller);
  });
}

/// *result = round(moments, caller, type of the result).
template <class Round>
xd_status round_to(const char* caller, xd_moments* moments, int type, void* result, Round round) noexcept {
  return with_moments(caller, moments, [&](xd_moments& of, const char*) {
    const element_type to = to_type(type, caller);
    require_floating(to, caller);
    require(result, caller, "result");
    store(result, to, round(of, caller, to));
  });
}

xd_status round_variance(const char* caller, xd_moments* moments, std::int64_t ddof, int type, void* result,
                         bool root) noexcept {
  return round_to(caller, moments, type, result, [&](xd_moments& of, const char*, element_type to) {
    if (ddof < 0) refuse(errc::bad_option, caller, "ddof is " + std::to_string(ddof) + "; use 0 or more");
    return detail::round_moments(of.sum.view(caller), of.squares.view(caller), to, of.count,
                                 static_cast<std::uint64_t>(ddof), root);
  });
}

}  // namespace
}  // namespace exactdot::c

using namespace exactdot;
using namespace exactdot::c;

xd_status xd_moments_create(int type, xd_moments** moments) {
  return guarded([&, caller = __func__] {
    require(moments, caller, "moments");
    *moments = new xd_moments(to_type(type, caller));
  });
}

void xd_moments_destroy(xd_moments* moments) { delete moments; }

int xd_moments_type(const xd_moments* moments) {
  return moments == nullptr ? -1 : static_cast<int>(moments->sum.type());
}

xd_status xd_moments_add(xd_moments* moments, const xd_vector* x, const xd_options* options) {
  return with_moments(__func__, moments, [&](xd_moments& to, const char* caller) {
    const any_vector vector = to_vector(x, caller, "x");
    const auto chosen = to_options(options, caller);
    xd_moments added = to;
    detail::add_values(added.sum.view(caller), reduction::sum, vector, chosen);
    detail::add_values(added.squares.view(caller), reduction::sum_of_squares, vector, chosen);
    added.count = detail::sum_of_counts(added.count, vector.n, caller);
    to = added;
  });
}

xd_status xd_moments_merge(xd_moments* moments, xd_moments* other) {
  return with_moments(__func__, moments, [&](xd_moments& to, const char* caller) {
    require(other, caller, "other");
    require_holds(to.sum.type(), other->sum.type(), caller);
    xd_moments merged = to;
    detail::merge(merged.sum.view(caller), other->sum.view(caller));
    detail::merge(merged.squares.view(caller), other->squares.view(caller));
    merged.count = detail::sum_of_counts(merged.count, other->count, caller);
    to = merged;
  });
}

xd_status xd_moments_count(const xd_moments* moments, uint64_t* count) {
  return with_moments(__func__, moments, [&](const xd_moments& of, const char* caller) {
    require(count, caller, "count");
    *count = of.count;
  });
}

xd_status xd_moments_mean(xd_moments* moments, int type, void* result) {
  return round_to(__func__, moments, type, result, [](xd_moments& of, const char* caller, element_type to) {
    return detail::round(of.sum.view(caller), to, detail::rounding::quotient, of.count);
  });
}

xd_status xd_moments_nrm2(xd_moments* moments, int type, void* result) {
  return round_to(__func__, moments, type, result, [](xd_moments& of, const char* caller, element_type to) {
    return detail::round(of.squares.view(caller), to, detail::rounding::root, 1);
  });
}

xd_status xd_moments_variance(xd_moments* moments, int64_t ddof, int type, void* result) {
  return round_variance(__func__, moments, ddof, type, result, false);
}

xd_status xd_moments_stddev(xd_moments* moments, int64_t ddof, int type, void* result) {
  return round_variance(__func__, moments, ddof, type, result, true);
}

size_t xd_moments_word_count(int type) {
  const std::size_t words = xd_accumulator_word_count(type);
  return words == 0 ? 0 : 1 + 2 * words;
}

xd_status xd_moments_words(xd_moments* moments, int64_t* words, size_t count) {
  return with_moments(__func__, moments, [&](xd_moments& of, const char* caller) {
    require(words, caller, "words");
    require_word_count(count, 1 + 2 * of.sum.count(), caller);
    const auto sum = of.sum.words(caller), squares = of.squares.words(caller);
    words[0] = static_cast<std::int64_t>(of.count);
    std::ranges::copy(squares, std::ranges::copy(sum, words + 1).out);
  });
}

xd_status xd_moments_load(xd_moments* moments, const int64_t* words, size_t count) {
  return with_moments(__func__, moments, [&](xd_moments& to, const char* caller) {
    require(words, caller, "words");
    const std::size_t each = to.sum.count();
    require_word_count(count, 1 + 2 * each, caller);
    xd_moments loaded(to.sum.type());
    loaded.count = static_cast<std::uint64_t>(words[0]);
    loaded.sum.load({words + 1, each}, caller);
    loaded.squares.load({words + 1 + each, each}, caller);
    detail::check_moments(words[0], loaded.sum.view(caller), loaded.squares.view(caller));
    to = loaded;
  });
}
