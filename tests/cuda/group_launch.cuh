// Launches of the kernels of groups (group/sums.cuh) for tests, which compare every result with the integer
// oracle's for the group's elements alone.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <cuda/group/sums.cuh>
#include <exactdot/core/reduction.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backend.cuh"
#include "missing_gpu.cuh"
#include "oracle/random.hpp"
#include "oracle/reference.hpp"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Elements in host memory, as bytes, and their keys.
struct keyed_elements {
  element_type type_a = element_type::float32, type_b = element_type::float32;
  std::vector<unsigned char> a, b;
  std::vector<std::int64_t> keys;
  std::size_t groups = 1;
  std::ptrdiff_t stride = 1;  ///< of elements and keys
  bool swapped = false;
  bool skips = false;

  [[nodiscard]] std::size_t n() const { return keys.size(); }
  /// The elements of a group, copied.
  [[nodiscard]] std::vector<unsigned char> elements_of(std::size_t group, bool second) const {
    const std::vector<unsigned char>& from = second ? b : a;
    const std::size_t size = size_of(second ? type_b : type_a);
    std::vector<unsigned char> found;
    for (std::size_t i = 0; i < n(); ++i) {
      if (keys[i] != static_cast<std::int64_t>(group)) continue;
      const std::size_t at = i * static_cast<std::size_t>(stride) * size;
      for (std::size_t k = 0; k < size; ++k) found.push_back(from[at + k]);
    }
    return found;
  }
};

template <class T>
std::vector<unsigned char> bytes_of_elements(const std::vector<T>& x) {
  std::vector<unsigned char> bytes(x.size() * sizeof(T));
  if (!x.empty()) std::memcpy(bytes.data(), x.data(), bytes.size());
  return bytes;
}

template <class T>
keyed_elements keyed(const std::vector<T>& a, const std::vector<T>& b, const std::vector<std::int64_t>& keys,
                     std::size_t groups) {
  keyed_elements made;
  made.type_a = made.type_b = type_of<T>;
  made.a = bytes_of_elements(a), made.b = bytes_of_elements(b.empty() ? a : b);
  made.keys = keys, made.groups = groups;
  return made;
}

/// What a call asks for, and how it is launched.
struct group_test {
  reduction what = reduction::sum;
  element_type result = element_type::float32;
  std::uint64_t ddof = 0;
  bool in_shared = true;
  unsigned threads = 64, blocks = 3;
  unsigned skew = 0;  ///< elements before the first, so that packs are not aligned
  element_type key_type = element_type::int32;
  std::size_t room = 3;                ///< open groups of a pass
  std::size_t second_look_shared = 0;  ///< bytes
  bool waits = true;                   ///< nothing is stored if a key is out of range
  bool counts = false;                 ///< the groups' elements, instead of a reduction
  bool may_be_skewed = false;          ///< records have tables of frequent groups before them
  /// Before the launch that adds to those tables, for sabotage.
  std::function<void(group_job&, group_job&)> before_skewed;
  /// Before the finish of the first look, for sabotage: of the job, and of its memory in host memory.
  std::function<void(group_job&, group_job&)> before_finish;
  std::function<void(group_job&)> before;
};

struct group_outcome {
  std::vector<std::uint64_t> words;
  group_status status;
  bool overflows = false;
};

constexpr std::uint64_t unwritten_word = 0x5a5a5a5a5a5a5a5a;

class group_launcher {
 public:
  explicit group_launcher(unsigned seed = 1) { choose_schedule(stream_, seed); }
  ~group_launcher() {
    for (const std::string& finding : gpu::findings(stream_)) ADD_FAILURE() << finding;
  }
  group_launcher(const group_launcher&) = delete;
  group_launcher& operator=(const group_launcher&) = delete;

