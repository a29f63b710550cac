// Which steps of a long launch are kept: those around its first finding; without one the first steps of the first
// threads. See recording.hpp.
//
// Until a finding comes the recording holds the steps of all threads. When they are too many, the older half
// leaves: what it did to memory and threads is applied to the state before the steps that remain. Once a finding
// comes, the threads that it names, their warps and their blocks are chosen.
#include <algorithm>
#include <cstring>

#include "machine.hpp"

namespace exactdot::simt {

bool recording::is_chosen_block(unsigned thread) const {
  const auto& blocks = state_.settings.blocks;
  return blocks.empty() ||
         std::find(blocks.begin(), blocks.end(), thread / launch_.threads_per_block) != blocks.end();
}

std::vector<unsigned> recording::first_threads() const {
  std::vector<unsigned> blocks = state_.settings.blocks, threads;
  std::sort(blocks.begin(), blocks.end());
  const unsigned per_block = launch_.threads_per_block, count = launch_.threads / per_block;
  const unsigned max_threads = state_.settings.max_threads;
  for (unsigned i = 0; i < (blocks.empty() ? count : blocks.size()) && threads.size() < max_threads; ++i) {
    const unsigned number = blocks.empty() ? i : blocks[i];
    for (unsigned j = 0; j < per_block && number < count && threads.size() < max_threads; ++j)
      threads.push_back(number * per_block + j);
  }
  return threads;
}

bool recording::is_first_thread(unsigned thread) const {
  if (state_.settings.blocks.empty()) return thread < state_.settings.max_threads;
  const std::vector<unsigned>& shown = launch_.shown_threads;  // the first threads, until a finding decides
  return std::binary_search(shown.begin(), shown.end(), thread);
}

/// Returns the warps of these threads, then their blocks, then the first blocks, as far as there is room.
std::vector<unsigned> recording::threads_around(const std::vector<unsigned>& involved) const {
  const unsigned per_block = launch_.threads_per_block, max_threads = state_.settings.max_threads;
  std::vector<unsigned> chosen;
  const auto add_warp = [&](unsigned block, unsigned warp) {
    const unsigned first = block * per_block + warp * 32;
    const unsigned end = std::min(first + 32, (block + 1) * per_block);
    if (std::find(chosen.begin(), chosen.end(), first) != chosen.end() || !is_chosen_block(first)) return;
    for (unsigned i = first; i < end && chosen.size() < max_threads; ++i) chosen.push_back(i);
  };
  const auto add_block = [&](unsigned block) {
    for (unsigned warp = 0; warp * 32 < per_block; ++warp) add_warp(block, warp);
  };
  for (const unsigned thread : involved) add_warp(thread / per_block, thread % per_block / 32);
  for (const unsigned thread : involved) add_block(thread / per_block);
  for (unsigned block = 0; block < launch_.threads / per_block && chosen.size() < max_threads; ++block)
    add_block(block);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

void recording::offer(const recorded_step& step) {
  if (!is_first_thread(step.thread)) {
    ++first_.of_others;
  } else if (first_.steps.size() < limit_) {
    first_.steps.push_back(step);
  } else if (step.kind < step_kind::opened) {
    ++first_.dropped;
  }
}

/// Applies a step to the state before the steps that are kept.
void recording::apply_before(const recorded_step& step) {
  if (step.kind < step_kind::opened) {
    ++launch_.skipped_steps;
    constexpr std::size_t max_accesses = 1 << 20;
    if (left_out_accesses_.size() < max_accesses)
      left_out_accesses_[{step.thread, step.file, step.line}] = launch_.skipped_steps;
    before_[step.thread] = {step.thread, false, false, step};
  }
  if (step.kind == step_kind::opened || step.kind == step_kind::completed) {
    const unsigned per_block = launch_.threads_per_block, start = step.thread / per_block * per_block;
    const unsigned warp = start + (step.thread - start) / 32 * 32;
    for (unsigned i = 0; i < (step.kind == step_kind::opened ? per_block : 32); ++i) {
      if (step.kind == step_kind::completed && (step.mask >> i & 1) == 0) continue;
      const auto passing = before_.find((step.kind == step_kind::opened ? start : warp) + i);
      if (passing != before_.end()) passing->second.has_passed = true;
    }
  }
  if (step.kind == step_kind::exited) {
    before_.erase(step.thread);
    if (has_exited_.size() <= step.thread) has_exited_.resize(step.thread + 1);
    has_exited_[step.thread] = true;
    const auto last = last_steps_.find(step.thread);
    if (last != last_steps_.end() && last->second < left_out_) last_steps_.erase(last);
  }
  if (step.array < 0 || step.after.words == step.before.words) return;
  const auto index = static_cast<std::size_t>(step.array);
  if (contents_before_.size() < launch_.arrays.size()) contents_before_.resize(launch_.arrays.size());
  array_bytes& held = contents_before_[index];
  if (held.bytes.empty()) held = {launch_.arrays[index].initial, launch_.arrays[index].is_written};
  const std::size_t size = std::min(step.size, sizeof step.after.words);
  if (step.offset + size > held.bytes.size()) return;
  std::memcpy(held.bytes.data() + step.offset, step.after.words.data(), size);
  for (std::size_t i = step.offset / 4; i <= (step.offset + size - 1) / 4; ++i) held.is_written[i] = true;
}

void recording::leave_out(std::size_t count) {
  if (launch_.shown_threads.empty()) launch_.shown_threads = first_threads();
  left_out_ += count;
  for (std::size_t i = 0; i < count; ++i) offer(launch_.steps[i]), apply_before(launch_.steps[i]);
  launch_.steps.erase(launch_.steps.begin(), launch_.steps.begin() + static_cast<std::ptrdiff_t>(count));
  if (unfinished_ != none) unfinished_ -= count;
  if (resumed_ != none) resumed_ -= count;
  forget_arrays();
  forget_requests();
}

/// Removes the arrays that no held step uses: a launch has as many shared arrays as blocks.
void recording::forget_arrays() {
  std::vector<int> numbers(launch_.arrays.size(), -1);
  const auto for_each_array = [this](auto action) {
    for (auto* const steps : {&launch_.steps, &first_.steps})
      for (recorded_step& step : *steps) action(step.array);
    for (auto& [thread, before] : before_) action(before.last.array);
    for (thread_before& before : launch_.before) action(before.last.array);
  };
  for_each_array([&](int array) {
    if (array >= 0) numbers[static_cast<std::size_t>(array)] = 0;
  });
  contents_before_.resize(numbers.size());
  int count = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0) continue;
    const auto to = static_cast<std::size_t>(numbers[i] = count++);
    if (to == i) continue;
    launch_.arrays[to] = std::move(launch_.arrays[i]);
    contents_before_[to] = std::move(contents_before_[i]);
  }
  launch_.arrays.resize(static_cast<std::size_t>(count));
  contents_before_.resize(static_cast<std::size_t>(count));
  for_each_array([&](int& array) {
    if (array >= 0) array = numbers[static_cast<std::size_t>(array)];
  });
  for (auto at = arrays_.begin(); at != arrays_.end();) {
    at->second = numbers[static_cast<std::size_t>(at->second)];
    at = at->second < 0 ? arrays_.erase(at) : std::next(at);
  }
}

