// Implementation of column_rows.hpp.
#include <cpu/column_rows.hpp>
#include <plan/group_counts.hpp>
#include <plan/group_keys.hpp>
#include <plan/staging.hpp>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

/// to[k·pitch + i·size] = the element of listed row i, or of row first + i, in column k.
template <class Word>
void gather(std::span<const char* const> columns, std::ptrdiff_t stride, const std::uint32_t* listed,
            std::size_t first, std::size_t n, std::byte* to, std::size_t pitch) noexcept {
  constexpr std::size_t ahead = 12;
  for (std::size_t i = 0; i < n; ++i) {
    if (listed != nullptr && i + ahead < n) {
      const char* const next = columns.front() + static_cast<std::ptrdiff_t>(listed[i + ahead]) * stride;
      __builtin_prefetch(next), __builtin_prefetch(next + 64);
    }
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(listed != nullptr ? listed[i] : first + i) * stride;
    for (std::size_t k = 0; k < columns.size(); ++k)
      std::memcpy(to + k * pitch + i * sizeof(Word), columns[k] + row, sizeof(Word));
  }
}

}  // namespace

bool lie_apart(const batch& of) {
  if (of.column_count == 1) return true;
  const auto distance = static_cast<const char*>(of.column_at(1).a) - static_cast<const char*>(of.column_at(0).a);
  return std::abs(distance) >= std::abs(of.each.a.stride);
}

namespace {

/// Whether there are sums for a row's columns: those of level 1, and those of 64-bit integers.
bool has_row_sums(const batch& of) {
  if (of.is_grid() || of.group_sizes.empty() || of.states != nullptr || of.count == 0) return false;
  const engine::plan& each = of.each;
  const bool is_value = each.info().inputs == 1 && !each.multiplies() && !each.info().needs_squares();
  if (each.info().is_extremum || of.column_length() > 0xffffffff || (each.has_parts() && !is_value)) return false;
  return of.column_count > 1 || (each.has_parts() && !of.has_keys());
}

/// Whether rows whose columns lie apart, and are copied, take less time than column after column: groups are so
/// short that what each costs in every column is more than that. 64-bit integers of long segments are not copied.
bool are_worth_copying(const batch& of) {
  const std::size_t mean = of.elements / of.count;
  if (of.column_count == 1) return mean >= 16;
  return of.has_keys() ? mean <= 4 : of.each.has_parts() || mean <= 32;
}

}  // namespace

bool shares_rows(const batch& of) {
  constexpr std::size_t max_bytes = std::size_t{1} << 20;  // of a thread's cache
  if (!has_row_sums(of) || (!of.has_keys() && lie_apart(of) && !are_worth_copying(of))) return false;
  const std::size_t columns = std::min(of.column_count, columns_of_block);
  const std::size_t arrays =
      of.each.has_parts() ? 2 : column_sums::arrays * (of.each.info().needs_squares() ? 2 : 1);
  const std::size_t beside =
      engine::memory_beside(input_bytes(of) * columns) / static_cast<std::size_t>(of.threads);
  return of.groups() < std::min(max_bytes, beside) / (padded_width(columns) * arrays * sizeof(double));
}

bool sums_rows(const batch& of) {
  return shares_rows(of) || (has_row_sums(of) && (!lie_apart(of) || are_worth_copying(of)));
}

bool takes_rows(const batch& of) {
  if (shares_rows(of)) return true;
  if (of.is_grid() || of.states != nullptr || of.count == 0 || gives_index(of.each.what)) return false;
  const std::size_t rows = of.column_length(), longest = rows / 4 / static_cast<std::size_t>(of.threads);
  if (rows > 0xffffffff || of.each.n > std::max<std::size_t>(longest, 4096)) return false;
  return sums_rows(of) || !lie_apart(of);
}

row_order::row_order(const batch& of) {
  if (!of.has_keys() || shares_rows(of)) return;
  const std::size_t groups = of.groups();
  ends.resize(groups + 1);
  std::uint64_t inside = 0;
  for (std::size_t i = 0; i < groups; ++i) ends[i + 1] = inside, inside += of.group_sizes[i];
  rows.resize(inside);
  for (std::size_t first = 0; first < of.keys.n && !is_cancelled(of); first += engine::elements_per_poll) {
    const std::size_t n = std::min(engine::elements_per_poll, of.keys.n - first);
    engine::for_keys(of.keys, first, n, [&](std::size_t i, std::uint64_t key) {
      if (key >= groups) return;
      const std::uint64_t place = ends[key + 1]++;  // of keys that were overwritten perhaps another group's
      if (place < inside) rows[place] = static_cast<std::uint32_t>(first + i);
    });
  }
  ends.erase(ends.begin());
}

void read_bounds(const batch& of, const row_order& order, std::size_t first, std::size_t count,
                 std::uint64_t* bounds) noexcept {
  const std::uint64_t end = of.has_keys() ? order.rows.size() : of.column_length();
  std::uint64_t least = 0;
  for (std::size_t i = 0; i <= count; ++i) {
    const std::size_t group = first + i;
    const std::uint64_t begin = !of.has_keys() ? engine::offset_at(of.offsets, group)
                                : group == 0   ? 0
                                               : order.ends[group - 1];
    least = bounds[i] = std::clamp(begin, least, end);
  }
}

column_rows::column_rows(const engine::operand& x, element_type target)
    : x_(engine::along(x, static_cast<std::ptrdiff_t>(size_of(x.type)))),
      copy_(x_, target, current_widening(x.type)),
      target_(target),
      stride_(x.stride),
      pitch_(rows_of_slice * sizeof(std::uint64_t) + 64),
      memory_(std::make_unique_for_overwrite<std::byte[]>((columns_of_block + 1) * pitch_)) {}

void column_rows::read(std::span<const char* const> columns, const std::uint32_t* listed, std::size_t first,
                       std::size_t n) {
  n_ = n;
  switch (size_of(x_.type)) {
    case 1:
      return gather<std::uint8_t>(columns, stride_, listed, first, n, raw(0), pitch_);
    case 2:
      return gather<std::uint16_t>(columns, stride_, listed, first, n, raw(0), pitch_);
    case 4:
      return gather<std::uint32_t>(columns, stride_, listed, first, n, raw(0), pitch_);
    default:
      return gather<std::uint64_t>(columns, stride_, listed, first, n, raw(0), pitch_);
  }
}

const void* column_rows::column(std::size_t index) noexcept {
  if (x_.type == target_ && !x_.swapped) return raw(index);
  copy_(raw(index), 0, n_, raw(columns_of_block));
  return raw(columns_of_block);
}

}  // namespace exactdot::inline v0_3::cpu_engine
