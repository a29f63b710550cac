// Recording of launches; see recording.hpp.
#include "recording.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

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

recording::recording(detail::recorder_state& state, recorded_launch& launch)
    : state_(state), launch_(launch), requests_(launch.threads_per_block) {
  std::size_t recorded = 0;
  for (const recorded_launch& earlier : state.launches) recorded += &earlier == &launch ? 0 : earlier.steps.size();
  const recorder_settings& limits = state.settings;
  limit_ = std::min(limits.max_steps, limits.max_total_steps - std::min(limits.max_total_steps, recorded));
  if (limits.max_watched_steps == 0) show(first_threads());
}

recorded_step* recording::note(unsigned thread, step_kind kind, const char* action, recorded_line line,
                               std::uint64_t turn) {
  if (fault_step_ != none && !is_decided_) decide();
  const bool resumes = !is_consequence(kind) && waiting_.erase(thread) != 0;
  if (!(is_decided_ ? is_shown(thread) : is_chosen_block(thread))) {
    if (!resumes) ++launch_.steps_of_others;
    return nullptr;
  }
  if (is_decided_ && launch_.steps.size() >= limit_) {
    if (!is_consequence(kind) && !resumes) ++launch_.dropped_steps;
    last_steps_.erase(thread);  // so that its faults do not show at an earlier step
    return nullptr;
  }
  const std::size_t watched = std::max(state_.settings.max_watched_steps, limit_);
  if (!is_decided_ && launch_.steps.size() >= 2 * watched) leave_out(watched);
  const bool joins = turn != 0 && turn == lock_step_turn_;
  if (!is_consequence(kind) && !joins) ++turn_;
  lock_step_turn_ = turn;
  turn_thread_ = thread;
  if (resumes) {
    const auto last = last_steps_.find(thread);
    resumed_ = launch_.steps.size(), waited_ = last == last_steps_.end() ? none : last->second;
  }
  last_steps_[thread] = left_out_ + launch_.steps.size();
  recorded_step& step = launch_.steps.emplace_back();
  step.turn = turn_, step.thread = thread, step.kind = kind, step.action = action;
  step.file = line.file, step.line = line.line;
  step.entries = launch_.schedule.size() + 1;
  return &step;
}

/// Returns the last recorded step of a thread; null if it has none, or if it was left out.
recorded_step* recording::last_step(unsigned thread) {
  const auto last = last_steps_.find(thread);
  if (last == last_steps_.end() || last->second < left_out_) return nullptr;
  return &launch_.steps[last->second - left_out_];
}

void recording::note_values(recorded_step& step, const location& place, std::uintptr_t contents, std::size_t size) {
  step.offset = place.address - launch_.arrays[static_cast<std::size_t>(step.array)].address;
  step.size = size;
  const bool written = place.range->is_written(place.address, size);
  step.before = step.after = value_at(contents, size, written);
  step.after.is_written = written || step.kind == step_kind::write || step.kind == step_kind::atomic;
  contents_ = contents;
  unfinished_ = static_cast<std::size_t>(&step - launch_.steps.data());
}

int recording::note_request(const request_log::access& each) {
  const unsigned per_block = launch_.threads_per_block, in_block = each.thread % per_block;
  const unsigned first = each.thread - in_block % 32,
                 end = std::min(first + 32, each.thread - in_block + per_block);
  bool may_begin = is_decided_ ? launch_.steps.size() < limit_ : is_chosen_block(each.thread);
  if (is_decided_ && may_begin) {
    may_begin = false;
    for (unsigned lane = first; lane < end; ++lane) may_begin = may_begin || is_shown(lane);
  }
  return requests_.add(each, may_begin);
}

void recording::turn_into_spin(unsigned thread) {
  if (launch_.model == execution::independent) waiting_.insert(thread);  // in lock step it has made the access
  recorded_step* const step = last_step(thread);
  if (step == nullptr) return;
  const bool executed = unfinished_ != static_cast<std::size_t>(step - launch_.steps.data());
  if (step->kind > step_kind::atomic || (executed && step->after.words != step->before.words)) return;
  step->kind = step_kind::spin;
  if (executed) return;
  step->after = step->before;
  unfinished_ = none;
}

void recording::note_exit(unsigned thread, std::uint64_t turn) {
  const bool joins = turn == 0 ? turn_thread_ == thread : turn == lock_step_turn_;
  const bool recorded = is_decided_ ? is_shown(thread) : is_chosen_block(thread);
  if (recorded && !joins) ++turn_;
  lock_step_turn_ = turn;
  note_consequence(thread, step_kind::exited);
  requests_.forget_thread(thread);
}

