// See recorded_requests.hpp. The passes of a request over the banks are those of costs.cpp.
#include "recorded_requests.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace exactdot::simt {

int request_log::add(const access& each, bool may_begin) {
  const unsigned block = each.thread / threads_per_block_, index = each.thread % threads_per_block_;
  const unsigned warp = index / 32, lane = index % 32;
  std::uint64_t group = each.turn, order = 0;
  if (each.turn == 0) {
    group = std::uint64_t{block} * 32 + warp;
    order = counts_[each.thread][{each.caller, each.is_write}]++;
  }
  const place at = {group, each.caller, each.is_write, order};
  auto found = open_.find(at);
  if (found == open_.end()) {
    if (!may_begin || open_.size() + complete_.size() >= max_requests) return -1;
    found = open_.emplace(at, open_request{next_++, age_, {}}).first;
  }
  open_request& request = found->second;
  const int number = request.number;
  request.lanes.push_back({lane, static_cast<std::uint32_t>(each.size), each.offset});
  if (request.lanes.size() == std::min(32U, threads_per_block_ - warp * 32)) {
    complete_.emplace(number, conflicts_of(request.lanes));
    open_.erase(found);
  }
  return number;
}

void request_log::forget_all_but(const std::unordered_set<int>& numbers) {
  std::erase_if(complete_, [&](const auto& entry) { return !numbers.contains(entry.first); });
  std::erase_if(
      open_, [&](const auto& entry) { return entry.second.age < age_ && !numbers.contains(entry.second.number); });
  ++age_;
}

std::unordered_map<int, recorded_request> request_log::requests() const {
  std::unordered_map<int, recorded_request> all = complete_;
  for (const auto& [at, request] : open_) all.emplace(request.number, conflicts_of(request.lanes));
  return all;
}

/// The longest queue at a bank: words of 4 bytes that lanes of one pass want from it. Lanes with 8 bytes pass by
/// half warps, with 16 bytes by quarters.
recorded_request request_log::conflicts_of(const std::vector<lane_access>& lanes) {
  recorded_request request;
  request.lanes = static_cast<unsigned>(lanes.size());
  std::uint32_t largest = 1;
  for (const lane_access& lane : lanes) largest = std::max(largest, lane.size);
  const unsigned lanes_per_pass = largest <= 4 ? 32 : largest <= 8 ? 16 : 8;
  for (unsigned first = 0; first < 32; first += lanes_per_pass) {
    std::array<std::set<std::uintptr_t>, 32> words;
    for (const lane_access& lane : lanes) {
      if (lane.lane - first >= lanes_per_pass) continue;
      const std::uintptr_t last = (lane.offset + lane.size - 1) / 4;
      for (std::uintptr_t word = lane.offset / 4; word <= last; ++word) words[word % 32].insert(word);
    }
    for (unsigned bank = 0; bank < words.size(); ++bank) {
      if (words[bank].size() > request.degree)
        request.degree = static_cast<unsigned>(words[bank].size()), request.bank = bank;
    }
  }
  return request;
}

}  // namespace exactdot::simt
