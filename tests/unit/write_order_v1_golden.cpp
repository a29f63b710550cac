// Writes order_v1_golden.hpp from the scalar reference.
//
// The table is part of the contract of mode fast; writing it again would change the contract.
#include <fmt/format.h>

#include "oracle/order_v1.hpp"
#include "unit/order_v1_data.hpp"

namespace {

template <class T>
void write_table(const char* name, const char* word) {
  fmt::print("inline constexpr {} {}[] = {{\n", word, name);
  for (const std::size_t n : golden::lengths) {
    const auto v = golden::data<T>(n);
    const T result = oracle::fast_dot<T>(std::span<const T>(v.a), std::span<const T>(v.b));
    fmt::print("    0x{:0{}x},  // n = {}, {:a}\n", oracle::to_bits(result), 2 * sizeof(T), n, result);
  }
  fmt::print("}};\n");
}

}  // namespace

int main() {
  fmt::print(
      "// The golden bits of order v1, part of the contract: mode fast returns these on every machine.\n"
      "//\n"
      "// Written by write_order_v1_golden from the scalar reference; the vectors are in order_v1_data.hpp.\n"
      "#pragma once\n\n#include <cstdint>\n\nnamespace golden {{\n\n");
  write_table<float>("of_float", "std::uint32_t");
  fmt::print("\n");
  write_table<double>("of_double", "std::uint64_t");
  fmt::print("\n}}  // namespace golden\n");
}