  group_outcome run(const keyed_elements& of, const group_test& test) {
    const std::size_t size_a = size_of(of.type_a), size_b = size_of(of.type_b);
    const std::size_t key_size = size_of(test.key_type), step = static_cast<std::size_t>(of.stride);
    gpu::buffer<unsigned char> a(stream_, of.a.size() + test.skew * size_a + 16),
        b(stream_, of.b.size() + test.skew * size_b + 16);
    gpu::buffer<unsigned char> keys(stream_, (of.n() * step + test.skew + 1) * key_size);
    fill(a, of.a, test.skew * size_a), fill(b, of.b, test.skew * size_b);
    std::vector<unsigned char> key_bytes(of.n() * step * key_size);
    for (std::size_t i = 0; i < of.n(); ++i) std::memcpy(&key_bytes[i * step * key_size], &of.keys[i], key_size);
    fill(keys, key_bytes, test.skew * key_size);

    group_job job;
    group_input& in = job.in;
    in.a = {reinterpret_cast<const char*>(a.data() + test.skew * size_a), of.stride * std::ptrdiff_t(size_a),
            of.type_a, of.swapped};
    in.b = {reinterpret_cast<const char*>(b.data() + test.skew * size_b), of.stride * std::ptrdiff_t(size_b),
            of.type_b, of.swapped};
    set_keys(in, keys.data() + test.skew * key_size, of.stride * std::ptrdiff_t(key_size), test.key_type);
    in.n = of.n(), in.groups = static_cast<unsigned>(of.groups);
    set_terms(in, test.what), in.skips_out_of_range = of.skips;
    const bool two = inputs_of(test.what) == 2;
    set_input_layout(job, two);
    gpu::buffer<std::uint64_t> results(stream_, of.groups * distance + 1);
    const std::vector<std::uint64_t> unwritten(results.size(), unwritten_word);
    results.copy_from(unwritten.data(), unwritten.size());
    gpu::buffer<wide_unsigned> of_workspace(stream_, 3);
    of_workspace.fill_zero();
    job.to.first_bad_key = of_workspace.data(), job.to.first_empty_group = of_workspace.data() + 1;
    job.out.first = reinterpret_cast<char*>(results.data()), job.out.next = distance * sizeof(std::uint64_t);
    job.out.rule = {core::info_of(test.what).finish, core::format_of(test.result)};
    job.out.ddof = test.ddof, job.out.status = reinterpret_cast<unsigned*>(of_workspace.data() + 2);
    job.out.only_if_all_right = test.waits;

    const bool is_extremum = test.what == reduction::min || test.what == reduction::max;
    if (is_extremum || test.counts) {
      enqueue_words(job, test, is_extremum);
      return outcome_of(job, test, of.groups, results, of_workspace);
    }
    const bool counts = job.out.rule.finish() == core::finish::quotient || in.terms == group_terms::moments;
    choose_scheme(job, counts, limits_of(test), test.in_shared);
    if (job.scheme.in_shared) job.scheme.threads = test.threads;
    job.scheme.blocks = test.blocks;
    job.shared_bytes = test.second_look_shared;
    if (test.before) test.before(job);
    const core::state_layout layout =
        core::layout_of(core::wider(core::carrier_of(of.type_a), core::carrier_of(two ? of.type_b : of.type_a)));
    const std::size_t slot_words = words_of_open_group(layout, streams_of(in.terms));
    gpu::buffer<wide_unsigned>& memory =
        memory_.emplace(stream_, first_look_bytes(job) / 8 + test.room * slot_words);
    if (test.before_skewed) memory.fill_zero();  // it is copied before it is written
    const std::size_t cleared = place_memory(job, memory.data());
    int launches = 0;
    const auto launch = [&](auto kernel, unsigned blocks, unsigned threads, std::size_t shared,
                            auto&&... arguments) {
      ++launches;
      if (launches == (job.scheme.may_be_skewed ? 6 : 4)) sabotage(job, memory, test.before_finish, false);
      if (launches == 5 && job.scheme.may_be_skewed) sabotage(job, memory, test.before_skewed, true);
      gpu::launch(kernel, blocks, threads, shared, stream_, arguments...);
    };
    enqueue_first_look(job, cleared, layout, launch);
    const group_status status = read_status(memory);
    if (status.bad_key == 0 || !test.waits) enqueue_second_look(job, layout, status.open, test.room, launch);
    return outcome_of(job, test, of.groups, results, of_workspace);
  }

 private:
  static constexpr std::size_t distance = 2;  // of the results

  static group_limits limits_of(const group_test& test) {
    if (!test.may_be_skewed) return {4, 48 << 10};
    return {4, 200 << 10, 0};
  }

  /// Extrema or counts.
  void enqueue_words(group_job& job, const group_test& test, bool is_extremum) {
    choose_table_of_words(job, is_extremum ? 8 : 4, limits_of(test), test.in_shared);
    job.scheme.threads = test.threads, job.scheme.blocks = test.blocks;
    memory_.emplace(stream_, first_look_bytes(job) / 8);
    const std::size_t cleared = place_memory(job, memory_->data());
    const auto launch = [&](auto kernel, unsigned blocks, unsigned threads, std::size_t shared,
                            auto&&... arguments) {
      gpu::launch(kernel, blocks, threads, shared, stream_, arguments...);
    };
    if (is_extremum) {
      enqueue_extrema(job, cleared, rank_rule_of(job.in.a.type, test.what == reduction::max), launch);
    } else {
      enqueue_counts(job, cleared, launch);
    }
  }

