// Counts the calls, and writes the table when the process ends; see report.hpp.
//
// A process that called no routine writes nothing: a shell script starts many of them. The table is one write to a
// file opened for appending, so that those of several processes do not mix.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <blas/report.hpp>
#include <cstdio>
#include <cstring>
#include <string>

namespace exactdot::blas {
namespace {

struct counters {
  std::atomic<std::uint64_t> calls{0}, elements{0}, nanoseconds{0};
};
std::array<counters, routine_names.size()> counted_calls;  // trivially destructible: calls may follow the table

std::string line_of(std::string_view name, const counters& of) {
  char line[128];
  std::snprintf(line, sizeof line, "%-8.*s %12llu %16llu %12.6f\n", static_cast<int>(name.size()), name.data(),
                static_cast<unsigned long long>(of.calls), static_cast<unsigned long long>(of.elements),
                static_cast<double>(of.nanoseconds) * 1e-9);
  return line;
}

std::string table() {
  std::string lines;
  for (std::size_t i = 0; i < routine_names.size(); ++i) {
    if (counted_calls[i].calls != 0) lines += line_of(routine_names[i], counted_calls[i]);
  }
  if (lines.empty()) return lines;
  char head[256];
  std::snprintf(head, sizeof head, "exactdot: BLAS calls of %s (process %ld)\n%-8s %12s %16s %12s\n",
                program_invocation_short_name, static_cast<long>(getpid()), "routine", "calls", "elements",
                "seconds");
  return head + lines;
}

void write_to(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) done += static_cast<std::size_t>(count);
  }
}

[[gnu::destructor]] void write_report() {
  const std::string text = table();
  if (text.empty()) return;
  if (chosen.report_file == nullptr) return write_to(STDERR_FILENO, text);
  const int file = open(chosen.report_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) {
    std::fprintf(stderr, "libexactdot_blas: EXACTDOT_BLAS_REPORT: cannot write %s: %s\n", chosen.report_file,
                 std::strerror(errno));
    return;
  }
  write_to(file, text);
  close(file);
}

}  // namespace

void count_call(routine called, std::size_t elements, std::chrono::nanoseconds time) noexcept {
  counters& of = counted_calls[static_cast<std::size_t>(called)];
  of.calls.fetch_add(1, std::memory_order_relaxed);
  of.elements.fetch_add(elements, std::memory_order_relaxed);
  of.nanoseconds.fetch_add(static_cast<std::uint64_t>(time.count()), std::memory_order_relaxed);
}

void forget_calls_in_children() noexcept {
  pthread_atfork(nullptr, nullptr, [] {
    for (counters& each : counted_calls) each.calls = each.elements = each.nanoseconds = 0;
  });
}

}  // namespace exactdot::blas
