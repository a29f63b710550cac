// copied_lock: a lock object whose destructor frees its mutex, passed to a kernel by value.
//
// A launch copies its arguments, and the host destroys the copy when the launch statement ends. That destructor
// frees the mutex in device memory, which the kernel, the next launch and the original object still use. On a GPU
// the freed memory may belong to another buffer: there the hazard runs in a process of its own, with a bounded
// spin.
#include <lab/hazard_kernel.hpp>
#include <lab/lock.cuh>
#include <memory>

namespace exactdot::lab {
namespace {

constexpr int blocks = 8, max_tries = 1 << 20;

__global__ void count_blocks(int* mutex, int* count) {
  for (int tries = 0; atomicCAS(mutex, 0, 1) != 0;) {  // freed
    if (++tries == max_tries) return;
  }
  __threadfence();
  *count += 1;
  __threadfence();
  atomicExch(mutex, 0);
}

/// Lock as many texts write it: the constructor allocates the mutex, the destructor frees it, copies share it.
class owning_lock {
 public:
  explicit owning_lock(gpu::stream& stream) : memory_(new std::unique_ptr<gpu::buffer<int>>) {
    *memory_ = std::make_unique<gpu::buffer<int>>(stream, 1);
    (*memory_)->fill_zero();
    mutex = (*memory_)->data();
  }
  owning_lock(const owning_lock&) = default;
  ~owning_lock() { memory_->reset(); }  // cudaFree(mutex), by the first of the copies that ends

  int* mutex;

 private:
  std::shared_ptr<std::unique_ptr<gpu::buffer<int>>> memory_;
};

/// Copies the lock and destroys the copy, as a launch does with its arguments.
void launch_with_copy(owning_lock lock, gpu::stream& stream, int* count) {
  gpu::launch(count_blocks, blocks, 1, 0, stream, lock.mutex, count);
}

hazard_outcome run_copied_lock(const hazard_request& request) {
  seeded_stream stream(request.seed);
  gpu::buffer<int> count(stream, 1);
  count.fill_zero();
  hazard_outcome outcome;
  int handle_count = 0, copy_count = 0;
  const lock_memory memory(stream);
  for (int i = 0; i < 2; ++i) gpu::launch(count_blocks, blocks, 1, 0, stream, memory.handle().mutex, count.data());
  handle_count = only_value(count);
  const std::vector<reported_fault> handle_faults = take_findings(stream);
  count.fill_zero();
  const std::string message = error_of([&] {
    const owning_lock lock(stream);
    for (int i = 0; i < 2; ++i) launch_with_copy(lock, stream, count.data());
    copy_count = only_value(count);
  });
  outcome.detected = take_findings(stream);
  outcome.expected = on_simt ? "16 with a plain handle; with copies, a reported use of the freed mutex"
                             : "16 with a plain handle; with copies undefined: 16, fewer, or an illegal address";
  outcome.observed = format_text("%d with a plain handle; %d with copies", handle_count, copy_count);
  if (!message.empty()) outcome.observed += ", then " + message;
  outcome.as_expected = handle_count == 2 * blocks && handle_faults.empty() &&
                        (!on_simt || has(outcome.detected, "out_of_bounds"));
  add_findings(outcome, handle_faults);
  outcome.figures = {{"with_a_handle", static_cast<double>(handle_count)},
                     {"with_copies", static_cast<double>(copy_count)}};
  return outcome;
}

const register_hazard registration{
    {.number = 18,
     .name = "copied_lock",
     .file = "copied_lock.cu",
     .separate_process = true,
     .effect = "Two launches of 8 blocks count their blocks under a lock object that is passed by value and whose "
               "destructor frees the mutex.",
     .cause =
         "A launch copies its arguments and the host destroys the copies, possibly before the kernel has ended. "
         "The copy's destructor frees the mutex of the original: the second launch spins on freed memory, and "
         "the original frees it once more.",
     .fix = "Pass a plain pointer or a struct without a destructor, and keep the owner on the host: lab/lock.cuh, "
            "rung "
            "lock_per_block. Delete the copy constructor of the owner."},
    run_copied_lock};

}  // namespace
}  // namespace exactdot::lab
