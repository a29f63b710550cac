// Implementation of normalised_rows.hpp.
#include <algorithm>
#include <cpu/levels.hpp>
#include <cpu/normalised_rows.hpp>
#include <exactdot/core/normalisation.hpp>
#include <memory>
#include <optional>
#include <plan/staging.hpp>
#include <plan/threads.hpp>
#include <vector>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

using engine::normalise_request;

/// Whether it decides anything: the kernels need a scale that is known to a part of itself.
bool is_useful(const core::row_scale& scale) { return scale.relative < 0x1p-20; }

std::size_t term_of(reduction what) { return core::info_of(what).term; }

bool is_cancelled(const monitor* monitor) {
  return monitor != nullptr && monitor->cancel.load(std::memory_order_relaxed);
}

/// The carriers of a row's consecutive elements.
template <class Carrier>
engine::chunk_reader reader_of(const void* data, element_type type, std::size_t length) {
  const auto size = static_cast<std::ptrdiff_t>(size_of(type));
  return {{data, size, type, false, type == type_of<Carrier>},
          type_of<Carrier>,
          std::min(length, normalised_chunk),
          current_widening(type)};
}

/// The weights or biases of a call: an array, or one number for all places.
template <class Carrier>
class parameters {
 public:
  parameters(const void* data, const normalise_request& asked, Carrier otherwise)
      : read_(reader_of<Carrier>(data, asked.parameter_type, asked.length)) {
    if (data == nullptr) constant_.assign(std::min(asked.length, normalised_chunk), otherwise);
  }
  const void* read(std::size_t start, std::size_t count) noexcept {
    return constant_.empty() ? read_.read(start, count) : constant_.data();
  }

 private:
  engine::chunk_reader read_;
  std::vector<Carrier> constant_;
};

/// One thread's; its memory is allocated when it is made.
template <class Carrier>
class row_normaliser {
 public:
  row_normaliser(const normalise_request& asked, const monitor* monitor)
      : asked_(asked),
        monitor_(monitor),
        values_(current_kernels(type_of<Carrier>, term_of(reduction::sum))),
        squares_(current_kernels(type_of<Carrier>, term_of(reduction::sum_of_squares))),
        kernel_(current_instruction_set().normalisations[static_cast<std::size_t>(asked.type)]),
        rule_(core::finish::round, core::format_of(asked.type)),
        x_(reader_of<Carrier>(asked.x, asked.type, asked.length)),
        weight_(asked.weight, asked, 1),
        bias_(asked.bias, asked, 0),
        memory_(std::make_unique_for_overwrite<exact_memory>()) {}

  /// Stores the elements of a row.
  void take(std::size_t row) noexcept {
    const auto moved = [&](std::ptrdiff_t stride) { return static_cast<std::ptrdiff_t>(row) * stride; };
    x_.move_to(static_cast<const char*>(asked_.x) + moved(asked_.x_stride));
    char* const out = static_cast<char*>(asked_.out) + moved(asked_.out_stride);
    has_states_ = false, exact_.reset(), start_ = 0;
    scale_ = scale_of_bounds();
    if (!is_useful(scale_)) use_states();
    for_chunks([&](const Carrier* x, std::size_t start, std::size_t count) {
      const auto* const w = static_cast<const Carrier*>(weight_.read(start, count));
      const auto* const b = static_cast<const Carrier*>(bias_.read(start, count));
      start_ = start;
      char* const to = out + start * size_of(asked_.type);
      std::uint32_t* const open = memory_->open;
      std::size_t left = count;
      if (is_useful(scale_)) {
        left = kernel_(scale_, x, w, b, count, to, open);
      } else {
        for (std::size_t i = 0; i < count; ++i) open[i] = static_cast<std::uint32_t>(i);
      }
      for (std::size_t k = 0; k < left; ++k) {
        const std::size_t i = open[k];
        const std::uint64_t word = element(x[i], w[i], b[i]);
        std::memcpy(to + i * size_of(asked_.type), &word, size_of(asked_.type));  // the low bytes come first
      }
    });
  }

 private:
  struct exact_memory {
    core::normalisation_scratch<Carrier> scratch;
    std::int64_t sum[core::max_state_words], squares[core::max_state_words], rest[core::max_state_words];
    std::uint32_t open[normalised_chunk];
  };

  /// Calls step(x, start, count) for the chunks of the row.
  template <class Step>
  void for_chunks(Step step) noexcept {
    for (std::size_t start = 0; start < asked_.length && !is_cancelled(monitor_); start += normalised_chunk) {
      step(chunk_from(start), start, chunk_length(start));
    }
  }
  [[nodiscard]] std::size_t chunk_length(std::size_t start) const noexcept {
    return std::min(asked_.length - start, normalised_chunk);
  }
  const Carrier* chunk_from(std::size_t start) noexcept {
    return static_cast<const Carrier*>(x_.read(start, chunk_length(start)));
  }

  [[nodiscard]] core::row_scale scale_of(const core::enclosure& sum,
                                         const core::enclosure& squares) const noexcept {
    return core::scale_of<arithmetic>(static_cast<double>(asked_.length), asked_.epsilon, sum, squares);
  }

