// Copies in a GPU's memory that a call makes first, on the default stream: plan/gpu_engine.hpp.
#include <cuda/host/driver.hpp>
#include <cuda/host/engines.hpp>
#include <cuda/host/launch_kernel.hpp>
#include <cuda/host/resources.hpp>
#include <cuda/shape/copies.cuh>
#include <memory>
#include <string>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

constexpr int threads_of_copy = 256;

/// New memory of a GPU, freed there. Throws cuda::out_of_memory.
std::shared_ptr<void> memory_of(int gpu, std::size_t bytes) {
  device_bytes made = try_device_memory(std::max<std::size_t>(bytes, 1));
  if (made == nullptr) {
    throw cuda::out_of_memory(errc::device_failure,
                              "cuda: too little free memory for a copy of " + std::to_string(bytes) + " bytes");
  }
  std::byte* const memory = made.get();
  return {memory, [gpu, owner = std::shared_ptr<std::byte>(std::move(made))](void*) mutable {
            const current_gpu current(gpu);
            owner.reset();
          }};
}

/// launch(storage) with a workspace of the default stream.
template <class Launch>
void with_workspace(int gpu, const Launch& launch) {
  auto workspace = pool<cuda::workspace>::instance().acquire(gpu);
  if (workspace == nullptr) workspace = std::make_unique<cuda::workspace>();
  cuda::require_device(workspace->library_storage());
  launch(workspace->library_storage());
  pool<cuda::workspace>::instance().release(gpu, std::move(workspace));
}

/// Axes that are not one position, neighbours that one stride describes as one.
element_axes axes_of(const engine::number_copy& of) {
  element_axes made;
  std::size_t n = 0;
  std::ptrdiff_t stride = 0;
  const auto add = [&] {
    if (n < 2) return;
    if (made.count == max_element_axes) {
      engine::throw_error(errc::bad_option, of.caller,
                          "complex numbers lie along more than " + std::to_string(max_element_axes) +
                              " axes that no one stride describes: copy the array to a contiguous one");
    }
    made.axis[made.count++] = {fixed_divisor(n), stride, 0};
  };
  for (std::size_t k = of.axes.size(); k-- != 0;) {
    const axis& each = of.axes[k];
    if (n >= 2 && each.stride == static_cast<std::ptrdiff_t>(n) * stride) {
      n *= each.n;
      continue;
    }
    add();
    n = each.n, stride = each.stride;
  }
  add();
  if (made.count == 0) made.axis[made.count++] = {fixed_divisor(2), 0, 0};  // one number
  return made;
}

template <class Word>
void launch_copy(const cuda::workspace::storage& storage, const engine::number_copy& of, void* to) {
  const part_changes change{of.how == engine::pairing::exchanged || of.how == engine::pairing::turned,
                            of.how == engine::pairing::conjugate || of.how == engine::pairing::turned, of.swapped};
  cuda::launch_kernel(storage, "launching a copy of complex numbers",
                      {cuda::blocks_for(storage, of.count, threads_of_copy, 8), threads_of_copy},
                      copy_numbers_kernel<Word>, static_cast<const char*>(of.data), axes_of(of), of.count, change,
                      static_cast<Word*>(to));
}

}  // namespace

std::shared_ptr<void> copy_numbers(const engine::number_copy& of) {
  const current_gpu current(of.gpu);
  std::shared_ptr<void> memory = memory_of(of.gpu, 2 * of.count * size_of(of.part));
  if (of.count == 0) return memory;
  with_workspace(of.gpu, [&](const cuda::workspace::storage& storage) {
    if (of.part == element_type::float32) return launch_copy<std::uint32_t>(storage, of, memory.get());
    launch_copy<std::uint64_t>(storage, of, memory.get());
  });
  return memory;
}

std::shared_ptr<void> copy_indices(const engine::index_copy& of) {
  const current_gpu current(of.gpu);
  const std::size_t copies = of.multiplies ? of.count : 2 * of.count;
  std::shared_ptr<void> memory = memory_of(of.gpu, copies * sizeof(std::uint64_t));
  if (of.count == 0) return memory;
  const index_array from{static_cast<const char*>(of.data), of.stride, static_cast<int>(size_of(of.type)),
                         is_signed(of.type)};
  with_workspace(of.gpu, [&](const cuda::workspace::storage& storage) {
    cuda::launch_kernel(storage, "launching a copy of indices",
                        {cuda::blocks_for(storage, of.count, threads_of_copy, 8), threads_of_copy},
                        copy_indices_kernel, from, of.count, of.multiplies,
                        static_cast<std::uint64_t*>(memory.get()));
  });
  return memory;
}

}  // namespace exactdot::inline v0_3::cuda_engine
