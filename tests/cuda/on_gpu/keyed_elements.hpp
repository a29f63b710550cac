// Elements of any type and their keys, for tests of groups: a call in device memory, whose results are compared
// with the integer oracle's for each group's elements alone, and what the device knows of the call.
#pragma once

#include <cuda/group/call.hpp>
#include <exactdot/cuda/batches.hpp>
#include <exactdot/exactdot.hpp>
#include <map>
#include <optional>

#include "cuda/on_gpu/support.hpp"
#include "cuda/on_gpu/workspace_state.hpp"
#include "oracle/cases.hpp"
#include "oracle/random.hpp"
#include "oracle/reference.hpp"

namespace on_gpu {

using namespace exactdot;
using cuda_engine::group_status;

/// `stride`: of elements and keys.
struct keyed_elements {
  element_type type_a = element_type::float32, type_b = element_type::float32;
  std::vector<unsigned char> a, b;
  std::vector<std::int64_t> keys;
  std::size_t groups = 1;
  std::ptrdiff_t stride = 1;
  bool swapped = false, skips = false;

  [[nodiscard]] std::size_t n() const { return keys.size(); }
  /// The elements of each group that has some, one after the other.
  [[nodiscard]] std::map<std::int64_t, std::vector<unsigned char>> by_group(bool second) const {
    const std::vector<unsigned char>& from = second ? b : a;
    const std::size_t size = size_of(second ? type_b : type_a);
    std::map<std::int64_t, std::vector<unsigned char>> found;
    for (std::size_t i = 0; i < n(); ++i) {
      const unsigned char* const at = from.data() + i * static_cast<std::size_t>(stride) * size;
      found[keys[i]].insert(found[keys[i]].end(), at, at + size);
    }
    return found;
  }
};

template <class T>
keyed_elements keyed(const std::vector<T>& a, const std::vector<T>& b, const std::vector<std::int64_t>& keys,
                     std::size_t groups) {
  keyed_elements made;
  made.type_a = made.type_b = type_of<T>, made.keys = keys, made.groups = groups;
  const auto bytes = [](const std::vector<T>& x) {
    const auto* const first = reinterpret_cast<const unsigned char*>(x.data());
    return std::vector<unsigned char>(first, first + x.size() * sizeof(T));
  };
  made.a = bytes(a), made.b = bytes(b.empty() ? a : b);
  return made;
}

/// More groups than the tables in shared memory hold (on the simulator those of the engine that CMakeLists.txt
/// plants).
inline std::size_t groups_of_records() { return at_most(20000, 700); }
/// The same elements in as many groups, of which most are empty.
inline keyed_elements in_records(keyed_elements of) {
  const auto distance = static_cast<std::int64_t>(groups_of_records() / of.groups);
  for (std::int64_t& key : of.keys) key = key * distance + distance / 2;
  of.groups = groups_of_records();
  return of;
}

struct group_call {
  reduction what = reduction::sum;
  element_type result = element_type::float32, key_type = element_type::int32;
  std::int64_t ddof = 0;
  std::size_t skew = 0;  ///< elements before the first, so that packs are not aligned
  int multiprocessors = 3;
  bool waits = false;   ///< with a workspace of the library
  bool counts = false;  ///< the groups' elements, instead of a reduction
  unsigned schedule = 1;
};

constexpr std::uint64_t unwritten_word = 0x5a5a5a5a5a5a5a5a;

struct group_outcome {
  std::vector<std::uint64_t> words;
  std::optional<errc> error;
  std::string message;
  group_status status;  ///< of calls that do not wait
};

/// One call. Bytes between results, which are 16 apart, must stay as they are.
inline group_outcome run(const keyed_elements& of, const group_call& asked) {
  choose_schedule(asked.schedule);
  const auto step = static_cast<std::size_t>(of.stride);
  const std::size_t key_size = size_of(asked.key_type), of_result = asked.counts ? 8 : size_of(asked.result);
  const auto placed = [&](const std::vector<unsigned char>& x,
                          std::size_t size) {  // NaNs, keys out of range around
    std::vector<unsigned char> all(x.size() + (asked.skew + 16) * size, 0xff);
    std::copy(x.begin(), x.end(), all.begin() + static_cast<std::ptrdiff_t>(asked.skew * size));
    return all;
  };
  std::vector<unsigned char> key_bytes(of.n() * step * key_size);
  for (std::size_t i = 0; i < of.n(); ++i) std::memcpy(&key_bytes[i * step * key_size], &of.keys[i], key_size);
  const device_vector<unsigned char> a(placed(of.a, size_of(of.type_a))), b(placed(of.b, size_of(of.type_b)));
  const device_vector<unsigned char> keys(placed(key_bytes, key_size));
  const device_vector<std::uint64_t> out(std::vector<std::uint64_t>(2 * of.groups + 1, unwritten_word));
  const axis elements_a{of.n(), of.stride * static_cast<std::ptrdiff_t>(size_of(of.type_a))},
      elements_b{of.n(), of.stride * static_cast<std::ptrdiff_t>(size_of(of.type_b))}, places{of.groups, 16};
  const any_grid x{a.data() + asked.skew * size_of(of.type_a), of.type_a, {}, {&elements_a, 1}, of.swapped},
      y{b.data() + asked.skew * size_of(of.type_b), of.type_b, {}, {&elements_b, 1}, of.swapped};
  const any_keys by{keys.data() + asked.skew * key_size,
                    of.n(),
                    asked.key_type,
                    of.stride * static_cast<std::ptrdiff_t>(key_size),
                    of.groups,
                    of.skips};
  const any_results to{out.data(), asked.counts ? element_type::int64 : asked.result, {&places, 1}};
  cuda::workspace workspace;
  workspace.library_storage().multiprocessors = asked.multiprocessors;
  group_outcome found;
  try {
    if (asked.counts) {
      cuda::detail::enqueue_group_sizes(workspace, by, to);
    } else if (!asked.waits) {
      cuda::detail::enqueue_groups(workspace, asked.what, x, asked.what == reduction::dot ? y : x, by, to, {},
                                   asked.ddof);
    } else if (asked.what == reduction::dot) {
      dot(x, y, by, to);
    } else {
      reduce(asked.what, x, by, to, {}, asked.ddof);
    }
    if (!asked.waits) found.status = status_of_groups(workspace);
    workspace.check();
  } catch (const error& refusal) {
    found.error = refusal.code(), found.message = refusal.what();
  }
  const std::vector<std::uint64_t> all = out.read(2 * of.groups + 1);
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * of_result);
  for (std::size_t i = 0; i < of.groups; ++i) {
    found.words.push_back(all[2 * i] & mask);
    EXPECT_EQ(all[2 * i] & ~mask, unwritten_word & ~mask) << "bytes behind result " << i;
    EXPECT_EQ(all[2 * i + 1], unwritten_word) << "memory behind result " << i;
  }
  return found;
}

