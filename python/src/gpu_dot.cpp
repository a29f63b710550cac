// gpu_dot.hpp with the CUDA engine: packed vectors go to exactdot::cuda as they are; views are packed piece by
// piece, in the stream, and the pieces' states or sums joined as on the CPU (host_dot.cpp).
#include <algorithm>
#include <core/order_v1.hpp>
#include <cuda/driver.hpp>
#include <cuda/workspace.hpp>
#include <exactdot/cuda.hpp>
#include <optional>
#include <python/src/gil.hpp>
#include <python/src/gpu_dot.hpp>
#include <python/src/gpu_pieces.hpp>
#include <python/src/gpu_streams.hpp>
#include <python/src/number.hpp>
#include <vector>

namespace exactdot::python {
namespace {

using cuda_engine::current_gpu;

/// A power of two of tiles: so a piece's sum is a node of order v1's tree.
template <class T>
constexpr std::size_t piece = core::order_v1<T>::tile * 1024;

options with(mode mode) {
  options made;
  made.mode = mode;
  return made;
}

/// A vector in pieces: its own memory where it is packed, else a packed copy in `memory`.
template <class T>
class device_pieces {
 public:
  device_pieces(const operand& from, cudaStream_t stream) : from_(from), stream_(stream) {
    if (!from.is_packed()) memory_.emplace(std::min(from.n, piece<T>) * sizeof(T), stream);
  }

  const T* at(std::size_t start, std::size_t count) {
    const char* const source =
        static_cast<const char*>(from_.data) + static_cast<std::ptrdiff_t>(start) * from_.stride;
    if (!memory_) return reinterpret_cast<const T*>(source);
    pack(source, from_.stride, count, memory_->as<T>(), stream_);
    return memory_->as<T>();
  }

 private:
  const operand& from_;
  cudaStream_t stream_;
  std::optional<stream_memory> memory_;
};

template <class T, class Step>
void for_pieces(const operand& a, const operand& b, cudaStream_t stream, Step step) {
  device_pieces<T> left(a, stream), right(b, stream);
  for (std::size_t start = 0; start < a.n; start += piece<T>) {
    const std::size_t count = std::min(piece<T>, a.n - start);
    step(left.at(start, count), right.at(start, count), count);
  }
}

bool are_packed(const operand& a, const operand& b) { return a.is_packed() && b.is_packed(); }

/// words = the exact state of a·b.
template <class T>
void state_into(cuda::workspace& on, const operand& a, const operand& b, std::int64_t* words) {
  cuda::check(cudaMemsetAsync(words, 0, accumulator<T>::word_count * sizeof *words, on.stream()),
              "clearing a state");
  if (are_packed(a, b)) {
    return cuda::dot_into(on, static_cast<const T*>(a.data), static_cast<const T*>(b.data), a.n, words);
  }
  for_pieces<T>(a, b, on.stream(),
                [&](const T* x, const T* y, std::size_t count) { cuda::dot_into(on, x, y, count, words); });
}

template <class R, class T>
void dot_to(cuda::workspace& on, const operand& a, const operand& b, mode mode, R* result) {
  if (are_packed(a, b)) {
    return cuda::dot(on, static_cast<const T*>(a.data), static_cast<const T*>(b.data), a.n, result, with(mode));
  }
  if (mode == mode::exact) {
    const stream_memory words(accumulator<T>::word_count * sizeof(std::int64_t), on.stream());
    state_into<T>(on, a, b, words.as<std::int64_t>());
    return round_words<R, T>(words.as<std::int64_t>(), result, on.stream());
  }
  const std::size_t count = (a.n + piece<T> - 1) / piece<T>;
  const stream_memory sums(count * sizeof(T), on.stream());
  T* sum = sums.as<T>();
  for_pieces<T>(a, b, on.stream(), [&](const T* x, const T* y, std::size_t length) {
    cuda::dot(on, x, y, length, sum++, with(mode));
  });
  root_of_tree(sums.as<T>(), count, result, on.stream());
}

/// The call waited for.
template <class R, class T>
R dot_of(shared_workspace& on, const operand& a, const operand& b, mode mode) {
  if (are_packed(a, b)) {
    return cuda::dot<R>(on.own, static_cast<const T*>(a.data), static_cast<const T*>(b.data), a.n, with(mode));
  }
  auto* const result = reinterpret_cast<R*>(on.result.get());
  dot_to<R, T>(on.own, a, b, mode, result);
  cuda::check(cudaStreamSynchronize(on.own.stream()), "waiting for a stream");
  return *result;
}

/// Calls work(R{}, T{}) with the types of result and elements.
template <class Work>
void with_types(dtype result, dtype elements, Work work) {
  with_type(elements,
            [&]<class T>(T element) { with_type(result, [&]<class R>(R number) { work(number, element); }); });
}

}  // namespace

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
  info["note"] = status == cudaSuccess ? "" : cudaGetErrorString(status);
  return info;
}

