// Numbers of call sites, that is of return addresses in kernels: shadow memory has no room for addresses.
//
// The number of an address, and whether its line is the user's, are asked for at every access: the last answers lie
// in a table, by a hash of the address.
#pragma once

#include <array>
#include <cstdint>

namespace exactdot::simt {

/// Of a number: sites beyond that many are 0, as the null pointer is.
inline constexpr unsigned call_site_bits = 22;

struct call_site {
  const void* address = nullptr;
  std::uint32_t number : call_site_bits = 0;
  bool is_user = true;
};
extern constinit std::array<call_site, 4096> call_sites;
const call_site& look_up_site(const void* return_address, call_site& last);  // writes it to `last`

[[nodiscard]] inline const call_site& site_of_address(const void* return_address) {
  const std::uint64_t hash = reinterpret_cast<std::uintptr_t>(return_address) * 0x9e3779b97f4a7c15U >> 52;
  call_site& last = call_sites[hash];
  return last.address == return_address ? last : look_up_site(return_address, last);
}
[[nodiscard]] const void* address_of_site(std::uint32_t number);

/// Returns whether the line of a return address is outside of headers of the simulator and of the standard library,
/// or unknown.
[[nodiscard]] inline bool is_user_code(const void* return_address) {
  return site_of_address(return_address).is_user;
}

}  // namespace exactdot::simt