/// The oracle's results of all groups; 0 if an integer type does not hold one.
inline std::vector<std::uint64_t> expected_of_groups(const keyed_elements& of, const group_call& asked,
                                                     bool* overflows = nullptr) {
  auto a = of.by_group(false), b = of.by_group(true);
  const auto view = [&](const std::vector<unsigned char>& x, element_type type) {
    const std::size_t size = size_of(type);
    return any_vector{x.data(), x.size() / size, type, static_cast<std::ptrdiff_t>(size), of.swapped};
  };
  const auto result = [&](std::int64_t group) {
    const oracle::reference exact(asked.what, view(a[group], of.type_a), view(b[group], of.type_b), asked.ddof);
    const auto found = exact.exact(asked.result);
    if (!found && overflows != nullptr) *overflows = true;
    return found ? found->bits : 0;
  };
  const bool is_extremum = asked.what == reduction::min || asked.what == reduction::max;
  std::vector<std::uint64_t> expected(of.groups, is_extremum ? 0 : result(-2));  // a group of no elements
  for (const auto& [group, elements] : of.by_group(false)) {
    if (group >= 0 && static_cast<std::size_t>(group) < of.groups)
      expected[static_cast<std::size_t>(group)] = result(group);
  }
  return expected;
}

/// One call, and every result compared.
inline group_status expect_groups(const keyed_elements& of, const group_call& asked, const std::string& name) {
  bool overflows = false;
  const std::vector<std::uint64_t> expected = expected_of_groups(of, asked, &overflows);
  const group_outcome found = run(of, asked);
  EXPECT_EQ(found.error, overflows ? std::optional(errc::overflow) : std::nullopt) << name << ": " << found.message;
  for (std::size_t i = 0; i < of.groups; ++i) {
    EXPECT_EQ(found.words[i], expected[i])
        << name << ": " << name_of(asked.what) << " of " << name_of(of.type_a) << " to " << name_of(asked.result)
        << ", group " << i << " of " << of.groups << ", " << of.n() << " elements, schedule " << asked.schedule
        << (asked.waits ? ", waits" : "");
    if (testing::Test::HasFailure()) break;
  }
  return found.status;
}

/// Random bits of any type; of floating-point types numbers in (-1, 1) if `is_small`, of integers some of 14 bits.
inline std::vector<unsigned char> random_elements(oracle::rng& random, element_type type, std::size_t n,
                                                  bool is_small, bool swapped) {
  const std::size_t size = size_of(type);
  std::vector<unsigned char> made(n * size);
  for (std::size_t i = 0; i < made.size(); i += size) {
    std::uint64_t word = random.bits();
    if (is_small && is_integer(type)) word = static_cast<std::uint64_t>(static_cast<std::int64_t>(word) >> 50);
    if (is_small && !is_integer(type)) word = core::round_finite(core::format_of(type), 2 * random.unit() - 1);
    std::memcpy(&made[i], &word, size);
    if (swapped) std::reverse(&made[i], &made[i] + size);
  }
  return made;
}

template <class T>
std::vector<T> uniform_elements(oracle::rng& random, std::size_t n) {
  std::vector<T> x(n);
  for (T& each : x) each = oracle::random_uniform<T>(random);
  return x;
}

inline constexpr reduction sums_of_groups[] = {
    reduction::sum, reduction::mean,     reduction::asum,           reduction::nrm2,
    reduction::dot, reduction::variance, reduction::sum_of_squares, reduction::stddev};

}  // namespace on_gpu
