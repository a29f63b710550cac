// Pool of idle objects per GPU: workspaces, staging pipelines, state buffers.
//
// Creating one takes about a thousand times as long as a short dot product. acquire() may return null. A call that
// throws destroys its object instead of releasing it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace exactdot::inline v0_3::cuda_engine {

template <class Object>
class pool {
 public:
  /// Never destroyed: CUDA may be gone before the process ends.
  static pool& instance() {
    static pool& only = *new pool;
    return only;
  }

  /// Null if no object is idle.
  std::unique_ptr<Object> acquire(int gpu) {
    const std::lock_guard lock(mutex_);
    auto& idle = idle_[gpu];
    if (idle.empty()) return nullptr;
    std::unique_ptr<Object> object = std::move(idle.back());
    idle.pop_back();
    return object;
  }

  void release(int gpu, std::unique_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    idle_[gpu].push_back(std::move(object));
  }

 private:
  std::mutex mutex_;
  std::map<int, std::vector<std::unique_ptr<Object>>> idle_;
};

}  // namespace exactdot::inline v0_3::cuda_engine
