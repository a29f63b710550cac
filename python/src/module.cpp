// The module _engine: dot, info and use_instruction_set. accumulator.cpp adds the class Accumulator.
//
// The commonest call, two short NumPy arrays, costs two buffer requests, the dot and a Python float: everything
// else comes after the question whether it is needed.
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstring>
#include <exactdot/error.hpp>
#include <exactdot/info.hpp>
#include <exactdot/reductions.hpp>
#include <python/src/accumulator.hpp>
#include <python/src/arguments.hpp>
#include <python/src/gil.hpp>
#include <python/src/gpu_dot.hpp>
#include <python/src/host_call.hpp>
#include <python/src/number.hpp>
#include <python/src/texts.hpp>
#include <python/src/worker.hpp>

namespace exactdot::python {
namespace {

/// `out` as one writable element.
void locate_out(nb::handle given, const operand& a, operand& out) {
  const auto refuse = [&](bool is_type_error, const std::string& why) {
    throw_python(is_type_error,
                 "dot: out: " + why + " (out is " + describe(given.ptr()) + "; a is " + describe(a.object) + ")");
  };
  try {
    out.locate(given.ptr());
  } catch (const refusal& refused) {
    refuse(refused.is_type_error, refused.why);
  }
  if (out.on_gpu != a.on_gpu) refuse(false, "lies in the memory of another device than a and b");
  if (framework_of(given.ptr()).starts_with("jax")) refuse(true, "arrays of JAX cannot be written");
}

void check_out(nb::handle dtype_given, const operand& a, const operand& out) {
  const auto refuse = [&](const std::string& why) {
    throw_python(false, "dot: out " + why + " (out is " + describe(out.object) + ")");
  };
  if (out.n != 1) refuse("has " + std::to_string(out.n) + " elements; give an array of one");
  if (out.read_only) refuse("cannot be written");
  if (out.on_gpu && out.swapped) refuse("has the other byte order, which a GPU does not write");
  if (out.on_gpu && out.device != a.device) {
    refuse("lies on GPU " + std::to_string(out.device) + ", a on GPU " + std::to_string(a.device));
  }
  if (!dtype_given.is_none() && read_dtype(dtype_given, "dot") != out.type) refuse("is not of the dtype given");
}

/// Stores a value of the element type of `out`.
void write(const any_scalar& value, const operand& out) {
  with_element(out.type, [&]<class R>(R) {
    auto bytes = std::bit_cast<std::array<char, sizeof(R)>>(value.as<R>());
    if (out.swapped) std::reverse(bytes.begin(), bytes.end());
    std::memcpy(out.data, bytes.data(), bytes.size());
  });
}

element_type result_type(nb::handle given, const operand& a) {
  return given.is_none() ? a.type : read_dtype(given, "dot");
}

/// a·b of vectors in host memory, rounded to `result`.
any_scalar host_dot(const operand& a, const operand& b, element_type result, const options& options) {
  any_scalar value;
  compute(a, &b, options,
          [&](const exactdot::options& chosen) { value = dot(a.view(), b.view(), result, chosen); });
  return value;
}

nb::object gpu_call(operand& a, operand& b, const options& options, nb::handle dtype_given, nb::handle out_given,
                    nb::handle stream_given) {
  operand out;
  if (!out_given.is_none()) locate_out(out_given, a, out);
  const auto stream = import_pair(a, b, out_given.is_none() ? nullptr : &out, options, stream_given, "dot");
  if (out_given.is_none()) {
    return nb::float_(gpu_dot(a, b, result_type(dtype_given, a), options.mode, stream));
  }
  check_out(dtype_given, a, out);
  gpu_dot_to(a, b, out, options.mode, stream);
  return nb::borrow(out_given);
}

nb::object dot_call(nb::handle first, nb::handle second, nb::handle mode, nb::handle dtype_given, int threads,
                    nb::handle device, nb::handle out_given, nb::handle stream) {
  operand a, b;
  const stop_at_end guard;
  locate_pair(first, second, a, b, "dot");
  const options options = read_options(mode, threads, device, "dot");
  if (a.on_gpu) return gpu_call(a, b, options, dtype_given, out_given, stream);
  refuse_stream(stream, a, "dot");
  check_pair(a, b, "dot");
  if (out_given.is_none()) {
    return nb::float_(to_python(host_dot(a, b, result_type(dtype_given, a), options)));
  }
  operand out;
  locate_out(out_given, a, out);
  check_out(dtype_given, a, out);
  write(host_dot(a, b, out.type, options), out);
  return nb::borrow(out_given);
}

nb::dict info_call() {
  const cpu_info here = cpu();
  nb::dict info;
  info["version"] = version();
  info["instruction_set"] = here.instruction_set;
  nb::list sets;
  for (const auto& name : here.instruction_sets) sets.append(name);
  info["instruction_sets"] = sets;
  info["threads"] = here.threads;
  info["cuda"] = gpu_info();
  return info;
}

/// For the benchmark: seconds of one call in C++, the mean of `count`, on packed float64 vectors in host memory.
double seconds_of_dot(nb::handle first, nb::handle second, int count, int threads) {
  operand a, b;
  locate_pair(first, second, a, b, "_seconds_of_dot");
  check_pair(a, b, "_seconds_of_dot");
  if (a.on_gpu || a.type != element_type::float64 || !is_contiguous(a.view()) || !is_contiguous(b.view())) {
    throw_python(false, "_seconds_of_dot: use contiguous vectors of float64 in host memory");
  }
  options options;
  options.threads = threads;
  volatile double result = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    result =
        exactdot::dot<double>(static_cast<const double*>(a.data), static_cast<const double*>(b.data), a.n, options);
    static_cast<void>(result);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / count;
}

/// The library's errors as the exceptions Python has for them.
void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const error& failure) {
    PyObject* kind = PyExc_RuntimeError;
    if (failure.code() == errc::headroom) kind = PyExc_OverflowError;
    if (failure.code() == errc::size_mismatch || failure.code() == errc::bad_option ||
        failure.code() == errc::null_pointer) {
      kind = PyExc_ValueError;
    }
    PyErr_SetString(kind, failure.what());
  }
}

}  // namespace

NB_MODULE(_engine, module) {
  nb::register_exception_translator(translate);
  nb::set_leak_warnings(false);  // daemon threads that are left behind hold what they use
  watch_forks();
  module.attr("__version__") = version();
  module.doc() = "The compiled part of exactdot. Use the package exactdot.";
  module.def("dot", dot_call, nb::arg("a").none(), nb::arg("b").none(), nb::kw_only(),
             nb::arg("mode").none() = "exact", nb::arg("dtype").none() = nb::none(), nb::arg("threads") = 0,
             nb::arg("device").none() = "auto", nb::arg("out").none() = nb::none(),
             nb::arg("stream").none() = nb::none(), nb::sig(texts::dot_signature), texts::dot);
  module.def("info", info_call, nb::sig("def info() -> dict[str, Any]"), texts::info);
  module.def("use_instruction_set", use_instruction_set, nb::arg("name"), texts::use_instruction_set);
  module.def("_seconds_of_dot", seconds_of_dot);
  bind_accumulator(module);
}

}  // namespace exactdot::python
