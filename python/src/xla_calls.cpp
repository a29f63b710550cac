// Handlers of XLA's FFI: each computes one function of arrays in host memory, without Python and without a copy.
//
// XLA's threads call them, several at a time. Results have as many dimensions as the inputs, which says what is
// reduced: the dimensions that have length 1 in the results and another one in the inputs. So a batch of calls is
// one call with a dimension more. An error becomes XLA's error with the library's sentence; no exception leaves a
// handler. Cost over that of the library: less than a microsecond.
#include <algorithm>
#include <array>
#include <exactdot/batches.hpp>
#include <new>
#include <python/src/exceptions.hpp>
#include <python/src/xla_arrays.hpp>
#include <python/src/xla_calls.hpp>
#include <python/src/xla_elements.hpp>
#include <utility>

namespace exactdot::python {
namespace {

namespace nb = nanobind;

/// The arrays lie in host memory, also where there is a GPU.
constexpr options on_cpu{.device = device::cpu};

/// Where the library stores results: in the array, or, of integers to which the library does not round, in 64 bits
/// that are narrowed once all are known.
class results {
 public:
  results(const xla_array& to, const char* caller) : to_(to), caller_(caller) {
    if (!is_integer(to.type) || size_of(to.type) == sizeof(std::int64_t)) return;
    wide_.resize(to.size);
    scale_ = static_cast<std::ptrdiff_t>(sizeof(std::int64_t) / size_of(to.type));
  }
  [[nodiscard]] axis place(std::size_t dimension) const {
    return {to_.axes[dimension].n, to_.axes[dimension].stride * scale_};
  }
  [[nodiscard]] any_results at(std::span<const axis> places) {
    if (scale_ == 1) return {to_.data, to_.type, places, false, true};
    return {wide_.data(), is_signed(to_.type) ? element_type::int64 : element_type::uint64, places, false, true};
  }
  /// Throws errc::overflow if a result does not fit.
  void narrow() const {
    if (scale_ == 1) return;
    with_element(to_.type, [&]<class T>(T) {
      if constexpr (std::integral<T> && sizeof(T) < sizeof(std::int64_t)) {
        for (std::size_t i = 0; i < wide_.size(); ++i) static_cast<T*>(to_.data)[i] = narrowed<T>(i);
      }
    });
  }

 private:
  template <class T>
  [[nodiscard]] T narrowed(std::size_t i) const {
    using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    const auto value = static_cast<wide>(wide_[i]);
    if (std::in_range<T>(value)) return static_cast<T>(value);
    throw error(errc::overflow, std::string(caller_) + ": result " + std::to_string(i) + " does not fit into " +
                                    std::string(name_of(to_.type)) + "; ");
  }

