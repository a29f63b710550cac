// byte_reader: reads values from the input of a fuzzer; zeros after its end.
//
// So every input is a complete program, and small changes of the bytes are small changes of the program.
// (FuzzedDataProvider of libFuzzer exists for clang only.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace fuzz {

class byte_reader {
 public:
  explicit byte_reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool empty() const { return bytes_.empty(); }

  template <class Value>
  Value take() {
    Value value{};
    const std::size_t count = std::min(sizeof value, bytes_.size());
    std::memcpy(&value, bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace fuzz
