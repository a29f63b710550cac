// Implementation of complex.hpp.
#include <c/complex.hpp>
#include <c/filter.hpp>
#include <exactdot/batches.hpp>
#include <exactdot/complex.hpp>

namespace exactdot::c {
namespace {

/// Throws for results inside a vector: a stride of 0 or below that of a number is taken as all that it spans.
void require_outside_numbers(const void* result, std::size_t bytes, const any_vector& x, const char* caller) {
  if (!is_complex(x.type)) return require_outside(result, bytes, x, caller);
  const element_type part = part_of(x.type);
  const auto* const first = static_cast<const char*>(x.data);
  require_outside(result, bytes, {first, x.n, part, x.stride}, caller);
  if (x.n != 0) require_outside(result, bytes, {first + size_of(part), x.n, part, x.stride}, caller);
}

}  // namespace

void reduce_numbers(reduction what, const xd_vector* a, const xd_vector* b, int result_type, void* result,
                    const xd_options* options, const char* caller) {
  const element_type type = to_number_type(result_type, caller);
  require(result, caller, "result");
  any_vector first = to_numbers(a, caller, "a");
  const any_vector second = second_numbers(what, first, b, caller);
  const auto chosen = to_options_beside_filter(options, caller);
  require_outside_numbers(result, size_of(type), first, caller);
  require_outside_numbers(result, size_of(type), second, caller);
  first.conjugated = conjugates(options) && is_complex(first.type);
  if (filter_of(options) != nullptr) {
    const detail::element_line of_a(first), of_b(second);
    const given_filter filter(*options->filter, given_filter::mask_of::vector, first.type, caller);
    return detail::reduce_kept_grid(what, of_a.view(), of_b.view(), filter.view(), {result, type, {}}, chosen, 0,
                                    caller);
  }
  const element_type part = part_of(type);
  const detail::complex_words found = detail::reduce_complex_vectors(what, first, second, type, chosen, caller);
  store(result, part, found.real);
  if (is_complex(type)) store(static_cast<char*>(result) + size_of(part), part, found.imaginary);
}

}  // namespace exactdot::c
