// Implementation of rolling.hpp.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cpu/levels.hpp>
#include <cpu/rolling.hpp>
#include <cstring>
#include <exactdot/core/enclosure.hpp>
#include <exactdot/core/moment_decision.hpp>
#include <exactdot/core/state_enclosure.hpp>
#include <memory>
#include <plan/staging.hpp>
#include <string>
#include <vector>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

constexpr std::size_t poll = std::size_t{1} << 16;  // elements

void throw_if_cancelled(const rolling_request& asked) {
  if (asked.monitor == nullptr || !asked.monitor->cancel.load(std::memory_order_relaxed)) return;
  engine::throw_error(errc::cancelled, asked.caller, "cancelled");
}

/// A sum of terms that come and go, as two doubles; |head + tail − sum| <= bound, which is 0 while they hold it:
/// sums of few elements are often half way between two results, which no bound decides.
struct running_sum {
  double head = 0, tail = 0, bound = 0;

  void add(double x) {
    const auto sum = core::two_sum(head, x);
    add_to_tail(sum.error);
    head = sum.value;
  }
  /// x² or, negated, −x²: exact but for what underflows.
  void add_square(double x, double sign) {
    const double square = x * x, error = std::fma(x, x, -square);
    const auto sum = core::two_sum(head, sign * square);
    add_to_tail(sum.error), add_to_tail(sign * error);
    head = sum.value;
    if (std::abs(x) < 0x1p-480 && x != 0) bound += 0x1p-1020;
  }
  /// Of the same sum: head is the sum of both, rounded.
  void normalise() {
    const auto sum = core::two_sum(head, tail);
    head = sum.value, tail = sum.error;
  }
  [[nodiscard]] core::enclosure enclosure() const {
    const auto sum = core::two_sum(head, tail);
    return {sum.value, sum.error, bound};
  }
  void reset(const core::enclosure& to) { head = to.head, tail = to.tail, bound = to.bound; }

 private:
  void add_to_tail(double x) {
    const auto sum = core::two_sum(tail, x);
    tail = sum.value;
    bound += std::abs(sum.error);
  }
};

/// The exact sum of a stretch that moves: the difference of two prefixes, which are summed up to where they are
/// needed.
class moving_state {
 public:
  moving_state(std::size_t term, const double* x)
      : kernels_(current_kernels(element_type::float64, term)), x_(x), words_(3 * size(), 0) {}

  /// words of the sum of elements `first` to before `last`, normalised; both never decrease.
  std::int64_t* move_to(std::size_t first, std::size_t last) {
    advance(0, lead_, last), advance(1, lag_, first);
    std::int64_t* const sum = &words_[2 * size()];
    for (std::size_t i = 0; i < size(); ++i) sum[i] = words_[i] - words_[size() + i];
    core::normalise(layout, sum);
    return sum;
  }

  static constexpr core::state_layout layout = core::layout_of<double>();

 private:
  static constexpr std::size_t size() { return static_cast<std::size_t>(layout.words()); }
  void advance(std::size_t which, std::size_t& at, std::size_t to) {
    if (to > at) kernels_.accumulate(x_ + at, x_ + at, to - at, &words_[which * size()]);
    at = std::max(at, to);
  }

  const kernels& kernels_;
  const double* x_;
  std::vector<std::int64_t> words_;  // of the prefix that leads, of the one that lags, of their difference
  std::size_t lead_ = 0, lag_ = 0;
};

/// How many elements of a window are there, and are NaN or infinite.
struct element_counts {
  std::size_t there = 0, nans = 0, plus = 0, minus = 0;

  void add(double x, std::size_t step, bool skips_nan) {
    if (x != x) {
      if (skips_nan) return;
      nans += step;
    } else if (std::isinf(x)) {
      (x > 0 ? plus : minus) += step;
    }
    there += step;
  }
  [[nodiscard]] bool any_special() const { return (nans | plus | minus) != 0; }
};

void store_words(const any_vector& out, std::size_t first, const std::uint64_t* words, std::size_t count) {
  const std::size_t size = size_of(out.type);
  char* to = static_cast<char*>(const_cast<void*>(out.data)) + static_cast<std::ptrdiff_t>(first) * out.stride;
  if (size == sizeof *words && !out.swapped && out.stride == sizeof *words) {
    std::memcpy(to, words, count * sizeof *words);
    return;
  }
  for (std::size_t i = 0; i < count; ++i, to += out.stride) {
    char bytes[sizeof *words];
    std::memcpy(bytes, &words[i], sizeof bytes);
    if (out.swapped) std::reverse(bytes, bytes + size);
    std::memcpy(to, bytes, size);
  }
}

/// The windows of one line, one after the other.
class rolling_line {
 public:
  rolling_line(const rolling_request& asked, element_type result, const double* x, std::vector<double> finite,
               std::size_t n)
      : asked_(asked),
        info_(core::info_of(asked.what)),
        rule_(info_.finish, core::format_of(result)),
        x_(x),
        finite_(std::move(finite)),
        n_(n),
        exact_sum_(core::info_of(reduction::sum).term, terms()),
        exact_squares_(core::info_of(reduction::sum_of_squares).term, terms()) {}