  /// From bounded sums; useless where the elements do not suit these.
  core::row_scale scale_of_bounds() noexcept {
    bounded_sum sum, squares;
    bool suits = true;
    for_chunks([&](const Carrier* x, std::size_t, std::size_t count) {
      bounded_sum of_values, of_squares;
      suits = suits && (!asked_.is_centred || values_.bounded(x, x, count, nullptr, of_values)) &&
              squares_.bounded(x, x, count, nullptr, of_squares);
      if (suits) add(sum, of_values), add(squares, of_squares);
    });
    if (!suits || sum.exponent != 0 || squares.exponent != 0) return {};
    const auto enclosure_of = [](const bounded_sum& of) -> core::enclosure {
      const auto [head, tail] = core::two_sum(of.head, of.tail);
      return {head, tail, of.bound};
    };
    return scale_of(enclosure_of(sum), enclosure_of(squares));
  }

  /// From the exact sums, which stay in memory_. The chunk at start_ stays where it is.
  void use_states() noexcept {
    const core::state_layout layout = core::layout_of<Carrier>();
    has_states_ = true;
    std::fill_n(memory_->sum, layout.words(), 0), std::fill_n(memory_->squares, layout.words(), 0);
    for_chunks([&](const Carrier* x, std::size_t, std::size_t count) {
      if (asked_.is_centred) values_.accumulate(x, x, count, memory_->sum);
      squares_.accumulate(x, x, count, memory_->squares);
    });
    core::enclosure squares = enclosure_of(memory_->squares);
    squares.bound += 0x1p-1000;  // squares have bits below all doubles
    scale_ = scale_of(enclosure_of(memory_->sum), squares);
    chunk_from(start_);
  }

  /// An exact sum as two doubles: without an error, if these hold it.
  core::enclosure enclosure_of(const std::int64_t* words) noexcept {
    const core::state_layout layout = core::layout_of<Carrier>();
    std::int64_t* const rest = memory_->rest;
    const auto is_rest_of = [&](double head, double tail) {
      std::copy_n(words, layout.words(), rest);
      core::add_term<64>(layout, rest, core::decompose(-head)),
          core::add_term<64>(layout, rest, core::decompose(-tail));
      core::normalise(layout, rest);
      return std::any_of(rest, rest + layout.limbs, [](std::int64_t limb) { return limb != 0; });
    };
    const auto rounded = [&] {
      const core::result_rule to_double(core::finish::round, {53, 11});
      return core::from_word<double>(core::finish_state(to_double, layout, rest).word);
    };
    if (core::special_terms_of(layout, words).any()) return {0, 0, HUGE_VAL};
    if (!is_rest_of(0, 0)) return {0, 0, 0};
    const double head = rounded();
    if (!std::isfinite(head)) return {0, 0, HUGE_VAL};
    if (!is_rest_of(head, 0)) return {head, 0, 0};
    const double tail = rounded();
    return {head, tail, is_rest_of(head, tail) ? std::abs(tail) * 0x1p-52 : 0};
  }

  /// The bits of an element that the kernel left open.
  std::uint64_t element(Carrier x, Carrier w, Carrier b) noexcept {
    const auto is_decided = [&](std::uint64_t& word) {
      if (!is_useful(scale_) || !std::isfinite(x) || !std::isfinite(w) || !std::isfinite(b)) return false;
      const double bias = static_cast<double>(b) + 0.0;  // a zero is +0
      const core::decision found = core::decide_value<arithmetic>(
          rule_, core::normalised_value<arithmetic>(scale_, static_cast<double>(x), static_cast<double>(w), bias));
      word = found.word;
      return found.certain;
    };
    std::uint64_t word = 0;
    if (is_decided(word)) return word;
    if (!has_states_) {
      use_states();
      if (is_decided(word)) return word;
    }
    if (!exact_) {
      exact_.emplace(memory_->sum, memory_->squares, asked_.length, asked_.epsilon, asked_.is_centred,
                     memory_->scratch);
    }
    return exact_->element(rule_.format(), x, w, b);
  }

  const normalise_request& asked_;
  const monitor* monitor_;
  const kernels &values_, &squares_;
  const row_normalisation kernel_;
  const core::result_rule rule_;
  engine::chunk_reader x_;
  parameters<Carrier> weight_, bias_;
  std::unique_ptr<exact_memory> memory_;
  core::row_scale scale_;
  std::size_t start_ = 0;  // of the chunk whose elements are stored
  bool has_states_ = false;
  std::optional<core::exact_row<Carrier>> exact_;
};

template <class Carrier>
void normalise_rows(const normalise_request& asked, int threads, monitor* monitor) {
  std::vector<row_normaliser<Carrier>> rows;
  rows.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) rows.emplace_back(asked, monitor);
  const std::size_t grain = std::max<std::size_t>(engine::min_share / asked.length, 1);
  const std::size_t per_poll = std::max<std::size_t>(engine::elements_per_poll / asked.length, 1);
  engine::for_shares(asked.rows, grain, threads, [&](std::size_t start, std::size_t count, int thread) noexcept {
    for (std::size_t done = 0; done < count && !is_cancelled(monitor); done += per_poll) {
      const std::size_t some = std::min(count - done, per_poll);
      for (std::size_t i = 0; i < some; ++i) rows[static_cast<std::size_t>(thread)].take(start + done + i);
      if (monitor != nullptr) monitor->done.fetch_add(some * asked.length, std::memory_order_relaxed);
    }
  });
}

}  // namespace

void normalise(const normalise_request& asked, int threads, monitor* monitor) {
  if (asked.rows == 0 || asked.length == 0) return;
  with_carrier(core::carrier_of(asked.type),
               [&]<class Carrier>(Carrier) { normalise_rows<Carrier>(asked, threads, monitor); });
  if (is_cancelled(monitor)) engine::throw_error(errc::cancelled, asked.caller, "cancelled");
}

}  // namespace exactdot::inline v0_3::cpu_engine
