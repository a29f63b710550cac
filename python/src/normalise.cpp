// Implementation of normalise.hpp.
#include <cmath>
#include <exactdot/core/format.hpp>
#include <exactdot/normalise.hpp>
#include <memory>
#include <optional>
#include <plan/normalise.hpp>
#include <plan/staging.hpp>
#include <python/src/arguments.hpp>
#include <python/src/array_axes.hpp>
#include <python/src/gpu_batches.hpp>
#include <python/src/grid_reduce.hpp>
#include <python/src/host_call.hpp>
#include <python/src/normalise.hpp>
#include <python/src/output.hpp>
#include <python/src/result_array.hpp>

namespace exactdot::python {
namespace {

/// An array as rows along its last axis. are_plain: one stride between rows, whose elements follow each other in
/// native byte order.
struct array_rows {
  axis rows{1, 0}, elements;
  bool are_plain;

  explicit array_rows(const imported_array& x) {
    const std::vector<axis> axes = x.all_axes();
    elements = axes.back();
    are_plain = !x.swapped && (elements.n <= 1 || elements.stride == static_cast<std::ptrdiff_t>(size_of(x.type)));
    for (std::size_t i = axes.size() - 1; i-- != 0;) {
      const auto next = static_cast<std::ptrdiff_t>(rows.n) * rows.stride;
      if (rows.n != 1 && axes[i].n != 1 && axes[i].stride != next) are_plain = false;
      if (rows.n == 1) rows.stride = axes[i].stride;
      rows.n *= axes[i].n;
    }
    are_plain = are_plain || rows.n == 0 || elements.n == 0;
  }
};

/// An array, or a copy of it without gaps in native byte order.
class plain_rows {
 public:
  explicit plain_rows(const imported_array& x) : x_(x), of_(x), data_(x.data) {
    if (of_.are_plain) return;
    size_ = size_of(x.type);
  }
  /// Without the GIL, before the array is read.
  void fill() {
    if (!is_copy() || copy_ != nullptr) return;
    copy_ = std::make_unique_for_overwrite<std::byte[]>(of_.rows.n * of_.elements.n * size_);
    const std::vector<axis> axes = x_.all_axes();
    const std::size_t bytes = of_.elements.n * size_;
    for (std::size_t row = 0; row < of_.rows.n; ++row) {
      const char* from = static_cast<const char*>(x_.data);
      for (std::size_t i = axes.size() - 1, left = row; i-- != 0; left /= axes[i].n) {
        from += static_cast<std::ptrdiff_t>(left % axes[i].n) * axes[i].stride;
      }
      engine::copy_contiguous({from, of_.elements.stride, x_.type, x_.swapped, false}, x_.type, 0, of_.elements.n,
                              copy_.get() + row * bytes);
    }
    const auto size = static_cast<std::ptrdiff_t>(size_);
    data_ = copy_.get();
    of_.rows.stride = static_cast<std::ptrdiff_t>(bytes), of_.elements.stride = size;
  }
  [[nodiscard]] any_grid grid() const { return {data_, x_.type, {&of_.rows, 1}, {&of_.elements, 1}}; }
  /// Of one row.
  [[nodiscard]] any_vector vector() const { return {data_, of_.elements.n, x_.type}; }
  [[nodiscard]] bool is_copy() const { return size_ != 0; }