  /// Stores all results, in blocks: stores between elements would keep the sums out of registers.
  void run(const any_vector& out) {
    constexpr std::size_t block = 256;
    std::uint64_t words[block];
    for (std::size_t first = 0; first < n_; first += block) {
      const std::size_t count = std::min(block, n_ - first);
      throw_if_cancelled(asked_);
      for (std::size_t i = 0; i < count; ++i) words[i] = next(first + i);
      store_words(out, first, words, count);
      sum_.normalise(), squares_.normalise();
    }
  }

 private:
  [[nodiscard]] const double* terms() const { return finite_.empty() ? x_ : finite_.data(); }
  std::uint64_t next(std::size_t i) {
    const double* const terms = this->terms();
    enter(terms[i]);
    const bool is_full = i >= asked_.window;
    if (is_full) leave(terms[i - asked_.window]);
    if (finite_.empty()) {
      counts_.there = std::min(i + 1, asked_.window);
      compare(terms[i]);
    } else {
      if (std::isfinite(x_[i])) {
        compare(terms[i]);
      } else if (!asked_.skips_nan || !std::isnan(x_[i])) {
        equal_ = 0;
      }
      counts_.add(x_[i], 1, asked_.skips_nan);
      if (is_full) counts_.add(x_[i - asked_.window], ~std::size_t{0}, asked_.skips_nan);
    }
    return result(i);
  }
  void compare(double x) {
    equal_ = equal_ != 0 && x == last_ ? equal_ + 1 : 1;
    last_ = x;
  }
  void enter(double x) {
    sum_.add(x);
    if (info_.needs_squares()) squares_.add_square(x, 1);
  }
  void leave(double x) {
    sum_.add(-x);
    if (info_.needs_squares()) squares_.add_square(x, -1);
  }
  [[nodiscard]] std::uint64_t result(std::size_t i) {
    const std::size_t n = counts_.there;
    if (n < asked_.min_count) return core::nan_word(rule_.format());
    if (counts_.any_special()) return special();
    if (info_.needs_squares() && n <= static_cast<std::size_t>(asked_.ddof)) return core::nan_word(rule_.format());
    if (info_.counts_elements() && n == 0) return core::nan_word(rule_.format());
    // of equal elements, to which no bound is close enough
    if (info_.needs_squares() && equal_ >= n) return 0;
    const core::decision found = decide(n);
    return found.certain ? found.word : exact_result(i, n).word;
  }
  [[nodiscard]] std::uint64_t special() const {
    if (info_.needs_squares()) return core::nan_word(rule_.format());
    return core::special_word(rule_.format(), counts_.nans != 0, counts_.plus != 0, counts_.minus != 0);
  }
  [[nodiscard]] core::decision decide(std::size_t n) const {
    const core::enclosure sum = sum_.enclosure();
    if (info_.is_sum() && rule_.gives<double>()) {
      if (sum.bound == 0) return {core::to_word(sum.head + 0.0), sum.is_finite()};
      return core::decide_rounding<double>(sum);
    }
    if (info_.needs_squares()) {
      return core::decide_moments<arithmetic>(rule_, static_cast<double>(n), static_cast<double>(asked_.ddof), sum,
                                              squares_.enclosure());
    }
    if (sum.bound == 0) {
      const core::decision exact = core::decide_exact<arithmetic>(rule_, n, sum.head, sum.tail);
      if (exact.certain) return exact;
    }
    return core::decide_finish<arithmetic>(rule_, static_cast<double>(n), sum);
  }
  [[gnu::noinline]] core::outcome exact_result(std::size_t i, std::size_t n) {
    const std::size_t last = i + 1, first = last > asked_.window ? last - asked_.window : 0;
    constexpr core::state_layout layout = moving_state::layout;
    std::int64_t* const sum = exact_sum_.move_to(first, last);
    sum_.reset(core::enclosure_of_state(layout, sum));
    if (!info_.needs_squares()) return core::finish_state(rule_, layout, sum, n);
    std::int64_t* const squares = exact_squares_.move_to(first, last);
    squares_.reset(core::enclosure_of_state(layout, squares));
    std::int64_t scratch[core::max_moment_limbs];
    return core::finish_moments(rule_, layout, sum, squares, n, static_cast<std::uint64_t>(asked_.ddof), scratch);
  }

  const rolling_request& asked_;
  const core::reduction_info& info_;
  core::result_rule rule_;
  const double* x_;
  std::vector<double> finite_;  // with 0 for what is not; empty if all elements are finite
  std::size_t n_;
  element_counts counts_;
  std::size_t equal_ = 0;  // elements up to the last that are equal to it, without those that are skipped
  double last_ = 0;
  running_sum sum_, squares_;
  moving_state exact_sum_, exact_squares_;
};

engine::operand operand_of(const any_vector& x) { return {x.data, x.stride, x.type, x.swapped, false}; }

