// What the threads of a call read: per thread a reader of each input, in slices that fit the cache.
#pragma once

#include <algorithm>
#include <cpu/kernels.hpp>
#include <plan/staging.hpp>
#include <plan/threads.hpp>

namespace exactdot::inline v0_3::cpu_engine {

inline std::size_t chunk_of(const engine::plan& plan) {
  return with_carrier(core::carrier_of(plan.carrier), []<class T>(T) { return engine::staged_chunk<T>; });
}

class inputs {
 public:
  /// Slices have at most `slice` elements; of inputs that are staged, a chunk.
  inputs(const engine::plan& plan, int threads, std::size_t slice)
      : plan_(plan), slice_(plan.contiguous ? slice : std::min(slice, chunk_of(plan))) {
    const std::size_t longest = std::min(slice_, plan.n);
    for (int thread = 0; thread < threads; ++thread) {
      const auto reader_of = [&](const engine::operand& x) {
        return engine::chunk_reader(x, plan.carrier, longest, current_widening(x.type));
      };
      readers_.push_back({reader_of(plan.a), reader_of(plan.b)});
    }
  }
  inputs(const engine::plan& plan, int threads) : inputs(plan, threads, plan.n) {}

  /// Calls step(a, b, start, count) over a thread's range, in slices; polls the monitor. Of inputs with two parts
  /// an element, once for each pair of parts.
  template <class Step>
  void for_slices(std::size_t start, std::size_t count, int thread, Step step) noexcept {
    readers& read = readers_[static_cast<std::size_t>(thread)];
    const bool one_input = plan_.info().inputs == 1 && !plan_.has_parts();
    const bool in_runs = plan_.mode == mode::exact;  // slices of mode fast have a size
    engine::with_progress(start, count, slice_, plan_.monitor, [&](std::size_t first, std::size_t length) {
      for (const std::size_t end = first + length; first < end; first += length) {
        length = end - first;
        if (in_runs) length = std::min({length, read.a.run_at(first), one_input ? length : read.b.run_at(first)});
        if (one_input) {
          const void* const x = read.a.read(first, length);
          step(x, x, first, length);
          continue;
        }
        for (int i = 0; i < plan_.parts_of_a(); ++i) {
          const void* const x = read.a.read(first, length, i);
          for (int k = 0; k < plan_.parts_of_b(plan_.multiplies()); ++k)
            step(x, read.b.read(first, length, k), first, length);
        }
      }
    });
  }

 private:
  struct readers {
    engine::chunk_reader a, b;
  };

  const engine::plan& plan_;
  std::size_t slice_;
  std::vector<readers> readers_;
};

}  // namespace exactdot::inline v0_3::cpu_engine
