// accumulator<T>: the public face of the exact state in core/state.hpp.
//
// Additions leave carries in the limbs; reading normalises. Headroom is checked at each normalisation, where the
// last limb still has 2^32 times the room that the contract promises, so that no overflow passes unseen.
#include <algorithm>
#include <core/state.hpp>
#include <cpu/engine.hpp>
#include <cpu/offload.hpp>
#include <exactdot/accumulator.hpp>
#include <string>

namespace exactdot {
namespace {

[[noreturn]] void throw_headroom(const char* what) {
  throw error(errc::headroom, std::string("accumulator: ") + what +
                                  " exceeds the headroom of 2^63 largest products; use several accumulators");
}

template <class T>
void check_words(std::span<const std::int64_t> words) {
  using core::layout;
  if (words.size() != layout<T>::words) {
    throw error(errc::size_mismatch, "accumulator: " + std::to_string(words.size()) + " words given, a state has " +
                                         std::to_string(layout<T>::words));
  }
  const std::int64_t states = words[layout<T>::states];
  const bool negative_count = std::any_of(words.begin() + layout<T>::nans, words.begin() + layout<T>::states,
                                          [](auto count) { return count < 0; });
  // A true sum of states leaves the last limb far smaller; carries into this one cannot overflow.
  const std::int64_t top = words[layout<T>::limbs - 1];
  constexpr std::int64_t limit = std::int64_t{1} << 62;
  if (top < -limit || top > limit) throw_headroom("the sum");
  if (states > layout<T>::largest_states) throw_headroom("a sum of more than 2^31 - 1 states");
  if (states < 1 || negative_count) {
    throw error(errc::bad_option,
                "accumulator: these words are no sum of accumulator states (their counts are impossible)");
  }
}

}  // namespace

template <element T>
accumulator<T>::accumulator() noexcept {
  static_assert(word_count == core::layout<T>::words && lowest_exponent == core::lowest_product_exponent<T>);
  clear();
}

template <element T>
accumulator<T>::accumulator(std::span<const std::int64_t> words) : pending_(1) {
  check_words<T>(words);
  std::copy(words.begin(), words.end(), words_.begin());
  for (int i = core::layout<T>::nans; i < core::layout<T>::states; ++i) {
    words_[i] = std::min(words_[i], core::layout<T>::largest_count);
  }
  words_[core::layout<T>::states] = 1;
  normalise();
}

template <element T>
void accumulator<T>::clear() noexcept {
  words_.fill(0);
  words_[core::layout<T>::states] = 1;
  pending_ = 0;
}

template <element T>
void accumulator<T>::normalise() const {
  if (pending_ == 0) return;
  core::normalise(core::limbs_of<T>(words_.data()));
  if (!core::fits<T>(words_.data())) throw_headroom("the sum");
  pending_ = 0;
}

template <element T>
void accumulator<T>::add(T a, T b) {
  core::add_term<T>(words_.data(), core::exact_product(a, b));
  if (++pending_ >= core::additions_between_normalisations) normalise();
}

template <element T>
void accumulator<T>::add(T x) {
  core::add_term<T>(words_.data(), core::take_apart(x));
  if (++pending_ >= core::additions_between_normalisations) normalise();
}

template <element T>
void accumulator<T>::add(std::span<const T> a, std::span<const T> b, const options& options) {
  if (a.size() != b.size()) {
    throw error(errc::size_mismatch, "accumulator: the vectors differ in length (" + std::to_string(a.size()) +
                                         " and " + std::to_string(b.size()) + " elements)");
  }
  accumulator products;
  cpu_engine::check_arguments(a.data(), b.data(), a.size(), options);
  if (const auto* const gpu = cpu_engine::gpu_for(a.data(), b.data(), a.size(), options)) {
    const auto add_state = std::get<cpu_engine::gpu_engine::add_state<T>>(gpu->states);
    add_state(a.data(), b.data(), a.size(), options, products.words_.data());
  } else {
    cpu_engine::exact_state(a.data(), b.data(), a.size(), options, products.words_.data());
  }
  merge(products);
}

template <element T>
void accumulator<T>::add(std::span<const T> x) {
  for (std::size_t i = 0; i < x.size(); ++i) add(cpu_engine::load(x.data() + i));
}

template <element T>
void accumulator<T>::merge(const accumulator& other) {
  normalise();
  other.normalise();
  auto sum = words_;
  core::merge<T>(sum.data(), other.words_.data());
  core::normalise(core::limbs_of<T>(sum.data()));
  if (!core::fits<T>(sum.data())) throw_headroom("the merged sum");
  words_ = sum;
}

template <element T>
std::span<const std::int64_t> accumulator<T>::words() const {
  normalise();
  return words_;
}

template <element T>
template <element R>
R accumulator<T>::round() const {
  normalise();
  auto copy = words_;
  return core::round_state<R, T>(copy.data());
}

template class accumulator<float>;
template class accumulator<double>;
template float accumulator<float>::round<float>() const;
template double accumulator<float>::round<double>() const;
template float accumulator<double>::round<float>() const;
template double accumulator<double>::round<double>() const;

}  // namespace exactdot