 private:
  const imported_array& x_;
  array_rows of_;
  const void* data_;
  std::size_t size_ = 0;
  std::unique_ptr<std::byte[]> copy_;
};

/// From so many elements on a signal ends a call: those that only integers decide take up to 70 microseconds each.
constexpr std::size_t min_long_norm = std::size_t{1} << 16;

/// PyTorch's defaults: the machine epsilon of the type in which it computes, or 1e-5.
double default_epsilon(bool is_centred, element_type type) {
  return is_centred ? 1e-5 : std::ldexp(1, size_of(type) == sizeof(double) ? -52 : -23);
}
/// Read before arrays are located: a number's __float__ may change them.
std::optional<double> read_epsilon(const normalise_call& given) {
  if (given.epsilon.is_none()) return std::nullopt;
  const double epsilon = PyFloat_AsDouble(given.epsilon.ptr());
  if (epsilon != -1 || PyErr_Occurred() == nullptr) return epsilon;
  PyErr_Clear();
  throw_python(true, std::string(given.caller) + ": epsilon is " + text_of(given.epsilon) + "; use a number");
}

/// The weights or biases of a call, if there are any.
class parameter_array {
 public:
  parameter_array(const normalise_call& given, const vectors& inputs, const char* name, nb::handle object)
      : given_(given), inputs_(inputs), name_(name), object_(object) {
    if (object.is_none()) return;
    try {
      array_.locate(object.ptr(), conversion::of_numbers);
    } catch (const invalid_array& refused) {
      refuse(refused.is_type_error, refused.reason);
    }
    if (array_.on_gpu != inputs.on_gpu()) {
      refuse(false,
             array_.on_gpu ? "lies in GPU memory, x in host memory" : "lies in host memory, x in GPU memory");
    }
  }
  void import_on(const stream_choice& stream) {
    if (!is_given()) return;
    inputs_.import_array(array_, name_, stream);
    if (array_.device == inputs_.first.device) return;
    refuse(false,
           "lies on GPU " + std::to_string(array_.device) + ", x on GPU " + std::to_string(inputs_.first.device));
  }
  void check(std::size_t n) {
    if (!is_given()) return;
    const element_type type = inputs_.first.type;
    if (array_.dimensions != 1 || array_.n != n) {
      refuse(false, "has another shape than one row of x, (" + std::to_string(n) + ",)");
    }
    if (array_.type != type && array_.type != element_type::float32) {
      refuse(true, "holds " + std::string(name_of(array_.type)) + "; use float32" +
                       (type == element_type::float32 ? "" : " or " + std::string(name_of(type))));
    }
    rows_.emplace(array_);
    if (array_.on_gpu && rows_->is_copy()) refuse(false, "has gaps; make it contiguous");
  }
  void fill() {
    if (rows_) rows_->fill();
  }
  [[nodiscard]] any_vector view() const { return rows_ ? rows_->vector() : any_vector(); }
  [[nodiscard]] bool is_given() const { return !object_.is_none(); }
  [[nodiscard]] const imported_array& array() const { return array_; }

 private:
  [[noreturn]] void refuse(bool is_type_error, const std::string& why) const {
    throw_python(is_type_error, std::string(given_.caller) + ": " + name_ + " " + why + " (" + name_ + " is " +
                                    describe(object_.ptr()) + ", " + inputs_.description() + ")");
  }

  const normalise_call& given_;
  const vectors& inputs_;
  const char* name_;
  nb::handle object_;
  imported_array array_;
  std::optional<plain_rows> rows_;
};

/// The shape of x, which the results have.
divided_axes shape_of(const imported_array& x) {
  const std::vector<axis> axes = x.all_axes();
  return divide(axes, std::vector<bool>(axes.size(), false), false);
}

/// A call whose arguments go together but for what the library checks.
class prepared_call {
 public:
  prepared_call(const normalise_call& given, std::optional<double> epsilon, vectors& inputs, const grid_call& call)
      : given_(given),
        given_epsilon_(epsilon),
        inputs_(inputs),
        call_(call),
        weight_(given, inputs, "weight", given.weight),
        bias_(given, inputs, "bias", given.bias) {}

