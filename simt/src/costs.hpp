// Counter of costs: groups the accesses of a warp into requests and counts what each costs (settings::profile).
//
// A request is what the lanes of a warp do at one call site together. In lock step these are the lanes of one step.
// Independent threads: the k-th access of each lane at that site, for each k. Consecutive accesses of a lane at one
// line to neighbouring addresses, up to 16 aligned bytes, count as one: so compilers access the members of a
// vector.
#pragma once

#include <array>
#include <cstdint>
#include <exactdot/simt/costs.hpp>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "symbols.hpp"

namespace exactdot::simt {

enum class cost_kind : std::uint8_t {
  global_read,
  global_write,
  global_atomic,
  shared_read,
  shared_write,
  shared_atomic,
  global_copy,
  shared_copy,
  barrier,
  collective
};

class cost_counter {
 public:
  cost_counter(std::vector<line_costs>& lines, std::string kernel, std::uint32_t threads_per_block)
      : lines_(lines), kernel_(std::move(kernel)), threads_per_block_(threads_per_block) {}
  ~cost_counter();
  cost_counter(const cost_counter&) = delete;
  cost_counter& operator=(const cost_counter&) = delete;

  struct event {
    cost_kind kind;
    const void* caller;
    std::uint32_t block, thread;  // in the grid; in the block
    std::uintptr_t address;
    std::size_t size;
    std::uint64_t step;  // of the warp in lock step; 0: independent threads
  };
  /// `line_of` returns the source line of a return address.
  template <class LineOf>
  void note(const event& each, LineOf line_of) {
    const auto [at, fresh] = numbers_.try_emplace({each.caller, each.kind});
    if (fresh) at->second = add_site(each.kind, line_of(each.caller));
    note(each, at->second);
  }
  void finish_block(std::uint32_t number);

 private:
  struct site {
    cost_kind kind;
    std::size_t line;  // index in lines_
  };
  struct lane_access {
    std::uint32_t lane, size;
    std::uintptr_t address;
  };
  using request = std::vector<lane_access>;
  struct site_of_warp {
    std::array<std::uint64_t, 32> next{};   // by lane: the number of its next access
    std::map<std::uint64_t, request> open;  // by number
  };
  struct pending_access {  // of a thread: its last one, which the next may extend
    event first{};
    std::uint32_t site = none;
    std::uintptr_t end = 0;
    std::vector<const void*> callers;
  };
  struct block_costs {
    std::vector<std::unordered_map<std::uint32_t, site_of_warp>> warps;  // by site
    std::vector<pending_access> pending;                                 // by thread
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// Requests of a site that wait for lanes. A lane that is further behind makes requests of its own.
  static constexpr std::size_t max_open = 4096;

  std::uint32_t add_site(cost_kind kind, const source_line& line);
  void note(const event& each, std::uint32_t at);
  [[nodiscard]] bool extends(const pending_access& pending, const event& each, std::uint32_t at) const;
  void flush(block_costs& block, pending_access& pending);
  void count(const site& at, std::uint32_t block, const request& lanes);
  [[nodiscard]] std::uint32_t lanes_of_warp(std::uint32_t warp) const;

  struct site_hash {
    std::size_t operator()(const std::pair<const void*, cost_kind>& site) const {
      return std::hash<const void*>()(site.first) * 31 + static_cast<std::size_t>(site.second);
    }
  };
  struct queue_key {
    std::size_t line;
    std::uint32_t block;  // of shared memory
    std::uintptr_t address;
    bool operator==(const queue_key&) const = default;
  };
  struct queue_hash {
    std::size_t operator()(const queue_key& key) const { return (key.address * 31 + key.line) * 31 + key.block; }
  };

  std::vector<line_costs>& lines_;
  std::string kernel_;
  std::uint32_t threads_per_block_;
  std::vector<site> sites_;
  std::unordered_map<std::pair<const void*, cost_kind>, std::uint32_t, site_hash> numbers_;  // in sites_
  std::unordered_map<std::uint32_t, block_costs> blocks_;                                    // by number
  std::unordered_map<queue_key, std::uint64_t, queue_hash> queues_;
};

}  // namespace exactdot::simt
