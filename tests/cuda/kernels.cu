// The kernels of src/cuda behind plain functions; see kernels.hpp.
#include <algorithm>
#include <core/state.hpp>
#include <cuda/exact_kernel.cuh>
#include <cuda/fast_kernel.cuh>
#include <exception>
#include <limits>
#include <type_traits>
#include <utility>

#include "cuda/kernels.hpp"

namespace kernels_under_test {
namespace {

namespace gpu = exactdot::gpu;
using namespace exactdot;
using namespace exactdot::cuda_engine;

std::string found;

template <class Stream>
concept has_schedules = requires(Stream& stream) {
  stream.how();
};

/// Makes a mailbox as new, or as after so many launches that their numbers are about to begin again.
void prepare(gpu::buffer<mailbox>& box, unsigned variant) {
  box.fill_zero();
  if (variant % 6 != 5) return;
  static mailbox old{};  // too large for a stack
  old.tickets = wide_unsigned{0xfffffffe} << blocks_bits;
  box.copy_from(&old, 1);
}

/// What the next launch finds must be as the first one did: no piece, no count, nobody who gave.
template <class T>
void note_dirt(const gpu::buffer<grid_sum<T>>& sum, const gpu::buffer<mailbox>& box) {
  grid_sum<T> left;
  static mailbox after;
  sum.copy_to(&left, 1), box.copy_to(&after, 1);
  const auto is_zero = [](auto x) { return x == 0; };
  if (!std::ranges::all_of(left.piece, is_zero) || !std::ranges::all_of(left.special, is_zero) ||
      after.given != 0) {
    found += "a launch left something behind\n";
  }
}

/// A schedule for each variant, where schedules can be had.
template <class Stream = gpu::stream>
void choose_schedule(Stream& stream, unsigned variant) {
  if constexpr (has_schedules<Stream>) {
    stream.how().seed = variant;
    using model = std::remove_reference_t<decltype(stream.how().model)>;
    stream.how().model = variant % 5 == 4 ? model::lock_step : model::independent;
  }
}

/// Copies of a and b on the device, each starting 0 to 3 elements after an aligned address, between NaNs that no
/// kernel may read.
template <class T>
struct placed {
  static constexpr std::size_t room = 8;

  placed(gpu::stream& stream, const T* a, const T* b, std::size_t n, unsigned variant)
      : first_a(variant % 4),
        first_b(variant / 4 % 3 == 0 ? variant / 12 % 4 : first_a),
        a_buffer(stream, n + room),
        b_buffer(stream, n + room) {
    fill(a, n, first_a, a_buffer), fill(b, n, first_b, b_buffer);
  }
  void fill(const T* x, std::size_t n, std::size_t first, gpu::buffer<T>& to) {
    std::vector<T> around(first, std::numeric_limits<T>::quiet_NaN());
    for (std::size_t i = 0; i < n; ++i) around.push_back(x[i]);
    around.resize(n + room, std::numeric_limits<T>::quiet_NaN());
    to.copy_from(around.data(), around.size());
  }
  [[nodiscard]] const T* a() const { return a_buffer.data() + first_a; }
  [[nodiscard]] const T* b() const { return b_buffer.data() + first_b; }

