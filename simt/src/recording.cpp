// Recording of launches; see recording.hpp.
#include "recording.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "machine.hpp"

namespace exactdot::simt {
namespace {

recorded_value value_at(std::uintptr_t contents, std::size_t size, bool is_written) {
  recorded_value value;
  std::memcpy(value.words.data(), reinterpret_cast<const void*>(contents), std::min(size, sizeof value.words));
  value.is_written = is_written;
  return value;
}

/// Returns the device addresses among a kernel's arguments, in order of its parameters. libstdc++ stores the
/// elements of a tuple in reverse order.
std::vector<std::uintptr_t> device_pointers(const kernel_call& call) {
  std::vector<std::uintptr_t> found;
  const auto* const bytes = static_cast<const unsigned char*>(call.arguments);
  for (std::size_t at = sizeof(void*); at + sizeof(std::uintptr_t) <= call.argument_bytes; at += sizeof(void*)) {
    std::uintptr_t word = 0;
    std::memcpy(&word, bytes + at, sizeof word);
    if (device_memory::instance().find(word) != nullptr) found.push_back(word);
  }
#if defined(__GLIBCXX__)
  std::reverse(found.begin(), found.end());
#endif
  return found;
}

bool is_consequence(step_kind kind) { return kind >= step_kind::opened; }

}  // namespace

recorded_step* recording::note(unsigned thread, step_kind kind, const char* action, const source_line& line,
                               std::uint64_t turn) {
  const recorder_settings& limits = state_.settings;
  if (thread >= limits.max_threads) {
    ++launch_.steps_of_others;
    return nullptr;
  }
  if (launch_.steps.size() >= limits.max_steps || state_.total_steps >= limits.max_total_steps) {
    if (!is_consequence(kind)) ++launch_.dropped_steps;
    last_steps_.erase(thread);  // so that its faults do not show at an earlier step
    return nullptr;
  }
  const bool joins = turn != 0 && turn == lock_step_turn_;
  if (!is_consequence(kind) && !joins) ++turn_;
  lock_step_turn_ = turn;
  turn_thread_ = thread;
  ++state_.total_steps;
  last_steps_[thread] = launch_.steps.size();
  recorded_step& step = launch_.steps.emplace_back();
  step.turn = turn_, step.thread = thread, step.kind = kind, step.action = action;
  step.file = index_of_file(line.file), step.line = line.line;
  step.entries = launch_.schedule.size() + 1;
  return &step;
}

void recording::note_access(recorded_step& step, const location& place, const std::string& name,
                            std::uintptr_t contents, std::size_t size) {
  step.array = index_of_array(place, name, contents);
  step.offset = place.address - launch_.arrays[static_cast<std::size_t>(step.array)].address;
  step.size = size;
  const bool written = place.range->is_written(place.address, size);
  step.before = step.after = value_at(contents, size, written);
  step.after.is_written = written || step.kind == step_kind::write || step.kind == step_kind::atomic;
  contents_ = contents;
  unfinished_ = static_cast<std::size_t>(&step - launch_.steps.data());
}

void recording::turn_into_spin(unsigned thread) {
  const auto last = last_steps_.find(thread);
  if (last == last_steps_.end()) return;
  recorded_step& step = launch_.steps[last->second];
  const bool executed = unfinished_ != last->second;
  if (step.kind > step_kind::atomic || (executed && step.after.words != step.before.words)) return;
  step.kind = step_kind::spin;
  if (executed) return;
  step.after = step.before;
  unfinished_ = none;
}

void recording::note_exit(unsigned thread, std::uint64_t turn) {
  const bool joins = turn == 0 ? turn_thread_ == thread : turn == lock_step_turn_;
  if (thread < state_.settings.max_threads && !joins) ++turn_;
  lock_step_turn_ = turn;
  note_consequence(thread, step_kind::exited);
}

void recording::note_consequence(unsigned thread, step_kind kind, std::uint32_t mask) {
  const std::uint64_t lock_step_turn = lock_step_turn_;
  const auto last = last_steps_.find(thread);
  const bool known = last != last_steps_.end();
  const source_line line =
      known ? source_line{"", launch_.steps[last->second].line} : source_line{launch_.file, launch_.line};
  const int file = known ? launch_.steps[last->second].file : -1;
  const char* const name = kind == step_kind::exited ? "exit" : kind == step_kind::opened ? "opens" : "completes";
  recorded_step* const step = note(thread, kind, name, line, lock_step_turn);
  if (step == nullptr) return;
  if (file >= 0) step->file = file;
  step->mask = mask;
  if (kind != step_kind::exited) {  // the step itself remains the thread's last
    if (known) {
      last_steps_[thread] = last->second;
    } else {
      last_steps_.erase(thread);
    }
  }
}

void recording::finish_step() {
  if (unfinished_ == none) return;
  recorded_step& step = launch_.steps[unfinished_];
  step.after = value_at(contents_, step.size, step.after.is_written);
  unfinished_ = none;
}

void recording::note_fault(unsigned thread, std::size_t fault) {
  const auto last = last_steps_.find(thread);
  if (last != last_steps_.end()) launch_.steps[last->second].fault = static_cast<int>(fault);
}

void recording::note_other_side(unsigned thread, unsigned other) {
  const auto last = last_steps_.find(thread);
  if (last != last_steps_.end()) launch_.steps[last->second].other_thread = static_cast<int>(other);
}

/// The stream has joined one fault to another and removed it.
void recording::merge_fault(std::size_t removed, std::size_t kept) {
  for (recorded_step& step : launch_.steps) {
    if (step.fault == static_cast<int>(removed)) step.fault = static_cast<int>(kept);
    if (step.fault > static_cast<int>(removed)) --step.fault;
  }
}

void recording::note_skipped(std::size_t position, unsigned thread, const char* reason) {
  if (!launch_.skipped) launch_.skipped = {position, thread, reason};
}

/// Keeps the faults that this launch has sighted, and renumbers them.
void recording::finish(const std::vector<fault>& faults) {
  std::map<int, int> numbers;
  for (recorded_step& step : launch_.steps) {
    if (step.fault < 0 || static_cast<std::size_t>(step.fault) >= faults.size()) continue;
    const auto [at, fresh] = numbers.try_emplace(step.fault, static_cast<int>(launch_.faults.size()));
    if (fresh) launch_.faults.push_back(faults[static_cast<std::size_t>(step.fault)]);
    step.fault = at->second;
  }
  for (std::size_t i = launch_.first_fault; i < faults.size(); ++i) {
    if (!numbers.contains(static_cast<int>(i))) launch_.faults.push_back(faults[i]);
  }
}

int recording::index_of_file(const std::string& file) {
  if (file.empty()) return -1;
  auto& files = launch_.files;
  const auto at = std::find(files.begin(), files.end(), file);
  if (at != files.end()) return static_cast<int>(at - files.begin());
  files.push_back(file);
  return static_cast<int>(files.size()) - 1;
}

int recording::index_of_array(const location& place, const std::string& name, std::uintptr_t contents) {
  const std::uint32_t owner = place.owner == nullptr ? ~0U : place.owner->number;
  const auto [at, fresh] =
      arrays_.try_emplace({place.range->start, owner}, static_cast<int>(launch_.arrays.size()));
  if (!fresh) return at->second;
  recorded_array& array = launch_.arrays.emplace_back();
  array.name = name;
  array.shared = place.owner != nullptr;
  array.block = array.shared ? place.owner->number : 0;
  array.address = place.range->start;
  array.bytes = place.range->size;
  const std::uintptr_t start = contents - (place.address - place.range->start);
  const std::size_t kept = std::min(array.bytes, state_.settings.max_array_bytes);
  array.initial.resize(kept);
  std::memcpy(array.initial.data(), reinterpret_cast<const void*>(start), kept);
  for (std::size_t i = 0; i < kept; i += 4)
    array.is_written.push_back(place.range->is_written(array.address + i, std::min<std::size_t>(4, kept - i)));
  return at->second;
}

recorder::recorder(const recorder_settings& settings) : state_(std::make_unique<detail::recorder_state>()) {
  if (active_recorder != nullptr) throw std::logic_error("simt::recorder: another one exists");
  state_->settings = settings;
  active_recorder = state_.get();
}
recorder::~recorder() { active_recorder = nullptr; }
const std::vector<recorded_launch>& recorder::launches() const { return state_->launches; }
std::size_t recorder::dropped_launches() const { return state_->dropped_launches; }

/// Applies the recorder's settings to this launch and starts its recording.
void machine::start_recording() {
  detail::recorder_state& state = *active_recorder;
  if (state.settings.model) settings_.model = *state.settings.model;
  if (state.settings.max_run_length) settings_.max_run_length = *state.settings.max_run_length;
  if (state.is_first && !state.settings.script.empty()) settings_.script = state.settings.script;
  state.is_first = false;
  if (state.launches.size() >= state.settings.max_launches) {
    ++state.dropped_launches;
    return;
  }
  recorded_launch& launch = state.launches.emplace_back();
  const source_line line = find_line(static_cast<const char*>(call_.kernel) + 1);  // it takes return addresses
  launch.kernel = module_.kernel_name();
  launch.file = line.file, launch.line = line.line;
  launch.model = settings_.model, launch.seed = settings_.seed;
  launch.is_scripted = !settings_.script.empty();
  launch.grid = {grid_.x, grid_.y, grid_.z};
  launch.block = {block_size_.x, block_size_.y, block_size_.z};
  launch.threads_per_block = threads_per_block_;
  launch.threads = grid_.x * grid_.y * grid_.z * threads_per_block_;
  launch.pointers = device_pointers(call_);
  launch.first_fault = stream_.faults.size();
  recording_ = std::make_unique<recording>(state, launch);
}

void machine::finish_recording() {
  recording_->finish_step();
  if (script_position_ < settings_.script.size()) {
    const bool lock_step = settings_.model == execution::lock_step;
    recording_->note_skipped(script_position_, settings_.script[script_position_],
                             lock_step ? "lanes in lock step follow no script" : "the launch had ended");
  }
  recording_->finish(stream_.faults);
}

std::uint64_t machine::recorded_turn() const {
  if (settings_.model == execution::independent) return 0;
  const block& parent = *current_->parent;
  return std::uint64_t{parent.number} << 44 | std::uint64_t{current_->warp() + 1} << 36 |
         parent.warp_steps[current_->warp()];
}

void machine::record_step(step_kind kind, const char* action, const void* caller) {
  recording_->note(current_->number, kind, action, line_of(attributed(*current_, caller)), recorded_turn());
}

void machine::record_access(const location& place, std::uintptr_t address, std::size_t size,
                            const access_kind& kind, const void* caller) {
  const step_kind recorded = kind.write && kind.reads() ? step_kind::atomic
                             : kind.write               ? step_kind::write
                                                        : step_kind::read;
  const char* const action = kind.atomic && !kind.is_volatile ? kind.reads() && kind.write ? "atomic"
                                                                : kind.write               ? "atomic write"
                                                                                           : "atomic read"
                                                              : kind.name();
  recorded_step* const step =
      recording_->note(current_->number, recorded, action, line_of(attributed(*current_, caller)), recorded_turn());
  if (step == nullptr) return;
  std::string name = name_of_address(place.range->start);
  if (device_memory::instance().holds(place.range->start))
    name = place.range->shared ? "dynamic shared memory" : "";
  name.resize(std::min(name.size(), name.find(" of ")));
  recording_->note_access(*step, place, name, address, size);
}

}  // namespace exactdot::simt
