// The table of calls that EXACTDOT_BLAS_REPORT asks for: per routine calls, elements and seconds.
//
// Counting costs two readings of the clock and three atomic additions; without it a call tests one constant.
#pragma once

#include <array>
#include <blas/settings.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace exactdot::blas {

// clang-format off
enum class routine { sdot, ddot, dsdot, sdsdot, cdotu, cdotc, zdotu, zdotc, sasum, dasum, scasum, dzasum,
                     snrm2, dnrm2, scnrm2, dznrm2, isamax, idamax, icamax, izamax, sgemv, dgemv, cgemv, zgemv };
inline constexpr std::array<std::string_view, 24> routine_names = {
    "sdot", "ddot", "dsdot", "sdsdot", "cdotu", "cdotc", "zdotu", "zdotc", "sasum", "dasum", "scasum", "dzasum",
    "snrm2", "dnrm2", "scnrm2", "dznrm2", "isamax", "idamax", "icamax", "izamax",
    "sgemv", "dgemv", "cgemv", "zgemv"};
// clang-format on

void count_call(routine called, std::size_t elements, std::chrono::nanoseconds time) noexcept;

/// From now on a process begins with no calls when it is forked: its parent reports those before.
void forget_calls_in_children() noexcept;

/// Returns what `compute` returns, and counts the call if there is to be a table.
template <class Compute>
auto counted(routine called, std::size_t elements, const Compute& compute) {
  if (!chosen.counts_calls) [[likely]]
    return compute();
  const auto start = std::chrono::steady_clock::now();
  const auto result = compute();
  count_call(called, elements, std::chrono::steady_clock::now() - start);
  return result;
}

}  // namespace exactdot::blas
