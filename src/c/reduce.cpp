// Reductions of the C interface: xd_reduce, the typed calls, and the monitor.
#include <c/complex.hpp>
#include <c/convert.hpp>
#include <c/filter.hpp>
#include <c/status.hpp>
#include <exactdot/extremes.hpp>
#include <exactdot/reductions.hpp>
#include <string>

namespace {

using namespace exactdot;
using namespace exactdot::c;

/// *result = the T with these bits, for vectors that must not hold *result.
template <class T, class Compute, class... Vectors>
xd_status store_typed(reduction what, T* result, Compute compute, const Vectors&... vectors) noexcept {
  return guarded([&] {
    require(result, name_of(what), "result");
    (require_outside(result, sizeof(T), vectors, name_of(what)), ...);
    *result = detail::from_word<T>(compute());
  });
}

template <class T>
xd_status dot_typed(std::size_t n, const T* a, std::ptrdiff_t inca, const T* b, std::ptrdiff_t incb,
                    T* result) noexcept {
  const any_vector first = to_any(strided<T>{a, n, inca}), second = to_any(strided<T>{b, n, incb});
  const auto compute = [&] {
    if (inca == 1 && incb == 1) return detail::dot(type_of<T>, type_of<T>, a, b, n, {});
    return detail::reduce_to_bits(reduction::dot, first, second, type_of<T>, {});
  };
  return store_typed(reduction::dot, result, compute, first, second);
}

template <class T>
xd_status reduce_typed(reduction what, std::size_t n, const T* x, std::ptrdiff_t incx, T* result) noexcept {
  const any_vector vector = to_any(strided<T>{x, n, incx});
  return store_typed(
      what, result, [&] { return detail::reduce_to_bits(what, vector, type_of<T>, {}); }, vector);
}

}  // namespace

namespace {

/// The bits of a reduction of the elements that the filter leaves. Apart, so that calls without one have small
/// frames.
[[gnu::noinline]] std::uint64_t reduce_kept(reduction what, const any_vector& a, const any_vector& b,
                                            element_type type, const xd_options& options, const char* caller) {
  const given_filter filter(*options.filter, given_filter::mask_of::vector, a.type, caller);
  const detail::element_line first(a), second(b);
  std::uint64_t bits = 0;
  detail::reduce_kept_grid(what, first.view(), second.view(), filter.view(), {&bits, type, {}},
                           to_options_beside_filter(&options, caller), options.ddof, caller);
  return bits;
}

}  // namespace

xd_status xd_reduce(int reduction, const xd_vector* a, const xd_vector* b, int result_type, void* result,
                    const xd_options* options) {
  return guarded([&] {
    const char* const caller = "xd_reduce";
    const auto what = to_reduction(reduction, caller);
    if (a != nullptr && has_complex(a->type, b != nullptr ? b->type : 0, result_type)) {
      return reduce_numbers(what, a, b, result_type, result, options, caller);
    }
    const element_type type = to_type(result_type, caller);
    require(result, caller, "result");
    const any_vector first = to_vector(a, caller, "a"), second = second_vector(what, first, b, caller);
    const auto chosen = to_options_beside_filter(options, caller);
    const std::int64_t ddof = ddof_of(options);
    require_outside(result, size_of(type), first, caller);
    require_outside(result, size_of(type), second, caller);
    if (filter_of(options) != nullptr) {
      return store(result, type, reduce_kept(what, first, second, type, *options, caller));
    }
    store(result, type,
          inputs_of(what) == 2 ? detail::reduce_to_bits(what, first, second, type, chosen, ddof)
                               : detail::reduce_to_bits(what, first, type, chosen, ddof));
  });
}

xd_status xd_minmax(const xd_vector* x, void* least, void* greatest, const xd_options* options) {
  return guarded([&] {
    const char* const caller = "xd_minmax";
    const any_vector vector = to_vector(x, caller, "x");
    require(least, caller, "least");
    require(greatest, caller, "greatest");
    const std::size_t size = size_of(vector.type);
    require_outside(least, size, vector, caller);
    require_outside(greatest, size, vector, caller);
    const detail::found_extremes found =
        detail::find_extremes(vector, to_options(options, caller), detail::with_indices::no, caller);
    store(least, vector.type, found.least);
    store(greatest, vector.type, found.greatest);
  });
}

