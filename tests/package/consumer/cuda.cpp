// The component cuda: its header, its link options, and the registration of the engine without an explicit call.
#include <exactdot/cuda.hpp>
#include <exactdot/dot.hpp>
#include <string>
#include <vector>

namespace {

/// True if the call returns 5, or throws because there is no GPU.
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

bool gpu_calls_work() {
  const std::vector<double> x{1, 2};
  return five_or_no_gpu([&] { return exactdot::dot(x, x, {.device = exactdot::device::cuda}); }) &&
         five_or_no_gpu([] { return exactdot::cuda::workspace().device() == 0 ? 5 : 0; });
}
