// The component cuda: its header, its link line, and that the engine is there without being called by name.
#include <exactdot/cuda.hpp>
#include <exactdot/dot.hpp>
#include <string>
#include <vector>

namespace {

/// True when the call computes 5, or says that it finds no GPU.
template <class Call>
bool five_or_no_gpu(Call call) {
  try {
    return call() == 5;
  } catch (const exactdot::error& error) {
    return error.code() == exactdot::errc::no_device &&
           std::string(error.what()).find("compute on the CPU") != std::string::npos;
  }
}

}  // namespace

bool gpu_is_asked() {
  const std::vector<double> x{1, 2};
  return five_or_no_gpu([&] { return exactdot::dot(x, x, {.device = exactdot::device::cuda}); }) &&
         five_or_no_gpu([] { return exactdot::cuda::workspace().device() == 0 ? 5 : 0; });
}
