// The module _engine: dot, info and use_instruction_set. accumulator.cpp adds the class Accumulator.
//
// A call with two short NumPy arrays, the most frequent one, consists of two buffer requests, the dot product and a
// Python float. Each further step runs only if an argument asks for it.
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
#include <python/src/docstrings.hpp>
#include <python/src/gil.hpp>
#include <python/src/gpu_dot.hpp>
#include <python/src/host_call.hpp>
#include <python/src/number.hpp>
#include <python/src/worker.hpp>

namespace exactdot::python {
namespace {

/// Locates `out`; check_out follows. Throws TypeError or ValueError.
void locate_out(nb::handle given, const imported_array& a, imported_array& out) {
  const auto refuse = [&](bool is_type_error, const std::string& why) {
    throw_python(is_type_error,
                 "dot: out: " + why + " (out is " + describe(given.ptr()) + "; a is " + describe(a.object) + ")");
  };
  try {
    out.locate(given.ptr());
  } catch (const invalid_array& refused) {
    refuse(refused.is_type_error, refused.reason);
  }
  if (out.on_gpu != a.on_gpu) refuse(false, "is on another device than a and b");
  if (framework_of(given.ptr()).starts_with("jax")) refuse(true, "JAX arrays are immutable");
}

void check_out(nb::handle dtype_given, const imported_array& a, const imported_array& out) {
  const auto refuse = [&](const std::string& why) {
    throw_python(false, "dot: out " + why + " (out is " + describe(out.object) + ")");
  };
  if (out.n != 1) refuse("has " + std::to_string(out.n) + " elements; use an array of one element");
  if (out.read_only) refuse("is read-only");
  if (out.on_gpu && out.swapped) refuse("is not in native byte order, the only one that a GPU writes");
  if (out.on_gpu && out.device != a.device) {
    refuse("is on GPU " + std::to_string(out.device) + ", a on GPU " + std::to_string(a.device));
  }
  if (!dtype_given.is_none() && read_dtype(dtype_given, "dot") != out.type)
    refuse("does not have the dtype that was passed");
}

/// Stores a value that has the element type of `out`.
void store(const any_scalar& value, const imported_array& out) {
  with_carrier(out.type, [&]<class R>(R) {
    auto bytes = std::bit_cast<std::array<char, sizeof(R)>>(value.as<R>());
    if (out.swapped) std::reverse(bytes.begin(), bytes.end());
    std::memcpy(out.data, bytes.data(), bytes.size());
  });
}

element_type result_type(nb::handle given, const imported_array& a) {
  return given.is_none() ? a.type : read_dtype(given, "dot");
}

/// a·b of vectors in host memory, rounded to `result`.
any_scalar host_dot(const imported_array& a, const imported_array& b, element_type result, const options& options) {
  any_scalar value;
  compute(a, &b, options,
          [&](const exactdot::options& chosen) { value = dot(a.view(), b.view(), result, chosen); });
  return value;
}

nb::object gpu_call(imported_array& a, imported_array& b, const options& options, nb::handle dtype_given,
                    nb::handle out_given, nb::handle stream_given) {
  imported_array out;
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
  imported_array a, b;
  const finalization_guard guard;
  locate_pair(first, second, a, b, "dot");
  const options options = read_options(mode, threads, device, "dot");
  if (a.on_gpu) return gpu_call(a, b, options, dtype_given, out_given, stream);
  refuse_stream(stream, a, "dot");
  check_pair(a, b, "dot");
  if (out_given.is_none()) {
    return nb::float_(to_python(host_dot(a, b, result_type(dtype_given, a), options)));
  }
  imported_array out;
  locate_out(out_given, a, out);
  check_out(dtype_given, a, out);
  store(host_dot(a, b, out.type, options), out);
  return nb::borrow(out_given);
}

nb::dict info_call() {
  const cpu_info processor = cpu();
  nb::dict info;
  info["version"] = version();
  info["instruction_set"] = processor.instruction_set;
  nb::list sets;
  for (const auto& name : processor.instruction_sets) sets.append(name);
  info["instruction_sets"] = sets;
  info["threads"] = processor.threads;
  info["cuda"] = gpu_info();
  return info;
}

/// For benchmarks: the mean time of `count` calls in C++, in seconds, of contiguous float64 vectors in host memory.
double seconds_of_dot(nb::handle first, nb::handle second, int count, int threads) {
  imported_array a, b;
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

/// Raises the Python exception that corresponds to an exactdot::error.
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
  nb::set_leak_warnings(false);  // daemon threads keep their objects at exit
  register_fork_handler();
  module.attr("__version__") = version();
  module.doc() = "The compiled part of exactdot. Use the package exactdot.";
  module.def("dot", dot_call, nb::arg("a").none(), nb::arg("b").none(), nb::kw_only(),
             nb::arg("mode").none() = "exact", nb::arg("dtype").none() = nb::none(), nb::arg("threads") = 0,
             nb::arg("device").none() = "auto", nb::arg("out").none() = nb::none(),
             nb::arg("stream").none() = nb::none(), nb::sig(docstrings::dot_signature), docstrings::dot);
  module.def("info", info_call, nb::sig("def info() -> dict[str, Any]"), docstrings::info);
  module.def("use_instruction_set", use_instruction_set, nb::arg("name"), docstrings::use_instruction_set);
  module.def("_seconds_of_dot", seconds_of_dot);
  bind_accumulator(module);
}

}  // namespace exactdot::python