  const xla_array& to_;
  const char* caller_;
  std::ptrdiff_t scale_ = 1;
  std::vector<std::int64_t> wide_;
};

/// Of one input, or two.
void reduce_arrays(reduction what, const char* caller, const xla::call_frame& call) {
  const std::int64_t count = what == reduction::dot ? 2 : 1;
  check_call(call, count, count);
  const bool is_pair = count == 2;
  const xla_array a(*call.arguments.items[0]), b(*call.arguments.items[is_pair ? 1 : 0]),
      to(*call.results.items[0]);
  check_shapes(a, b, to, true);
  results out(to, caller);
  std::vector<axis> kept_a, kept_b, reduced_a, reduced_b, places;
  for (std::size_t i = 0; i < to.axes.size(); ++i) {
    const std::size_t n = common_length(a, b, i);
    const bool is_kept = to.axes[i].n == n;
    (is_kept ? kept_a : reduced_a).push_back({n, a.axes[i].stride});
    (is_kept ? kept_b : reduced_b).push_back({n, b.axes[i].stride});
    if (is_kept) places.push_back(out.place(i));
  }
  detail::reduce_grid(what, {a.data, a.type, kept_a, reduced_a}, {b.data, b.type, kept_b, reduced_b},
                      out.at(places), on_cpu, is_pair ? 0 : number_of(call), caller);
  out.narrow();
}

/// Throws unless there are keys (batch…, n) and results (batch…, …, groups, …) of data (batch…, …, n, …), whose
/// batch may have length 1.
void check_rows(const xla_array& data, const xla_array& keys, const xla_array& to, std::int64_t number) {
  const std::size_t dimensions = data.axes.size(), batch = keys.axes.size() - 1;
  expect(!keys.axes.empty() && keys.axes.size() <= dimensions && to.axes.size() == dimensions,
         "its arrays differ in their dimensions");
  expect(number >= static_cast<std::int64_t>(batch) && number < static_cast<std::int64_t>(dimensions),
         "its number is no axis of rows");
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::size_t n = data.axes[i].n, m = to.axes[i].n;
    const bool fits = i < batch                               ? m == keys.axes[i].n && (n == m || n == 1)
                      : i == static_cast<std::size_t>(number) ? n == keys.axes[batch].n
                                                              : n == m;
    expect(fits, "its arrays differ in their lengths");
  }
}

/// Of data (batch…, …, n, …) and keys (batch…, n) the results (batch…, …, groups, …): a pass for each of the batch.
void reduce_by_key(reduction what, const char* caller, const xla::call_frame& call) {
  check_call(call, 2, 2);
  const xla_array data(*call.arguments.items[0]), keys(*call.arguments.items[1]), to(*call.results.items[0]);
  check_rows(data, keys, to, number_of(call));
  results out(to, caller);
  const std::size_t batch = keys.axes.size() - 1, along = static_cast<std::size_t>(number_of(call));
  const axis elements{data.axes[along].n, data.axes[along].stride};
  std::vector<axis> kept, places{out.place(along)};
  for (std::size_t i = batch; i < data.axes.size(); ++i) {
    if (i == along) continue;
    kept.push_back(data.axes[i]);
    places.push_back(out.place(i));
  }
  std::size_t count = 1;
  for (std::size_t i = 0; i < batch; ++i) count *= keys.axes[i].n;
  const auto size_of_key = static_cast<std::ptrdiff_t>(size_of(keys.type));
  for (std::size_t done = 0; done < count; ++done) {
    std::ptrdiff_t in_data = 0, in_keys = 0, in_results = 0;
    for (std::size_t i = batch, rest = done; i-- > 0; rest /= keys.axes[i].n) {
      const auto index = static_cast<std::ptrdiff_t>(rest % keys.axes[i].n);
      in_data += index * data.axes[i].stride;
      in_keys += index * keys.axes[i].stride;
      in_results += index * out.place(i).stride;
    }
    const any_grid x{static_cast<const char*>(data.data) + in_data, data.type, kept, {&elements, 1}};
    const any_keys by{static_cast<const char*>(keys.data) + in_keys,
                      keys.axes[batch].n,
                      keys.type,
                      size_of_key,
                      to.axes[along].n,
                      true};
    any_results at = out.at(places);
    at.data = static_cast<char*>(at.data) + in_results;
    detail::reduce_groups(what, x, x, by, at, on_cpu, 0, caller);
  }
  out.narrow();
}

xla::error* error_of(const xla::call_frame& call, xla::error_code code, const char* sentence) {
  xla::error_description described{sizeof(xla::error_description), nullptr, sentence, code};
  return call.xla->make_error(&described);
}

/// What XLA asks for once, when the handler is registered: the version that both know. XLA of 0.1 does not tell its
/// own.
void describe(const xla::call_frame& call) {
  auto& version = reinterpret_cast<xla::metadata_extension*>(call.extensions)->of_handler->version;
  version.major = xla::major_version;
  const int known = call.xla != nullptr ? call.xla->version.minor : xla::min_minor_version;
  version.minor = std::clamp(known, xla::min_minor_version, xla::max_minor_version);
}

template <class Work>
xla::error* error_after(xla::call_frame& call, const Work& work) {
  try {
    work();
    return nullptr;
  } catch (const error& failure) {
    if (failure.code() != errc::overflow) return error_of(call, xla::invalid_argument, failure.what());
    const std::string sentence =
        with_way_out(failure.what(), "pass a floating-point dtype, which rounds it");  // may throw
    return error_of(call, xla::out_of_range, sentence.c_str());
  } catch (const std::bad_alloc&) {
    return error_of(call, xla::resource_exhausted, "out of memory");
  } catch (const std::exception& failure) {
    return error_of(call, xla::internal, failure.what());
  }
}

template <class Work>
xla::error* handle(xla::call_frame& call, const Work& work) {
  if (call.extensions != nullptr && call.extensions->kind == xla::metadata_kind) {
    describe(call);
    return nullptr;
  }
  try {
    return error_after(call, work);
  } catch (...) {
    return error_of(call, xla::internal, "exactdot: an error that cannot be described");
  }
}

struct target {
  const char* name;
  xla::handler* call;
};

using reducer = void(reduction, const char*, const xla::call_frame&);

template <std::size_t length>
struct text {
  char letters[length];
  consteval text(const char (&from)[length]) { std::copy_n(from, length, letters); }
};

template <text name, reduction what, reducer* compute = reduce_arrays>
constexpr target reduction_target{
    name.letters, [](xla::call_frame* call) { return handle(*call, [&] { compute(what, name.letters, *call); }); }};

template <text name, element_operation operation>
constexpr target element_target{
    name.letters, [](xla::call_frame* call) { return handle(*call, [&] { compute_elements(operation, *call); }); }};

/// By the names of the functions in Python, with which errors begin.
constexpr std::array targets = {
    reduction_target<"sum", reduction::sum>,
    reduction_target<"mean", reduction::mean>,
    reduction_target<"var", reduction::variance>,
    reduction_target<"std", reduction::stddev>,
    reduction_target<"norm", reduction::nrm2>,
    reduction_target<"asum", reduction::asum>,
    reduction_target<"sum_of_squares", reduction::sum_of_squares>,
    reduction_target<"vecdot", reduction::dot>,
    reduction_target<"segment_sum", reduction::sum, reduce_by_key>,
    element_target<"product", element_operation::product>,
    element_target<"quotient", element_operation::quotient>,
    element_target<"difference", element_operation::difference>,
};

}  // namespace

void bind_xla_calls(nb::module_& module) {
  module.def("_xla_handlers", [] {
    nb::dict found;
    for (const target& each : targets) found[each.name] = nb::capsule(reinterpret_cast<void*>(each.call));
    return found;
  });
}

}  // namespace exactdot::python
