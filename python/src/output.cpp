// Implementation of output.hpp.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <python/src/arguments.hpp>
#include <python/src/output.hpp>

namespace exactdot::python {

void locate_out(nb::handle given, const vectors& inputs, imported_array& out, const char* name) {
  const auto refuse = [&](bool is_type_error, const std::string& why) {
    throw_python(is_type_error, std::string(inputs.caller()) + ": " + name + ": " + why + " (" + name + " is " +
                                    describe(given.ptr()) + "; " + inputs.description() + ")");
  };
  out.described = inputs.description_of(given.ptr());
  try {
    out.locate(given.ptr());
  } catch (const invalid_array& refused) {
    refuse(refused.is_type_error, refused.reason);
  }
  if (out.on_gpu != inputs.on_gpu()) {
    refuse(false, inputs.are_two() ? "is on another device than a and b" : "is on another device than x");
  }
  const bool is_known = is_numpy_array(given.ptr()) || way_in_of(given.ptr()) != way_in::search;
  if (!is_known && framework_of(given.ptr()).starts_with("jax")) refuse(true, "JAX arrays are immutable");
}

namespace {

[[noreturn]] void refuse_out(const vectors& inputs, const imported_array& out, const std::string& why,
                             const char* name = "out") {
  throw_python(false, std::string(inputs.caller()) + ": " + name + " " + why + " (" + name + " is " +
                          describe(out.object) + ")");
}

}  // namespace

void check_out(nb::handle dtype, const vectors& inputs, const imported_array& out) {
  if (out.n != 1)
    refuse_out(inputs, out, "has " + std::to_string(out.n) + " elements; use an array of one element");
  if (out.dimensions > 1) {
    refuse_out(inputs, out, "has " + std::to_string(out.dimensions) + " dimensions; use a 1-D array");
  }
  check_out_type(dtype, inputs, out);
}

void check_out_type(nb::handle dtype, const vectors& inputs, const imported_array& out, const char* name) {
  const auto refuse = [&](const std::string& why) { refuse_out(inputs, out, why, name); };
  if (out.read_only) refuse("is read-only");
  if (out.on_gpu && out.swapped) refuse("is not in native byte order, the only one that a GPU writes");
  if (out.on_gpu && out.device != inputs.first.device) {
    refuse("is on GPU " + std::to_string(out.device) + (inputs.are_two() ? ", a" : ", x") + " on GPU " +
           std::to_string(inputs.first.device));
  }
  const bool of_complex = is_complex(out.type);
  if (!dtype.is_none() &&
      read_dtype(dtype, inputs.caller(), of_complex ? choices_of_complex : nullptr, of_complex) != out.type) {
    refuse("does not have the dtype that was passed");
  }
}

void store(const any_scalar& value, const imported_array& out, std::ptrdiff_t offset) {
  std::array<char, sizeof value.bits> bytes{};
  const std::size_t size = size_of(value.type);
  with_element(value.type, [&]<class R>(R) {
    const R number = value.as<R>();
    std::memcpy(bytes.data(), &number, size);
  });
  if (out.swapped) std::reverse(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
  std::memcpy(static_cast<char*>(out.data) + offset, bytes.data(), size);
}

}  // namespace exactdot::python
