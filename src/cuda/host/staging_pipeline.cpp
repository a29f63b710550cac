// Memory, copies and the order of the staging pipeline; see staging_pipeline.hpp.
#include <algorithm>
#include <bit>
#include <cuda/host/staging_pipeline.hpp>
#include <plan/staging.hpp>
#include <string>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

std::string mebibytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

[[noreturn]] void throw_out_of_memory(std::size_t chunk) {
  std::size_t free = 0, total = 0;
  cuda::check(cudaMemGetInfo(&free, &total), "asking for free memory");
  throw cuda::out_of_memory(errc::device_failure,
                            "cuda: out of device memory: " + mebibytes(free) + " of " + mebibytes(total) +
                                " are free, and vectors from the host need 4 chunks of " +
                                std::to_string(chunk >> 10) + " KiB; free some, or compute on the CPU");
}

}  // namespace

std::size_t staging_pipeline::wanted_chunk(std::size_t vector_bytes, const chunking& limits) {
  constexpr std::size_t tile_bytes = 512 * 16;
  return std::clamp(std::bit_ceil(vector_bytes), tile_bytes, std::max(tile_bytes, limits.max_chunk));
}

staging_pipeline::staging_pipeline(std::size_t vector_bytes, const chunking& limits)
    : workspace_(computing_.get()),
      results_(pinned_memory(slots * result_bytes)),
      chunk_(wanted_chunk(vector_bytes, limits)) {
  while (!allocate(limits)) {
    if (chunk_ / 2 < limits.min_chunk) throw_out_of_memory(chunk_);
    chunk_ /= 2;
  }
}

bool staging_pipeline::allocate(const chunking& limits) {
  const bool allowed = limits.max_device_memory / (2 * slots) >= chunk_;
  for (slot& each : slots_) {
    for (staging_buffer& buffer : each.buffers) {
      buffer.device.reset();
      if (allowed) buffer.device = try_device_memory(chunk_);
      if (buffer.device == nullptr) return false;
    }
  }
  return true;
}

/// Orders the pipeline after the work that the caller has put into the default stream, which may fill the vectors.
void staging_pipeline::begin() {
  cuda::check(cudaEventRecord(begun_.get(), nullptr), "marking the caller's work");
  for (const cudaStream_t waiting : {computing_.get(), copying_.get()}) {
    cuda::check(cudaStreamWaitEvent(waiting, begun_.get()), "waiting for the caller's work");
  }
}

namespace {

/// The type in which a vector is staged: the carrier, or its own where the kernels take it apart (64-bit integers)
/// or where a chunk of elements must not become longer.
element_type staged_type(const engine::plan& plan, const engine::operand& x) {
  return core::parts_of(x.type) == 1 || plan.info().is_extremum ? plan.carrier : x.type;
}

}  // namespace

std::size_t staging_pipeline::chunk_elements(const engine::plan& plan) const {
  return chunk_ / std::max(size_of(staged_type(plan, plan.a)), size_of(staged_type(plan, plan.b)));
}

/// The slot's earlier work is done, so its memory is free.
engine::operand staging_pipeline::stage(staging_buffer& to, const engine::operand& from, element_type target,
                                        std::size_t count, int threads) {
  if (from.where.on_gpu()) return from;
  const std::size_t bytes = count * size_of(target);
  const void* source = from.data;
  if (from.where.kind == memory_kind::host || !from.contiguous) {
    if (to.host == nullptr) to.host = pinned_memory(chunk_);
    engine::copy_contiguous_by_threads(from, target, 0, count, to.host.get(), threads);
    source = to.host.get();
  }
  cuda::check(cudaMemcpyAsync(to.device.get(), source, bytes, cudaMemcpyHostToDevice, copying_.get()),
              "copying to the device");
  engine::operand staged = from;
  staged.data = to.device.get();
  staged.type = target;
  staged.stride = static_cast<std::ptrdiff_t>(size_of(target));
  staged.swapped = false;
  staged.contiguous = true;
  return staged;
}

void staging_pipeline::wait_for_all() noexcept {
  cudaStreamSynchronize(copying_.get());
  cudaStreamSynchronize(computing_.get());
}

void staging_pipeline::run(const engine::plan& plan,
                           const std::function<void(std::size_t, const engine::plan&)>& launch,
                           const std::function<void(std::size_t)>& collect) {
  struct at_exit {
    staging_pipeline& pipeline;
    ~at_exit() { pipeline.wait_for_all(); }
  } const waits{*this};
  begin();
  const std::size_t length = chunk_elements(plan), chunks = (plan.n + length - 1) / length;
  for (std::size_t i = 0; i < chunks + slots; ++i) {
    slot& current = slots_[i % slots];
    if (i >= slots) {
      cuda::check(cudaEventSynchronize(current.computed.get()), "waiting for a chunk");
      collect(i % slots);
      if (plan.monitor != nullptr) plan.monitor->done += std::min(length, plan.n - (i - slots) * length);
    }
    if (i >= chunks) continue;
    engine::throw_if_cancelled(plan);
    const std::size_t first = i * length;
    engine::plan chunk = plan;
    chunk.n = std::min(length, plan.n - first);
    chunk.a = stage(current.buffers[0], plan.a.from(first), staged_type(plan, plan.a), chunk.n, plan.threads);
    const bool same = plan.a.data == plan.b.data && plan.a.stride == plan.b.stride &&
                      plan.a.swapped == plan.b.swapped && plan.a.type == plan.b.type;
    chunk.b = same
                  ? chunk.a
                  : stage(current.buffers[1], plan.b.from(first), staged_type(plan, plan.b), chunk.n, plan.threads);
    chunk.contiguous =
        chunk.a.contiguous && chunk.b.contiguous && chunk.a.type == plan.carrier && chunk.b.type == plan.carrier;
    cuda::check(cudaEventRecord(current.copied.get(), copying_.get()), "marking the end of a copy");
    cuda::check(cudaStreamWaitEvent(computing_.get(), current.copied.get()), "ordering a chunk after its copy");
    launch(i % slots, chunk);
    cuda::check(cudaEventRecord(current.computed.get(), computing_.get()), "marking the end of a chunk");
  }
}

}  // namespace exactdot::inline v0_3::cuda_engine
