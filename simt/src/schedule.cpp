// Who runs next: any ready thread of any resident block, drawn from the seed; in lock step a warp, and of its lanes
// those that stand at the lowest place in the program.
//
// The lowest place first is how warps without a stack of divergence reconverge (S. Collange, "Stack-less SIMT
// reconvergence at low cost", 2011, §3): whoever runs ahead waits for those behind. It shows what warps did before
// Volta, where a lane that holds a lock waited for the lanes that spin on it.
#include <algorithm>
#include <utility>

#include "machine.hpp"

// What kernels see under CUDA's names; there they are constants.
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

/// Whether one thread stands at a lower place than another: call sites from the kernel inwards, then the next step.
int compare_places(const thread& left, const thread& right) {
  const std::size_t depth = std::max(left.calls.size(), right.calls.size()) + 1;
  for (std::size_t i = 0; i < depth; ++i) {
    const auto at = [i](const thread& one) {
      return i < one.calls.size() ? one.calls[i] : i == one.calls.size() ? one.place : nullptr;
    };
    if (at(left) != at(right)) return std::less<>()(at(left), at(right)) ? -1 : 1;
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
    running->work_.body(running->work_.arguments);
    in_kernel = false;
    running->thread_done(self);
  } catch (...) {
    failure = std::current_exception();
  }
  in_kernel = false;
  if (failure) running->abandon(failure);
  running->yield();  // for good
}

machine::machine(detail::stream_state& on, dim3 grid, dim3 size, std::size_t shared_bytes, const work& what)
    : on_(on),
      how_(on.how),
      grid_(grid),
      block_size_(size),
      threads_a_block_(size.x * size.y * size.z),
      shared_bytes_(shared_bytes),
      work_(what),
      module_(what.kernel),
      block_count_(std::uint64_t{grid.x} * grid.y * grid.z),
      random_(on.how.seed) {
  for (const variable& range : module_.writable) globals_.emplace_back(range.start, range.size, false, true);
  device_memory::instance().next_launch();
}

machine::~machine() {
  for (auto& one : resident_) finish_block(*one);
}

void machine::run() {
  simt_block_size = block_size_, simt_grid_size = grid_;
  while (!given_up_) {
    while (next_block_ < block_count_ &&
           resident_.size() < static_cast<std::size_t>(std::max(1, how_.resident_blocks))) {
      start_block(static_cast<std::uint32_t>(next_block_++));
    }
    if (resident_.empty()) break;
    const bool found = how_.model == execution::lock_step ? choose_in_step() : choose();
    if (!found) {
      if (!unstick()) give_up(fault_kind::deadlock);
      continue;
    }
    resume(*current_);
    block& home = *current_->home;
    if (home.finished == threads_a_block_) {
      finish_block(home);
      std::erase_if(resident_, [&](const auto& one) { return one.get() == &home; });
    }
  }
  if (failure_) std::rethrow_exception(failure_);
}

void machine::start_block(std::uint32_t number) {
  resident_.push_back(std::make_unique<block>());  // first, so that it is cleared away if there is no memory
  block& fresh = *resident_.back();
  fresh.number = number;
  const index3 index = block_index(number);
  fresh.index = {index.x, index.y, index.z};
  fresh.threads = std::vector<thread>(threads_a_block_);
  fresh.warp_steps.assign((threads_a_block_ + 31) / 32, 0);
  if (extern_shared != nullptr) {
    fresh.dynamic_shared = extern_shared();
    if (shared_bytes_ != 0) fresh.shared.add(reinterpret_cast<std::uintptr_t>(fresh.dynamic_shared), shared_bytes_);
  } else if (shared_bytes_ != 0) {
    fresh.dynamic_shared = device_memory::instance().allocate(shared_bytes_, true, number);
  }
  for (std::uint32_t i = 0; i < threads_a_block_; ++i) {
    thread& one = fresh.threads[i];
    one.home = &fresh;
    one.in_block = i;
    one.number = number * threads_a_block_ + i;
    const index3 place = thread_index(i);
    one.index = {place.x, place.y, place.z};
    one.stack = stacks().take();
    one.where = boost::context::detail::make_fcontext(one.stack, stack_pool::stack_bytes, start_fiber);
    one.position = i;
    fresh.ready.push_back(i);
  }
  on_.counted.blocks += 1, on_.counted.threads += threads_a_block_;
}

void machine::finish_block(block& which) {
  for (thread& one : which.threads) {
    if (one.stack != nullptr) stacks().give_back(one.stack);
  }
  device_memory::instance().release(which.dynamic_shared);
  if (loaded_ == &which) loaded_ = nullptr;
  if (favourite_ == &which) favourite_ = nullptr;
  if (group_block_ == &which) group_.clear();
}

void machine::make_ready(thread& which) {
  which.now = state::ready;
  which.position = static_cast<std::uint32_t>(which.home->ready.size());
  which.home->ready.push_back(which.in_block);
}