xd_status xd_iamax(const xd_vector* x, uint64_t* index, const xd_options* options) {
  return guarded([&] {
    const char* const caller = "xd_iamax";
    const any_vector vector = to_vector(x, caller, "x");
    require(index, caller, "index");
    require_outside(index, sizeof *index, vector, caller);
    *index = detail::index_of_magnitude(
        detail::find_extremes(vector, to_options(options, caller), detail::with_indices::yes, caller), vector.type);
  });
}

xd_status xd_default_result_type(int reduction, int type_a, int type_b, int* type) {
  return guarded([&] {
    const char* const caller = "xd_default_result_type";
    const auto what = to_reduction(reduction, caller);
    const element_type a = to_number_type(type_a, caller);
    const element_type b = inputs_of(what) == 2 ? to_number_type(type_b, caller) : a;
    require(type, caller, "type");
    if ((is_complex(a) || is_complex(b)) && !core::info_of(what).takes_complex()) {
      refuse(errc::bad_option, caller,
             "complex numbers have sums, means, norms and dot products, not " + std::string(name_of(what)));
    }
    if (is_integer(a) != is_integer(b)) {
      refuse(errc::bad_option, caller,
             "one vector holds integers, the other floating-point numbers; convert one of them");
    }
    *type = type_code(default_result_type(what, a, b));
  });
}

xd_status xd_sdot(size_t n, const float* a, ptrdiff_t inca, const float* b, ptrdiff_t incb, float* result) {
  return dot_typed(n, a, inca, b, incb, result);
}
xd_status xd_ddot(size_t n, const double* a, ptrdiff_t inca, const double* b, ptrdiff_t incb, double* result) {
  return dot_typed(n, a, inca, b, incb, result);
}
xd_status xd_ssum(size_t n, const float* x, ptrdiff_t incx, float* result) {
  return reduce_typed(reduction::sum, n, x, incx, result);
}
xd_status xd_dsum(size_t n, const double* x, ptrdiff_t incx, double* result) {
  return reduce_typed(reduction::sum, n, x, incx, result);
}
xd_status xd_sasum(size_t n, const float* x, ptrdiff_t incx, float* result) {
  return reduce_typed(reduction::asum, n, x, incx, result);
}
xd_status xd_dasum(size_t n, const double* x, ptrdiff_t incx, double* result) {
  return reduce_typed(reduction::asum, n, x, incx, result);
}
xd_status xd_snrm2(size_t n, const float* x, ptrdiff_t incx, float* result) {
  return reduce_typed(reduction::nrm2, n, x, incx, result);
}
xd_status xd_dnrm2(size_t n, const double* x, ptrdiff_t incx, double* result) {
  return reduce_typed(reduction::nrm2, n, x, incx, result);
}
xd_status xd_smean(size_t n, const float* x, ptrdiff_t incx, float* result) {
  return reduce_typed(reduction::mean, n, x, incx, result);
}
xd_status xd_dmean(size_t n, const double* x, ptrdiff_t incx, double* result) {
  return reduce_typed(reduction::mean, n, x, incx, result);
}

xd_status xd_monitor_create(xd_monitor** monitor) {
  return guarded([&] {
    require(monitor, "xd_monitor_create", "monitor");
    *monitor = new xd_monitor;
  });
}

void xd_monitor_destroy(xd_monitor* monitor) { delete monitor; }

xd_status xd_monitor_cancel(xd_monitor* monitor) {
  return guarded([&] {
    require(monitor, "xd_monitor_cancel", "monitor");
    monitor->monitor.cancel.store(true);
  });
}

size_t xd_monitor_done(const xd_monitor* monitor) { return monitor == nullptr ? 0 : monitor->monitor.done.load(); }
