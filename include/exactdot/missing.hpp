// SPDX-License-Identifier: Apache-2.0
// Missing values: reductions of the elements that a mask names, that are not NaN, or of an initial value too.
//
//   sum(skip_nan(x));  mean(where(x, mask));  dot(skip_nan(where(a, mask)), b);
//   variance(skip_nan(rows{x, m, n}), out);  max(with_initial(skip_nan(groups{x, keys, count}), -1.0), out);
//
// An element that is left out is not there: means divide by the number of those that stay, variances know. Results
// have the bits of the call on the elements that stay, in their order; argmin and argmax give places in x. Of two
// inputs the first one is wrapped: a pair is left out where the mask of the first is 0 and, with skip_nan, where
// either is a NaN. A complex number (complex.hpp) is a NaN if its real or its imaginary part is one. Of no
// elements: sum +0, mean NaN, and errc::empty_input for min and its like, unless with_initial gives them one
// element more.
//
// Memory: host memory only; errc::bad_option for arrays in a GPU's. Errors: those of the calls without, and of
// where. Cost: a copy of what stays, with its memory (of argmin and argmax 8 bytes an element more), for which room
// for all elements is reserved; then that of the reduction. Calls without these views do not pass here.
#pragma once

#include <exactdot/batches.hpp>
#include <exactdot/requirements.hpp>
#include <optional>

namespace exactdot::inline v0_3 {

/// Flags of elements: bytes, 0 for an element that is not there, along axes with the lengths of the first input's.
struct any_mask {
  const void* data = nullptr;  ///< null: every element is there, and the axes are not read
  std::span<const axis> results, elements;
};

/// Which elements are there, for calls whose types are known at run time only.
struct element_filter {
  any_mask where = {};
  bool skips_nan = false;
  std::optional<any_scalar> initial = {};  ///< of min and max: an element more of each result, of the element type
};

namespace detail {
/// As reduce_grid, reduce_segments and reduce_groups, of some of the elements. The mask of segments has one axis,
/// that of the vector.
void reduce_kept_grid(reduction what, const any_grid& a, const any_grid& b, const element_filter& filter,
                      const any_results& out, const options& options, std::int64_t ddof = 0,
                      const char* caller = nullptr);
void reduce_kept_segments(reduction what, const any_vector& a, const any_vector& b, const any_offsets& offsets,
                          const element_filter& filter, const any_results& out, const options& options,
                          std::int64_t ddof = 0, const char* caller = nullptr);
void reduce_kept_groups(reduction what, const any_grid& a, const any_grid& b, const any_keys& keys,
                        const element_filter& filter, const any_results& out, const options& options,
                        std::int64_t ddof = 0, const char* caller = nullptr);
/// Throws errc::size_mismatch for a mask of another length.
[[noreturn]] void refuse_mask(std::size_t flags, std::size_t elements);

/// Flags along an axis of results and one of elements.
struct flag_lines {
  const void* data = nullptr;
  axis results, elements;
};
template <class T>
inline constexpr bool is_flag = is_one_of<T, bool, std::uint8_t, std::int8_t>;

template <class View>
inline constexpr bool is_columns = false;
template <class T>
inline constexpr bool is_columns<columns<T>> = true;

/// Refuses a mask that has no bytes to read.
template <class Mask>
constexpr bool check_mask() {
  using element = std::ranges::range_value_t<Mask>;
  constexpr bool has_bytes = std::ranges::contiguous_range<const Mask>;
  static_assert(has_bytes,
                "exactdot: a mask is a contiguous range of bytes; std::vector<bool> has bits: use "
                "std::vector<std::uint8_t>");
  static_assert(is_flag<element>,
                "exactdot: a mask holds bool, std::uint8_t or std::int8_t, 0 for what is not there");
  return has_bytes && is_flag<element>;
}

/// The flags of a vector of n elements.
template <class Mask>
flag_lines flags_of(std::size_t n, const Mask& mask) {
  if constexpr (is_strided<Mask>) {
    static_assert(is_flag<element_of_view<Mask>>, "exactdot: a mask holds std::uint8_t or std::int8_t");
    if (mask.n != n) refuse_mask(mask.n, n);
    return {mask.data, {1, 0}, {n, mask.stride}};
  } else if constexpr (check_mask<Mask>()) {
    if (std::ranges::size(mask) != n) refuse_mask(std::ranges::size(mask), n);
    return {std::ranges::data(mask), {1, 0}, {n, 1}};
  } else {
    return {};
  }
}

/// The flags of rows or columns: lines like these, one line for all of them, or a range in the order of the matrix.
template <class X, class Mask>
flag_lines flags_of_lines(const X& x, const Mask& mask) {
  const line_grid lines = to_lines(x);
  const std::size_t m = lines.results.n, n = lines.elements.n;
  if constexpr (is_repeated<Mask> || matrix_view<Mask>) {
    static_assert(is_flag<typename Mask::value_type>, "exactdot: a mask holds std::uint8_t or std::int8_t");
    line_grid flags;
    if constexpr (is_repeated<Mask>) {
      flags = to_lines(mask, m);
    } else {
      flags = to_lines(mask);
    }
    if (flags.results.n != m) refuse_mask(flags.results.n, m);
    if (flags.elements.n != n) refuse_mask(flags.elements.n, n);
    return {flags.data, flags.results, flags.elements};
  } else if constexpr (check_mask<Mask>()) {
    const std::size_t count = std::ranges::size(mask);
    std::size_t wanted = 0;
    if (__builtin_mul_overflow(m, n, &wanted) || count != wanted) refuse_mask(count, wanted);
    const auto rows = static_cast<std::ptrdiff_t>(is_columns<X> ? 1 : n);
    const auto elements = static_cast<std::ptrdiff_t>(is_columns<X> ? m : 1);
    return {std::ranges::data(mask), {m, rows}, {n, elements}};
  } else {
    return {};
  }
}
}  // namespace detail

/// What where, skip_nan and with_initial return: a vector or a shape of which some elements are not there. It
/// refers to the elements and to the mask, which must outlive it: keep none of temporaries.
template <class X>
struct kept {
  X x;
  detail::flag_lines flags = {};
  bool skips_nan = false;
  std::optional<typename detail::value_of<X>::type> initial = {};

