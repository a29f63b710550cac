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

/// The elements of all columns as rows of consecutive elements; or those of one column.
struct element_rows {
  std::size_t width = 1;  ///< elements of a row that follow each other
  bool are_known = false;

  explicit element_rows(const engine::batch& of) {
    if (of.column_count == 1 && of.columns.empty()) are_known = true;
    if (of.columns.size() != 1 || of.columns[0].a != sizeof(std::uint64_t)) return;
    width = of.columns[0].n, are_known = true;
  }
};

}  // namespace

bool sums_fit(const engine::batch& of) noexcept {
  const engine::plan& each = of.each;
  const bool are_values = each.info().inputs == 1 && !each.multiplies() && !each.info().needs_squares();
  if (of.is_grid() || !are_values || size_of(each.a.type) != sizeof(std::uint64_t) || each.a.swapped) return false;
  const bool has_sign = is_signed(each.a.type);
  if (has_sign && each.result_type == element_type::uint64 && !each.term_info().absolute) return false;
  const element_rows rows(of);
  if (!rows.are_known) return false;
  const std::size_t n = of.column_length();
  const auto* const data = static_cast<const char*>(of.column_at(0).a);
  std::atomic<std::uint64_t> bits{0};
  const bool is_dense = each.a.stride == static_cast<std::ptrdiff_t>(rows.width * sizeof(std::uint64_t));
  engine::for_shares(n, engine::min_share, of.threads, [&](std::size_t start, std::size_t count, int) noexcept {
    const char* const first = data + static_cast<std::ptrdiff_t>(start) * each.a.stride;
    std::uint64_t found = 0;
    if (is_dense) {
      found = bits_of(first, count * rows.width, sizeof(std::uint64_t), has_sign);
    } else {
      for (std::size_t k = 0; k < rows.width; ++k)
        found |= bits_of(first + k * sizeof(std::uint64_t), count, each.a.stride, has_sign);
    }
    bits.fetch_or(found, std::memory_order_relaxed);
  });
  // each magnitude is at most 2^width, so a sum of n is below 2^(width + the width of n)
  const int limit = each.result_type == element_type::uint64 ? 64 : 63;
  return std::bit_width(bits.load()) + std::bit_width(of.each.n) <= static_cast<unsigned>(limit);
}

}  // namespace exactdot::inline v0_3::cpu_engine
