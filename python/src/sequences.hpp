// The items of a Python sequence or iterator, read in one pass.
//
// A subclass may give other items in each pass, or another number than its length says, and an item's methods may
// change the list that holds it. So the items are copied to a tuple of its own once, and nothing is asked of the
// object again.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>

namespace exactdot::python {

class sequence_items {
 public:
  /// Iterates over `source`, to its end. Throws what its iteration raises; TypeError for an object without one.
  explicit sequence_items(nanobind::handle source);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Borrowed; it lives as long as this.
  [[nodiscard]] nanobind::handle operator[](std::size_t i) const;

 private:
  nanobind::object items_;  // an exact tuple
  std::size_t size_;
};

}  // namespace exactdot::python
