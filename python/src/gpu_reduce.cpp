// gpu_reduce.hpp with the CUDA engine: one launch per call, which reads the vectors in place, with any stride.
#include <cuda/host/driver.hpp>
#include <cuda/host/workspace.hpp>
#include <exactdot/cuda.hpp>
#include <exactdot/state_format.hpp>
#include <python/src/arguments.hpp>
#include <python/src/gil.hpp>
#include <python/src/gpu_reduce.hpp>
#include <python/src/gpu_streams.hpp>

namespace exactdot::python {

using cuda_engine::current_gpu;

nb::dict gpu_info() {
  nb::list names;
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
  for (int device = 0; status == cudaSuccess && device < count; ++device) {
    cudaDeviceProp properties{};
    cuda::check(cudaGetDeviceProperties(&properties, device), "asking for a GPU's name");
    names.append(static_cast<const char*>(properties.name));
  }
  nb::dict info;
  info["built"] = true;
  info["toolkit"] = std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
  info["devices"] = names;
  std::string note = status == cudaSuccess ? "" : cudaGetErrorString(status);
  if (status == cudaErrorInsufficientDriver) note += "; " + cuda::insufficient_driver();
  info["note"] = note;
  return info;
}

void require_gpu_engine(const std::string&) {}

void find_device(imported_array& vector, const char* caller) {
  if (vector.n == 0) {
    vector.device = 0;
    return;
  }
  const auto location = cuda_engine::locate(vector.data);
  if (!location.on_gpu()) {
    throw_python(false, std::string(caller) +
                            ": the pointer of __cuda_array_interface__ does not point to GPU memory (" +
                            describe(vector.object) + ")");
  }
  vector.device = location.gpu;
}

void order_after_producer(const imported_array& vector, std::intptr_t stream) {
  const std::intptr_t producer = canonical_stream(vector.producer_stream);
  if (producer == stream) return;
  const current_gpu device(vector.device);
  const auto reached = cuda_engine::make_event();
  cuda::check(cudaEventRecord(reached.get(), as_stream(producer)), "recording an event on the producer's stream");
  cuda::check(cudaStreamWaitEvent(as_stream(stream), reached.get(), 0), "waiting for the producer's stream");
}

any_scalar gpu_reduce(const gpu_reduction& asked, element_type result, const stream_choice& stream) {
  const current_gpu device(asked.first.device);
  const auto workspace = workspace_of(asked.first.device, stream.handle);
  const options options{.mode = asked.mode};
  const gil_release gil_released;
  const std::lock_guard lock(workspace->mutex);
  cuda::workspace& on = workspace->workspace;
  if (asked.second != nullptr) return cuda::dot(on, asked.first.view(), asked.second->view(), result, options);
  return cuda::reduce(on, asked.what, asked.first.view(), result, options, asked.ddof);
}

void gpu_reduce_to(const gpu_reduction& asked, const imported_array& out, const stream_choice& stream) {
  const imported_array& a = asked.first;
  const current_gpu device(a.device);
  const auto workspace = workspace_of(a.device, stream.handle);
  const options options{.mode = asked.mode};
  {
    const gil_release gil_released;
    const std::lock_guard lock(workspace->mutex);
    cuda::workspace& on = workspace->workspace;
    if (asked.second != nullptr) {
      cuda::dot(on, a.view(), asked.second->view(), out.type, out.data, options);
    } else {
      cuda::reduce(on, asked.what, a.view(), out.type, out.data, options, asked.ddof);
    }
  }
  keep_alive_until_done({&a, asked.second != nullptr ? asked.second : &a, &out}, stream);
}

std::vector<std::int64_t> gpu_words(const gpu_reduction& asked, const stream_choice& stream) {
  const imported_array& a = asked.first;
  const current_gpu device(a.device);
  const auto workspace = workspace_of(a.device, stream.handle);
  std::vector<std::int64_t> words(state_format{reduction::sum, a.type}.words());
  const std::size_t bytes = words.size() * sizeof(std::int64_t);
  const gil_release gil_released;
  const std::lock_guard lock(workspace->mutex);
  cuda::workspace& on = workspace->workspace;
  const stream_memory state(bytes, on.stream());
  cuda::check(cudaMemsetAsync(state.as<void>(), 0, bytes, on.stream()), "clearing a state");
  if (asked.second != nullptr) {
    cuda::dot_into(on, a.view(), asked.second->view(), state.as<std::int64_t>());
  } else if (asked.what == reduction::sum) {
    cuda::sum_into(on, a.view(), state.as<std::int64_t>());
  } else {
    cuda::sum_of_squares_into(on, a.view(), state.as<std::int64_t>());
  }
  cuda::check(cudaMemcpyAsync(words.data(), state.as<void>(), bytes, cudaMemcpyDeviceToHost, on.stream()),
              "reading a state");
  cuda::check(cudaStreamSynchronize(on.stream()), "waiting for a stream");
  return words;
}

}  // namespace exactdot::python
