// Clocks of streams. The legacy default stream waits for all blocking streams, and they for it.
#include "stream_order.hpp"

#include <algorithm>

namespace exactdot::simt {
namespace {

bool is_legacy(cudaStream_t stream) { return stream == nullptr || stream == cudaStreamLegacy; }

}  // namespace

void stream_order::join(work_clock& known, const work_clock& other) {
  for (const auto& [stream, number] : other) known[stream] = std::max(known[stream], number);
}

bool stream_order::is_known(const operation& earlier, const work_clock& clock) {
  if (earlier.number == 0) return true;
  const auto at = clock.find(earlier.stream);
  return at != clock.end() && at->second >= earlier.number;
}

stream_order::stream_state& stream_order::state_of(cudaStream_t stream) {
  const auto [at, fresh] = streams_.try_emplace(is_legacy(stream) ? nullptr : stream);
  if (fresh) {
    if (free_numbers_.empty()) {
      free_numbers_.push_back(static_cast<unsigned>(begun_.size()));
      begun_.push_back(0);
    }
    at->second.number = free_numbers_.back();
    at->second.blocking = is_legacy(stream) || !is_non_blocking(stream);
    free_numbers_.pop_back();
  }
  return at->second;
}

void stream_order::forget(cudaStream_t stream) {
  const auto at = streams_.find(stream);
  if (at == streams_.end()) return;
  free_numbers_.push_back(at->second.number);
  streams_.erase(at);
}

const work_clock& stream_order::clock_of(cudaStream_t stream) {
  stream_state& self = state_of(stream);
  join(self.clock, host_);
  if (is_legacy(stream)) {
    for (const auto& [other, state] : streams_) {
      if (state.blocking && &state != &self) join(self.clock, state.clock);
    }
  } else if (self.blocking) {
    join(self.clock, state_of(nullptr).clock);
  }
  return self.clock;
}

stream_order::operation stream_order::begin(cudaStream_t stream) {
  static_cast<void>(clock_of(stream));
  stream_state& self = state_of(stream);
  const operation next{self.number, ++begun_[self.number]};
  self.clock[next.stream] = next.number;
  return next;
}

bool stream_order::precedes(const operation& earlier, cudaStream_t stream) {
  return is_known(earlier, state_of(stream).clock);
}

bool stream_order::all_precede(cudaStream_t stream) {
  const work_clock& known = state_of(stream).clock;
  for (unsigned i = 0; i < begun_.size(); ++i) {
    if (!is_known({i, begun_[i]}, known)) return false;
  }
  return true;
}

void stream_order::synchronise() {
  for (unsigned i = 0; i < begun_.size(); ++i) host_[i] = begun_[i];
}

void stream_order::synchronise(cudaStream_t stream) { join(host_, clock_of(stream)); }

}  // namespace exactdot::simt
