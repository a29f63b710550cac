// Implementation of row_reader.hpp.
#include <algorithm>
#include <cpu/column_rows.hpp>
#include <cpu/row_reader.hpp>
#include <plan/staging.hpp>

namespace exactdot::inline v0_3::cpu_engine {

row_reader::row_reader(const engine::operand& x, element_type target, std::vector<const char*> columns,
                       bool may_be_repeated)
    : x_(x),
      copy_(engine::along(x, static_cast<std::ptrdiff_t>(size_of(x.type))), target, current_widening(x.type)),
      target_(target),
      columns_(std::move(columns)),
      size_(size_of(x.type)),
      is_repeated_(may_be_repeated && columns_.size() > 1 &&
                   std::ranges::all_of(columns_, [&](const char* each) { return each == columns_.front(); })),
      is_target_(x.type == target && !x.swapped) {
  if (is_repeated_) columns_.resize(1);
  for (std::size_t i = 1; i < columns_.size(); ++i)
    is_packed_ = is_packed_ && columns_[i] == columns_[i - 1] + size_;
  const std::size_t bytes = rows_of_slice * columns_.size() * sizeof(std::uint64_t);
  raw_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
  if (!is_target_) converted_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
}

row_block row_reader::read(const std::uint32_t* listed, std::size_t first, std::size_t n) noexcept {
  const auto row_bytes = static_cast<std::ptrdiff_t>(columns_.size() * size_of(target_));
  if (listed == nullptr && is_packed_ && is_target_)
    return {columns_.front() + static_cast<std::ptrdiff_t>(first) * x_.stride, x_.stride, is_repeated_};
  copy(listed, first, n);
  if (is_target_) return {raw_.get(), row_bytes, is_repeated_};
  copy_(raw_.get(), 0, n * columns_.size(), converted_.get());
  return {converted_.get(), row_bytes, is_repeated_};
}

void row_reader::copy(const std::uint32_t* listed, std::size_t first, std::size_t n) noexcept {
  if (is_packed_) return copy_rows(listed, first, n);
  switch (size_) {
    case 1:
      return copy_columns<std::uint8_t>(listed, first, n);
    case 2:
      return copy_columns<std::uint16_t>(listed, first, n);
    case 4:
      return copy_columns<std::uint32_t>(listed, first, n);
    default:
      return copy_columns<std::uint64_t>(listed, first, n);
  }
}

/// Rows whose elements follow each other.
void row_reader::copy_rows(const std::uint32_t* listed, std::size_t first, std::size_t n) noexcept {
  constexpr std::size_t ahead = 16;
  const std::size_t bytes = columns_.size() * size_;
  std::byte* to = raw_.get();
  for (std::size_t i = 0; i < n; ++i, to += bytes) {
    if (listed != nullptr && i + ahead < n) {
      const char* const next = columns_.front() + static_cast<std::ptrdiff_t>(listed[i + ahead]) * x_.stride;
      for (std::size_t k = 0; k < bytes; k += 64) __builtin_prefetch(next + k);
    }
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(listed != nullptr ? listed[i] : first + i) * x_.stride;
    std::memcpy(to, columns_.front() + row, bytes);
  }
}

/// Rows as they lie are copied row by row, since a processor follows as many streams as there are columns; of
/// listed ones each element is a cache miss by itself.
template <class Word>
void row_reader::copy_columns(const std::uint32_t* listed, std::size_t first, std::size_t n) noexcept {
  const std::size_t width = columns_.size();
  const std::ptrdiff_t stride = x_.stride;
  std::byte* to = raw_.get();
  if (listed != nullptr) {
    for (std::size_t k = 0; k < width; ++k) {
      const char* const from = columns_[k];
      for (std::size_t i = 0; i < n; ++i) {
        std::memcpy(to + (i * width + k) * sizeof(Word), from + static_cast<std::ptrdiff_t>(listed[i]) * stride,
                    sizeof(Word));
      }
    }
    return;
  }
  const char* from[columns_of_block];
  for (std::size_t k = 0; k < width; ++k) from[k] = columns_[k] + static_cast<std::ptrdiff_t>(first) * stride;
  for (std::size_t i = 0; i < n; ++i) {
    const std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(i) * stride;
    for (std::size_t k = 0; k < width; ++k, to += sizeof(Word)) std::memcpy(to, from[k] + offset, sizeof(Word));
  }
}

}  // namespace exactdot::inline v0_3::cpu_engine
