// Requests of warps to shared memory in a recorded launch, with the conflicts at its banks.
//
// A request is what the lanes of a warp do at one call site together, as in costs.hpp. Its lanes may come after the
// last step that the recording keeps: they are counted, so that a request whose first lanes are shown is known
// whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exactdot/simt/recording.hpp>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace exactdot::simt {

class request_log {
 public:
  explicit request_log(unsigned threads_per_block) : threads_per_block_(threads_per_block) {}

  struct access {
    unsigned thread = 0;  // its number in the grid
    const void* caller = nullptr;
    bool is_write = false;
    std::uintptr_t offset = 0;  // in its array
    std::size_t size = 0;
    std::uint64_t turn = 0;  // that the lanes of one step in lock step share; 0: independent threads
  };
  /// Returns the number of the access's request; -1: none. `may_begin`: it may be the first of a request.
  int add(const access& each, bool may_begin);
  void forget_thread(unsigned thread) { counts_.erase(thread); }
  /// Forgets requests that none of these numbers names, but for incomplete ones of late.
  void forget_all_but(const std::unordered_set<int>& numbers);
  /// Returns the requests by their numbers; incomplete ones with the lanes that came.
  [[nodiscard]] std::unordered_map<int, recorded_request> requests() const;

 private:
  struct lane_access {
    unsigned lane;
    std::uint32_t size;
    std::uintptr_t offset;
  };
  struct open_request {
    int number = 0;
    unsigned age = 0;                // of the log when it began
    std::vector<lane_access> lanes;  // empty once it is complete
  };
  using place = std::tuple<std::uint64_t, const void*, bool, std::uint64_t>;  // warp or turn, site, write, order
  static constexpr std::size_t max_requests = 1 << 17;

  static recorded_request conflicts_of(const std::vector<lane_access>& lanes);

  unsigned threads_per_block_, age_ = 0;
  int next_ = 0;
  std::map<place, open_request> open_;
  std::unordered_map<int, recorded_request> complete_;
  std::unordered_map<unsigned, std::map<std::pair<const void*, bool>, std::uint64_t>> counts_;  // of each thread
};

}  // namespace exactdot::simt
