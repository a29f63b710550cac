// Parser of lengths: 1000, 2^20, 1e6, 1k, 3M, 64Ki, 32*2^20.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace exactdot::cli {

/// Parses a product ('*') of factors: digits with an optional exponent (e6, ^20) or suffix (k, M, G, T: powers of
/// 1000; Ki, Mi, Gi, Ti: powers of 1024). Returns nothing for any other text, or if the value is not below 2^64.
[[nodiscard]] std::optional<std::size_t> parse_element_count(std::string_view text);

}  // namespace exactdot::cli
