// What both sides of the seam to a GPU engine share; see offload.hpp.
#include <cpu/offload.hpp>
#include <cpu/team.hpp>
#include <cstring>

namespace exactdot::cpu_engine {

constinit std::atomic<const gpu_engine*> linked_gpu_engine{nullptr};
constinit std::atomic<bool> gpu_possible{false};

void throw_no_gpu_engine() {
  throw error(errc::no_device,
              "dot: this program has no CUDA engine; link exactdot::cuda, of a build with a CUDA compiler, or use "
              "device::cpu or device::automatic");
}

int threads_that_pay(std::size_t n, const options& options) { return threads_for(n, options); }

void copy_by_threads(void* to, const void* from, std::size_t bytes, const options& options) noexcept {
  constexpr std::size_t page = 4096;
  for_parts(bytes, page, threads_for(bytes / 8, options), [&](std::size_t start, std::size_t count, int) noexcept {
    std::memcpy(static_cast<char*>(to) + start, static_cast<const char*>(from) + start, count);
  });
}

}  // namespace exactdot::cpu_engine
