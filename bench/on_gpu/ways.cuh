// The ways to time a call: in a replayed graph with a warm or a cold cache, as launches, end to end.
//
// A sample is many calls. What is timed on the device follows at once on other work on the stream: a start event on
// an idle stream would be reached while the host is still launching, and the gap would count.
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

using sampler = std::function<double()>;  ///< seconds of a call

/// Seconds of one call, roughly.
template <class Call>
double first_look(stream& on, const Call& call) {
  call();
  return replay(on, call, 1).seconds(on);
}

inline int calls_in(double sample_seconds, double one, int most) {
  return static_cast<int>(std::clamp(sample_seconds / std::max(one, 1e-6), 1.0, static_cast<double>(most)));
}

/// Replays with the same vectors: what fits stays in the L2 cache.
template <class Call>
sampler in_warm_graph(stream& on, const Call& call, int calls) {
  const auto graph = std::make_shared<replay>(on, call, calls);
  return [=, &on] { return graph->seconds(on) / calls; };
}

template <class Call>
sampler as_launches(stream& on, const Call& call, int calls) {
  return [=, &on] {
    event start, stop;
    call();
    start.record(on);
    for (int i = 0; i < calls; ++i) call();
    stop.record(on);
    return stop.seconds_since(start) / calls;
  };
}

/// By wall clock; each call waits for its result.
template <class Call>
sampler end_to_end(stream& on, const Call& call, int calls) {
  return [=, &on] {
    exactdot::on_gpu::synchronise(on);
    call();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls;
  };
}

/// Copies of two vectors, so many that each call of a sample has its own; and something else to read, so that none
/// of them is in the L2 cache when the sample begins. Only read, so that no line has to be written back meanwhile.
class cold_copies {
 public:
  static constexpr std::size_t longest = std::size_t{256} << 20;  ///< both vectors together, in bytes

  explicit cold_copies(stream& on) : on_(on), room_(on, room_bytes), other_(on, other_bytes), out_(on, 1) {
    other_.fill_zero();
  }

  /// How many calls a sample has, after the copies are made.
  template <class T>
  int hold(const T* a, const T* b, std::size_t n, int most) {
    pitch_ = (n * sizeof(T) + 255) / 256 * 256;
    const int count = static_cast<int>(std::min<std::size_t>(room_bytes / (2 * pitch_), most));
    for (int i = 0; i < count; ++i) {
      copy(at(2 * i), a, n * sizeof(T));
      copy(at(2 * i + 1), b, n * sizeof(T));
    }
    return count;
  }

  /// call(a, b) with each copy in turn.
  template <class T, class Call>
  sampler in_cold_graph(const Call& call, int calls) {
    int next = 0;
    const auto graph = std::make_shared<replay>(
        on_,
        [&] {
          const int i = next++;
          call(static_cast<const T*>(at(2 * i)), static_cast<const T*>(at(2 * i + 1)));
        },
        calls);
    return [=, this] {
      event start, stop;
      read_both(on_, 528, 512, other_.data(), other_.data() + other_bytes / 2, other_bytes / 2, out_.data());
      start.record(on_);
      graph->launch(on_);
      stop.record(on_);
      return stop.seconds_since(start) / calls;
    };
  }

 private:
  static constexpr std::size_t room_bytes = std::size_t{1} << 30, other_bytes = std::size_t{512} << 20;

  [[nodiscard]] void* at(int i) const { return room_.data() + static_cast<std::size_t>(i) * pitch_; }
  void copy(void* to, const void* from, std::size_t bytes) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, on_.handle()), "copying vectors");
  }

  stream& on_;
  buffer<char> room_, other_;
  buffer<unsigned> out_;
  std::size_t pitch_ = 0;
};

}  // namespace
}  // namespace bench
