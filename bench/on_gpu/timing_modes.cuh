// Timing modes: replayed graph with a warm or a cold cache, launches on a stream, end to end.
//
// A sample consists of many calls. Work timed on the device directly follows other work on the stream: on an idle
// stream the start event would complete while the host is still launching, and the gap would be included.
#pragma once

#include <algorithm>
#include <bench/on_gpu/peer.cuh>
#include <chrono>
#include <functional>
#include <lab/on_gpu/read_ceiling.cuh>
#include <lab/on_gpu/replay.cuh>
#include <memory>

namespace bench {
namespace {

using exactdot::lab::event;
using exactdot::lab::read_both;
using exactdot::lab::replay;
using exactdot::on_gpu::buffer;

using sampler = std::function<double()>;  ///< takes one sample; returns seconds per call

/// Returns a rough estimate of the seconds per call.
template <class Call>
double estimate_seconds(stream& gpu_stream, const Call& call) {
  call();
  return replay(gpu_stream, call, 1).seconds(gpu_stream);
}

inline int calls_per_sample(double sample_seconds, double call_seconds, int max_calls) {
  return static_cast<int>(
      std::clamp(sample_seconds / std::max(call_seconds, 1e-6), 1.0, static_cast<double>(max_calls)));
}

/// Replays with the same vectors, which stay in the L2 cache if they fit.
template <class Call>
sampler in_warm_graph(stream& gpu_stream, const Call& call, int calls) {
  const auto graph = std::make_shared<replay>(gpu_stream, call, calls);
  return [=, &gpu_stream] { return graph->seconds(gpu_stream) / calls; };
}

/// Launches on the stream, between two events.
template <class Call>
sampler as_launches(stream& gpu_stream, const Call& call, int calls) {
  return [=, &gpu_stream] {
    event start, stop;
    call();
    start.record(gpu_stream);
    for (int i = 0; i < calls; ++i) call();
    stop.record(gpu_stream);
    return stop.seconds_since(start) / calls;
  };
}

/// Measures by wall clock; each call waits for its result.
template <class Call>
sampler end_to_end(stream& gpu_stream, const Call& call, int calls) {
  return [=, &gpu_stream] {
    exactdot::on_gpu::synchronise(gpu_stream);
    call();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls;
  };
}

/// Copies of what a call reads, one or two vectors per call of a sample, and a buffer whose reading evicts them
/// from the L2 cache before the sample. The buffer is only read, so that no cache line must be written back during
/// the sample.
class cold_copies {
 public:
  static constexpr std::size_t max_bytes = std::size_t{256} << 20;  ///< of all vectors of a call together

  explicit cold_copies(stream& gpu_stream)
      : stream_(gpu_stream),
        copies_(gpu_stream, copies_bytes),
        flush_(gpu_stream, flush_bytes),
        out_(gpu_stream, 1) {
    flush_.fill_zero();
  }

  /// Makes up to `max_calls` copies of `a` and, if the call reads two vectors, of `b`; returns their number, which
  /// is the number of calls per sample.
  template <class T>
  int make_copies(const T* a, const T* b, std::size_t n, int vectors, int max_calls) {
    pitch_ = (n * sizeof(T) + 255) / 256 * 256;
    vectors_ = vectors;
    const int count = static_cast<int>(std::min<std::size_t>(copies_bytes / (vectors * pitch_), max_calls));
    for (int i = 0; i < count; ++i) {
      copy(copy_of_a(i), a, n * sizeof(T));
      if (vectors == 2) copy(copy_of_b(i), b, n * sizeof(T));
    }
    return count;
  }

  /// Replays call(a, b) with each pair of copies in turn; of one vector, with a for both.
  template <class T, class Call>
  sampler in_cold_graph(const Call& call, int calls) {
    int next = 0;
    const auto graph = std::make_shared<replay>(
        stream_,
        [&] {
          const int i = next++;
          call(static_cast<const T*>(copy_of_a(i)), static_cast<const T*>(copy_of_b(i)));
        },
        calls);
    return [=, this] {
      event start, stop;
      read_both(stream_, 528, 512, flush_.data(), flush_.data() + flush_bytes / 2, flush_bytes / 2, out_.data());
      start.record(stream_);
      graph->launch(stream_);
      stop.record(stream_);
      return stop.seconds_since(start) / calls;
    };
  }

 private:
  static constexpr std::size_t copies_bytes = std::size_t{1} << 30, flush_bytes = std::size_t{512} << 20;

  [[nodiscard]] void* copy_of_a(int i) const {
    return copies_.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(vectors_) * pitch_;
  }
  [[nodiscard]] void* copy_of_b(int i) const {
    return static_cast<char*>(copy_of_a(i)) + (vectors_ == 2 ? pitch_ : 0);
  }
  void copy(void* target, const void* source, std::size_t bytes) {
    check(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice, stream_.handle()), "copying vectors");
  }

  stream& stream_;
  buffer<char> copies_, flush_;
  buffer<unsigned> out_;
  std::size_t pitch_ = 0;
  int vectors_ = 2;
};

}  // namespace
}  // namespace bench
