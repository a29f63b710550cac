// Staging pipeline: transfers one chunk of host vectors to the GPU while the kernel reads the previous one.
//
// Two slots alternate. Host vectors in pageable memory, and strided ones: CPU threads copy the chunk to a
// page-locked buffer, from which the copy engine transfers it. Page-locked vectors: transferred directly. Device
// and managed vectors: read in place. A chunk is a power of two of bytes and at least one tile of order v1, so in
// mode fast its sum is a node of the tree.
#pragma once

#include <array>
#include <cuda/host/driver.hpp>
#include <cuda/host/resources.hpp>
#include <functional>

namespace exactdot::inline v0_3::cuda_engine {

/// Sizes of chunks, in bytes of one vector.
struct chunking {
  std::size_t max_chunk = std::size_t{1} << 24;
  std::size_t min_chunk = std::size_t{1} << 20;     ///< if the GPU is short of memory
  std::size_t max_device_memory = ~std::size_t{0};  ///< for all chunks together
};

class staging_pipeline {
 public:
  static constexpr std::size_t slots = 2;
  static constexpr std::size_t result_bytes = 16;  ///< a sum, or a key and an index

  /// Chunks that hold a vector of so many bytes, within the limits; smaller ones if the current device is short of
  /// memory. Throws cuda::out_of_memory if not even the smallest fit.
  explicit staging_pipeline(std::size_t vector_bytes, const chunking& limits = {});

  /// The chunk for vectors of so many bytes, if memory suffices.
  [[nodiscard]] static std::size_t wanted_chunk(std::size_t vector_bytes, const chunking& limits);

  [[nodiscard]] std::size_t chunk() const { return chunk_; }
  /// Elements of a chunk of this plan's inputs.
  [[nodiscard]] std::size_t chunk_elements(const engine::plan& plan) const;
  [[nodiscard]] cuda::workspace& workspace() { return workspace_; }
  /// A value that the GPU writes and the host reads, for each slot.
  [[nodiscard]] void* result(std::size_t of_slot) const { return results_.get() + of_slot * result_bytes; }

  /// Calls launch(slot, plan) for each chunk, with a plan whose inputs the GPU reads in place, to enqueue work on
  /// the workspace's stream; and collect(slot), in the same order, when that work is done. Polls the plan's monitor
  /// between chunks. No work is under way when it returns or throws.
  void run(const engine::plan& plan, const std::function<void(std::size_t, const engine::plan&)>& launch,
           const std::function<void(std::size_t)>& collect);

 private:
  struct staging_buffer {  // one vector's half of a slot
    device_bytes device;
    pinned_bytes host;
  };
  struct slot {
    std::array<staging_buffer, 2> buffers;
    event copied = make_event(), computed = make_event();
  };

  [[nodiscard]] bool allocate(const chunking& limits);
  void begin();
  [[nodiscard]] engine::operand stage(staging_buffer& to, const engine::operand& from, element_type target,
                                      std::size_t count, int threads);
  void wait_for_all() noexcept;

  stream computing_ = make_stream(), copying_ = make_stream();
  cuda::workspace workspace_;
  pinned_bytes results_;
  event begun_ = make_event();
  std::size_t chunk_;
  std::array<slot, slots> slots_;
};

// Reductions through a staging pipeline: what the GPU engine does with host vectors, and tests with small chunks.

/// The bits of the result. The plan's GPU is current.
[[nodiscard]] std::uint64_t reduce_staged(const engine::plan& plan, staging_pipeline& pipeline);

/// words += the exact state; normalised on entry and on return.
void add_staged(const engine::plan& plan, staging_pipeline& pipeline, std::int64_t* words);

}  // namespace exactdot::inline v0_3::cuda_engine
