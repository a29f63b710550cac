// xd_moments: moments<T> with the element type as a value.
#include <c/convert.hpp>
#include <c/state.hpp>
#include <c/status.hpp>
#include <string>

struct xd_moments {
  explicit xd_moments(exactdot::element_type type) : sum(type), squares(type) {}

  std::uint64_t count = 0;
  exactdot::c::state sum, squares;
};

namespace exactdot::c {
namespace {

constexpr const char* moments_caller = "moments";

/// work(moments) for a call that must not get a null pointer.
template <class Moments, class Work>
xd_status with_moments(Moments* moments, Work work) noexcept {
  return guarded([&] {
    require(moments, moments_caller, "moments");
    work(*moments);
  });
}

/// *result = round(moments, type of the result).
template <class Round>
xd_status round_to(xd_moments* moments, int type, void* result, Round round) noexcept {
  return with_moments(moments, [&](xd_moments& of) {
    const element_type to = to_type(type, moments_caller);
    require_floating(to, moments_caller);
    require(result, moments_caller, "result");
    store(result, to, round(of, to));
  });
}

std::uint64_t round_variance(xd_moments& of, std::int64_t ddof, element_type to, bool root) {
  if (ddof < 0) refuse(errc::bad_option, moments_caller, "ddof is " + std::to_string(ddof) + "; use 0 or more");
  return detail::round_moments(of.sum.view(), of.squares.view(), to, of.count, static_cast<std::uint64_t>(ddof),
                               root);
}

}  // namespace
}  // namespace exactdot::c

using namespace exactdot;
using namespace exactdot::c;

xd_status xd_moments_create(int type, xd_moments** moments) {
  return guarded([&] {
    require(moments, "xd_moments_create", "moments");
    *moments = new xd_moments(to_type(type, "xd_moments_create"));
  });
}

void xd_moments_destroy(xd_moments* moments) { delete moments; }

int xd_moments_type(const xd_moments* moments) {
  return moments == nullptr ? -1 : static_cast<int>(moments->sum.type());
}

xd_status xd_moments_add(xd_moments* moments, const xd_vector* x, const xd_options* options) {
  return with_moments(moments, [&](xd_moments& to) {
    const any_vector vector = to_vector(x, "moments", "x");
    const auto chosen = to_options(options, "moments");
    xd_moments added = to;
    detail::add_values(added.sum.view(), reduction::sum, vector, chosen);
    detail::add_values(added.squares.view(), reduction::sum_of_squares, vector, chosen);
    added.count = detail::sum_of_counts(added.count, vector.n);
    to = added;
  });
}

xd_status xd_moments_merge(xd_moments* moments, xd_moments* other) {
  return with_moments(moments, [&](xd_moments& to) {
    require(other, "moments", "other");
    require_same_type(to.sum.type(), other->sum.type(), "moments");
    xd_moments merged = to;
    detail::merge(merged.sum.view(), other->sum.view());
    detail::merge(merged.squares.view(), other->squares.view());
    merged.count = detail::sum_of_counts(merged.count, other->count);
    to = merged;
  });
}

xd_status xd_moments_count(const xd_moments* moments, uint64_t* count) {
  return with_moments(moments, [&](const xd_moments& of) {
    require(count, "moments", "count");
    *count = of.count;
  });
}

xd_status xd_moments_mean(xd_moments* moments, int type, void* result) {
  return round_to(moments, type, result, [](xd_moments& of, element_type to) {
    return detail::round(of.sum.view(), to, detail::rounding::quotient, of.count);
  });
}

xd_status xd_moments_nrm2(xd_moments* moments, int type, void* result) {
  return round_to(moments, type, result, [](xd_moments& of, element_type to) {
    return detail::round(of.squares.view(), to, detail::rounding::root, 1);
  });
}

xd_status xd_moments_variance(xd_moments* moments, int64_t ddof, int type, void* result) {
  return round_to(moments, type, result,
                  [&](xd_moments& of, element_type to) { return round_variance(of, ddof, to, false); });
}

xd_status xd_moments_stddev(xd_moments* moments, int64_t ddof, int type, void* result) {
  return round_to(moments, type, result,
                  [&](xd_moments& of, element_type to) { return round_variance(of, ddof, to, true); });
}

size_t xd_moments_word_count(int type) {
  const std::size_t words = xd_accumulator_word_count(type);
  return words == 0 ? 0 : 1 + 2 * words;
}

xd_status xd_moments_words(xd_moments* moments, int64_t* words, size_t count) {
  return with_moments(moments, [&](xd_moments& of) {
    require(words, "moments", "words");
    require_word_count(count, 1 + 2 * of.sum.count(), "moments");
    const auto sum = of.sum.words(), squares = of.squares.words();
    words[0] = static_cast<std::int64_t>(of.count);
    std::ranges::copy(squares, std::ranges::copy(sum, words + 1).out);
  });
}

xd_status xd_moments_load(xd_moments* moments, const int64_t* words, size_t count) {
  return with_moments(moments, [&](xd_moments& to) {
    require(words, "moments", "words");
    const std::size_t each = to.sum.count();
    require_word_count(count, 1 + 2 * each, "moments");
    if (words[0] < 0) refuse(errc::bad_option, "moments", "the count is negative");
    xd_moments loaded(to.sum.type());
    loaded.count = static_cast<std::uint64_t>(words[0]);
    loaded.sum.load({words + 1, each});
    loaded.squares.load({words + 1 + each, each});
    to = loaded;
  });
}
