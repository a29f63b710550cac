// The copies behind chunk_reader: a loop for each pair of element and target type.
#include <algorithm>
#include <exactdot/core/convert.hpp>
#include <plan/staging.hpp>
#include <plan/thread_count.hpp>
#include <plan/threads.hpp>
#include <type_traits>
#include <utility>

namespace exactdot::inline v0_3::engine {
namespace {

std::uint8_t reversed(std::uint8_t word) { return word; }
std::uint16_t reversed(std::uint16_t word) { return __builtin_bswap16(word); }
std::uint32_t reversed(std::uint32_t word) { return __builtin_bswap32(word); }
std::uint64_t reversed(std::uint64_t word) { return __builtin_bswap64(word); }

template <class Element, class Target, bool swapped, bool consecutive>
void copy_elements(const operand& from, int part, std::size_t n, Target* to) noexcept {
  using word_type = typename detail::unsigned_of<sizeof(Element)>::type;
  const char* const first = static_cast<const char*>(from.data);
  const std::ptrdiff_t stride = consecutive ? static_cast<std::ptrdiff_t>(sizeof(Element)) : from.stride;
  for (std::size_t i = 0; i < n; ++i) {
    word_type word;
    std::memcpy(&word, first + static_cast<std::ptrdiff_t>(i) * stride, sizeof word);
    if constexpr (swapped) word = reversed(word);
    if constexpr (std::is_same_v<Element, Target>) {
      to[i] = std::bit_cast<Element>(word);
    } else {
      to[i] = core::carrier_value<Target, Element>(word, part);
    }
  }
}

template <class Element, class Target>
void copy_elements(const operand& from, int part, std::size_t n, void* to) noexcept {
  Target* const target = static_cast<Target*>(to);
  if (from.swapped) return copy_elements<Element, Target, true, false>(from, part, n, target);
  if (from.stride == static_cast<std::ptrdiff_t>(sizeof(Element))) {
    return copy_elements<Element, Target, false, true>(from, part, n, target);
  }
  copy_elements<Element, Target, false, false>(from, part, n, target);
}

}  // namespace

void copy_contiguous(const operand& from, element_type target, int part, std::size_t n, void* to) noexcept {
  with_element(from.type, [&]<class Element>(Element) {
    if (target == from.type) return copy_elements<Element, Element>(from, part, n, to);
    if constexpr (core::carrier_of(type_of<Element>) == element_type::float32) {
      if (target == element_type::float32) return copy_elements<Element, float>(from, part, n, to);
    }
    copy_elements<Element, double>(from, part, n, to);
  });
}

namespace {

template <class T>
void change_pairs(pairing how, std::size_t n, T* x) noexcept {
  if (how == pairing::conjugate) {
    for (std::size_t i = 0; i + 1 < n; i += 2) x[i + 1] = -x[i + 1];
  } else if (how == pairing::exchanged) {
    for (std::size_t i = 0; i + 1 < n; i += 2) std::swap(x[i], x[i + 1]);
  } else {
    for (std::size_t i = 0; i + 1 < n; i += 2) {
      const T first = x[i];
      x[i] = x[i + 1], x[i + 1] = -first;
    }
  }
}

}  // namespace

void change_pairs(pairing how, element_type type, std::size_t n, void* x) noexcept {
  if (type == element_type::float32) return change_pairs(how, n, static_cast<float*>(x));
  change_pairs(how, n, static_cast<double*>(x));
}

void copy_contiguous_by_threads(const operand& from, element_type target, int part, std::size_t n, void* to,
                                int threads) noexcept {
  const std::size_t bytes = size_of(target);
  for_shares(n, min_share, threads_for(n * bytes / sizeof(double), threads),
             [&](std::size_t start, std::size_t count, int) noexcept {
               char* const range = static_cast<char*>(to) + start * bytes;
               if (from.contiguous) {
                 std::memcpy(range, from.from(start).data, count * bytes);
               } else {
                 copy_contiguous(from.from(start), target, part, count, range);
               }
             });
}

}  // namespace exactdot::inline v0_3::engine
