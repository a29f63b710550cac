// The SIGBUS handler and its table; see bus_guard.hpp. The handler calls only async-signal-safe functions, mmap and
// lock-free atomics.
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <io/bus_guard.hpp>
#include <mutex>
#include <stdexcept>

namespace exactdot::io {
namespace {

struct guarded_range {
  std::atomic<bool> in_use{false};
  std::atomic<bool> tripped{false};
  std::atomic<std::uintptr_t> begin{0};  // 0: not in use; written last on acquisition, first on release
  std::atomic<std::uintptr_t> end{0};    // rounded up to a page
};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::uintptr_t>::is_always_lock_free);

std::array<guarded_range, 256> table;
struct sigaction previous_action;
std::uintptr_t page_size;

bool replace_lost_pages(std::uintptr_t address) {
  for (guarded_range& range : table) {
    const std::uintptr_t begin = range.begin.load();
    const std::uintptr_t end = range.end.load();
    if (begin == 0 || address < begin || address >= end || range.begin.load() != begin) continue;
    range.tripped.store(true);
    // All later pages are lost too, so one call replaces them all. Huge pages: reading the zeros of a vector larger
    // than memory takes little time.
    const std::uintptr_t page = address & ~(page_size - 1);
    void* const zeros = mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    if (zeros != MAP_FAILED) madvise(zeros, end - page, MADV_HUGEPAGE);  // a hint: failure is harmless
    return zeros != MAP_FAILED;
  }
  return false;
}

void call_previous_handler(int signal_number, siginfo_t* information, void* context) {
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(signal_number, information, context);
  } else if (previous_action.sa_handler == SIG_DFL || previous_action.sa_handler == SIG_IGN) {
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(signal_number, &standard, nullptr);  // the read is repeated and ends the process
  } else {
    previous_action.sa_handler(signal_number);
  }
}

void on_bus_error(int signal_number, siginfo_t* information, void* context) {
  const int saved_errno = errno;
  if (!replace_lost_pages(reinterpret_cast<std::uintptr_t>(information->si_addr))) {
    call_previous_handler(signal_number, information, context);
  }
  errno = saved_errno;
}

void install_handler() {
  page_size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  sigaction(SIGBUS, nullptr, &previous_action);  // before the new handler can run
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace

bus_guard::bus_guard(const void* begin, std::size_t size) {
  static std::once_flag once;
  std::call_once(once, install_handler);
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  for (slot_ = 0; slot_ < table.size(); ++slot_) {
    guarded_range& range = table[slot_];
    if (range.in_use.exchange(true)) continue;
    range.tripped.store(false);
    range.end.store((address + size + page_size - 1) & ~(page_size - 1));
    range.begin.store(address);
    return;
  }
  throw std::runtime_error("more than 256 files are mapped");
}

bus_guard::~bus_guard() {
  guarded_range& range = table[slot_];
  range.begin.store(0);
  range.in_use.store(false);
}

bool bus_guard::tripped() const noexcept { return table[slot_].tripped.load(); }

}  // namespace exactdot::io