void recording::note_consequence(unsigned thread, step_kind kind, std::uint32_t mask) {
  const std::uint64_t lock_step_turn = lock_step_turn_;
  if (fault_step_ != none && !is_decided_) decide();
  const recorded_step* const last = last_step(thread);
  const bool known = last != nullptr;
  const std::size_t last_index = known ? last_steps_[thread] : 0;
  const recorded_line line =
      known ? recorded_line{last->file, last->line} : recorded_line{index_of_file(launch_.file), launch_.line};
  const char* const name = kind == step_kind::exited ? "exit" : kind == step_kind::opened ? "opens" : "completes";
  recorded_step* const step = note(thread, kind, name, line, lock_step_turn);
  if (step == nullptr) return;
  step->mask = mask;
  if (kind != step_kind::exited) {  // the step itself remains the thread's last
    if (known) {
      last_steps_[thread] = last_index;
    } else {
      last_steps_.erase(thread);
    }
  }
}

void recording::finish_step() {
  if (unfinished_ == none) return;
  recorded_step& step = launch_.steps[unfinished_];
  step.after = value_at(contents_, step.size, step.after.is_written);
  const bool has_waited = unfinished_ == resumed_;
  unfinished_ = resumed_ = none;
  if (has_waited) join_with_wait();
}

/// The last step is an access after a wait at it. Removes it if nothing has changed.
void recording::join_with_wait() {
  const recorded_step& step = launch_.steps.back();
  const bool is_last = last_steps_[step.thread] == left_out_ + launch_.steps.size() - 1;
  if (!is_last || step.fault >= 0 || waited_ == none || waited_ < left_out_) return;
  const recorded_step& waited = launch_.steps[waited_ - left_out_];
  if (waited.kind != step_kind::spin || waited.array != step.array || waited.offset != step.offset) return;
  if (waited.after.words != step.before.words || step.before.words != step.after.words) return;
  last_steps_[step.thread] = waited_;
  launch_.steps.pop_back();
  --turn_;
}

void recording::note_fault(unsigned thread, std::size_t fault) {
  recorded_step* const step = last_step(thread);
  if (step == nullptr) return;
  step->fault = static_cast<int>(fault);
  if (fault_step_ == none) fault_step_ = last_steps_[thread];
}

void recording::note_other_side(unsigned thread, unsigned other) {
  recorded_step* const step = last_step(thread);
  if (step != nullptr) step->other_thread = static_cast<int>(other);
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
  finish_step();
  if (fault_step_ != none && !is_decided_) decide();
  is_decided_ ? finish_decided() : finish_undecided();
  finish_requests();
  forget_arrays();
  if (entries_ > max_entries) launch_.schedule.clear();
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
  for (const fault& found : launch_.faults)
    launch_.other_sides_left_out.push_back(number_left_out(found.other_site));
}

/// Returns the number of the last step at a site among those before the ones that are kept; 0 if none is there.
std::uint64_t recording::number_left_out(const fault_site& site) const {
  const auto file = std::find(launch_.files.begin(), launch_.files.end(), site.file);
  if (site.action.empty() || site.by_host || file == launch_.files.end()) return 0;
  const auto number = [](const index3& index, const index3& size) {
    return std::int64_t{index.x} + std::int64_t{size.x} * (index.y + std::int64_t{size.y} * index.z);
  };
  const std::int64_t thread =
      number(site.block, launch_.grid) * launch_.threads_per_block + number(site.thread, launch_.block);
  const auto at = left_out_accesses_.find({thread, file - launch_.files.begin(), site.line});
  return at == left_out_accesses_.end() ? 0 : at->second;
}

int recording::index_of_file(const std::string& file) {
  if (file.empty()) return -1;
  auto& files = launch_.files;
  const auto at = std::find(files.begin(), files.end(), file);
  if (at != files.end()) return static_cast<int>(at - files.begin());
  files.push_back(file);
  return static_cast<int>(files.size()) - 1;
}

int recording::index_of_array(const location& place) const {
  const auto at = arrays_.find({place.range->start, place.owner == nullptr ? ~0U : place.owner->number});
  return at == arrays_.end() ? -1 : at->second;
}

int recording::add_array(const location& place, const std::string& name, std::uintptr_t contents) {
  const int index = static_cast<int>(launch_.arrays.size());
  arrays_[{place.range->start, place.owner == nullptr ? ~0U : place.owner->number}] = index;
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
  return index;
}

recorder::recorder(const recorder_settings& settings) : state_(std::make_unique<detail::recorder_state>()) {
  if (active_recorder != nullptr) throw std::logic_error("simt::recorder: another one exists");
  state_->settings = settings;
  active_recorder = state_.get();
}
recorder::~recorder() { active_recorder = nullptr; }
const std::vector<recorded_launch>& recorder::launches() const { return state_->launches; }
std::size_t recorder::dropped_launches() const { return state_->dropped_launches; }
std::size_t recorder::launch_count() const { return state_->launch_count; }
void recorder::finish() { state_->finish_launch(); }

