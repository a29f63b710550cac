// The calls of a thread: return addresses, outermost first. The first ones lie in the object itself, in one cache
// line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace exactdot::simt {

class call_stack {
 public:
  void push_back(const void* address) {
    if (size_ < first_.size()) {
      first_[size_] = address;
    } else {
      if (!deeper_) deeper_ = std::make_unique<std::vector<const void*>>();
      deeper_->push_back(address);
    }
    ++size_;
  }
  void pop_back() {
    if (size_ > first_.size()) deeper_->pop_back();
    --size_;
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const void* operator[](std::size_t i) const {
    return i < first_.size() ? first_[i] : (*deeper_)[i - first_.size()];
  }
  [[nodiscard]] const void* back() const { return (*this)[size_ - 1]; }

  bool operator==(const call_stack& other) const {
    for (std::size_t i = 0; i < size_; ++i) {
      if (i >= other.size_ || (*this)[i] != other[i]) return false;
    }
    return size_ == other.size_;
  }
  /// Returns whether the calls of two threads are equal, by a comparison of two addresses.
  template <class IsEqual>
  [[nodiscard]] bool equals(const call_stack& other, IsEqual is_equal) const {
    if (size_ != other.size_) return false;
    for (std::size_t i = 0; i < size_; ++i) {
      if (!is_equal((*this)[i], other[i])) return false;
    }
    return true;
  }

 private:
  std::uint64_t size_ = 0;
  std::array<const void*, 6> first_{};
  std::unique_ptr<std::vector<const void*>> deeper_;  // the others; null if there are none
};

}  // namespace exactdot::simt
