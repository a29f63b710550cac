// Memory and copies of the conveyor; see conveyor.hpp.
#include <cpu/offload.hpp>
#include <cuda/conveyor.hpp>
#include <string>

namespace exactdot::cuda_engine {
namespace {

std::string mebibytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

[[noreturn]] void throw_out_of_memory(std::size_t chunk) {
  std::size_t free = 0, total = 0;
  cuda::check(cudaMemGetInfo(&free, &total), "asking for free memory");
  throw cuda::out_of_memory(errc::device_failure,
                            "dot: out of device memory: " + mebibytes(free) + " of " + mebibytes(total) +
                                " are free, and vectors from the host need 4 chunks of " +
                                std::to_string(chunk >> 10) + " KiB; free some, or compute on the CPU");
}

}  // namespace

conveyor::conveyor(std::size_t chunk)
    : workspace_(computing_.get()), results_(pinned_memory(slots * sizeof(double))), chunk_(chunk) {
  while (!allocate()) {
    if (chunk_ / 2 < limits.smallest_chunk) throw_out_of_memory(chunk_);
    chunk_ /= 2;
  }
}

bool conveyor::allocate() {
  const bool allowed = limits.device_memory / (2 * slots) >= chunk_;
  for (slot& one : slots_) {
    for (lane& part : one.lanes) {
      part.there.reset();
      if (allowed) part.there = try_device_memory(chunk_);
      if (part.there == nullptr) return false;
    }
  }
  return true;
}

/// After what the caller has put into the default stream, which may fill the vectors.
void conveyor::begin() {
  cuda::check(cudaEventRecord(begun_.get(), nullptr), "marking the caller's work");
  for (const cudaStream_t one : {computing_.get(), copying_.get()}) {
    cuda::check(cudaStreamWaitEvent(one, begun_.get()), "waiting for the caller's work");
  }
}

/// The slot's earlier work is done, so its memory is free.
const void* conveyor::bring(slot& to, std::size_t which, const void* from, const place& where, std::size_t bytes,
                            const options& how) {
  if (where.on_gpu()) return from;
  lane& own = to.lanes[which];
  if (where.kind == memory::host) {
    if (own.here == nullptr) own.here = pinned_memory(chunk_);
    cpu_engine::copy_by_threads(own.here.get(), from, bytes, how);
    from = own.here.get();
  }
  cuda::check(cudaMemcpyAsync(own.there.get(), from, bytes, cudaMemcpyHostToDevice, copying_.get()),
              "copying to the device");
  return own.there.get();
}

void conveyor::wait_for_all() noexcept {
  cudaStreamSynchronize(copying_.get());
  cudaStreamSynchronize(computing_.get());
}

}  // namespace exactdot::cuda_engine