void require_gpu_engine(const std::string&) {}

void find_device(operand& vector, const char* what) {
  if (vector.n == 0) {
    vector.device = 0;
    return;
  }
  const auto place = cuda_engine::place_of(vector.data);
  if (!place.on_gpu()) {
    throw nb::value_error((std::string(what) + ": the pointer of __cuda_array_interface__ is to no GPU's memory (" +
                           describe(vector.object) + ")")
                              .c_str());
  }
  vector.device = place.gpu;
}

void order_after_producer(const operand& vector, std::intptr_t stream) {
  const std::intptr_t producer = plain_stream(vector.producer_stream);
  if (producer == stream) return;
  const current_gpu device(vector.device);
  const auto reached = cuda_engine::make_event();
  cuda::check(cudaEventRecord(reached.get(), as_stream(producer)), "recording an event on the producer's stream");
  cuda::check(cudaStreamWaitEvent(as_stream(stream), reached.get(), 0), "waiting for the producer's stream");
}

double gpu_dot(const operand& a, const operand& b, dtype result, mode mode, const stream_choice& stream) {
  const current_gpu device(a.device);
  const auto workspace = workspace_of(a.device, stream.handle);
  double value = 0;
  {
    const gil_release others_may_run;
    const std::lock_guard lock(workspace->mutex);
    with_types(result, a.type,
               [&]<class R, class T>(R, T) { value = to_python(dot_of<R, T>(*workspace, a, b, mode)); });
  }
  return value;
}

void gpu_dot_to(const operand& a, const operand& b, const operand& out, mode mode, const stream_choice& stream) {
  const current_gpu device(a.device);
  const auto workspace = workspace_of(a.device, stream.handle);
  {
    const gil_release others_may_run;
    const std::lock_guard lock(workspace->mutex);
    with_types(out.type, a.type, [&]<class R, class T>(R, T) {
      dot_to<R, T>(workspace->own, a, b, mode, static_cast<R*>(out.data));
    });
  }
  if (!is_captured(stream.handle))
    keep_until_done({&a, &b, &out}, stream);  // who captures keeps the memory for the graph
}

template <element T>
void gpu_add(accumulator<T>& sum, const operand& a, const operand& b, const stream_choice& stream) {
  const current_gpu device(a.device);
  const auto workspace = workspace_of(a.device, stream.handle);
  std::vector<std::int64_t> words(accumulator<T>::word_count);
  {
    const gil_release others_may_run;
    const std::lock_guard lock(workspace->mutex);
    cuda::workspace& on = workspace->own;
    const stream_memory state(words.size() * sizeof(std::int64_t), on.stream());
    state_into<T>(on, a, b, state.as<std::int64_t>());
    cuda::check(cudaMemcpyAsync(words.data(), state.as<void>(), words.size() * sizeof(std::int64_t),
                                cudaMemcpyDeviceToHost, on.stream()),
                "reading a state");
    cuda::check(cudaStreamSynchronize(on.stream()), "waiting for a stream");
  }
  if (a.n != 0) sum.merge(accumulator<T>(words));
}

template void gpu_add(accumulator<float>&, const operand&, const operand&, const stream_choice&);
template void gpu_add(accumulator<double>&, const operand&, const operand&, const stream_choice&);

}  // namespace exactdot::python
