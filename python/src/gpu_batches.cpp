// gpu_batches.hpp with the CUDA engine.
#include <cuda/host/driver.hpp>
#include <exactdot/cuda/batch_states.hpp>
#include <exactdot/cuda/batches.hpp>
#include <exactdot/cuda/lists.hpp>
#include <exactdot/cuda/normalise.hpp>
#include <python/src/gil.hpp>
#include <python/src/gpu_batches.hpp>
#include <python/src/gpu_streams.hpp>

namespace exactdot::python {
namespace {

static_assert(max_gpu_list == cuda::max_vectors_of_result);

using cuda_engine::current_gpu;

/// Calls work(workspace) for a stream of a GPU, with the GIL released.
template <class Work>
void on_stream(int device, const stream_choice& stream, const Work& work) {
  const current_gpu current(device);
  const auto workspace = workspace_of(device, stream.handle);
  const gil_release gil_released;
  const std::lock_guard lock(workspace->mutex);
  work(workspace->workspace);
}

/// Queues work and keeps the arrays of the call, a gpu_batch or gpu_states, alive until it is done.
template <class Call, class Work>
void enqueue(const Call& asked, const stream_choice& stream, const Work& work) {
  on_stream(asked.device, stream, work);
  const current_gpu current(asked.device);
  keep_alive_until_done(asked.arrays, stream);
}

/// The same of work(workspace, words) on words that are cleared before.
template <class Work>
void enqueue_states(const gpu_states& asked, const stream_choice& stream, const Work& work) {
  if (asked.words.empty()) return;
  enqueue(asked, stream, [&](cuda::workspace& on) {
    cuda::check(cudaMemsetAsync(asked.words.data(), 0, asked.words.size_bytes(), on.stream()), "clearing states");
    work(on, asked.words.data());
  });
}

/// Copies from the device and waits.
void read_back(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream), "reading a result");
  cuda::check(cudaStreamSynchronize(stream), "waiting for a stream");
}

}  // namespace

void gpu_reduce_grid(const gpu_batch& asked, const stream_choice& stream) {
  enqueue(asked, stream, [&](cuda::workspace& on) {
    cuda::detail::enqueue_grid(on, asked.what, asked.a, asked.b, asked.out, asked.chosen, asked.ddof);
  });
}

void gpu_reduce_segments(const gpu_batch& asked, const any_vector& a, const any_vector& b,
                         const any_offsets& offsets, const stream_choice& stream) {
  enqueue(asked, stream, [&](cuda::workspace& on) {
    cuda::detail::enqueue_segments(on, asked.what, a, b, offsets, asked.out, asked.chosen, asked.ddof);
  });
}

void gpu_reduce_groups(const gpu_batch& asked, const any_keys& keys, const stream_choice& stream) {
  enqueue(asked, stream, [&](cuda::workspace& on) {
    cuda::detail::enqueue_groups(on, asked.what, asked.a, asked.b, keys, asked.out, asked.chosen, asked.ddof);
  });
}

void gpu_count_groups(const gpu_batch& asked, const any_keys& keys, const stream_choice& stream) {
  enqueue(asked, stream, [&](cuda::workspace& on) { cuda::detail::enqueue_group_sizes(on, keys, asked.out); });
}

void gpu_grid_states(const gpu_states& asked, const any_grid& a, const any_grid& b, const stream_choice& stream) {
  enqueue_states(asked, stream, [&](cuda::workspace& on, std::int64_t* words) {
    cuda::detail::add_grid_states(on, asked.of, a, b, words);
  });
}

void gpu_segment_states(const gpu_states& asked, const any_vector& a, const any_vector& b,
                        const any_offsets& offsets, const stream_choice& stream) {
  enqueue_states(asked, stream, [&](cuda::workspace& on, std::int64_t* words) {
    cuda::detail::add_segment_states(on, asked.of, a, b, offsets, words);
  });
}

void gpu_group_states(const gpu_states& asked, const any_grid& a, const any_grid& b, const any_keys& keys,
                      const stream_choice& stream) {
  enqueue_states(asked, stream, [&](cuda::workspace& on, std::int64_t* words) {
    cuda::detail::add_group_states(on, asked.of, a, b, keys, words);
  });
}

any_scalar gpu_reduce_grid(const gpu_batch& asked, element_type result, const stream_choice& stream) {
  any_scalar value{result, 0};
  on_stream(asked.device, stream, [&](cuda::workspace& on) {
    const stream_memory word(sizeof value.bits, on.stream());
    const any_results out{word.as<void>(), result, {}, false};
    cuda::detail::enqueue_grid(on, asked.what, asked.a, asked.b, out, asked.chosen, asked.ddof);
    read_back(&value.bits, word.as<void>(), size_of(result), on.stream());
    if (is_integer(result)) on.check();
  });
  return value;
}

void gpu_normalise(const gpu_rows& asked, const stream_choice& stream) {
  enqueue(asked, stream, [&](cuda::workspace& on) { cuda::detail::enqueue_normalised(on, asked.asked); });
}

void gpu_gradients(const engine::gradient_request& asked, int device, const stream_choice& stream) {
  on_stream(device, stream, [&](cuda::workspace& on) { cuda::detail::enqueue_gradients(on, asked); });
}

void gpu_reduce_list(const gpu_list& asked, const stream_choice& stream) {
  enqueue(asked, stream, [&](cuda::workspace& on) {
    cuda::reduce(on, asked.what, cuda::vector_list{asked.vectors, asked.ends}, asked.out);
  });
}

any_scalar gpu_reduce_list(const gpu_list& asked, element_type result, const stream_choice& stream) {
  any_scalar value{result, 0};
  on_stream(asked.device, stream, [&](cuda::workspace& on) {
    const stream_memory word(sizeof value.bits, on.stream());
    cuda::reduce(on, asked.what, cuda::vector_list{asked.vectors, asked.ends},
                 {word.as<void>(), result, {}, false});
    read_back(&value.bits, word.as<void>(), size_of(result), on.stream());
    if (is_integer(result)) on.check();
  });
  return value;
}

std::vector<std::int64_t> gpu_words_of_grid(reduction what, const any_grid& x, int device,
                                            const stream_choice& stream) {
  const state_format of{what, x.type};
  std::vector<std::int64_t> words(of.words());
  const std::size_t bytes = words.size() * sizeof(std::int64_t);
  on_stream(device, stream, [&](cuda::workspace& on) {
    const stream_memory state(bytes, on.stream());
    cuda::check(cudaMemsetAsync(state.as<void>(), 0, bytes, on.stream()), "clearing a state");
    cuda::detail::add_grid_states(on, of, x, x, state.as<std::int64_t>());
    read_back(words.data(), state.as<void>(), bytes, on.stream());
  });
  return words;
}

void gpu_check(int device, const stream_choice& stream) {
  on_stream(device, stream, [](cuda::workspace& on) { on.check(); });
}

void gpu_store(const any_scalar& value, const imported_array& out, const stream_choice& stream) {
  on_stream(out.device, stream, [&](cuda::workspace& on) {
    cuda::check(cudaMemcpyAsync(out.data, &value.bits, size_of(value.type), cudaMemcpyHostToDevice, on.stream()),
                "storing a result");
    cuda::check(cudaStreamSynchronize(on.stream()), "waiting for a stream");
  });
}

}  // namespace exactdot::python
