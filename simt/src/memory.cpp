// First fit in a range of addresses that is reserved once; pages are given back when a buffer goes.
#include "memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <exactdot/error.hpp>
#include <iterator>
#include <string>

namespace exactdot::simt {
namespace {

constexpr std::size_t alignment = 256;  // cudaMalloc's
constexpr unsigned char garbage = 0xcb;

std::size_t rounded_up(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

cell& shadow::at(std::uintptr_t address) {
  const std::uintptr_t word = address / 4, number = word / words;
  if (last_ == nullptr || number != last_number_) {
    auto& found = pages_[number];
    if (!found) found = std::make_unique<page>();
    last_ = found.get(), last_number_ = number;
  }
  return last_->cells[word % words];
}

device_memory& device_memory::instance() {
  static device_memory only;
  return only;
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
  throw error(errc::no_device, "simt: no range of addresses for simulated device memory could be reserved");
}

void* device_memory::allocate(std::size_t bytes, bool shared, std::uint32_t block) {
  const std::size_t room = rounded_up(std::max<std::size_t>(bytes, 1)) + gap;
  std::uintptr_t start = base_ + gap;
  for (const auto& [address, one] : live_) {
    if (address - start >= room) break;
    start = address + rounded_up(std::max<std::size_t>(one.size, 1)) + gap;
  }
  if (room > reserved_ || start + room > base_ + reserved_) {
    throw error(errc::no_device, "simt: no simulated device memory left for " + std::to_string(bytes) + " bytes");
  }
  live_[start] = {start, bytes, shared, block, std::vector<bool>((bytes + 3) / 4)};
  last_ = nullptr;
  std::memset(reinterpret_cast<void*>(start), garbage, bytes);
  return reinterpret_cast<void*>(start);
}

void device_memory::release(void* memory) {
  const auto at = live_.find(reinterpret_cast<std::uintptr_t>(memory));
  if (at == live_.end()) return;
  if (at->second.size >= std::size_t{1} << 20) {
    const std::uintptr_t page = 4096, first = (at->first + page - 1) / page * page;
    madvise(reinterpret_cast<void*>(first), (at->first + at->second.size - first) / page * page, MADV_DONTNEED);
  }
  live_.erase(at);
  last_ = nullptr;
  if (live_.empty()) cells_.forget();
}

allocation* device_memory::find(std::uintptr_t address) {
  if (last_ != nullptr && address - last_->start < last_->size) return last_;
  auto at = live_.upper_bound(address);
  if (at == live_.begin()) return nullptr;
  --at;
  if (address - at->first >= at->second.size) return nullptr;
  return last_ = &at->second;
}

const allocation* device_memory::below(std::uintptr_t address) const {
  auto at = live_.upper_bound(address);
  return at == live_.begin() ? nullptr : &std::prev(at)->second;
}

void device_memory::mark_written(std::uintptr_t address, std::size_t bytes) {
  allocation* one = bytes == 0 ? nullptr : find(address);
  if (one == nullptr) return;
  const std::size_t first = (address - one->start) / 4;
  const std::size_t last = std::min((address - one->start + bytes + 3) / 4, one->written.size());
  std::fill(one->written.begin() + static_cast<std::ptrdiff_t>(first),
            one->written.begin() + static_cast<std::ptrdiff_t>(last), true);
}

}  // namespace exactdot::simt
