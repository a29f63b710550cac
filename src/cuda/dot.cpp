// exactdot::cuda::dot: checks, the launch, and the wait for a result on the host.
#include <chrono>
#include <cuda/launch.hpp>
#include <optional>

namespace exactdot::cuda {
namespace {

using cuda_engine::rounded_result;

/// The result of a call if it is there, from words that carry the call's number.
template <class R>
std::optional<R> look_at(const workspace::memory& own, unsigned call) {
  std::uint64_t bits = 0;
  for (unsigned k = 0; k < sizeof(R) / 4; ++k) {
    const cuda_engine::wide_unsigned word = own.host_result[k];
    if (word >> 32 != call) return std::nullopt;
    bits |= (word & 0xffffffff) << 32 * k;
  }
  return core::bit_cast<R>(static_cast<typename core::traits<R>::bits>(bits));
}

/// Looks for a while, which is the fastest, then lets CUDA wait for the stream.
template <class R>
R result_of(const workspace::memory& own, unsigned call) {
  constexpr auto patience = std::chrono::microseconds(200);
  const auto start = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < 64; ++i) {
      if (const auto found = look_at<R>(own, call)) return *found;
    }
  } while (std::chrono::steady_clock::now() - start < patience);
  check(cudaStreamSynchronize(own.stream), "waiting for the result");
  if (const auto found = look_at<R>(own, call)) return *found;
  throw error(errc::device_failure, "cuda: the stream is done, but the result did not come");
}

template <class R, class T>
void enqueue(const workspace::memory& own, const T* a, const T* b, std::size_t n, rounded_result<R> result,
             const options& options) {
  require_reachable(own, a, n, sizeof(T), "a");
  require_reachable(own, b, n, sizeof(T), "b");
  if (options.mode == mode::exact) {
    launch_exact(own, a, b, n, result);
  } else if (options.mode == mode::fast) {
    launch_fast(own, a, b, n, result);
  } else {
    throw error(errc::bad_option, "cuda: unknown mode; use mode::exact or mode::fast");
  }
}

}  // namespace

template <element R, element T>
void dot(workspace& on, const T* a, const T* b, std::size_t n, R* result, const options& options) {
  const hold held(on.own());
  require_device(on.own());
  require_reachable(on.own(), result, 1, sizeof(R), "result");
  enqueue(on.own(), a, b, n, rounded_result<R>{result}, options);
}

template <element R, element T>
R dot(workspace& on, const T* a, const T* b, std::size_t n, const options& options) {
  const hold held(on.own());
  workspace::memory& own = on.own();
  require_device(own);
  const unsigned call = own.next_call();
  enqueue(own, a, b, n, rounded_result<R>{nullptr, own.host_result_there, call}, options);
  return result_of<R>(own, call);
}

template <element T>
void dot_into(workspace& on, const T* a, const T* b, std::size_t n, std::int64_t* words) {
  const hold held(on.own());
  const workspace::memory& own = on.own();
  require_device(own);
  require_reachable(own, words, 1, sizeof(std::int64_t), "words");
  require_reachable(own, a, n, sizeof(T), "a");
  require_reachable(own, b, n, sizeof(T), "b");
  launch_exact(own, a, b, n, cuda_engine::state_words{words});
}

template void dot(workspace&, const float*, const float*, std::size_t, float*, const options&);
template void dot(workspace&, const float*, const float*, std::size_t, double*, const options&);
template void dot(workspace&, const double*, const double*, std::size_t, float*, const options&);
template void dot(workspace&, const double*, const double*, std::size_t, double*, const options&);
template float dot<float, float>(workspace&, const float*, const float*, std::size_t, const options&);
template double dot<double, float>(workspace&, const float*, const float*, std::size_t, const options&);
template float dot<float, double>(workspace&, const double*, const double*, std::size_t, const options&);
template double dot<double, double>(workspace&, const double*, const double*, std::size_t, const options&);
template void dot_into(workspace&, const float*, const float*, std::size_t, std::int64_t*);
template void dot_into(workspace&, const double*, const double*, std::size_t, std::int64_t*);

}  // namespace exactdot::cuda
