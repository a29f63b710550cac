// Checks of the C interface's values (convert.hpp), and the names of element types and reductions.
#include <c/convert.hpp>
#include <c/status.hpp>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace exactdot::c {
namespace {

constexpr bool is_same(int code, auto enumerator) { return code == static_cast<int>(enumerator); }

static_assert(is_same(XD_FLOAT32, element_type::float32) && is_same(XD_FLOAT64, element_type::float64) &&
              is_same(XD_FLOAT16, element_type::float16) && is_same(XD_BFLOAT16, element_type::bfloat16) &&
              is_same(XD_INT8, element_type::int8) && is_same(XD_INT16, element_type::int16) &&
              is_same(XD_INT32, element_type::int32) && is_same(XD_INT64, element_type::int64) &&
              is_same(XD_UINT8, element_type::uint8) && is_same(XD_UINT16, element_type::uint16) &&
              is_same(XD_UINT32, element_type::uint32) && is_same(XD_UINT64, element_type::uint64) &&
              is_same(XD_FLOAT8_E4M3FN, element_type::float8_e4m3fn) &&
              is_same(XD_FLOAT8_E5M2, element_type::float8_e5m2) && elements.size() == XD_FLOAT8_E5M2 + 1);
static_assert(is_same(XD_DOT, reduction::dot) && is_same(XD_SUM, reduction::sum) &&
              is_same(XD_ASUM, reduction::asum) && is_same(XD_SUM_OF_SQUARES, reduction::sum_of_squares) &&
              is_same(XD_NRM2, reduction::nrm2) && is_same(XD_MEAN, reduction::mean) &&
              is_same(XD_VARIANCE, reduction::variance) && is_same(XD_STDDEV, reduction::stddev) &&
              is_same(XD_MIN, reduction::min) && is_same(XD_MAX, reduction::max) &&
              is_same(XD_ARGMIN, reduction::argmin) && is_same(XD_ARGMAX, reduction::argmax) &&
              is_same(XD_WEIGHTED_MEAN, reduction::weighted_mean) && is_same(XD_COSINE, reduction::cosine) &&
              is_same(XD_DISTANCE, reduction::distance) && is_same(XD_COVARIANCE, reduction::covariance) &&
              is_same(XD_CORRELATION, reduction::correlation) && is_same(XD_SLOPE, reduction::slope) &&
              is_same(XD_INTERCEPT, reduction::intercept) &&
              is_same(XD_STANDARD_ERROR, reduction::standard_error) &&
              is_same(XD_WEIGHTED_VARIANCE, reduction::weighted_variance) &&
              is_same(XD_WEIGHTED_STDDEV, reduction::weighted_stddev) &&
              is_same(XD_VARIANCE_ABOUT, reduction::variance_about) &&
              is_same(XD_STDDEV_ABOUT, reduction::stddev_about) && reduction_names.size() == XD_STDDEV_ABOUT + 1);
static_assert(is_same(XD_EXACT, mode::exact) && is_same(XD_FAST, mode::fast) &&
              is_same(XD_AUTOMATIC, device::automatic) && is_same(XD_CPU, device::cpu) &&
              is_same(XD_CUDA, device::cuda));

/// An enumerator whose numbers are 0 … count − 1.
template <class Enum>
std::optional<Enum> enumerator_of(int code, std::size_t count) {
  if (code < 0 || static_cast<std::size_t>(code) >= count) return std::nullopt;
  return static_cast<Enum>(code);
}
std::optional<element_type> known_type(int code) { return enumerator_of<element_type>(code, elements.size()); }
std::optional<element_type> known_number_type(int code) {
  if (code == XD_COMPLEX64) return element_type::complex64;
  return code == XD_COMPLEX128 ? element_type::complex128 : known_type(code);
}
std::optional<reduction> known_reduction(int code) {
  return enumerator_of<reduction>(code, reduction_names.size());
}

}  // namespace

void refuse(errc code, const char* caller, const std::string& sentence) {
  throw error(code, std::string(caller) + ": " + sentence);
}

void require(const void* pointer, const char* caller, const char* argument) {
  if (pointer == nullptr) refuse(errc::null_pointer, caller, std::string(argument) + " is a null pointer");
}

element_type to_type(int type, const char* caller) {
  const auto known = known_type(type);
  if (!known) refuse(errc::bad_option, caller, "unknown element type " + std::to_string(type));
  return *known;
}

element_type to_number_type(int type, const char* caller) {
  const auto known = known_number_type(type);
  return known ? *known : to_type(type, caller);
}

int type_code(element_type type) {
  if (!is_complex(type)) return static_cast<int>(type);
  return type == element_type::complex64 ? XD_COMPLEX64 : XD_COMPLEX128;
}

