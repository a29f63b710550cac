// The copy behind chunk_reader: one loop per element size, with and without a change of byte order.
#include <algorithm>
#include <plan/staging.hpp>
#include <plan/thread_count.hpp>
#include <plan/threads.hpp>

namespace exactdot::engine {
namespace {

std::uint16_t reversed(std::uint16_t word) { return __builtin_bswap16(word); }
std::uint32_t reversed(std::uint32_t word) { return __builtin_bswap32(word); }
std::uint64_t reversed(std::uint64_t word) { return __builtin_bswap64(word); }

template <class Word, bool swapped>
void copy_words(const operand& from, std::size_t n, char* to) noexcept {
  const char* source = static_cast<const char*>(from.data);
  for (std::size_t i = 0; i < n; ++i, source += from.stride, to += sizeof(Word)) {
    Word word;
    std::memcpy(&word, source, sizeof word);
    if constexpr (swapped) word = reversed(word);
    std::memcpy(to, &word, sizeof word);
  }
}

template <class Word>
void copy_words(const operand& from, std::size_t n, char* to) noexcept {
  from.swapped ? copy_words<Word, true>(from, n, to) : copy_words<Word, false>(from, n, to);
}

}  // namespace

void copy_contiguous(const operand& from, std::size_t element_bytes, std::size_t n, void* to) noexcept {
  char* const target = static_cast<char*>(to);
  switch (element_bytes) {
    case 2:
      return copy_words<std::uint16_t>(from, n, target);
    case 4:
      return copy_words<std::uint32_t>(from, n, target);
    default:
      return copy_words<std::uint64_t>(from, n, target);
  }
}

void copy_contiguous_by_threads(const operand& from, std::size_t element_bytes, std::size_t n, void* to,
                                int threads) noexcept {
  const std::size_t bytes = n * element_bytes;
  constexpr std::size_t page = 4096;
  const std::size_t grain = page / element_bytes;
  for_ranges(n, grain, threads_for(bytes / sizeof(double), threads),
             [&](std::size_t start, std::size_t count, int) noexcept {
               const operand range = from.from(start);
               char* const target = static_cast<char*>(to) + start * element_bytes;
               if (from.contiguous) {
                 std::memcpy(target, range.data, count * element_bytes);
               } else {
                 copy_contiguous(range, element_bytes, count, target);
               }
             });
}

}  // namespace exactdot::engine
