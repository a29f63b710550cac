// The module _engine: reductions, info and use_instruction_set, and the classes Accumulator and Moments.
#include <chrono>
#include <exactdot/error.hpp>
#include <exactdot/info.hpp>
#include <exactdot/reductions.hpp>
#include <python/src/accumulator.hpp>
#include <python/src/arguments.hpp>
#include <python/src/docstrings.hpp>
#include <python/src/exceptions.hpp>
#include <python/src/gil.hpp>
#include <python/src/gpu_check.hpp>
#include <python/src/gpu_reduce.hpp>
#include <python/src/gpu_results.hpp>
#include <python/src/reductions.hpp>
#include <python/src/rolling.hpp>
#include <python/src/state_arrays.hpp>
#include <python/src/torch_tensor.hpp>
#include <python/src/vectors.hpp>
#include <python/src/worker.hpp>
#include <python/src/xla_calls.hpp>

namespace exactdot::python {
namespace {

nb::dict info_call() {
  const cpu_info processor = cpu();
  nb::dict info;
  info["version"] = version();
  info["instruction_set"] = processor.instruction_set;
  nb::list sets;
  for (const auto& name : processor.instruction_sets) sets.append(name);
  info["instruction_sets"] = sets;
  info["threads"] = processor.threads;
  const float_environment found = environment();
  nb::dict of_thread;
  of_thread["rounding"] = found.rounding;
  of_thread["flush_to_zero"] = found.flush_to_zero;
  of_thread["denormals_are_zero"] = found.denormals_are_zero;
  of_thread["traps"] = found.traps;
  info["environment"] = of_thread;
  info["cuda"] = gpu_info();
  return info;
}

/// For benchmarks: the mean time of `count` calls in C++, in seconds, of contiguous float64 vectors in host memory.
double seconds_of_dot(nb::handle first, nb::handle second, int count, int threads) {
  vectors inputs("_seconds_of_dot", first, second);
  inputs.locate();
  inputs.check();
  const imported_array &a = inputs.first, &b = inputs.second;
  const bool are_doubles = a.type == element_type::float64 && b.type == a.type;
  if (a.on_gpu || !are_doubles || !is_contiguous(a.view()) || !is_contiguous(b.view())) {
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

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const error& failure) {
    raise_error(failure.code(), failure.what());
  }
}

/// Calls work() for a built-in function of Python.
template <class Work>
PyObject* call_builtin(const Work& work) {
  try {
    return work();
  } catch (const std::exception&) {
    raise_current_exception();
    return nullptr;
  }
}

PyObject* info_entry(PyObject*, PyObject*) {
  return call_builtin([] { return info_call().release().ptr(); });
}

PyObject* use_instruction_set_entry(PyObject*, PyObject* arguments, PyObject* keywords) {
  const char* names[] = {"name", nullptr};
  PyObject* name = nullptr;
  if (PyArg_ParseTupleAndKeywords(arguments, keywords, "O:use_instruction_set", const_cast<char**>(names), &name) ==
      0) {
    return nullptr;
  }
  return call_builtin([&] {
    std::string read;
    if (!nb::try_cast(nb::handle(name), read)) {
      throw_python(true, "use_instruction_set: name is " + text_of(name) + "; use a str");
    }
    use_instruction_set(read);
    return nb::none().release().ptr();
  });
}

/// Functions that inspect.signature and pickle know; those of keywords.hpp are added by bind_reductions.
PyMethodDef builtins[] = {
    {"info", info_entry, METH_NOARGS, docstrings::info},
    {"use_instruction_set", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(use_instruction_set_entry)),
     METH_VARARGS | METH_KEYWORDS, docstrings::use_instruction_set},
    {"check", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(check_entry)),
     METH_VARARGS | METH_KEYWORDS, docstrings::check},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

NB_MODULE(_engine, module) {
  nb::register_exception_translator(translate);
  nb::set_leak_warnings(false);  // daemon threads keep their objects at exit
  register_fork_handler();
  module.attr("__version__") = version();
  module.doc() = "The compiled part of exactdot. Use the package exactdot.";
  bind_reductions(module);
  if (PyModule_AddFunctions(module.ptr(), builtins) != 0) throw nb::python_error();
  module.def("_seconds_of_dot", seconds_of_dot);
  bind_accumulator(module);
  bind_moments(module);
  bind_bivariate_moments(module);
  bind_state_arrays(module);
  bind_state_words(module);
  bind_exact_arguments(module);
  bind_gpu_memory(module);
  bind_rolling(module);
  bind_torch_calls(module);
  bind_xla_calls(module);
}

}  // namespace exactdot::python