  std::size_t first_a, first_b;
  gpu::buffer<T> a_buffer, b_buffer;
};

void note_faults(const gpu::stream& stream) {
  for (const std::string& line : gpu::findings(stream)) found += line + "\n";
}

/// A block size, and 1 to 4 blocks, or more than anybody needs.
template <int threads, int packs, class T, class Result>
void launch_exact(gpu::stream& stream, const placed<T>& at, std::size_t n, unsigned variant, grid_sum<T>* sum,
                  mailbox* box, Result result) {
  const unsigned blocks = variant / 3 % 7 == 6 ? 19 : 1 + variant / 3 % 7 % 4;
  gpu::launch(exact_kernel<T, Result, threads, packs>, blocks, threads, 0, stream, at.a(), at.b(), n, sum, box,
              result);
}

template <class T, class Result>
void run_exact(gpu::stream& stream, const placed<T>& at, std::size_t n, unsigned variant, grid_sum<T>* sum,
               mailbox* box, Result result) {
  constexpr int few_packs = sizeof(T) == 4 ? 2 : 1;
  switch (variant % 3) {
    case 0:
      return launch_exact<256, few_packs>(stream, at, n, variant, sum, box, result);
    case 1:
      return launch_exact<128, 4>(stream, at, n, variant, sum, box, result);
    default:
      return launch_exact<256, 4>(stream, at, n, variant, sum, box, result);
  }
}

template <int threads, class T, class R>
void launch_fast(gpu::stream& stream, const placed<T>& at, std::size_t n, unsigned variant, mailbox* box,
                 R* result) {
  const int log2_tiles = static_cast<int>(variant / 4 % 3);
  const std::size_t nodes = divide<T>(n, log2_tiles, threads / 32).nodes;
  const auto grid = static_cast<unsigned>(std::max<std::size_t>(std::min<std::size_t>(nodes, 1 + variant % 5), 1));
  gpu::launch(fast_kernel<T, R, threads, 8>, grid, threads, 0, stream, at.a(), at.b(), n, log2_tiles, box,
              rounded_result<R>{result});
}

template <class R>
R read(const gpu::buffer<R>& from) {
  R value;
  from.copy_to(&value, 1);
  return value;
}

}  // namespace

std::string missing() {
  try {
    gpu::stream stream;
    gpu::synchronise(stream);
    return {};
  } catch (const std::exception& why) {
    return why.what();
  }
}

bool simulated() { return has_schedules<gpu::stream>; }

template <class R, class T>
R exact(const T* a, const T* b, std::size_t n, unsigned variant) {
  gpu::stream stream;
  choose_schedule(stream, variant);
  const placed<T> at(stream, a, b, n, variant);
  gpu::buffer<grid_sum<T>> sum(stream, 1);
  gpu::buffer<mailbox> box(stream, 1);
  prepare(box, variant);
  gpu::buffer<R> result(stream, 1);
  sum.fill_zero();
  run_exact(stream, at, n, variant, sum.data(), box.data(), rounded_result<R>{result.data()});
  const R first = read(result);
  run_exact(stream, at, n, variant + 1, sum.data(), box.data(),
            rounded_result<R>{result.data()});  // finds the sum zero again
  const R second = read(result);
  note_dirt(sum, box);
  note_faults(stream);
  if (core::bit_cast<typename core::traits<R>::bits>(first) !=
      core::bit_cast<typename core::traits<R>::bits>(second)) {
    found += "two launches differ\n";
  }
  return first;
}

template <class R, class T>
R fast(const T* a, const T* b, std::size_t n, unsigned variant) {
  gpu::stream stream;
  choose_schedule(stream, variant);
  const placed<T> at(stream, a, b, n, variant);
  gpu::buffer<mailbox> box(stream, 1);
  prepare(box, variant);
  gpu::buffer<R> result(stream, 1);
  switch (variant % 3) {
    case 0:
      launch_fast<64>(stream, at, n, variant, box.data(), result.data());
      break;
    case 1:
      launch_fast<128>(stream, at, n, variant, box.data(), result.data());
      break;
    default:
      launch_fast<512>(stream, at, n, variant, box.data(), result.data());
      break;
  }
  const R value = read(result);
  note_faults(stream);
  return value;
}

template <class T>
std::vector<std::int64_t> twice_into_words(const T* a, const T* b, std::size_t n, unsigned variant) {
  gpu::stream stream;
  choose_schedule(stream, variant);
  const placed<T> at(stream, a, b, n, variant);
  gpu::buffer<grid_sum<T>> sum(stream, 1);
  gpu::buffer<mailbox> box(stream, 1);
  prepare(box, variant);
  gpu::buffer<std::int64_t> words(stream, core::layout<T>::words);
  sum.fill_zero(), words.fill_zero();
  for (const unsigned other : {0U, 1U}) {
    run_exact(stream, at, n, variant + other, sum.data(), box.data(), state_words{words.data()});
  }
  std::vector<std::int64_t> result(core::layout<T>::words);
  words.copy_to(result.data(), result.size());
  note_dirt(sum, box);
  note_faults(stream);
  return result;
}

std::string faults() { return std::exchange(found, {}); }

template float exact(const float*, const float*, std::size_t, unsigned);
template double exact(const float*, const float*, std::size_t, unsigned);
template float exact(const double*, const double*, std::size_t, unsigned);
template double exact(const double*, const double*, std::size_t, unsigned);
template float fast(const float*, const float*, std::size_t, unsigned);
template double fast(const float*, const float*, std::size_t, unsigned);
template float fast(const double*, const double*, std::size_t, unsigned);
template double fast(const double*, const double*, std::size_t, unsigned);
template std::vector<std::int64_t> twice_into_words(const float*, const float*, std::size_t, unsigned);
template std::vector<std::int64_t> twice_into_words(const double*, const double*, std::size_t, unsigned);

}  // namespace kernels_under_test
