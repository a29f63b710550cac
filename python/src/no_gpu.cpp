// gpu_dot.hpp in a build without the CUDA engine: every call says so. What only reads a description works, so that
// the mistakes that can be seen without a GPU are told apart.
#include <exactdot/error.hpp>
#include <python/src/gpu_dot.hpp>

namespace exactdot::python {
namespace {

constexpr const char* note =
    "this build of exactdot is for CPUs only: there was no CUDA compiler (nvcc), or EXACTDOT_BUILD_CUDA was OFF";

[[noreturn]] void refuse(const std::string& asked = "exactdot: the vectors lie in a GPU's memory") {
  throw error(errc::no_device, asked + ", but " + note);
}

}  // namespace

nb::dict gpu_info() {
  nb::dict info;
  info["built"] = false;
  info["toolkit"] = "";
  info["devices"] = nb::list();
  info["note"] = note;
  return info;
}

void require_gpu_engine(const std::string& asked) { refuse(asked); }
void find_device(operand&, const char*) { refuse(); }
void order_after_producer(const operand&, std::intptr_t) { refuse(); }
double gpu_dot(const operand&, const operand&, element_type, mode, const stream_choice&) { refuse(); }
void gpu_dot_to(const operand&, const operand&, const operand&, mode, const stream_choice&) { refuse(); }

std::vector<std::int64_t> gpu_words(const operand&, const operand&, const stream_choice&) { refuse(); }

}  // namespace exactdot::python
