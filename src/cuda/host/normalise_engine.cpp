// Normalisations on a GPU: where their arrays lie, and the launch.
#include <cuda/core/normalised_rows.hpp>
#include <cuda/host/engines.hpp>
#include <cuda/host/resources.hpp>
#include <exactdot/cuda/normalise.hpp>
#include <string>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

using engine::normalise_request;

std::ptrdiff_t bytes_of(element_type type) { return static_cast<std::ptrdiff_t>(size_of(type)); }

/// Throws unless the device reaches the array of `rows` rows of n elements.
void require_rows(const cuda::workspace::storage& storage, const void* first, std::size_t rows,
                  std::ptrdiff_t stride, std::size_t n, element_type type, const char* name) {
  cuda::require_reachable(storage, first, n, bytes_of(type), size_of(type), name);
  cuda::require_reachable(storage, first, rows, stride, size_of(type), name);
}

bool is_aligned(const void* first, std::ptrdiff_t stride) {
  return reinterpret_cast<std::uintptr_t>(first) % 16 == 0 && stride % 16 == 0;
}

void enqueue(const cuda::workspace::storage& storage, const normalise_request& of) {
  if (of.rows == 0 || of.length == 0) return;
  require_rows(storage, of.x, of.rows, of.x_stride, of.length, of.type, "x");
  require_rows(storage, of.out, of.rows, of.out_stride, of.length, of.type, "the array of results");
  const auto require_parameter = [&](const void* first, const char* name) {
    if (first != nullptr) require_rows(storage, first, 1, 0, of.length, of.parameter_type, name);
  };
  require_parameter(of.weight, "weight");
  require_parameter(of.bias, "bias");
  normalised_rows in;
  in.next_x = of.x_stride, in.next_out = of.out_stride;
  in.weight = static_cast<const char*>(of.weight), in.bias = static_cast<const char*>(of.bias);
  in.n = static_cast<unsigned>(of.length);
  in.is_centred = of.is_centred, in.epsilon = of.epsilon;
  in.type = in.out_type = of.type, in.parameter_type = of.parameter_type;
  in.inverse_n = 1 / static_cast<double>(of.length);
  in.is_aligned = of.length * size_of(of.type) % 16 == 0 && is_aligned(of.x, of.rows > 1 ? of.x_stride : 0) &&
                  is_aligned(of.out, of.rows > 1 ? of.out_stride : 0) && is_aligned(of.weight, 0) &&
                  is_aligned(of.bias, 0);
  constexpr std::size_t max_rows_of_launch = std::size_t{1} << 30;
  for (std::size_t first = 0; first < of.rows; first += max_rows_of_launch) {
    const auto rows = static_cast<std::ptrdiff_t>(first);
    in.count = static_cast<unsigned>(std::min(of.rows - first, max_rows_of_launch));
    in.x = static_cast<const char*>(of.x) + rows * of.x_stride;
    in.out = static_cast<char*>(of.out) + rows * of.out_stride;
    cuda::launch_normalise(storage, in);
  }
}

void enqueue(const cuda::workspace::storage& storage, const engine::gradient_request& of) {
  const bool is_taken =
      of.type == element_type::float16 || of.type == element_type::bfloat16 || of.type == element_type::float32;
  if (!is_taken || of.length == 0 || of.length > engine::max_gradient_row) {
    throw error(errc::bad_option, "gradients of normalised rows: " + std::string(name_of(of.type)) + ", rows of " +
                                      std::to_string(of.length) +
                                      "; use float16, bfloat16 or float32 and rows of at most 2^24 elements");
  }
  gradient_rows in;
  const auto row = static_cast<std::ptrdiff_t>(of.length * size_of(of.type));
  in.rows.next_x = in.next_g = in.next_out = row;
  in.rows.next_out = static_cast<std::ptrdiff_t>(of.length * sizeof(float));
  in.rows.n = static_cast<unsigned>(of.length);
  in.rows.is_centred = of.is_centred, in.rows.epsilon = of.epsilon;
  in.rows.type = of.type, in.rows.out_type = element_type::float32;
  in.rows.inverse_n = 1 / static_cast<double>(of.length);
  in.rows.is_aligned = is_aligned(of.x, row) && is_aligned(of.g, row) && is_aligned(of.out, row) &&
                       is_aligned(of.normal, 0) && is_aligned(of.weight, 0);
  in.weight = of.weight;
  constexpr std::size_t max_rows_of_launch = std::size_t{1} << 30;
  for (std::size_t first = 0; first < of.rows; first += max_rows_of_launch) {
    const auto offset = static_cast<std::ptrdiff_t>(first) * row;
    in.rows.count = static_cast<unsigned>(std::min(of.rows - first, max_rows_of_launch));
    in.rows.x = static_cast<const char*>(of.x) + offset, in.g = static_cast<const char*>(of.g) + offset;
    in.out = static_cast<char*>(of.out) + offset;
    in.rows.out = reinterpret_cast<char*>(of.normal + first * of.length);
    cuda::launch_gradients(storage, in);
  }
}

}  // namespace

bool normalise(const normalise_request& of, const options& options) {
  if (options.device != device::cuda && !driver_is_loaded()) return false;
  std::vector<array_of_call> arrays;
  const auto add = [&](const void* data, const char* name) {
    if (data != nullptr) arrays.push_back({data, name, locate(data)});
  };
  add(of.x, "x"), add(of.out, "the array of results"), add(of.weight, "weight"), add(of.bias, "bias");
  if (arrays.empty() || !takes_gpu(of.caller, arrays, options)) return false;
  if (options.monitor != nullptr && options.monitor->cancel.load()) {
    throw error(errc::cancelled, std::string(of.caller) + ": cancelled");
  }
  const int gpu = gpu_for(of.caller, arrays, options);
  const current_gpu current(gpu);
  auto workspace = pool<cuda::workspace>::instance().acquire(gpu);
  if (workspace == nullptr) workspace = std::make_unique<cuda::workspace>();
  cuda::require_device(workspace->library_storage());
  enqueue(workspace->library_storage(), of);
  cuda::check(cudaStreamSynchronize(workspace->stream()), "waiting for the results");
  pool<cuda::workspace>::instance().release(gpu, std::move(workspace));
  if (options.monitor != nullptr) options.monitor->done += of.rows * of.length;
  return true;
}

}  // namespace exactdot::inline v0_3::cuda_engine

namespace exactdot::inline v0_3::cuda {

void detail::enqueue_normalised(workspace& on, const engine::normalise_request& of) {
  workspace::storage& storage = on.library_storage();
  const workspace_lock lock(storage);
  require_device(storage);
  cuda_engine::enqueue(storage, of);
}

void detail::enqueue_gradients(workspace& on, const engine::gradient_request& of) {
  workspace::storage& storage = on.library_storage();
  const workspace_lock lock(storage);
  require_device(storage);
  cuda_engine::enqueue(storage, of);
}

void detail::enqueue_normalised(workspace& on, const exactdot::detail::normalisation& how, const any_grid& x,
                                const any_results& out) {
  enqueue_normalised(on, engine::make_normalise_request(how, x, out, {}));
}

}  // namespace exactdot::inline v0_3::cuda