reduction to_reduction(int what, const char* caller) {
  const auto known = known_reduction(what);
  if (!known) refuse(errc::bad_option, caller, "unknown reduction " + std::to_string(what));
  return *known;
}

static_assert(XD_FULL == static_cast<int>(state_form::full) && XD_COMPACT == static_cast<int>(state_form::compact));

state_form to_form(int form, const char* caller) {
  if (form == XD_FULL || form == XD_COMPACT) return static_cast<state_form>(form);
  refuse(errc::bad_option, caller, "unknown form " + std::to_string(form) + "; use XD_FULL or XD_COMPACT");
}

state_format to_format(const xd_state_format& given, const char* caller) {
  return {to_reduction(given.reduction, caller), to_type(given.type, caller), to_form(given.form, caller)};
}

any_vector to_vector(const xd_vector* x, const char* caller, const char* argument) {
  require(x, caller, argument);
  return {x->data, x->n, to_type(x->type, caller), x->stride, x->swapped != 0};
}

any_vector to_numbers(const xd_vector* x, const char* caller, const char* argument) {
  require(x, caller, argument);
  return {x->data, x->n, to_number_type(x->type, caller), x->stride, x->swapped != 0};
}

namespace {
void require_one(reduction what, const xd_vector* b, const char* caller) {
  if (b == nullptr) return;
  refuse(errc::bad_option, caller, std::string(name_of(what)) + " takes one vector; pass a null pointer for b");
}
}  // namespace

any_vector second_vector(reduction what, const any_vector& a, const xd_vector* b, const char* caller) {
  if (inputs_of(what) == 2) return to_vector(b, caller, "b");
  require_one(what, b, caller);
  return a;
}

any_vector second_numbers(reduction what, const any_vector& a, const xd_vector* b, const char* caller) {
  if (inputs_of(what) == 2) return to_numbers(b, caller, "b");
  require_one(what, b, caller);
  return a;
}

options to_options(const xd_options* given, const char* caller) {
  if (given != nullptr && given->filter != nullptr) {
    refuse(errc::bad_option, caller, "options->filter is for xd_reduce, of rows, segments and groups too; leave it null");
  }
  return to_options_beside_filter(given, caller);
}

options to_options_beside_filter(const xd_options* given, const char* caller) {
  if (given == nullptr) return {};
  if (given->mode != XD_EXACT && given->mode != XD_FAST) {
    refuse(errc::bad_option, caller, "unknown mode " + std::to_string(given->mode) + "; use XD_EXACT or XD_FAST");
  }
  if (given->device < XD_AUTOMATIC || given->device > XD_CUDA) {
    refuse(errc::bad_option, caller,
           "unknown device " + std::to_string(given->device) + "; use XD_AUTOMATIC, XD_CPU or XD_CUDA");
  }
  if (given->device == XD_CUDA && !has_cuda_engine) {
    refuse(
        errc::no_device, caller,
        "this libexactdot_c was built without CUDA; use XD_AUTOMATIC or XD_CPU, or a build with a CUDA compiler");
  }
  return {.mode = static_cast<mode>(given->mode),
          .device = static_cast<device>(given->device),
          .device_index = given->device_index,
          .threads = given->threads,
          .monitor = given->monitor == nullptr ? nullptr : &given->monitor->monitor};
}

std::int64_t ddof_of(const xd_options* given) { return given == nullptr ? 0 : given->ddof; }

void require_floating(element_type type, const char* caller) {
  if (!is_integer(type)) return;
  refuse(errc::bad_option, caller,
         "the result type is " + std::string(name_of(type)) + "; use a floating-point type");
}

void require_outside(const void* result, std::size_t bytes, const any_vector& x, const char* caller) {
  if (detail::overlaps(x, result, bytes)) {
    refuse(errc::bad_option, caller, "the result lies inside an input vector; store it elsewhere");
  }
}

}  // namespace exactdot::c

size_t xd_type_size(int type) {
  const auto known = exactdot::c::known_number_type(type);
  return known ? exactdot::size_of(*known) : 0;
}

const char* xd_type_name(int type) {
  const auto known = exactdot::c::known_number_type(type);
  return known ? exactdot::name_of(*known).data() : "unknown";
}

const char* xd_reduction_name(int reduction) {
  const auto known = exactdot::c::known_reduction(reduction);
  return known ? exactdot::name_of(*known) : "unknown";
}

int xd_type_named(const char* name) {
  const auto known = name == nullptr ? std::nullopt : exactdot::number_type_named(name);
  return known ? exactdot::c::type_code(*known) : -1;
}

int xd_reduction_named(const char* name) {
  const auto known = name == nullptr ? std::nullopt : exactdot::reduction_named(name);
  return known ? static_cast<int>(*known) : -1;
}

xd_vector xd_contiguous(const void* data, size_t n, int type) {
  return {data, n, static_cast<ptrdiff_t>(xd_type_size(type)), type, 0};
}