void machine::remove_ready(thread& which) {
  auto& ready = which.home->ready;
  const std::uint32_t last = ready.back();
  ready[which.position] = last;
  which.home->threads[last].position = which.position;
  ready.pop_back();
}

/// The next of the script that can go on. A thread that has not begun is first brought to its first step.
bool machine::choose_by_script() {
  for (; script_position_ < how_.script.size(); ++script_position_) {
    const std::uint32_t wanted = how_.script[script_position_];
    for (const auto& home : resident_) {
      if (home->number != wanted / threads_a_block_) continue;
      current_ = &home->threads[wanted % threads_a_block_];
      if (current_->now != state::ready) continue;
      if (current_->place != nullptr) ++script_position_;
      return true;
    }
  }
  return false;
}

bool machine::choose() {
  if (script_position_ < how_.script.size() && choose_by_script()) {
    run_left_ = 1;
    return true;
  }
  if (favourite_ == nullptr || favourite_->ready.empty() || --favour_ <= 0) {
    const std::size_t first = random_() % resident_.size();
    favourite_ = nullptr;
    for (std::size_t i = 0; i < resident_.size() && favourite_ == nullptr; ++i) {
      block* const one = resident_[(first + i) % resident_.size()].get();
      if (!one->ready.empty()) favourite_ = one;
    }
    favour_ = static_cast<int>(random_() % 64) + 1;
  }
  if (favourite_ == nullptr) return false;
  current_ = &favourite_->threads[favourite_->ready[random_() % favourite_->ready.size()]];
  run_left_ = 1 + static_cast<int>(random_() % static_cast<std::uint64_t>(std::max(1, how_.largest_run)));
  return true;
}

bool machine::choose_in_step() {
  for (; !group_.empty(); group_.pop_back()) {
    thread& one = group_block_->threads[group_.back()];
    if (one.now != state::ready) continue;
    group_.pop_back();
    current_ = &one;
    return true;
  }
  const std::size_t first = random_() % resident_.size();
  for (std::size_t i = 0; i < resident_.size(); ++i) {
    block& home = *resident_[(first + i) % resident_.size()];
    const std::size_t warps = home.warp_steps.size(), from = random_() % warps;
    for (std::size_t j = 0; j < warps && !home.ready.empty(); ++j) {
      const std::size_t warp = (from + j) % warps;
      const std::size_t end = std::min<std::size_t>(warp * 32 + 32, threads_a_block_);
      const thread* lowest = nullptr;
      const auto can_run = [](const thread& one) { return one.now == state::ready || one.now == state::parked; };
      for (std::size_t k = warp * 32; k < end; ++k) {
        const thread& one = home.threads[k];
        if (can_run(one) && (lowest == nullptr || compare_places(one, *lowest) < 0)) lowest = &one;
      }
      for (std::size_t k = warp * 32; k < end && lowest != nullptr; ++k) {
        const thread& one = home.threads[k];
        if (one.now == state::ready && compare_places(one, *lowest) == 0)
          group_.push_back(static_cast<std::uint32_t>(k));
      }
      if (group_.empty()) continue;  // the lanes that come first are parked: the warp stands still
      group_mask_ = 0;
      for (const std::uint32_t k : group_) group_mask_ |= 1U << k % 32;
      std::shuffle(group_.begin(), group_.end(), random_);
      ++home.warp_steps[warp];
      group_block_ = &home;
      current_ = &home.threads[group_.back()];
      group_.pop_back();
      return true;
    }
  }
  return false;
}

void machine::enter_block(block& which) {
  if (loaded_ == &which) return;
  if (loaded_ != nullptr) loaded_->shared.save();
  which.shared.restore();
  loaded_ = &which;
}

void machine::resume(thread& which) {
  enter_block(*which.home);
  simt_thread_index = which.index;
  simt_block_index = which.home->index;
  which.where = boost::context::detail::jump_fcontext(which.where, nullptr).fctx;
}

void machine::yield() {
  in_kernel = false;
  scheduler_ = boost::context::detail::jump_fcontext(scheduler_, nullptr).fctx;
}

void machine::step(const void* caller) {
  current_->place = caller;
  ++on_.counted.steps;
  if (++steps_ > how_.step_budget) {
    give_up(fault_kind::livelock);
    yield();
  }
  if (how_.model == execution::lock_step || --run_left_ <= 0) yield();
}

void machine::visit(const void* caller) {
  if (how_.model == execution::lock_step) return step(caller);
  if (++steps_ > how_.step_budget) step(caller);
}

void machine::abandon(std::exception_ptr why) {
  given_up_ = true;
  if (!failure_) failure_ = std::move(why);
  for (;;) yield();
}

/// Lock step: a step of its own, whose lanes they are. Else the caller alone, whom nobody goes along with.
std::uint32_t machine::active_mask(const void* caller) {
  if (how_.model == execution::independent) return 1U << current_->lane();
  step(caller);
  return group_mask_;
}

}  // namespace exactdot::simt
