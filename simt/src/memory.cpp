// First-fit allocation in an address range that is reserved once. The last 256 released buffers are not allocated
// again, so that an access to one is seen (as AddressSanitizer's quarantine: Serebryany et al., USENIX ATC 2012).
// Releasing a buffer of 1 MiB or more returns its pages to the operating system.
#include "memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <exactdot/error.hpp>
#include <iterator>
#include <string>
#include <utility>

namespace exactdot::simt {
namespace {

constexpr std::size_t alignment = 256;  // cudaMalloc's

std::size_t rounded_up(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

device_memory& device_memory::instance() {
  static auto& memory = *new device_memory;  // static variables of programs free their memory at the end
  return memory;
}

device_memory::device_memory() {
  for (reserved_ = std::size_t{1} << 40; reserved_ >= std::size_t{1} << 28; reserved_ /= 2) {
    void* range =
        mmap(nullptr, reserved_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range != MAP_FAILED) {
      base_ = reinterpret_cast<std::uintptr_t>(range);
      return;
    }
  }
  throw error(errc::no_device, "simt: cannot reserve an address range for simulated device memory");
}

/// Returns the first range of this size that is neither in use nor among the last released ones; 0 if there is
/// none.
std::uintptr_t device_memory::free_range(std::size_t size) const {
  std::uintptr_t start = base_ + gap;
  auto live = live_.begin();
  auto released = released_.begin();
  while (live != live_.end() || released != released_.end()) {
    const bool is_live = released == released_.end() || (live != live_.end() && live->first < released->first);
    const std::uintptr_t next = is_live ? live->first : released->first;
    if (next - start >= size) break;
    start = next + rounded_up(std::max<std::size_t>(is_live ? live->second.size : released->second, 1)) + gap;
    is_live ? void(++live) : void(++released);
  }
  return start + size > base_ + reserved_ ? 0 : start;
}

void* device_memory::allocate(std::size_t bytes, bool shared, std::uint32_t block) {
  const auto out_of_memory = [bytes] {
    return error(errc::no_device,
                 "simt: out of simulated device memory: " + std::to_string(bytes) + " bytes requested");
  };
  if (bytes > reserved_ / 2) throw out_of_memory();
  const std::size_t needed = rounded_up(std::max<std::size_t>(bytes, 1)) + gap;
  std::uintptr_t start = free_range(needed);
  if (start == 0) {
    released_.clear(), order_of_release_.clear();
    start = free_range(needed);
  }
  if (start == 0) throw out_of_memory();
  region fresh(start, bytes, shared, false);
  fresh.block = block;
  live_.emplace(start, std::move(fresh));
  std::memset(reinterpret_cast<void*>(start), fill_byte, bytes);
  return reinterpret_cast<void*>(start);
}

void device_memory::release(void* memory) {
  const auto at = live_.find(reinterpret_cast<std::uintptr_t>(memory));
  if (at == live_.end()) return;
  if (at->second.size >= std::size_t{1} << 20) {
    const std::uintptr_t page = 4096, first = (at->first + page - 1) / page * page;
    madvise(reinterpret_cast<void*>(first), (at->first + at->second.size - first) / page * page, MADV_DONTNEED);
  }
  if (!at->second.shared) {
    released_.emplace(at->first, at->second.size);
    order_of_release_.push_back(at->first);
  }
  if (order_of_release_.size() > max_released) {
    released_.erase(order_of_release_.front());
    order_of_release_.pop_front();
  }
  live_.erase(at);
  found_.fill(nullptr);
}

region* device_memory::find(std::uintptr_t address, region*& known) {
  auto at = live_.upper_bound(address);
  if (at == live_.begin() || !(--at)->second.holds(address)) return nullptr;
  return known = &at->second;
}

const region* device_memory::nearest(std::uintptr_t address) const {
  const auto above = live_.upper_bound(address);
  const region* const after = above == live_.end() ? nullptr : &above->second;
  const region* const before = above == live_.begin() ? nullptr : &std::prev(above)->second;
  if (before == nullptr || before->holds(address) || after == nullptr) return before == nullptr ? after : before;
  return address - (before->start + before->size) <= after->start - address ? before : after;
}

std::pair<std::uintptr_t, std::size_t> device_memory::find_released(std::uintptr_t address) const {
  auto at = released_.upper_bound(address);
  if (at == released_.begin() || address - (--at)->first >= at->second) return {0, 0};
  return *at;
}

bool device_memory::register_host(void* first, std::size_t bytes) {
  const auto start = reinterpret_cast<std::uintptr_t>(first);
  const auto next = registered_.lower_bound(start);
  if (next != registered_.end() && next->first < start + bytes) return false;
  if (find_registered(start) != nullptr) return false;
  return registered_.emplace(start, region(start, bytes, false, true)).second;
}

bool device_memory::unregister_host(void* first) {
  return registered_.erase(reinterpret_cast<std::uintptr_t>(first)) != 0;
}

region* device_memory::find_registered(std::uintptr_t address) {
  auto at = registered_.upper_bound(address);
  return at == registered_.begin() || !(--at)->second.holds(address) ? nullptr : &at->second;
}

void device_memory::mark_written(std::uintptr_t address, std::size_t bytes) {
  region* const found = bytes == 0 ? nullptr : find(address);
  if (found != nullptr) found->mark_written(address, std::min(bytes, found->size - (address - found->start)));
}

void device_memory::mark_read(std::uintptr_t address, std::size_t bytes) {
  region* const found = bytes == 0 ? nullptr : find(address);
  if (found != nullptr) found->mark_read(address, std::min(bytes, found->size - (address - found->start)));
}

}  // namespace exactdot::simt
