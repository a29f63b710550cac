// The limits of thread_count.hpp, as Linux and the environment give them.
#include <sched.h>

#include <algorithm>
#include <cfenv>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <plan/cpu_quota.hpp>
#include <plan/thread_count.hpp>
#include <plan/thread_pool.hpp>
#include <thread>

namespace exactdot::inline v0_3::engine {
namespace {

/// The first number of OMP_NUM_THREADS, which may be a list, one per level of nesting. No limit if it has none.
int threads_of_environment() noexcept {
  constexpr int no_limit = std::numeric_limits<int>::max();
  const char* const text = std::getenv("OMP_NUM_THREADS");
  if (text == nullptr) return no_limit;
  int number = 0;
  const auto [end, error] = std::from_chars(text + std::strspn(text, " \t"), text + std::strlen(text), number);
  return error == std::errc{} && number > 0 ? number : no_limit;
}

/// Not inline: its arithmetic would leave the environment that its caller sets.
[[gnu::noinline]] double processors_of_quota() noexcept { return std::ceil(cpu_quota("/")); }

/// What does not change while the process runs, or rarely.
int fixed_limit() noexcept {
  static const int limit = [] {
    std::fenv_t of_caller;  // which may trap, and keeps its flags
    std::feholdexcept(&of_caller);
    const double quota = processors_of_quota();
    std::fesetenv(&of_caller);
    const int of_environment = threads_of_environment();
    return quota < of_environment ? std::max(1, static_cast<int>(quota)) : of_environment;
  }();
  return limit;
}

int processors_of_affinity() noexcept {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());  // more processors than a cpu_set_t holds
}

/// The affinity costs a system call of some 0.4 µs, so it is asked for again only after a while.
constexpr std::int64_t affinity_lifetime = 10'000'000;  // nanoseconds

}  // namespace

int available_processors() noexcept {
  thread_local int processors = 0;
  thread_local std::int64_t expires = 0;
  const std::int64_t now = thread_pool::now();
  if (now >= expires) {
    processors = std::clamp(processors_of_affinity(), 1, fixed_limit());
    expires = now + affinity_lifetime;
  }
  return processors;
}

int threads_for(std::size_t n, int wanted) noexcept {
  if (n < 2 * elements_per_thread || wanted == 1) return 1;
  const int available = available_processors();
  const int limit = wanted > 0 ? std::min(wanted, 8 * available) : available;
  return static_cast<int>(std::clamp<std::size_t>(n / elements_per_thread, 1, static_cast<std::size_t>(limit)));
}

}  // namespace exactdot::inline v0_3::engine
