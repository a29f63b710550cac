// Reads the environment; see settings.hpp. A bad value is one sentence on stderr, and the default is used.
#include <blas/report.hpp>
#include <blas/settings.hpp>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exactdot/reductions.hpp>
#include <string_view>

namespace exactdot::blas {
namespace {

std::string_view value_of(const char* name) {
  const char* const value = secure_getenv(name);  // a set-uid program appends to no file of its caller's choice
  return value == nullptr ? std::string_view() : std::string_view(value);
}

void refuse(const char* name, std::string_view value, const char* expected) {
  std::fprintf(stderr, "libexactdot_blas: %s is '%.*s'; expected %s\n", name, static_cast<int>(value.size()),
               value.data(), expected);
}

/// Whether the variable holds `other`; false if it is not set or holds `usual`.
bool is_other(const char* name, std::string_view usual, std::string_view other, const char* expected) {
  const std::string_view value = value_of(name);
  if (!value.empty() && value != usual && value != other) refuse(name, value, expected);
  return value == other;
}

int thread_count() {
  constexpr const char* name = "EXACTDOT_BLAS_THREADS";
  const std::string_view value = value_of(name);
  if (value.empty()) return 1;
  int threads = -1;
  const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), threads);
  if (fault == std::errc() && end == value.data() + value.size() && threads >= 0 && threads <= 4096) return threads;
  refuse(name, value, "a number from 0 (automatic) to 4096; 1 is used");
  return 1;
}

/// What the library does in its first call, for which it needs memory that a call cannot be refused for want of.
void prepare() noexcept {
  try {
    const double one = 1;
    static_cast<void>(exactdot::dot(&one, &one, 1));
  } catch (...) {  // a wrong EXACTDOT_TARGET: the first call says so
  }
}

settings read_environment() {
  settings read;
  const bool fast = is_other("EXACTDOT_BLAS_MODE", "exact", "fast", "exact or fast; exact is used");
  read.options.mode = fast ? mode::fast : mode::exact;
  read.options.threads = thread_count();
  read.complex_by_argument =
      is_other("EXACTDOT_BLAS_COMPLEX", "value", "argument", "value or argument; value is used");
  const std::string_view report = value_of("EXACTDOT_BLAS_REPORT");
  read.counts_calls = !report.empty() && report != "0";
  if (read.counts_calls && report != "1") read.report_file = strdup(report.data());
  if (read.counts_calls) forget_calls_in_children();
  prepare();
  return read;
}

}  // namespace

const settings chosen = read_environment();

}  // namespace exactdot::blas
