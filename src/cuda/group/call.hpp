// Groups by keys on a GPU: what a call consists of, for the kernels and for the host code that launches them.
//
// First look, one read of keys and elements: every group's terms are added as integers relative to a window of
// exponents. Its top follows from a sample of the elements; its width leaves room for the sum of n largest terms,
// so that no count of elements can make it wrap. What does not fit is noted in flags of its group: bits below the
// window (the sum then has a bound), terms above it, infinities and NaNs.
// Second look, for the groups whose result that leaves open: exact states, always right.
//
// Up to some thousand groups the integers lie in shared memory, a table for each block (table.cuh); more
// groups have records in global memory, which lanes add to together (scatter.cuh).
#pragma once

#include <cuda/core/destination.hpp>
#include <exactdot/core/reduction.hpp>
#include <plan/state_words.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// What the elements are added as: the form of a term. `moments`: values and squares.
enum class group_terms : int { value, square, product, moments };

/// Of a reduction that is a sum.
constexpr group_terms group_terms_of(reduction what) {
  const core::reduction_info& info = core::info_of(what);
  if (info.needs_squares()) return group_terms::moments;
  const core::term_info& term = core::term_at(info.term);
  if (term.factors == 1) return group_terms::value;
  return term.inputs == 2 ? group_terms::product : group_terms::square;
}

EXACTDOT_CORE int streams_of(group_terms terms) { return terms == group_terms::moments ? 2 : 1; }

/// No group: of an element whose key is out of range.
inline constexpr unsigned no_group = ~0U;
/// Groups of a call, at most: keys below that are told from negative ones without their type.
inline constexpr std::size_t max_groups = 0x7fffffff;

constexpr int group_pack = 4;  ///< elements that a thread loads at a time

/// The elements and their keys.
struct group_input {
  any_operand a, b;
  const char* keys = nullptr;
  std::ptrdiff_t key_stride = 4;  ///< in bytes
  int key_bytes = 4;
  bool keys_have_sign = false;  ///< of narrow keys, below 4 bytes: others are told by max_groups
  std::size_t n = 0;
  unsigned groups = 0;
  group_terms terms = group_terms::value;
  bool absolute = false;  ///< factors are replaced by their absolute values
  bool skips_out_of_range = false;
  bool loads_packs = false;      ///< of contiguous elements: aligned to 4 of them
  bool loads_key_packs = false;  ///< contiguous, and aligned to 4 keys
};

/// The terms of a reduction that is a sum.
constexpr void set_terms(group_input& in, reduction what) {
  in.terms = group_terms_of(what);
  in.absolute = core::term_at(core::info_of(what).term).absolute;
}

/// Flags of a group. Bits of the first stream; `dropped` and `beyond` of the second are shifted by second_stream.
namespace group_flag {
inline constexpr unsigned dropped = 1;  ///< terms have bits below the window
inline constexpr unsigned beyond = 2;   ///< terms above the window were left out
inline constexpr unsigned second_stream = 2;
inline constexpr unsigned nan = 16, plus = 32, minus = 64;
inline constexpr unsigned present = 128;  ///< of extrema
}  // namespace group_flag

/// What only the data tell. Zero at first.
struct group_status {
  wide_unsigned bad_key = 0;      ///< ~index of the first key out of range
  wide_unsigned empty_group = 0;  ///< ~index of the first group without elements, for extrema
  unsigned open = 0;              ///< groups that the first look leaves open
  /// Of each stream: no_exponent + the exponent above the largest term that was sampled; 0 if all were 0.
  unsigned above[2] = {0, 0};
  static constexpr int no_exponent = 0x10000;
  unsigned is_skewed = 0;                        ///< some groups are frequent: see frequencies.cuh
  unsigned frequent_of_lanes = 0, frequent = 0;  ///< how many, with 32 entries and with one
};

/// Frequent groups: a hash table of keys and 16-bit places. The most frequent ones have an entry for each lane.
inline constexpr unsigned frequent_slots = 4096, frequent_lane_groups = 16;
inline constexpr unsigned frequent_entries = frequent_slots / 2 + 32 * frequent_lane_groups;
inline constexpr std::size_t frequent_table_bytes = frequent_slots * 6;