/// The word of a sum, or of a mean of n, where one operation of the processor gives it.
class short_integer_result {
 public:
  short_integer_result(const core::result_rule& rule, bool is_mean, element_type result)
      : is_mean_(is_mean),
        is_signed_(result == element_type::int64),
        is_unsigned_(result == element_type::uint64),
        is_double_(rule.gives<double>()) {}
  [[nodiscard]] bool has(__int128 sum) const {
    constexpr std::int64_t exact = std::int64_t{1} << 53, far = std::int64_t{1} << 62;
    if (is_double_) return -exact <= sum && sum <= exact;
    return (is_signed_ && -far <= sum && sum <= far) || (is_unsigned_ && 0 <= sum && sum <= far);
  }
  /// A quotient of two doubles is rounded once. n <= 2^53.
  [[nodiscard]] std::uint64_t of(__int128 sum, std::size_t n) const {
    const auto whole = static_cast<std::int64_t>(sum);
    if (!is_double_) return static_cast<std::uint64_t>(whole);
    return core::to_word(is_mean_ ? static_cast<double>(whole) / static_cast<double>(n)
                                  : static_cast<double>(whole));
  }

 private:
  bool is_mean_, is_signed_, is_unsigned_, is_double_;
};

/// Sums, or means, of integers, which 128 bits hold.
template <std::integral T>
void roll_integers(const rolling_request& asked, const T* values, const any_vector& x, const any_vector& out) {
  using int128 = __int128;
  const core::reduction_info& info = core::info_of(asked.what);
  const core::result_rule rule(info.finish, core::format_of(out.type));
  const short_integer_result at_once(rule, info.counts_elements(), out.type);
  std::vector<std::uint64_t> words(x.n);
  int128 sum = 0;
  for (std::size_t i = 0; i < x.n; ++i) {
    sum += values[i];
    if (i >= asked.window) sum -= values[i - asked.window];
    const std::size_t n = std::min(i + 1, asked.window);
    if (i % poll == 0) throw_if_cancelled(asked);
    if (n < asked.min_count) {
      words[i] = core::nan_word(rule.format());
      continue;
    }
    if (at_once.has(sum)) {
      words[i] = at_once.of(sum, n);
      continue;
    }
    const auto magnitude = static_cast<core::uint128>(sum < 0 ? -sum : sum);
    core::wide wide;
    wide.limb[0] = static_cast<std::uint64_t>(magnitude),
    wide.limb[1] = static_cast<std::uint64_t>(magnitude >> 64);
    if (magnitude != 0) core::normalise(wide);
    if (info.counts_elements()) core::divide(wide, n);
    const core::outcome found =
        rule.is_integer() ? core::to_integer(rule, sum < 0, wide)
                          : core::outcome{magnitude == 0 ? 0 : core::round_wide(rule.format(), sum < 0, wide)};
    if (found.overflows) {
      engine::throw_error(errc::overflow, asked.caller,
                          "result " + std::to_string(i) + " does not fit into " + std::string(name_of(out.type)) +
                              "; use a floating-point result type");
    }
    words[i] = found.word;
  }
  store_words(out, 0, words.data(), x.n);
}

void roll_integers(const rolling_request& asked, const any_vector& x, const any_vector& out) {
  with_element(x.type, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) {
      std::vector<T> values(x.n);
      engine::copy_contiguous(operand_of(x), x.type, 0, x.n, values.data());
      roll_integers(asked, values.data(), x, out);
    }
  });
}

/// The elements as doubles. Throws for integers that these do not hold.
std::vector<double> doubles_of(const rolling_request& asked, const any_vector& x) {
  std::vector<double> values(x.n);
  engine::copy_contiguous(operand_of(x), element_type::float64, 0, x.n, values.data());
  if (core::parts_of(x.type) == 1) return values;
  std::vector<double> low(x.n);
  engine::copy_contiguous(operand_of(x), element_type::float64, 1, x.n, low.data());
  for (std::size_t i = 0; i < x.n; ++i) {
    const auto sum = core::two_sum(values[i], low[i]);
    values[i] = sum.value;
    if (sum.error == 0) continue;
    engine::throw_error(
        errc::bad_option, asked.caller,
        "element " + std::to_string(i) + " has more than 53 bits; variances of windows take integers of up to 53");
  }
  return values;
}

}  // namespace

void roll(const rolling_request& asked, const any_vector& x, const any_vector& out) {
  if (is_integer(x.type) && !core::info_of(asked.what).needs_squares()) return roll_integers(asked, x, out);
  const bool in_place = x.type == element_type::float64 && is_contiguous(x) &&
                        reinterpret_cast<std::uintptr_t>(x.data) % alignof(double) == 0;
  const std::vector<double> copied = in_place ? std::vector<double>() : doubles_of(asked, x);
  const double* const values = in_place ? static_cast<const double*>(x.data) : copied.data();
  std::vector<double> finite;
  if (!std::all_of(values, values + x.n, [](double each) { return std::isfinite(each); })) {
    finite.assign(values, values + x.n);
    for (double& each : finite) each = std::isfinite(each) ? each : 0;
  }
  rolling_line line(asked, out.type, values, std::move(finite), x.n);
  line.run(out);
}

}  // namespace exactdot::inline v0_3::cpu_engine
