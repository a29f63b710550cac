// Scheduler: draws the next thread from the seed, among all ready threads of the resident blocks.
// lock_step.cpp has the other model.
#include <algorithm>
#include <exactdot/error.hpp>
#include <utility>

#include "crash.hpp"
#include "running.hpp"
#include "step.hpp"

// Kernels see these under CUDA's names, as constants.
uint3 simt_thread_index asm("threadIdx"), simt_block_index asm("blockIdx");
dim3 simt_block_size asm("blockDim"), simt_grid_size asm("gridDim");

namespace exactdot::simt {

constinit thread_local guarded<machine*> running = {};
constinit thread_local guarded<bool> in_kernel = {};

machine::machine(detail::stream_state& stream, const launch_size& size, const kernel_call& call)
    : stream_(stream),
      settings_(stream.settings),
      grid_(size.grid),
      block_size_(size.block),
      cluster_size_(size.cluster),
      threads_per_block_(size.block.x * size.block.y * size.block.z),
      blocks_per_cluster_(size.cluster.x * size.cluster.y * size.cluster.z),
      shared_bytes_(size.shared_bytes),
      call_(call),
      module_(call.kernel),
      cluster_count_(std::uint64_t{grid_.x} * grid_.y * grid_.z / blocks_per_cluster_),
      slots_(static_cast<std::size_t>(std::max(1, settings_.resident_blocks))),
      random_(stream.settings.seed) {
  for (const variable& range : module_.writable) globals_.emplace_back(range.start, range.size, false, true);
  if (settings_.profile)
    costs_ = std::make_unique<cost_counter>(stream.costs, module_.kernel_name(), threads_per_block_);
  if (active_recorder != nullptr) start_recording();
  observed_ = settings_.trace || settings_.profile || recording_ != nullptr;
  device_memory::instance().next_launch(
      {{grid_.x, grid_.y, grid_.z}, {block_size_.x, block_size_.y, block_size_.z}});
}

void machine::run() {
  simt_block_size = block_size_, simt_grid_size = grid_;
  while (!ended_) {
    while (next_cluster_ < cluster_count_ &&
           (resident_.empty() || resident_.size() + blocks_per_cluster_ <= slots_)) {
      start_cluster();
    }
    if (resident_.empty()) break;
    if (!in_flight_.empty()) complete_due_copies();
    if (steps() >= clock_turn_) {
      raise_kept_signal();
      resume_clock_readers();
    }
    const bool found = settings_.model == execution::lock_step ? choose_in_lock_step() : choose_thread();
    if (!found) {
      if (!resume_or_settle()) report_hang(fault_kind::deadlock);
      continue;
    }
    exactdot_simt_switch(load_current(), &scheduler_);
    block& parent = *current_->parent;
    if (parent.has_ended()) finish_block(parent);
  }
  if (recording_) finish_recording();
  if (!float_sums_.empty()) keep_float_sums();
  if (!ended_) publish_shared_notes();
  if (failure_) std::rethrow_exception(failure_);
  if (!instrumented_ && !ended_) {
    throw error(
        errc::bad_option,
        "launch: the kernel does not call the simulator, so nothing was checked; compile it with the options "
        "that the target exactdot::simt adds");
  }
}

void machine::make_ready(thread& waiting) {
  waiting.status = thread_status::ready;
  waiting.parent->ready.add(waiting.index_in_block);
  ++ready_count_;
}

void machine::remove_ready(thread& stopped) {
  stopped.parent->ready.remove(stopped.index_in_block);
  --ready_count_;
}

/// Chooses the next thread of the script that is ready. A thread that has not started runs to its first step first,
/// which uses no entry of the script.
bool machine::choose_by_script() {
  for (; script_position_ < settings_.script.size(); ++script_position_) {
    const std::uint32_t wanted = settings_.script[script_position_];
    const char* reason = "its block has not started or has ended";
    for (const auto& resident : resident_) {
      if (resident->number != wanted / threads_per_block_) continue;
      current_ = &resident->threads[wanted % threads_per_block_];
      if (current_->status != thread_status::ready) {
        reason = current_->status == thread_status::exited ? "it has exited" : "it waits";
        continue;
      }
      if (current_->program_counter != nullptr) ++script_position_;
      return true;
    }
    if (recording_) recording_->note_skipped(script_position_, wanted, reason);
  }
  return false;
}

bool machine::choose_thread() {
  if (script_position_ < settings_.script.size() && choose_by_script()) {
    steps_left_ = 1;
    return true;
  }
  if (preferred_block_ == nullptr || preferred_block_->ready.empty() || --preferred_turns_ <= 0) {
    const std::size_t first = random_() % resident_.size();
    preferred_block_ = nullptr;
    for (std::size_t i = 0; i < resident_.size() && preferred_block_ == nullptr; ++i) {
      block* const candidate = resident_[(first + i) % resident_.size()].get();
      if (!candidate->ready.empty()) preferred_block_ = candidate;
    }
    preferred_turns_ = static_cast<int>(random_() % 64) + 1;
  }
  if (preferred_block_ == nullptr) return false;
  current_ = &preferred_block_->threads[preferred_block_->ready[random_() % preferred_block_->ready.size()]];
  steps_left_ = 1 + static_cast<int>(random_() % static_cast<std::uint64_t>(std::max(1, settings_.max_run_length)));
  return true;
}

inline void machine::load_block(block& next) {
  if (loaded_block_ == &next) return;
  if (loaded_block_ != nullptr) loaded_block_->shared.save();
  next.shared.restore();
  loaded_block_ = &next;
  simt_block_index = next.index;
}

/// Has the memory of the thread brought into the cache that will run after the current one if that waits for
/// nothing meanwhile, and the frames of its last calls. Thousands of threads take turns, so the cache holds few of
/// them. Inlined always: GCC leaves out calls of a function that does nothing but prefetch.
[[gnu::always_inline]] inline void machine::prefetch_next() const {
  const block* from = step_block_;
  std::uint32_t index = 0;
  if (settings_.model == execution::lock_step) {
    if (step_lanes_.empty()) return;
    index = step_lanes_.back();
  } else {
    if (preferred_block_ == nullptr) return;  // a script decides
    const bool same_block = preferred_turns_ > 1;
    from = same_block ? preferred_block_ : resident_[random_.peek(0) % resident_.size()].get();
    if (from->ready.empty()) return;
    index = from->ready[random_.peek(same_block ? 0 : 2) % from->ready.size()];
  }
  from->threads[index].prefetch();
  constexpr std::size_t line = 64, frames = 5 * line;
  const resumption& next = from->resumptions[index];
  __builtin_prefetch(next.shadow, 1);
  const auto* const stack = static_cast<const char*>(next.at);
  for (std::size_t i = 0; i < frames; i += line) __builtin_prefetch(stack + i, 1);
}

/// Puts the memory of the current thread in place. Returns its context, to jump to.
[[gnu::always_inline]] inline context machine::load_current() {
  prefetch_next();
  block& parent = *current_->parent;
  load_block(parent);
  simt_thread_index = current_->index;
  return parent.resumptions[current_->index_in_block].at;
}

/// Chooses the thread that runs after the current one, if there is nothing else to do before. Returns whether it
/// has.
inline bool machine::choose_directly() {
  if (ended_ || current_->status == thread_status::exited || !in_flight_.empty() || steps() >= clock_turn_)
    return false;
  if (settings_.model == execution::lock_step) return choose_lane();
  return ready_count_ != 0 && script_position_ >= settings_.script.size() && choose_thread();
}

/// The current thread's turn ends. Returns the context that runs after it; null if the thread goes on.
context machine::end_turn() {
  // A script's entry ends at the thread's next step, or when it waits or exits.
  const bool has_started = current_->program_counter != nullptr;
  if (recording_ && has_started && current_->status != thread_status::ready)
    recording_->note_entry(current_->number);
  in_kernel = false;
  const thread* const self = current_;
  kept_ = &self->parent->resumptions[self->index_in_block].at;
  if (!choose_directly()) return scheduler_;
  return current_ == self ? nullptr : load_current();
}

void machine::yield() {
  const context next = end_turn();
  if (next != nullptr) exactdot_simt_switch(next, kept_);
}

/// Judges accesses whose effect is known at the thread's next step.
void machine::finish_last_access() {
  if (comparison_.writer != nullptr) finish_comparison();
  if (copy_.reader != nullptr) finish_struct_copy();
  if (current_->copied_read) report_unwritten(*std::exchange(current_->copied_read, nullptr));
  if (recording_) recording_->finish_step();
}

/// The rest of a visit: a step in lock step, and what is rare.
void machine::visit_basic_block(const void* caller) {
  if (current_->quiet_blocks >= quiet_loop::first_look) {
    check_quiet_loop(caller);
    ++blocks_;
  }
  if (blocks_ > block_budget()) {
    current_->program_counter = caller;
    report_endless(block_budget(), "basic blocks have not ended the launch");
    yield();
  }
  if (settings_.model != execution::lock_step) return;
  begin_step(caller);
  if (--steps_left_ <= 0) yield();
}

void machine::exceed_step_budget() {
  report_endless(settings_.step_budget, "steps have not ended the launch");
  yield();
}

void machine::end_launch() {
  ended_ = true;
  for (;;) yield();
}

void machine::end_launch_by(fault_kind kind) {
  stream_.ended_by = kind;
  end_launch();
}

}  // namespace exactdot::simt
