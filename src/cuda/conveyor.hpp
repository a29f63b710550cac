// Brings vectors from host memory to the GPU, chunk by chunk, while the chunk before is computed.
//
// Two slots take turns: the CPU's threads copy a chunk into page-locked memory, from which the GPU's copy engine
// fetches it; what is page-locked already is fetched from where it is, and what lies on the GPU is read there.
// Chunks are powers of two of bytes, from order v1's tile on, so that a chunk's sum in mode fast is a node of the
// tree.
#pragma once

#include <algorithm>
#include <array>
#include <cpu/engine.hpp>
#include <cuda/driver.hpp>
#include <cuda/owned.hpp>
#include <exactdot/options.hpp>

namespace exactdot::cuda_engine {

/// What the tests turn down to see many chunks and little memory.
struct transfer_limits {
  std::size_t largest_chunk = std::size_t{1} << 24;   ///< bytes of one vector
  std::size_t smallest_chunk = std::size_t{1} << 20;  ///< where the GPU has little memory left
  std::size_t device_memory = ~std::size_t{0};        ///< that chunks may take
};
inline transfer_limits limits;

template <class T>
struct operand {
  const T* at;
  place where;

  [[nodiscard]] operand from(std::size_t i) const { return {at + i, where}; }
};

class conveyor {
 public:
  static constexpr std::size_t slots = 2;

  /// For chunks of so many bytes, or smaller ones where the current device's memory is short; throws
  /// cuda::out_of_memory where not even those fit.
  explicit conveyor(std::size_t chunk);

  [[nodiscard]] std::size_t chunk() const { return chunk_; }
  [[nodiscard]] cuda::workspace& workspace() { return workspace_; }
  /// A number that the GPU writes and the host reads, for each slot.
  template <class T>
  [[nodiscard]] T* result(std::size_t of_slot) const {
    return reinterpret_cast<T*>(results_.get()) + of_slot;
  }

  /// Calls launch(slot, x, y, count) for each chunk, with pointers for the GPU, to enqueue work on the workspace's
  /// stream; and collect(slot), in the same order, when that work is done. Looks at options.monitor between chunks.
  /// When it returns or throws nothing is under way any more.
  template <class T, class Launch, class Collect>
  void run(operand<T> a, operand<T> b, std::size_t n, const options& how, Launch launch, Collect collect);

 private:
  struct lane {  // one vector's part of a slot
    device_bytes there;
    pinned_bytes here;
  };
  struct slot {
    std::array<lane, 2> lanes;
    event copied = make_event(), computed = make_event();
  };

  [[nodiscard]] bool allocate();
  void begin();
  const void* bring(slot& to, std::size_t which, const void* from, const place& where, std::size_t bytes,
                    const options& how);
  void wait_for_all() noexcept;

  stream computing_ = make_stream(), copying_ = make_stream();
  cuda::workspace workspace_;
  pinned_bytes results_;
  event begun_ = make_event();
  std::size_t chunk_;
  std::array<slot, slots> slots_;
};

template <class T, class Launch, class Collect>
void conveyor::run(operand<T> a, operand<T> b, std::size_t n, const options& how, Launch launch, Collect collect) {
  struct end {
    conveyor& all;
    ~end() { all.wait_for_all(); }
  } const at_the_end{*this};
  begin();
  const std::size_t length = chunk_ / sizeof(T), chunks = (n + length - 1) / length;
  for (std::size_t i = 0; i < chunks + slots; ++i) {
    slot& own = slots_[i % slots];
    if (i >= slots) {
      cuda::check(cudaEventSynchronize(own.computed.get()), "waiting for a chunk");
      collect(i % slots);
      if (how.monitor != nullptr) how.monitor->done += std::min(length, n - (i - slots) * length);
    }
    if (i >= chunks) continue;
    cpu_engine::throw_if_cancelled(how);
    const std::size_t first = i * length, count = std::min(length, n - first);
    const auto at = [&](std::size_t which, const operand<T>& x) {
      return static_cast<const T*>(bring(own, which, x.at + first, x.where, count * sizeof(T), how));
    };
    const T* const x = at(0, a);
    const T* const y = a.at == b.at ? x : at(1, b);
    cuda::check(cudaEventRecord(own.copied.get(), copying_.get()), "marking the end of a copy");
    cuda::check(cudaStreamWaitEvent(computing_.get(), own.copied.get()), "ordering a chunk after its copy");
    launch(i % slots, x, y, count);
    cuda::check(cudaEventRecord(own.computed.get(), computing_.get()), "marking the end of a chunk");
  }
}

}  // namespace exactdot::cuda_engine
