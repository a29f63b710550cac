// An exact state whose element type is a value: what xd_accumulator and xd_moments hold.
//
// The operations are those behind exactdot::accumulator<T>. A member that throws changes nothing, and the sentence
// begins with the caller's name.
#pragma once

#include <exactdot.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exactdot/accumulator.hpp>
#include <span>

namespace exactdot::c {

[[nodiscard]] constexpr std::size_t word_count_of(element_type type) {
  return static_cast<std::size_t>(detail::state_shape_of(type).limbs()) + 4;
}

class state {
 public:
  explicit state(element_type type) : type_(type) { clear(); }

  void clear() noexcept {
    words_.fill(0);
    words_[count() - 1] = 1;
    pending_ = 0;
  }
  [[nodiscard]] element_type type() const noexcept { return type_; }
  [[nodiscard]] std::size_t count() const noexcept { return word_count_of(type_); }
  [[nodiscard]] detail::state_view view(const char* caller) noexcept {
    return {type_, words_.data(), &pending_, caller};
  }

  /// Canonical; valid until the next change.
  [[nodiscard]] std::span<const std::int64_t> words(const char* caller) {
    detail::normalise(view(caller));
    return {words_.data(), count()};
  }
  void load(std::span<const std::int64_t> words, const char* caller) {
    state loaded(type_);
    detail::load_words(loaded.view(caller), words);
    *this = loaded;
  }
  void subtract(state sum, const char* caller) {
    detail::negate(sum.view(caller));
    detail::merge(view(caller), sum.view(caller));
  }

 private:
  static constexpr std::size_t max_words = [] {
    std::size_t longest = 0;
    for (const element_info& each : elements) longest = std::max(longest, word_count_of(each.type));
    return longest;
  }();

  element_type type_;
  std::uint64_t pending_ = 0;
  std::array<std::int64_t, max_words> words_;
};

/// Throws errc::bad_option, naming both types, unless a state of the first holds one of the second.
void require_holds(element_type type, element_type other, const char* caller);

/// Throws errc::size_mismatch unless an array of `given` words is as long as a state of `count` words.
void require_word_count(std::size_t given, std::size_t count, const char* caller);

}  // namespace exactdot::c