/// Device memory of a call.
struct group_memory {
  wide_unsigned* sums = nullptr;
  wide_unsigned* counts = nullptr;  ///< elements of each group, if `has_counts`
  unsigned* flags = nullptr;
  unsigned* slots = nullptr;        ///< of an open group: its place in `open`
  unsigned* open = nullptr;         ///< groups
  unsigned* frequent = nullptr;     ///< hash table of frequent groups, if they are looked for
  wide_unsigned* states = nullptr;  ///< of the second look
  group_status* status = nullptr;
  wide_unsigned* first_bad_key = nullptr;  ///< of a workspace: as bad_key, over all calls
  wide_unsigned* first_empty_group = nullptr;
};

/// How the first look adds. Bits of a term: those of its window.
struct group_scheme {
  bool in_shared = false;
  bool has_counts = false;
  int bits[2] = {0, 0};    ///< of the windows: terms are below 2^(the last bit's exponent + bits)
  int lowest[2] = {0, 0};  ///< exponents of the last bits of any terms
  // in shared memory
  int words[2] = {0, 0};  ///< 32 bits each, of a sum
  unsigned copies = 1;    ///< of each sum: neighbouring lanes add to different ones
  unsigned blocks = 1, threads = 1024;
  std::size_t shared_bytes = 0;
  // in records
  int limbs[2] = {0, 0};  ///< of limb_bits each, in 64-bit words
  int limb_bits = 0;
  int lanes[2] = {0, 0};  ///< words of a record, a power of two
  // in records, with tables of frequent groups before them
  bool may_be_skewed = false;
  unsigned skewed_blocks = 1, skewed_threads = 512;
  std::size_t skewed_bytes = 0;  ///< of shared memory

  [[nodiscard]] EXACTDOT_CORE int words_of_group() const {
    return in_shared ? words[0] + words[1] : lanes[0] + lanes[1];
  }
};

/// What becomes of the sums.
struct group_results {
  char* first = nullptr;
  std::ptrdiff_t next = 0;  ///< in bytes
  core::result_rule rule = {};
  std::uint64_t ddof = 0;
  unsigned* status = nullptr;             ///< becomes 1 if an integer type does not hold a result
  std::uint64_t of_empty = 0;             ///< of extrema: the result for a group without elements
  bool only_if_all_right = false;         ///< nothing is written if a key is out of range
  bool adds = false;                      ///< to what is there, a sum: old_value.cuh; groups are then counted
  bool always_drops[2] = {false, false};  ///< nearly every term has bits below the window: flags are not kept

  [[nodiscard]] EXACTDOT_CORE char* at(std::size_t group) const {
    return first + static_cast<std::ptrdiff_t>(group) * next;
  }
};

/// What a call is: the elements of one column.
struct group_job {
  group_input in;
  group_results out;
  group_memory to;
  group_scheme scheme;
  bool is_native = false;  ///< contiguous elements in native byte order: floats of 16 to 64 bits, of one type
  unsigned multiprocessors = 1;
  std::size_t shared_bytes = 0;  ///< of a block, at most
};

/// What a GPU offers.
struct group_limits {
  unsigned multiprocessors = 1;
  std::size_t shared_bytes = 48 << 10;  ///< of a block
  /// From so many elements on groups in records are looked at for frequent ones.
  std::size_t min_skewed = std::size_t{1} << 16;
};

/// 64-bit words of the second look at a group: its states, and for moments what their finish needs.
constexpr std::size_t words_of_open_group(const core::state_layout& layout, int streams) {
  const auto state = static_cast<std::size_t>(layout.words());
  return streams == 1 ? state : 2 * state + 2 * static_cast<std::size_t>(layout.limbs) + 4;
}

constexpr std::size_t rounded_up(std::size_t bytes) { return (bytes + 127) / 128 * 128; }

/// Bytes of device memory of the first look, and with it those of the lists of open groups.
inline std::size_t first_look_bytes(const group_job& job) {
  const std::size_t groups = job.in.groups, words = static_cast<std::size_t>(job.scheme.words_of_group());
  const std::size_t counts = job.scheme.has_counts && job.scheme.in_shared ? 8 * groups : 0;
  const std::size_t frequent = job.scheme.may_be_skewed ? rounded_up(frequent_table_bytes) : 0;
  return rounded_up(sizeof(group_status)) + rounded_up(8 * words * groups) + rounded_up(counts) +
         3 * rounded_up(4 * groups) + frequent;
}

