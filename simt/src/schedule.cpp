// Scheduler: draws the next thread from the seed, among all ready threads of the resident blocks.
//
// In lock step it draws a warp and runs the lanes with the lowest program counter. A lane that is ahead waits for
// those behind: reconvergence without a divergence stack (S. Collange, "Stack-less SIMT reconvergence at low cost",
// 2011, §3). It reproduces warps before Volta, where a lane that holds a lock waits for the lanes that spin on it.
#include <algorithm>
#include <utility>

#include "machine.hpp"

// Kernels see these under CUDA's names, as constants.
uint3 simt_thread_index asm("threadIdx"), simt_block_index asm("blockIdx");
dim3 simt_block_size asm("blockDim"), simt_grid_size asm("gridDim");

namespace exactdot::simt {

constinit thread_local guarded<machine*> running = {};
constinit thread_local guarded<bool> in_kernel = {};

namespace {

stack_pool& stacks() {
  static stack_pool pool;
  return pool;
}

/// Compares the positions of two threads: call sites from the outermost inwards, then the program counter. Returns
/// -1 if the left one is lower, 0 if they are equal, else 1.
int compare_positions(const thread& left, const thread& right) {
  const std::size_t depth = std::max(left.call_stack.size(), right.call_stack.size()) + 1;
  for (std::size_t i = 0; i < depth; ++i) {
    const auto address_at = [i](const thread& side) {
      return i < side.call_stack.size()    ? side.call_stack[i]
             : i == side.call_stack.size() ? side.program_counter
                                           : nullptr;
    };
    if (address_at(left) != address_at(right)) return std::less<>()(address_at(left), address_at(right)) ? -1 : 1;
  }
  return 0;
}

}  // namespace

void start_fiber(transfer from) {
  running->scheduler_ = from.fctx;
  thread& self = *running->current_;
  std::exception_ptr failure;
  try {
    in_kernel = true;
    running->call_.body(running->call_.arguments);
    in_kernel = false;
    running->thread_exited(self);
  } catch (...) {
    failure = std::current_exception();
  }
  in_kernel = false;
  if (failure) running->end_launch(failure);
  running->yield();  // never resumed
}

machine::machine(detail::stream_state& stream, dim3 grid, dim3 size, std::size_t shared_bytes,
                 const kernel_call& call)
    : stream_(stream),
      settings_(stream.settings),
      grid_(grid),
      block_size_(size),
      threads_per_block_(size.x * size.y * size.z),
      shared_bytes_(shared_bytes),
      call_(call),
      module_(call.kernel),
      block_count_(std::uint64_t{grid.x} * grid.y * grid.z),
      random_(stream.settings.seed) {
  for (const variable& range : module_.writable) globals_.emplace_back(range.start, range.size, false, true);
  device_memory::instance().next_launch();
}

machine::~machine() {
  for (auto& resident : resident_) finish_block(*resident);
}

void machine::run() {
  simt_block_size = block_size_, simt_grid_size = grid_;
  while (!ended_) {
    while (next_block_ < block_count_ &&
           resident_.size() < static_cast<std::size_t>(std::max(1, settings_.resident_blocks))) {
      start_block(static_cast<std::uint32_t>(next_block_++));
    }
    if (resident_.empty()) break;
    const bool found = settings_.model == execution::lock_step ? choose_in_lock_step() : choose_thread();
    if (!found) {
      if (!resume_or_settle()) report_hang(fault_kind::deadlock);
      continue;
    }
    resume(*current_);
    block& parent = *current_->parent;
    if (parent.exited == threads_per_block_) {
      finish_block(parent);
      std::erase_if(resident_, [&](const auto& resident) { return resident.get() == &parent; });
    }
  }
  if (failure_) std::rethrow_exception(failure_);
}

void machine::start_block(std::uint32_t number) {
  resident_.push_back(std::make_unique<block>());  // first: the destructor releases it if memory runs out below
  block& fresh = *resident_.back();
  fresh.number = number;
  const index3 index = block_index(number);
  fresh.index = {index.x, index.y, index.z};
  fresh.threads = std::vector<thread>(threads_per_block_);
  fresh.warp_steps.assign((threads_per_block_ + 31) / 32, 0);
  if (extern_shared != nullptr) {
    fresh.dynamic_shared = extern_shared();
    if (shared_bytes_ != 0) fresh.shared.add(reinterpret_cast<std::uintptr_t>(fresh.dynamic_shared), shared_bytes_);
  } else if (shared_bytes_ != 0) {
    fresh.dynamic_shared = device_memory::instance().allocate(shared_bytes_, true, number);
  }
  for (std::uint32_t i = 0; i < threads_per_block_; ++i) {
    thread& member = fresh.threads[i];
    member.parent = &fresh;
    member.index_in_block = i;
    member.number = number * threads_per_block_ + i;
    const index3 position = thread_index(i);
    member.index = {position.x, position.y, position.z};
    member.stack = stacks().acquire();
    member.fiber = boost::context::detail::make_fcontext(member.stack, stack_pool::stack_bytes, start_fiber);
    member.ready_position = i;
    fresh.ready.push_back(i);
  }
  stream_.counted.blocks += 1, stream_.counted.threads += threads_per_block_;
}

void machine::finish_block(block& finished) {
  for (thread& member : finished.threads) {
    if (member.stack != nullptr) stacks().release(member.stack);
  }
  device_memory::instance().release(finished.dynamic_shared);
  if (loaded_block_ == &finished) loaded_block_ = nullptr;
  if (preferred_block_ == &finished) preferred_block_ = nullptr;
  if (step_block_ == &finished) step_lanes_.clear();
}

void machine::make_ready(thread& waiting) {
  waiting.status = thread_status::ready;
  waiting.ready_position = static_cast<std::uint32_t>(waiting.parent->ready.size());
  waiting.parent->ready.push_back(waiting.index_in_block);
}

void machine::remove_ready(thread& stopped) {
  auto& ready = stopped.parent->ready;
  const std::uint32_t last = ready.back();
  ready[stopped.ready_position] = last;
  stopped.parent->threads[last].ready_position = stopped.ready_position;
  ready.pop_back();
}

/// Chooses the next thread of the script that is ready. A thread that has not started runs to its first step first,
/// which uses no entry of the script.
bool machine::choose_by_script() {
  for (; script_position_ < settings_.script.size(); ++script_position_) {
    const std::uint32_t wanted = settings_.script[script_position_];
    for (const auto& resident : resident_) {
      if (resident->number != wanted / threads_per_block_) continue;
      current_ = &resident->threads[wanted % threads_per_block_];
      if (current_->status != thread_status::ready) continue;
      if (current_->program_counter != nullptr) ++script_position_;
      return true;
    }
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

bool machine::choose_in_lock_step() {
  for (; !step_lanes_.empty(); step_lanes_.pop_back()) {
    thread& lane = step_block_->threads[step_lanes_.back()];
    if (lane.status != thread_status::ready) continue;
    step_lanes_.pop_back();
    current_ = &lane;
    return true;
  }
  const std::size_t first = random_() % resident_.size();
  for (std::size_t i = 0; i < resident_.size(); ++i) {
    block& parent = *resident_[(first + i) % resident_.size()];
    const std::size_t warps = parent.warp_steps.size(), first_warp = random_() % warps;
    for (std::size_t j = 0; j < warps && !parent.ready.empty(); ++j) {
      const std::size_t warp = (first_warp + j) % warps;
      const std::size_t end = std::min<std::size_t>(warp * 32 + 32, threads_per_block_);
      const thread* lowest = nullptr;
      const auto can_run = [](const thread& lane) {
        return lane.status == thread_status::ready || lane.status == thread_status::parked;
      };
      for (std::size_t k = warp * 32; k < end; ++k) {
        const thread& lane = parent.threads[k];
        if (can_run(lane) && (lowest == nullptr || compare_positions(lane, *lowest) < 0)) lowest = &lane;
      }
      for (std::size_t k = warp * 32; k < end && lowest != nullptr; ++k) {
        const thread& lane = parent.threads[k];
        if (lane.status == thread_status::ready && compare_positions(lane, *lowest) == 0)
          step_lanes_.push_back(static_cast<std::uint32_t>(k));
      }
      if (step_lanes_.empty()) continue;  // all lanes at the lowest position are parked: the warp cannot run
      step_mask_ = 0;
      for (const std::uint32_t k : step_lanes_) step_mask_ |= 1U << k % 32;
      std::shuffle(step_lanes_.begin(), step_lanes_.end(), random_);
      ++parent.warp_steps[warp];
      step_block_ = &parent;
      current_ = &parent.threads[step_lanes_.back()];
      step_lanes_.pop_back();
      return true;
    }
  }
  return false;
}

void machine::load_block(block& next) {
  if (loaded_block_ == &next) return;
  if (loaded_block_ != nullptr) loaded_block_->shared.save();
  next.shared.restore();
  loaded_block_ = &next;
}

void machine::resume(thread& next) {
  load_block(*next.parent);
  simt_thread_index = next.index;
  simt_block_index = next.parent->index;
  next.fiber = boost::context::detail::jump_fcontext(next.fiber, nullptr).fctx;
}

void machine::yield() {
  in_kernel = false;
  scheduler_ = boost::context::detail::jump_fcontext(scheduler_, nullptr).fctx;
}

void machine::step(const void* caller) {
  current_->program_counter = caller;
  ++stream_.counted.steps;
  if (++steps_ > settings_.step_budget) {
    report_hang(fault_kind::livelock);
    yield();
  }
  if (settings_.model == execution::lock_step || --steps_left_ <= 0) yield();
}

void machine::visit_basic_block(const void* caller) {
  if (settings_.model == execution::lock_step) return step(caller);
  if (++steps_ > settings_.step_budget) step(caller);
}

void machine::end_launch(std::exception_ptr failure) {
  ended_ = true;
  if (!failure_) failure_ = std::move(failure);
  for (;;) yield();
}

/// Lock step: takes a step and returns its lanes. Independent threads: returns the caller's lane only.
std::uint32_t machine::active_mask(const void* caller) {
  if (settings_.model == execution::independent) return 1U << current_->lane();
  step(caller);
  return step_mask_;
}

}  // namespace exactdot::simt