  group_outcome outcome_of(const group_job& job, const group_test& test, std::size_t groups,
                           const gpu::buffer<std::uint64_t>& results,
                           const gpu::buffer<wide_unsigned>& of_workspace) {
    group_outcome found;
    found.status = read_status(*memory_);
    std::vector<wide_unsigned> ends(3);
    of_workspace.copy_to(ends.data(), 3);
    EXPECT_EQ(ends[0], found.status.bad_key);
    EXPECT_EQ(ends[1], found.status.empty_group);
    found.overflows = static_cast<unsigned>(ends[2]) != 0;
    std::vector<std::uint64_t> all(results.size());
    results.copy_to(all.data(), all.size());
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * (test.counts ? 8 : job.out.rule.bytes()));
    for (std::size_t i = 0; i < groups; ++i) {
      found.words.push_back(all[distance * i] & mask);
      EXPECT_EQ(all[distance * i] & ~mask, unwritten_word & ~mask) << "bytes behind result " << i;
      EXPECT_EQ(all[distance * i + 1], unwritten_word) << "memory behind result " << i;
    }
    return found;
  }

  static void fill(gpu::buffer<unsigned char>& to, const std::vector<unsigned char>& from, std::size_t skew) {
    std::vector<unsigned char> all(to.size(), 0xff);  // NaNs, keys out of range
    std::copy(from.begin(), from.end(), all.begin() + static_cast<std::ptrdiff_t>(skew));
    to.copy_from(all.data(), all.size());
  }
  static group_status read_status(const gpu::buffer<wide_unsigned>& memory) {
    std::vector<wide_unsigned> words((sizeof(group_status) + 7) / 8);
    memory.copy_to(words.data(), words.size());
    group_status status;
    std::memcpy(static_cast<void*>(&status), words.data(), sizeof status);
    return status;
  }
  /// Lets the test change a copy of the memory: of what is cleared, or of all.
  static void sabotage(group_job& job, gpu::buffer<wide_unsigned>& memory,
                       const std::function<void(group_job&, group_job&)>& change, bool all) {
    if (!change) return;
    group_job copied = job;
    std::vector<wide_unsigned> words(first_look_bytes(job) / 8);
    words.resize(all ? words.size() : place_memory(copied, words.data()) / 8);
    memory.copy_to(words.data(), words.size());
    place_memory(copied, words.data());
    change(job, copied);
    memory.copy_from(words.data(), words.size());
  }
  gpu::stream stream_;
  std::optional<gpu::buffer<wide_unsigned>> memory_;
};

/// The oracle's result; nothing if an integer type does not hold it.
inline std::optional<std::uint64_t> expected_of_group(const keyed_elements& of, const group_test& test,
                                                      std::size_t group) {
  const std::vector<unsigned char> a = of.elements_of(group, false), b = of.elements_of(group, true);
  const auto view = [&](const std::vector<unsigned char>& x, element_type type) {
    const std::size_t size = size_of(type);
    return any_vector{x.data(), x.size() / size, type, static_cast<std::ptrdiff_t>(size), of.swapped};
  };
  const oracle::reference reference(test.what, view(a, of.type_a), view(b, of.type_b),
                                    static_cast<std::int64_t>(test.ddof));
  const auto found = reference.exact(test.result);
  if (!found) return std::nullopt;
  return found->bits;
}

/// One call, and every result compared. Returns how many groups the first look has left open.
inline unsigned expect_groups(const keyed_elements& of, const group_test& test, unsigned seed,
                              const std::string& name) {
  group_launcher on(seed);
  const group_outcome found = on.run(of, test);
  bool any_overflow = false;
  for (std::size_t i = 0; i < of.groups; ++i) {
    const auto expected = expected_of_group(of, test, i);
    any_overflow = any_overflow || !expected;
    EXPECT_EQ(found.words[i], expected.value_or(0))
        << name << ": " << name_of(test.what) << " of " << name_of(of.type_a) << " to " << name_of(test.result)
        << ", group " << i << " of " << of.groups << ", " << of.n() << " elements, "
        << (test.in_shared ? "tables" : "records") << ", seed " << seed;
    if (testing::Test::HasFailure()) return found.status.open;
  }
  EXPECT_EQ(found.overflows, any_overflow) << name;
  return found.status.open;
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
