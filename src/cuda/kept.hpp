// What exactdot::dot keeps on a GPU from one call to the next, for whoever comes next on that GPU.
//
// To make a workspace or to pin memory takes a thousand times as long as a short dot. A thing that a call had when
// it failed is not given back but destroyed.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace exactdot::cuda_engine {

template <class Thing>
class kept {
 public:
  /// Never destroyed: CUDA may be gone before the end of the process.
  static kept& all() {
    static kept& only = *new kept;
    return only;
  }

  /// Null if there is none that nobody uses.
  std::unique_ptr<Thing> take(int gpu) {
    const std::lock_guard lock(one_at_a_time_);
    auto& free = free_[gpu];
    if (free.empty()) return nullptr;
    std::unique_ptr<Thing> thing = std::move(free.back());
    free.pop_back();
    return thing;
  }

  void give(int gpu, std::unique_ptr<Thing> thing) {
    const std::lock_guard lock(one_at_a_time_);
    free_[gpu].push_back(std::move(thing));
  }

 private:
  std::mutex one_at_a_time_;
  std::map<int, std::vector<std::unique_ptr<Thing>>> free_;
};

}  // namespace exactdot::cuda_engine
