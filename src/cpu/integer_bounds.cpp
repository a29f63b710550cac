// Implementation of integer_bounds.hpp.
#include <atomic>
#include <bit>
#include <cpu/integer_bounds.hpp>
#include <cstring>
#include <plan/threads.hpp>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

/// The union of the bits of the magnitudes of n elements, or of a little more: of -x those of x - 1.
std::uint64_t bits_of(const char* data, std::size_t n, std::ptrdiff_t stride, bool has_sign) noexcept {
  std::uint64_t bits = 0;
  const auto collect = [&](std::ptrdiff_t step) {
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t x = 0;
      std::memcpy(&x, data + static_cast<std::ptrdiff_t>(i) * step, sizeof x);
      bits |= has_sign ? x ^ (std::uint64_t{0} - (x >> 63)) : x;
    }
  };
  if (stride == sizeof(std::uint64_t)) {
    collect(sizeof(std::uint64_t));
  } else {
    collect(stride);
  }
  return bits;
}

/// The same of some rows of all columns.
std::uint64_t bits_of_rows(const engine::batch& of, std::size_t first, std::size_t n, bool are_dense) noexcept {
  const engine::plan& each = of.each;
  const bool has_sign = is_signed(each.a.type);
  const auto start_of = [&](std::size_t column) {
    return static_cast<const char*>(of.column_at(column).a) + static_cast<std::ptrdiff_t>(first) * each.a.stride;
  };
  if (are_dense) return bits_of(start_of(0), n * of.column_count, sizeof(std::uint64_t), has_sign);
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < of.column_count; ++k) bits |= bits_of(start_of(k), n, each.a.stride, has_sign);
  return bits;
}

}  // namespace

bool sums_fit(const engine::batch& of) noexcept {
  if (of.adds_to_results) return false;
  const engine::plan& each = of.each;
  const bool are_values = each.info().inputs == 1 && !each.multiplies() && !each.info().needs_squares();
  if (of.is_grid() || !are_values || size_of(each.a.type) != sizeof(std::uint64_t) || each.a.swapped) return false;
  const bool has_sign = is_signed(each.a.type);
  if (has_sign && each.result_type == element_type::uint64 && !each.term_info().absolute) return false;
  const std::size_t n = of.column_length();
  std::atomic<std::uint64_t> bits{0};
  const bool are_dense = each.a.stride == static_cast<std::ptrdiff_t>(of.column_count * sizeof(std::uint64_t)) &&
                         of.columns.size() == 1 && of.columns[0].a == sizeof(std::uint64_t);
  engine::for_shares(n, engine::min_share, of.threads, [&](std::size_t start, std::size_t count, int) noexcept {
    bits.fetch_or(bits_of_rows(of, start, count, are_dense), std::memory_order_relaxed);
  });
  // each magnitude is at most 2^width, so a sum of n is below 2^(width + the width of n)
  const int limit = each.result_type == element_type::uint64 ? 64 : 63;
  return std::bit_width(bits.load()) + std::bit_width(of.each.n) <= static_cast<unsigned>(limit);
}

}  // namespace exactdot::inline v0_3::cpu_engine