  using value_type = typename detail::value_of<X>::type;
  /// The mask as calls take it: of a vector, of segments and of groups without an axis of results.
  [[nodiscard]] element_filter filter() const {
    constexpr bool is_matrix = detail::matrix_view<X>;
    element_filter made{{flags.data, {&flags.results, is_matrix ? 1U : 0U}, {&flags.elements, 1}}, skips_nan, {}};
    if constexpr (element<value_type>) {
      if (initial) made.initial = any_scalar{type_of<value_type>, detail::to_word(*initial)};
    }
    return made;
  }
};

namespace detail {
template <class X>
constexpr bool check_kept() {
  static_assert(!is_repeated<X>, "exactdot: wrap the rows or columns; a repeated vector is their partner");
  if constexpr (is_repeated<X>) {
    return false;
  } else if constexpr (many_vectors<X> || complex_view<X>) {
    return true;
  } else {
    return check_view<X>();
  }
}

template <class X>
auto to_kept(const X& x) {
  if constexpr (is_kept<X>) {
    return x;
  } else {
    return kept<typename reference_to<X>::type>{x};
  }
}

/// Refuses types of a second vector, of products and of a result; Y is `alone` for a reduction of one vector.
template <reduction what, class R, class X, class Y>
constexpr bool check_kept_result() {
  if constexpr (complex_number<X> || complex_view<Y>) {
    using second = typename value_of<std::conditional_t<std::is_same_v<Y, alone>, std::span<const X>, Y>>::type;
    constexpr bool is_same = std::is_same_v<X, second>;
    static_assert(is_same, "exactdot: two vectors of complex numbers have one type; convert one of them");
    return is_same && check_complex_result<what, R>();
  } else if constexpr (std::is_same_v<Y, alone>) {
    return check_result<what, R, X>();
  } else if constexpr (!check_view<Y>()) {
    return false;
  } else if constexpr (multiplies_vectors(what)) {
    return check_factors<X, element_of_view<Y>>() && check_result<what, R, X, element_of_view<Y>>();
  } else {
    return check_result<what, R, X, element_of_view<Y>>();
  }
}

/// The type of a result of elements, or of complex numbers.
template <reduction what, class R, class X, class Y>
struct kept_result_type {
  using type = result_or<R, type_at<default_result_type(what, type_of<X>, type_of<Y>)>>;
};
template <reduction what, class R, class X, class Y>
requires complex_number<X>
struct kept_result_type<what, R, X, Y> {
  using type = result_or<R, std::conditional_t<gives_complex(what), X, typename X::value_type>>;
};

/// What errors call the product; null: by the reduction's name.
template <bool conjugates>
inline constexpr const char* product_name = conjugates ? "vdot" : nullptr;

/// A vector as a factor of a product.
template <bool conjugates, class X>
any_vector to_factor(const X& x) {
  any_vector made = to_numbers(x);
  made.conjugated = conjugates && is_complex(made.type);
  return made;
}

/// The result of a vector, or of two.
template <reduction what, class R, bool conjugates, class X, class Y>
auto kept_result(const X& x, const Y& y, const options& options, std::int64_t ddof) {
  static_assert(!many_vectors<decltype(x.x)>,
                "exactdot: the results of shapes go to a range: pass it after the inputs");
  using first = typename X::value_type;
  if constexpr (many_vectors<std::remove_cvref_t<decltype(x.x)>>) {
    return refused{};
  } else if constexpr (!check_kept_result<what, R, first, Y>()) {
    return refused{};
  } else {
    constexpr bool two = !std::is_same_v<Y, alone>;
    using second = typename value_of<std::conditional_t<two, Y, X>>::type;
    using result = typename kept_result_type<what, R, first, second>::type;
    const any_vector of_x = to_factor<conjugates>(x.x);
    any_vector of_y = of_x;
    if constexpr (two) of_y = to_numbers(y);
    const element_line a(of_x), b(of_y);
    result found{};
    reduce_kept_grid(what, a.view(), b.view(), x.filter(), {&found, number_type_of<result>, {}}, options, ddof,
                     product_name<conjugates>);
    return found;
  }
}

/// The results of a shape, or of two: y is `alone` for a reduction of one input.
template <bool conjugates, class X, class Y>
void kept_results(reduction what, const X& x, const Y& y, const any_results& out, const options& options,
                  std::int64_t ddof) {
  constexpr bool two = !std::is_same_v<Y, alone>;
  const auto& shape = x.x;
  using shape_type = std::remove_cvref_t<decltype(shape)>;
  const element_filter filter = x.filter();
  if constexpr (matrix_view<shape_type>) {
    const line_grid a = to_lines(shape);
    line_grid b = a;
    if constexpr (is_repeated<Y>) {
      b = to_lines(y, a.results.n);
    } else if constexpr (two) {
      b = to_lines(y);
    }
    any_grid first = a.view();
    first.conjugated = conjugates && is_complex(first.type);
    reduce_kept_grid(what, first, b.view(), filter, out, options, ddof, product_name<conjugates>);
  } else {
    const any_vector a = to_factor<conjugates>(shape.x);
    any_vector b = a;
    if constexpr (two) b = to_numbers(y);
    if constexpr (is_segments<shape_type>) {
      reduce_kept_segments(what, a, b, to_offsets(shape), filter, out, options, ddof, product_name<conjugates>);
    } else {
      const element_line first(a), second(b);
      reduce_kept_groups(what, first.view(), second.view(), to_keys(shape), filter, out, options, ddof,
                         product_name<conjugates>);
    }
  }
}
}  // namespace detail

/// x of which the elements are there whose flag is not 0.
///
/// x: a vector, rows, columns, segments or groups, or what skip_nan and with_initial return. mask: a contiguous
/// range of bool, std::uint8_t or std::int8_t, as long as the vector, also that of segments and groups; of rows and
/// columns a range with a flag for each element of the matrix, row after row, rows or columns of flags, or repeated
/// flags, the same for each vector. A mask may be strided. Throws errc::size_mismatch for a mask of another length.
template <class X, class Mask>
[[nodiscard]] auto where(const X& x, const Mask& mask) {
  auto made = detail::to_kept(x);
  using shape = decltype(made.x);
  if constexpr (detail::check_kept<shape>()) {
    if (made.flags.data != nullptr) throw error(errc::bad_option, "where: there is a mask already; pass one");
    static constexpr unsigned char none = 0;  // of no elements a mask has no address
    if constexpr (detail::matrix_view<shape>) {
      made.flags = detail::flags_of_lines(made.x, mask);
    } else if constexpr (many_vectors<shape>) {
      made.flags = detail::flags_of(detail::to_numbers(made.x.x).n, mask);
    } else {
      made.flags = detail::flags_of(detail::to_numbers(made.x).n, mask);
    }
    if (made.flags.data == nullptr) made.flags.data = &none;
  }
  return made;
}

/// x of which the elements are there that are no NaN; of two inputs the pairs without a NaN. Integers all are.
template <class X>
[[nodiscard]] auto skip_nan(const X& x) {
  auto made = detail::to_kept(x);
  if constexpr (detail::check_kept<decltype(made.x)>()) made.skips_nan = true;
  return made;
}

/// x whose min and max have one element more, of each result; other reductions are errc::bad_option. value: of
/// integers an integer, and errc::bad_option outside their range; of floating-point numbers it is rounded to their
/// type.
template <class X, class V>
[[nodiscard]] auto with_initial(const X& x, const V& value) {
  auto made = detail::to_kept(x);
  if constexpr (detail::check_kept<decltype(made.x)>()) {
    using element = typename decltype(made)::value_type;
    static_assert(!detail::complex_number<element>,
                  "exactdot: with_initial is for min and max, which complex numbers do not have");
    if constexpr (std::is_integral_v<element>) {
      static_assert(std::is_integral_v<V>, "exactdot: the initial value of integers is an integer");
      const bool fits = static_cast<V>(static_cast<element>(value)) == value &&
                        (static_cast<element>(value) < 0) == (value < V{});
      if (!fits) throw error(errc::bad_option, "with_initial: the value does not fit into the elements' type");
    }
    made.initial = static_cast<element>(value);
  }
  return made;
}

/// Any reduction of some elements of arrays whose types are known at run time only, as the calls without a filter.
inline void reduce(reduction what, const any_grid& x, const element_filter& filter, const any_results& out,
                   const options& options = {}, ddof_number ddof = 0) {
  detail::require_one_input(what);
  detail::reduce_kept_grid(what, x, x, filter, out, options, ddof);
}
inline void reduce(reduction what, const any_grid& a, const any_grid& b, const element_filter& filter,
                   const any_results& out, const options& options = {}, ddof_number ddof = 0) {
  detail::require_two_inputs(what);
  detail::reduce_kept_grid(what, a, b, filter, out, options, ddof);
}
inline void reduce(reduction what, const any_vector& a, const any_vector& b, const any_offsets& offsets,
                   const element_filter& filter, const any_results& out, const options& options = {},
                   ddof_number ddof = 0) {
  detail::reduce_kept_segments(what, a, b, offsets, filter, out, options, ddof);
}
inline void reduce(reduction what, const any_grid& a, const any_grid& b, const any_keys& keys,
                   const element_filter& filter, const any_results& out, const options& options = {},
                   ddof_number ddof = 0) {
  detail::reduce_kept_groups(what, a, b, keys, filter, out, options, ddof);
}

}  // namespace exactdot::inline v0_3