/// Counts a launch. Returns where it is recorded; null if it is not.
recorded_launch* detail::recorder_state::next_launch() {
  ++launch_count;
  const auto& numbers = settings.numbers;
  if (!numbers.empty() && std::find(numbers.begin(), numbers.end(), launch_count) == numbers.end()) {
    ++dropped_launches;
    return nullptr;
  }
  if (launches.size() < settings.max_launches) return &launches.emplace_back();
  const auto is_replaceable = [](const recorded_launch& launch) { return launch.faults.empty(); };
  if (std::none_of(launches.begin(), launches.end(), is_replaceable)) {
    ++dropped_launches;
    return nullptr;
  }
  spare = {};
  return &spare;
}

void detail::recorder_state::finish_launch() {
  if (current == nullptr) return;
  recording* const finished = std::exchange(current, nullptr);
  finished->finish(*faults);
  if (!finished->is_of(spare)) return;
  ++dropped_launches;
  if (spare.first_fault == faults->size()) return;
  const auto last = std::find_if(launches.rbegin(), launches.rend(),
                                 [](const recorded_launch& launch) { return launch.faults.empty(); });
  launches.erase(std::next(last).base());
  launches.push_back(std::exchange(spare, {}));
}

/// Applies the recorder's settings to this launch and starts its recording.
void machine::start_recording() {
  detail::recorder_state& state = *active_recorder;
  if (state.settings.model) settings_.model = *state.settings.model;
  if (state.settings.max_run_length) settings_.max_run_length = *state.settings.max_run_length;
  if (state.launch_count == 0 && !state.settings.script.empty()) settings_.script = state.settings.script;
  recorded_launch* const place = state.next_launch();
  if (place == nullptr) return;
  recorded_launch& launch = *place;
  const source_line line = find_line(static_cast<const char*>(call_.kernel) + 1);  // it takes return addresses
  launch.number = state.launch_count;
  launch.kernel = module_.kernel_name();
  launch.file = line.file, launch.line = line.line;
  launch.model = settings_.model, launch.seed = settings_.seed;
  launch.is_scripted = !settings_.script.empty();
  launch.grid = {grid_.x, grid_.y, grid_.z};
  launch.block = {block_size_.x, block_size_.y, block_size_.z};
  launch.threads_per_block = threads_per_block_;
  launch.threads = grid_.x * grid_.y * grid_.z * threads_per_block_;
  launch.pointers = device_pointers(call_);
  launch.named_pointers = stream_.named_pointers;
  launch.first_fault = stream_.faults.size();
  recording_ = std::make_unique<recording>(state, launch);
  state.current = recording_.get(), state.faults = &stream_.faults;
}

void machine::finish_recording() {
  if (script_position_ < settings_.script.size()) {
    const bool lock_step = settings_.model == execution::lock_step;
    recording_->note_skipped(script_position_, settings_.script[script_position_],
                             lock_step ? "lanes in lock step follow no script" : "the launch had ended");
  }
  if (active_recorder != nullptr) active_recorder->finish_launch();
}

std::uint64_t machine::recorded_turn() const {
  if (settings_.model == execution::independent) return 0;
  const block& parent = *current_->parent;
  return std::uint64_t{parent.number} << 44 | std::uint64_t{current_->warp() + 1} << 36 |
         parent.warp_steps[current_->warp()];
}

void machine::record_step(step_kind kind, const char* action, const void* caller) {
  const void* const place = attributed(*current_, caller);
  recording_->note(current_->number, kind, action, recording_->line_at(place, [&] { return line_of(place); }),
                   recorded_turn());
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
  const void* const line = attributed(*current_, caller);
  const bool is_request =
      (place.owner != nullptr || place.range->shared) && recorded != step_kind::atomic && size <= 16;
  const int request = !is_request
                          ? -1
                          : recording_->note_request({current_->number, caller, kind.write,
                                                      place.address - place.range->start, size, recorded_turn()});
  recorded_step* const step =
      recording_->note(current_->number, recorded, action, recording_->line_at(line, [&] { return line_of(line); }),
                       recorded_turn());
  if (step == nullptr) return;
  step->request = request;
  const auto name = [&]() -> std::string {
    if (device_memory::instance().holds(place.range->start))
      return place.range->shared ? "dynamic shared memory" : "";
    std::string text = name_of_address(place.range->start);
    text.resize(std::min(text.size(), text.find(" of ")));
    return text;
  };
  recording_->note_access(*step, place, name, address, size);
}

}  // namespace exactdot::simt