  /// Makes the results; checks what has to be known of x.
  void prepare() {
    const imported_array& x = inputs_.first;
    if (call_.stream != nullptr) weight_.import_on(*call_.stream), bias_.import_on(*call_.stream);
    if (x.dimensions == 0) inputs_.refuse(false, "x has no dimension; use an array");
    if (is_integer(x.type) || size_of(x.type) == 1) {
      inputs_.refuse(true, "x holds " + std::string(x.is_boolean ? "bool" : name_of(x.type)) +
                               "; use float16, bfloat16, float32 or float64");
    }
    epsilon_ = given_epsilon_.value_or(default_epsilon(given_.is_centred, x.type));
    const std::size_t n = x.all_axes().back().n;
    weight_.check(n), bias_.check(n);
    const divided_axes shape = shape_of(x);
    make_results(call_, shape.shape, x.type);
    const imported_array& out = call_.results.imported;
    static_cast<void>(places_of(out, shape, given_.caller));
    if (!array_rows(out).are_plain) {
      inputs_.refuse(false, "the rows of out have gaps, or different ones; use a contiguous array");
    }
    x_.emplace(x);
    if (call_.stream != nullptr && x_->is_copy()) {
      inputs_.refuse(false, "the rows of x have gaps, or different ones; make it contiguous");
    }
  }

  void on_host() {
    const std::size_t n = inputs_.first.n;
    compute(n, n >= min_long_norm, call_.chosen, [&](const options& chosen) {
      x_->fill(), weight_.fill(), bias_.fill();
      with_request([&](const detail::normalisation& how, const any_results& to) {
        detail::normalise(how, x_->grid(), to, chosen);
      });
    });
  }
  void on_gpu() {
    std::vector<const imported_array*> arrays{&inputs_.first, &call_.results.imported};
    for (const parameter_array* each : {&weight_, &bias_}) {
      if (each->is_given()) arrays.push_back(&each->array());
    }
    with_request([&](const detail::normalisation& how, const any_results& to) {
      const auto asked = engine::make_normalise_request(how, x_->grid(), to, call_.chosen);
      if (asked.rows == 0 || asked.length == 0) return;
      gpu_normalise({asked, std::move(arrays), inputs_.first.device}, *call_.stream);
    });
  }

 private:
  template <class Work>
  void with_request(const Work& work) {
    const imported_array& out = call_.results.imported;
    const array_rows of(out);
    const axis places[] = {of.rows, of.elements};
    work({given_.caller, given_.is_centred, epsilon_, weight_.view(), bias_.view()},
         any_results{out.data, out.type, places, out.swapped});
  }

  const normalise_call& given_;
  std::optional<double> given_epsilon_;
  vectors& inputs_;
  const grid_call& call_;
  parameter_array weight_, bias_;
  std::optional<plain_rows> x_;
  double epsilon_ = 0;
};

}  // namespace

nb::object normalise(const normalise_call& given) {
  const std::optional<double> epsilon = read_epsilon(given);
  vectors inputs(given.caller, given.x, "x");
  inputs.first.takes_any_shape = true;
  inputs.described = given.described;
  inputs.locate();
  result_array results;
  results.imported.takes_any_shape = true;
  nb::handle out = given.out.ptr() == Py_Ellipsis ? nb::handle(Py_None) : given.out;
  if (!out.is_none()) {
    locate_out(out, inputs, results.imported);
    results.object = nb::borrow(out);
  }
  grid_call call{.caller = given.caller,
                 .what = reduction::sum_of_squares,
                 .inputs = inputs,
                 .chosen = given.chosen,
                 .ddof = 0,
                 .axis = Py_None,
                 .dtype = Py_None,
                 .out = out,
                 .keepdims = false,
                 .type = inputs.first.type,
                 .results = results};
  stream_choice stream;
  if (inputs.on_gpu()) {
    stream = inputs.import_on_gpu(out.is_none() ? nullptr : &results.imported, given.chosen, given.stream);
    call.stream = &stream;
  } else {
    inputs.refuse_stream(given.stream);
  }
  prepared_call prepared(given, epsilon, inputs, call);
  prepared.prepare();
  call.stream != nullptr ? prepared.on_gpu() : prepared.on_host();
  return finished(call);
}

}  // namespace exactdot::python
