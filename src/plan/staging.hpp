// Staging: contiguous elements of the type that kernels read, from inputs that are not so.
//
// A thread copies each share of such an input that it takes, chunk by chunk, into a buffer that fits the cache:
// strides and byte order are resolved, narrower elements converted to their carrier, 64-bit integers split into
// halves. All of that is exact. A chunk is a power of two of tiles of order v1, so in mode fast its sum is a node
// of the tree; in mode exact the chunks' states or bounded sums add up. Either way the bits are those of a
// contiguous vector.
#pragma once

#include <cstring>
#include <exactdot/core/carrier.hpp>
#include <exactdot/order_v1.hpp>
#include <memory>
#include <plan/plan.hpp>

namespace exactdot::inline v0_3::engine {

/// Elements of a chunk.
template <class T>
inline constexpr std::size_t staged_chunk = 8 * order_v1<T>::tile;

/// Copies n elements of an operand to `to`, contiguous, in native byte order, as `target` (the element type itself,
/// or a carrier that holds it). `part`: of a 64-bit integer as a double: 0 for its magnitude without the lower 32
/// bits, 1 for these; both have its sign. Right in any floating-point environment.
void copy_contiguous(const operand& from, element_type target, int part, std::size_t n, void* to) noexcept;

/// Changes pairs of n floats or doubles in place. n is even.
void change_pairs(pairing how, element_type type, std::size_t n, void* x) noexcept;

/// The address of element i of an operand with any number of axes.
[[nodiscard]] inline const char* address_of(const operand& x, std::size_t i) noexcept {
  const auto moved = [](std::size_t index, std::ptrdiff_t stride) {
    return static_cast<std::ptrdiff_t>(index) * stride;
  };
  const char* const data = static_cast<const char*>(x.data);
  if (x.outer.empty()) return data + moved(i, x.stride);
  std::ptrdiff_t offset = moved(i % x.inner, x.stride);
  i /= x.inner;
  for (std::size_t k = x.outer.size(); k-- != 0; i /= x.outer[k].n) {
    offset += moved(i % x.outer[k].n, x.outer[k].stride);
  }
  return data + offset;
}

/// The same as copy_contiguous by up to `threads` threads: one cannot read memory as fast as a GPU takes it.
void copy_contiguous_by_threads(const operand& from, element_type target, int part, std::size_t n, void* to,
                                int threads) noexcept;

/// Whether the innermost of several axes is long enough, and such as kernels read: a call for each takes less time
/// than a copy.
[[nodiscard]] inline bool is_read_in_runs(const operand& x, element_type target) noexcept {
  constexpr std::size_t min_run = 128;
  return !x.outer.empty() && !x.swapped && x.type == target && x.inner >= min_run &&
         x.stride == static_cast<std::ptrdiff_t>(size_of(x.type));
}

/// Converts n consecutive elements in native byte order, of one type, to its carrier.
using widening = void (*)(const void* from, std::size_t n, void* to);

/// The operand with its elements `stride` bytes apart, along one axis.
[[nodiscard]] inline operand along(operand x, std::ptrdiff_t stride) {
  x.outer = {}, x.stride = stride;
  return x;
}

/// Copies elements of one operand at one step, as copy_contiguous: by `widen`, of their type, where it applies; it
/// may be null.
class element_copy {
 public:
  element_copy(const operand& x, element_type target, widening widen) : x_(x), target_(target) {
    x_.outer = {};
    const bool is_consecutive = !x.swapped && x.stride == static_cast<std::ptrdiff_t>(size_of(x.type));
    if (is_consecutive && target == core::carrier_of(x.type)) widen_ = widen;
  }

  void operator()(const void* data, int part, std::size_t n, void* to) noexcept {
    if (widen_ != nullptr) return widen_(data, n, to);
    x_.data = data;
    copy_contiguous(x_, target_, part, n, to);
  }

 private:
  operand x_;
  element_type target_;
  widening widen_ = nullptr;
};

/// One thread's reader of an operand. Move it, do not copy it.
class chunk_reader {
 public:
  /// Allocates a chunk unless the operand is contiguous. `widen`, of the operand's element type, is used where it
  /// applies; it may be null.
  chunk_reader(const operand& from, element_type target, std::size_t max_elements, widening widen = nullptr)
      : from_(from), target_(target), copy_(from, target, widen) {
    has_runs_ = is_read_in_runs(from, target);
    if (!from.contiguous) {
      buffer_ =
          std::make_unique_for_overwrite<std::byte[]>(std::max<std::size_t>(max_elements * size_of(target), 1));
    }
  }

  /// Goes on with an operand that begins elsewhere, and is the same otherwise.
  void move_to(const void* data) noexcept {
    if (data != from_.data) filled_part_ = none;
    from_.data = data;
  }

  /// Reads elements again that it holds.
  void forget() noexcept { filled_part_ = none; }

  /// How many elements from `start` on are read in place at once, at most: of an operand with several axes.
  [[nodiscard]] std::size_t run_at(std::size_t start) const noexcept {
    return has_runs_ ? from_.inner - start % from_.inner : ~std::size_t{0};
  }

  /// Where the run from `start` on lies, of an operand that is read in runs; else null.
  [[nodiscard]] const void* place_of_run(std::size_t start) const noexcept {
    return has_runs_ ? address_of(from_, start) : nullptr;
  }

  /// `count` elements from `start` on: in place, or copied unless they are what the buffer holds. Valid until the
  /// next call.
  const void* read(std::size_t start, std::size_t count, int part = 0) noexcept {
    if (from_.contiguous) return from_.from(start).data;
    if (count <= run_at(start) && has_runs_) return address_of(from_, start);
    const bool repeats_one = from_.stride == 0 && from_.outer.empty();
    const bool holds_start = part == filled_part_ && (repeats_one || start == filled_start_);
    if (!holds_start || filled_ < count) fill(start, count, part);
    return buffer_.get();
  }

 private:
  static constexpr int none = -1;

  void fill(std::size_t start, std::size_t count, int part) noexcept {
    const std::size_t size = size_of(target_);
    for (std::size_t done = 0, n = 0; done < count; done += n) {
      const std::size_t first = start + done;
      n = from_.outer.empty() ? count : std::min(count - done, from_.inner - first % from_.inner);
      copy_(address_of(from_, first), part, n, buffer_.get() + done * size);
    }
    // chunks, and so starts and counts, are even
    if (from_.pairs != pairing::none) change_pairs(from_.pairs, target_, count, buffer_.get());
    filled_start_ = start, filled_ = count, filled_part_ = part;
  }

  operand from_;
  element_type target_;
  element_copy copy_;
  bool has_runs_ = false;
  std::unique_ptr<std::byte[]> buffer_;  // not initialised: a short call must not pay for a chunk
  std::size_t filled_start_ = 0, filled_ = 0;
  int filled_part_ = none;
};

}  // namespace exactdot::inline v0_3::engine
