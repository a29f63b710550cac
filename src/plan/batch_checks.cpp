// Implementation of batch_checks.hpp.
#include <algorithm>
#include <plan/axes.hpp>
#include <plan/batch_checks.hpp>
#include <plan/batch_setup.hpp>
#include <plan/gpu_engine.hpp>
#include <string>

namespace exactdot::inline v0_3::engine {
namespace {

std::string text(std::size_t n) { return std::to_string(n); }

[[noreturn]] void refuse(const batch_request& asked, const std::string& sentence, errc code = errc::bad_option) {
  throw_error(code, asked.caller, sentence);
}

std::string shape_text(std::span<const axis> axes) {
  std::string shape = "(";
  for (const axis& each : axes) shape += (shape.size() > 1 ? ", " : "") + text(each.n);
  return shape + (axes.size() == 1 ? ",)" : ")");
}

/// Whether memory of the results is memory of an array, too.
bool results_overlap(const batch_request& asked, const void* data, std::span<const axis> first,
                     std::span<const axis> second, std::size_t size) {
  const std::size_t bytes = asked.result_size();
  const auto results = extent_of(asked.out.data, asked.out.axes, {}, bytes);
  const auto begin = reinterpret_cast<const void*>(results->begin);
  if (!may_overlap(data, first, second, size, begin, results->end - results->begin)) return false;
  if (asked.out.axes.size() != 1) return true;
  const auto* const each = static_cast<const char*>(asked.out.data);  // gaps between results do not count
  for (std::size_t i = 0; i < asked.out.axes[0].n; ++i) {
    const auto offset = static_cast<std::ptrdiff_t>(i) * asked.out.axes[0].stride;
    if (may_overlap(data, first, second, size, each + offset, bytes)) return true;
  }
  return false;
}

bool is_index_type(element_type type) { return is_known(type) && is_integer(type); }

[[noreturn]] void refuse_type(const batch_request& asked, const std::string& name, element_type type,
                              const char* expected) {
  refuse(asked, name + " are " + (is_known(type) ? std::string(name_of(type)) : "of an unknown type") + "; use " +
                    expected);
}

/// Throws for offsets that decrease or pass the end of a vector of n elements.
void check_offset_order(const batch_request& asked, const any_offsets& offsets, std::size_t n) {
  std::uint64_t before = 0;
  for (std::size_t i = 0; i <= offsets.count; ++i) {
    const std::uint64_t offset = offset_at(offsets, i);
    if (offset > n || offset < before) refuse_offset(asked.caller, offsets.type, i, offset, before, n);
    if (i != 0 && offset == before && core::info_of(asked.what).is_extremum) {
      refuse(asked, "segment " + text(i - 1) + " is empty, so it has no least or greatest element",
             errc::empty_input);
    }
    before = offset;
  }
}

}  // namespace

void refuse_offset(const char* caller, element_type type, std::size_t i, std::uint64_t offset, std::uint64_t before,
                   std::size_t n) {
  const bool is_negative = is_signed(type) && static_cast<std::int64_t>(offset) < 0;
  const std::string why = is_negative  ? std::to_string(static_cast<std::int64_t>(offset))
                          : offset > n ? text(offset) + ", past the end of " + text(n) + " elements"
                                       : text(offset) + ", below the one before it, " + text(before);
  throw_error(errc::bad_option, caller, "offset " + text(i) + " is " + why);
}

void require_equal_axes(const batch_request& asked, std::span<const axis> a, std::span<const axis> b,
                        const char* names) {
  if (std::ranges::equal(a, b, {}, &axis::n, &axis::n)) return;
  refuse(asked, std::string(names) + " differ: " + shape_text(a) + " and " + shape_text(b), errc::size_mismatch);
}

std::size_t count_or_refuse(const batch_request& asked, std::span<const axis> axes, const char* what) {
  const auto count = positions_of(axes);
  if (!count) refuse(asked, "an array with more " + std::string(what) + " than an address space holds");
  return *count;
}

void check_each(const batch_request& asked, const any_vector& a, const any_vector& b, std::size_t results,
                mode mode) {
  request one{asked.caller, asked.what, a, b, asked.out.type, asked.ddof, asked.takes_ratios};
  if (results == 0 && a.n == 0) one.a.n = one.b.n = 1;  // no vector is empty where there is none
  const bool lacks_elements = results > 1 && a.n == 0 && core::info_of(asked.what).is_extremum;
  if (lacks_elements) one.a.n = one.b.n = 1;  // the sentence of one vector would be wrong
  check_request(one, mode);
  if (lacks_elements) {
    refuse(asked, "each of the " + text(results) + " vectors is empty, so it has no least or greatest element",
           errc::empty_input);
  }
}

void refuse_adding(const batch_request& asked) {
  if (asked.out.is_added_to) refuse(asked, "only groups by keys are added to results");
}

void check_adding(const batch_request& asked) {
  if (!asked.out.is_added_to || !is_known(asked.what) || core::info_of(asked.what).is_sum()) return;
  refuse(asked, std::string(name_of(asked.what)) +
                    " is no sum, to which a value could be added; use sum, asum, sum_of_squares or dot");
}

void check_results(const batch_request& asked, std::size_t count) {
  const std::size_t size = asked.result_size();
  if (count == 0) return;
  if (asked.out.data == nullptr)
    refuse(asked, "a null pointer for " + text(count) + " results", errc::null_pointer);
  if (!extent_of(asked.out.data, asked.out.axes, {}, size)) refuse(asked, "the results exceed the address space");
  if (!are_separate(asked.out.axes, size)) refuse(asked, "results would overwrite each other; check their strides");
}

void check_input(const batch_request& asked, const char* name, const any_grid& x, std::size_t results,
                 std::size_t n) {
  if (results == 0 || n == 0) return;
  if (x.data == nullptr) {
    refuse(asked, "a null pointer for " + text(results) + " vectors of " + text(n) + " elements",
           errc::null_pointer);
  }
  if (!extent_of(x.data, x.results, x.elements, size_of(x.type))) {
    refuse(asked, std::string(name) + ": an array of shape " + shape_text(x.results) + " by " +
                      shape_text(x.elements) + " with these strides exceeds the address space");
  }
  if (results_overlap(asked, x.data, x.results, x.elements, size_of(x.type))) {
    refuse(asked, std::string("results lie within ") + name + ", or may; pass memory outside the array");
  }
}

void check_options(const batch_request& asked, const options& options) {
  if (options.threads < 0) {
    refuse(asked, "threads is " + std::to_string(options.threads) + "; use 0 (automatic) or more");
  }
  if (options.device != device::cpu && options.device != device::automatic && options.device != device::cuda) {
    refuse(asked, "unknown device; use automatic, cpu or cuda");
  }
}

void check_vector(const batch_request& asked, const char* name, const any_vector& x, std::size_t results) {
  check_extent(asked.caller, name, x);
  if (x.n == 0 || results == 0) return;
  if (x.data == nullptr) {
    refuse(asked, "a null pointer for a vector of " + text(x.n) + " elements", errc::null_pointer);
  }
  const axis elements[] = {{x.n, x.stride}};
  if (results_overlap(asked, x.data, elements, {}, size_of(x.type))) {
    refuse(asked, std::string("results lie within ") + name + ", or may; pass memory outside the vector");
  }
}

void check_byte_order(const batch_request& asked, const char* name, bool swapped) {
  if (swapped) refuse(asked, std::string(name) + " are not in the byte order of the GPU; convert them");
}

void check_offsets(const batch_request& asked, const any_offsets& offsets, std::size_t n, bool on_gpu) {
  if (!is_index_type(offsets.type)) refuse_type(asked, "offsets", offsets.type, "integers");
  if (on_gpu && size_of(offsets.type) < 4) {
    refuse_type(asked, "offsets", offsets.type, "integers of 32 or 64 bits on a GPU");
  }
  if (on_gpu) check_byte_order(asked, "offsets", offsets.swapped);
  if (offsets.count == 0) return;
  if (offsets.data == nullptr) refuse(asked, "a null pointer for offsets", errc::null_pointer);
  if (!on_gpu) check_offset_order(asked, offsets, n);
  const axis places[] = {{offsets.count + 1, offsets.stride}};
  if (results_overlap(asked, offsets.data, places, {}, size_of(offsets.type))) {
    refuse(asked, "results lie within the offsets, or may; pass memory outside them");
  }
}

void check_keys(const batch_request& asked, const any_keys& keys, std::size_t results, std::size_t n) {
  if (!is_index_type(keys.type)) refuse_type(asked, "keys", keys.type, "integers");
  if (keys.n != n) {
    refuse(asked, "the numbers of elements and of keys differ (" + text(n) + " and " + text(keys.n) + ")",
           errc::size_mismatch);
  }
  if (n == 0) return;
  if (keys.data == nullptr) refuse(asked, "a null pointer for " + text(n) + " keys", errc::null_pointer);
  check_extent(asked.caller, "keys", {keys.data, n, keys.type, keys.stride});
  const axis places[] = {{n, keys.stride}};
  if (results != 0 && results_overlap(asked, keys.data, places, {}, size_of(keys.type))) {
    refuse(asked, "results lie within the keys, or may; pass memory outside them");
  }
}

void choose_engine(const batch_request& asked, batch& made, const options& options) {
  constexpr std::size_t always = ~std::size_t{0};  // results are checked too, however few elements there are
  const gpu_engine* const engine = gpu_engine_to_ask(asked.caller, options, always);
  if (engine != nullptr) engine->choose_batch(made, options);
  keep_ratio_on_host(made.each);
}

void keep_on_host(const batch_request& asked, const any_grid& a, const any_grid& b, const options& options,
                  const char* what) {
  const auto first = [](const any_grid& x) {
    return any_vector{x.data, 1, x.type, static_cast<std::ptrdiff_t>(size_of(x.type)), x.swapped};
  };
  batch_request product = asked;  // of which an engine says where both inputs lie
  product.what = reduction::dot;
  batch probe = unplaced_batch(product, first(a), first(b), mode::exact);
  probe.count = 1;
  choose_engine(product, probe, options);
  if (probe.each.on_gpu) refuse(asked, std::string(what) + " in host memory; copy the arrays there");
}

bool are_on_gpu(const batch_request& asked, const any_offsets& offsets, const options& options) {
  batch probe;
  probe.each.caller = asked.caller;
  probe.offsets = offsets;
  if (offsets.count != 0 && is_index_type(offsets.type)) choose_engine(asked, probe, options);
  return probe.each.on_gpu;
}

}  // namespace exactdot::inline v0_3::engine
