// xd_moments: moments<T> with the element type as a value.
//
// __func__ is the name of the function that the user called.
#include <c/convert.hpp>
#include <c/status.hpp>
#include <plan/state_words.hpp>
#include <run/exact_state.hpp>
#include <string>

struct xd_moments : exactdot::engine::exact_moments {
  using exact_moments::exact_moments;
};

namespace exactdot::c {
namespace {

/// The moments of an argument, whose errors are the caller's.
xd_moments& moments_of(xd_moments* given, const char* caller, const char* argument = "moments") {
  require(given, caller, argument);
  given->sum.caller = given->squares.caller = caller;
  return *given;
}

/// work(moments, caller) for a call that must not get a null pointer.
template <class Work>
xd_status with_moments(const char* caller, xd_moments* moments, Work work) noexcept {
  return guarded([&] { work(moments_of(moments, caller), caller); });
}

/// *result = find(moments, type of the result).
template <class Find>
xd_status round_to(const char* caller, xd_moments* moments, int type, void* result, Find find) noexcept {
  return with_moments(caller, moments, [&](xd_moments& of, const char*) {
    const element_type to = to_type(type, caller);
    require_floating(to, caller);
    require(result, caller, "result");
    store(result, to, find(of, to).bits);
  });
}

xd_status round_deviation(const char* caller, xd_moments* moments, std::int64_t ddof, int type, void* result,
                          bool root) noexcept {
  return round_to(caller, moments, type, result, [&](xd_moments& of, element_type to) {
    if (ddof < 0) refuse(errc::bad_option, caller, "ddof is " + std::to_string(ddof) + "; use 0 or more");
    return of.deviation(to, static_cast<std::uint64_t>(ddof), root);
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
  return moments == nullptr ? -1 : static_cast<int>(moments->type());
}

xd_status xd_moments_add(xd_moments* moments, const xd_vector* x, const xd_options* options) {
  return with_moments(__func__, moments, [&](xd_moments& to, const char* caller) {
    to.count = detail::add_elements(to.view(), to_vector(x, caller, "x"), to_options(options, caller));
  });
}

xd_status xd_moments_merge(xd_moments* moments, xd_moments* other) {
  return with_moments(__func__, moments,
                      [&](xd_moments& to, const char* caller) { to.merge(moments_of(other, caller, "other")); });
}

xd_status xd_moments_count(const xd_moments* moments, uint64_t* count) {
  return guarded([&, caller = __func__] {
    require(moments, caller, "moments");
    require(count, caller, "count");
    *count = moments->count;
  });
}

xd_status xd_moments_mean(xd_moments* moments, int type, void* result) {
  return round_to(__func__, moments, type, result, [](xd_moments& of, element_type to) { return of.mean(to); });
}

xd_status xd_moments_nrm2(xd_moments* moments, int type, void* result) {
  return round_to(__func__, moments, type, result, [](xd_moments& of, element_type to) { return of.norm(to); });
}

xd_status xd_moments_variance(xd_moments* moments, int64_t ddof, int type, void* result) {
  return round_deviation(__func__, moments, ddof, type, result, false);
}

xd_status xd_moments_stddev(xd_moments* moments, int64_t ddof, int type, void* result) {
  return round_deviation(__func__, moments, ddof, type, result, true);
}

size_t xd_moments_word_count(int type) { return xd_state_words({XD_VARIANCE, type, XD_FULL}); }

xd_status xd_moments_words(xd_moments* moments, int64_t* words, size_t count) {
  return with_moments(__func__, moments, [&](xd_moments& of, const char* caller) {
    require(words, caller, "words");
    engine::require_word_count(count, of.format(), caller);
    detail::store_words(of.view(), words);
  });
}

xd_status xd_moments_load(xd_moments* moments, const int64_t* words, size_t count) {
  return with_moments(__func__, moments, [&](xd_moments& to, const char* caller) {
    require(words, caller, "words");
    to = xd_moments(to.type(), {words, count}, caller);
  });
}