/// Divides memory of that size, aligned to 128 bytes; the states of the second look follow. Returns how many bytes
/// have to be cleared.
inline std::size_t place_memory(group_job& job, void* memory) {
  const std::size_t groups = job.in.groups, words = static_cast<std::size_t>(job.scheme.words_of_group());
  auto* const first = static_cast<unsigned char*>(memory);
  std::size_t used = 0;
  const auto take = [&]<class T>(T*& to, std::size_t bytes) {
    to = reinterpret_cast<T*>(first + used);
    used += rounded_up(bytes);
  };
  take(job.to.status, sizeof(group_status));
  take(job.to.flags, 4 * groups);
  take(job.to.sums, 8 * words * groups);
  if (job.scheme.has_counts && job.scheme.in_shared) take(job.to.counts, 8 * groups);
  const std::size_t cleared = used;
  take(job.to.slots, 4 * groups);
  take(job.to.open, 4 * groups);
  if (job.scheme.may_be_skewed) take(job.to.frequent, frequent_table_bytes);
  job.to.states = reinterpret_cast<wide_unsigned*>(first + used);
  return cleared;
}

/// Sets the keys, but for their number.
inline void set_keys(group_input& in, const void* data, std::ptrdiff_t stride, element_type type) {
  in.keys = static_cast<const char*>(data);
  in.key_stride = stride, in.key_bytes = static_cast<int>(size_of(type));
  in.keys_have_sign = is_signed(type);
}

/// Which loads the operands and keys allow. `two`: the terms are products.
inline void set_input_layout(group_job& job, bool two) {
  group_input& in = job.in;
  const auto is_aligned = [](const void* data, std::size_t bytes) {
    return reinterpret_cast<std::uintptr_t>(data) % std::min<std::size_t>(bytes, 16) == 0;
  };
  const auto bytes = [](const any_operand& x) { return group_pack * size_of(x.type); };
  job.is_native =
      !is_integer(in.a.type) && size_of(in.a.type) != 1 && is_packed(in.a) && (!two || (is_packed(in.b) && in.b.type == in.a.type));
  in.loads_packs =
      job.is_native && is_aligned(in.a.data, bytes(in.a)) && (!two || is_aligned(in.b.data, bytes(in.b)));
  in.loads_key_packs = in.key_stride == in.key_bytes && is_aligned(in.keys, 16);
}

// States of groups on a GPU: what a pass of states.cuh consists of.
//
// The kernels sum into accumulators of the workspace, which have the limbs of the compact form, the fewest that
// hold every sum of such terms; the words of the caller may be of either form.

/// Accumulators of a group, one after the other: of each sum its limbs and, if terms may be NaN or infinite, their
/// numbers; then the number of elements, if the states have it. `to`: the words of the states.
struct group_state_pass {
  unsigned first = 0, count = 0;  ///< groups
  int sums = 1;
  core::state_layout layout[2] = {};
  int word[2] = {0, 0};  ///< the first of each sum
  bool has_special = false;
  bool counts_elements = false;
  unsigned words = 0;         ///< of a group
  unsigned shared_words = 0;  ///< of 32 bits, of a group in shared memory
  wide_unsigned* accumulators = nullptr;
  std::int64_t* to = nullptr;  ///< of group 0
  std::ptrdiff_t next = 0;     ///< words between groups
  engine::stored_state of_state;

  [[nodiscard]] EXACTDOT_CORE wide_unsigned* at(unsigned slot) const {
    return accumulators + std::size_t{slot} * words;
  }
  /// The word that counts elements.
  [[nodiscard]] EXACTDOT_CORE unsigned count_word() const { return words - 1; }
};

/// The pass over all groups, without memory, of states of such elements in either form.
inline group_state_pass pass_of(reduction what, element_type type, const engine::stored_state& state,
                                std::size_t groups) {
  const engine::stored_state compact({what, type, state_form::compact});
  group_state_pass made;
  made.count = static_cast<unsigned>(groups);
  made.of_state = state;
  made.sums = compact.sums;
  made.has_special = !is_integer(type);
  made.counts_elements = compact.counts_elements != 0;
  for (int sum = 0; sum < made.sums; ++sum) {
    made.layout[sum] = compact.of[sum].layout;
    made.word[sum] = static_cast<int>(made.words);
    made.words += static_cast<unsigned>(made.layout[sum].limbs + (made.has_special ? 3 : 0));
    made.shared_words += static_cast<unsigned>(made.layout[sum].limbs) + 1;
  }
  if (made.counts_elements) ++made.words, ++made.shared_words;
  return made;
}

}  // namespace exactdot::inline v0_3::cuda_engine