/// Forgets the requests that no held step belongs to.
void recording::forget_requests() {
  std::unordered_set<int> numbers;
  for (const auto* const steps : {&launch_.steps, &first_.steps})
    for (const recorded_step& step : *steps) numbers.insert(step.request);
  requests_.forget_all_but(numbers);
}

/// Numbers the requests of the steps that are kept in the order of their first steps.
void recording::finish_requests() {
  const std::unordered_map<int, recorded_request> all = requests_.requests();
  std::unordered_map<int, int> numbers;
  for (recorded_step& step : launch_.steps) {
    const auto known = all.find(step.request);
    if (known == all.end() || step.kind > step_kind::write) {
      step.request = -1;
      continue;
    }
    const auto [at, fresh] = numbers.try_emplace(step.request, static_cast<int>(launch_.requests.size()));
    if (fresh) launch_.requests.push_back(known->second);
    step.request = at->second;
  }
}

/// The first finding is complete: chooses its threads, and the step with which the kept ones begin.
void recording::decide() {
  const std::size_t at = fault_step_ - left_out_;
  const recorded_step& found = launch_.steps[at];
  if ((*state_.faults)[static_cast<std::size_t>(found.fault)].kind == fault_kind::livelock) {
    fault_step_ = none;  // it comes long after the steps that led to it
    return;
  }
  std::vector<unsigned> involved = {found.thread};
  if (found.other_thread >= 0) involved.push_back(static_cast<unsigned>(found.other_thread));
  launch_.shown_threads = first_threads();
  const bool are_first =
      std::all_of(involved.begin(), involved.end(), [this](unsigned thread) { return is_first_thread(thread); });
  show(are_first ? launch_.shown_threads : threads_around(involved));
  const auto is_kept = [this](const recorded_step& step) { return is_shown(step.thread); };
  const auto begin = launch_.steps.begin();
  const auto earlier =
      static_cast<std::size_t>(std::count_if(begin, begin + static_cast<std::ptrdiff_t>(at), is_kept));
  std::size_t front = 0;
  if (left_out_ != 0 || earlier >= limit_ - limit_ / 4) {
    std::size_t more = earlier - std::min(earlier, limit_ / 2);
    while (more > 0) more -= is_kept(launch_.steps[front++]) ? 1 : 0;
    while (front < at && front > 0 && launch_.steps[front].turn == launch_.steps[front - 1].turn) ++front;
  }
  keep_selected(front);
}

