// State of a CPU thread that kernels cannot reach. No thread_local variables: shared variables are thread_local, and
// a kernel that overruns a shared array would write into what the linker placed behind it.
#pragma once

#include <pthread.h>

namespace exactdot::simt {

/// Returns this CPU thread's T, made by its first call.
template <class T>
T& of_this_thread() {
  static const pthread_key_t key = [] {
    pthread_key_t fresh{};
    pthread_key_create(&fresh, [](void* state) { delete static_cast<T*>(state); });
    return fresh;
  }();
  auto* state = static_cast<T*>(pthread_getspecific(key));
  if (state == nullptr) pthread_setspecific(key, state = new T);
  return *state;
}

}  // namespace exactdot::simt