void recording::show(std::vector<unsigned> threads) {
  launch_.shown_threads = std::move(threads);
  if (!launch_.shown_threads.empty()) is_shown_.assign(launch_.shown_threads.back() + 1, false);
  for (const unsigned thread : launch_.shown_threads) is_shown_[thread] = true;
  is_decided_ = true;
}

/// Keeps the steps of the shown threads from `front` on.
void recording::keep_selected(std::size_t front) {
  std::vector<recorded_step> kept;
  std::size_t unfinished = none;
  last_steps_.clear();
  for (std::size_t i = 0; i < launch_.steps.size(); ++i) {
    const recorded_step& step = launch_.steps[i];
    if (i < front) {
      apply_before(step);
    } else if (!is_shown(step.thread)) {
      ++launch_.steps_of_others;
    } else if (kept.size() >= limit_) {
      launch_.dropped_steps += step.kind < step_kind::opened ? 1 : 0;
    } else {
      if (i == unfinished_) unfinished = kept.size();
      if (step.kind != step_kind::opened && step.kind != step_kind::completed)
        last_steps_[step.thread] = kept.size();
      kept.push_back(step);
    }
  }
  launch_.steps = std::move(kept);
  unfinished_ = unfinished, resumed_ = none;
  left_out_ = 0;
}

void recording::finish_undecided() {
  if (launch_.shown_threads.empty()) launch_.shown_threads = first_threads();
  for (const recorded_step& step : launch_.steps) offer(step);
  launch_.steps = std::move(first_.steps);
  launch_.dropped_steps += first_.dropped, launch_.steps_of_others += first_.of_others;
  launch_.skipped_steps = 0;
  before_.clear(), left_out_accesses_.clear();
}

void recording::finish_decided() {
  if (launch_.skipped_steps == 0) return before_.clear();
  launch_.schedule.clear();
  for (std::size_t i = 0; i < contents_before_.size(); ++i) {
    if (contents_before_[i].bytes.empty()) continue;
    launch_.arrays[i].initial = std::move(contents_before_[i].bytes);
    launch_.arrays[i].is_written = std::move(contents_before_[i].is_written);
  }
  for (const unsigned thread : launch_.shown_threads) {
    const auto last = before_.find(thread);
    if (last != before_.end()) launch_.before.push_back(last->second);
    if (thread < has_exited_.size() && has_exited_[thread]) launch_.before.push_back({thread, true, true, {}});
  }
  before_.clear();
}

}  // namespace exactdot::simt
