// Kernels of states of groups: the words are those of the CPU's states, and rounded have the bits of the oracle;
// for every element type, term and form, in shared memory and by atomics, in one pass and in several, with keys of
// any type and order; keys out of range.
//
// Sabotage: accumulators that are not cleared, elements left out, carries not passed on must give wrong words.
#include <cuda/group/states.cuh>

#include "backend.cuh"
#include "missing_gpu.cuh"
#include "state_cases.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

class group_states : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_gpu(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

struct keyed_states {
  state_elements of;
  element_type key_type = element_type::int64;
  std::vector<std::int64_t> keys;
  std::size_t groups = 1;
  bool skips = false;
};

enum class sabotage { none, keeps_accumulators, leaves_out_elements, passes_no_carry };

struct group_launch_plan {
  std::size_t room = 100;
  std::size_t shared_bytes = 48 << 10;  ///< 0: atomics in global memory
  unsigned multiprocessors = 2;
  sabotage planted = sabotage::none;
};

struct group_state_outcome {
  std::vector<std::int64_t> words;
  wide_unsigned bad_key = 0, checked_key = 0;
};

group_state_outcome run(const keyed_states& given, const state_format& format,
                        const std::vector<std::int64_t>& before, const group_launch_plan& how, unsigned seed) {
  gpu::stream stream;
  choose_schedule(stream, seed);
  const state_elements& of = given.of;
  const std::size_t key_size = size_of(given.key_type);
  gpu::buffer<unsigned char> a(stream, of.a.size()), b(stream, of.b.size());
  a.copy_from(of.a.data(), of.a.size()), b.copy_from(of.b.data(), of.b.size());
  std::vector<unsigned char> bytes(given.keys.size() * key_size + 8);
  for (std::size_t i = 0; i < given.keys.size(); ++i) std::memcpy(&bytes[i * key_size], &given.keys[i], key_size);
  gpu::buffer<unsigned char> keys(stream, bytes.size());
  keys.copy_from(bytes.data(), bytes.size());
  gpu::buffer<std::int64_t> words(stream, before.size());
  words.copy_from(before.data(), before.size());
  group_input in;
  in.a = {reinterpret_cast<const char*>(a.data()), of.stride * of.size(), of.type, of.swapped};
  in.b = {reinterpret_cast<const char*>(b.data()), of.stride * of.size(), of.type, of.swapped};
  set_keys(in, keys.data(), static_cast<std::ptrdiff_t>(key_size), given.key_type);
  in.n = given.keys.size(), in.groups = static_cast<unsigned>(given.groups);
  set_terms(in, format.what), in.skips_out_of_range = given.skips;
  group_state_pass pass = pass_of(format.what, format.type, engine::stored_state(format), given.groups);
  pass.to = words.data(), pass.next = static_cast<std::ptrdiff_t>(format.words());
  gpu::buffer<wide_unsigned> accumulators(stream, std::min(how.room, given.groups) * pass.words);
  std::vector<wide_unsigned> ones(accumulators.size(), 1);  // an earlier call's
  accumulators.copy_from(ones.data(), ones.size());
  pass.accumulators = accumulators.data();
  gpu::buffer<wide_unsigned> notes(stream, 2);
  notes.fill_zero();
  int launches = 0;
  const auto launch = [&](auto kernel, unsigned blocks, unsigned threads, std::size_t shared, auto&&... arguments) {
    const int at = launches++ % 4;  // cleared, added, carried, stored
    const bool is_left_out = (at == 0 && how.planted == sabotage::keeps_accumulators) ||
                             (at == 1 && how.planted == sabotage::leaves_out_elements) ||
                             (at == 2 && how.planted == sabotage::passes_no_carry);
    if (!is_left_out) gpu::launch(kernel, blocks, threads, shared, stream, arguments...);
  };
  gpu::launch(group_check_keys_kernel, 2, 64, 0, stream, in, notes.data() + 1);
  enqueue_group_states(in, pass, how.room, how.multiprocessors, how.shared_bytes, notes.data(), launch);
  gpu::synchronise(stream);
  group_state_outcome found;
  found.words.resize(before.size());
  words.copy_to(found.words.data(), before.size());
  std::vector<wide_unsigned> noted(2);
  notes.copy_to(noted.data(), 2);
  found.bad_key = noted[0], found.checked_key = noted[1];
  for (const std::string& finding : gpu::findings(stream)) ADD_FAILURE() << finding;
  return found;
}

void add_on_cpu(const keyed_states& given, const state_format& format, std::vector<std::int64_t>& words) {
  const axis elements{given.of.n, given.of.stride * given.of.size()};
  const any_grid x{given.of.a.data(), format.type, {}, {&elements, 1}, given.of.swapped},
      y{given.of.b.data(), format.type, {}, {&elements, 1}, given.of.swapped};
  const any_keys keys{given.keys.data(), given.keys.size(), element_type::int64, 8, given.groups, given.skips};
  if (format.what == reduction::dot) return dot_into(x, y, keys, words, format.form);
  reduce_into(format.what, x, keys, words, format.form);
}

/// The elements of a group, as bytes.
std::vector<unsigned char> elements_of(const keyed_states& given, const std::vector<unsigned char>& from,
                                       std::size_t group) {
  std::vector<unsigned char> found;
  const auto size = static_cast<std::size_t>(given.of.size()),
             step = size * static_cast<std::size_t>(given.of.stride);
  for (std::size_t i = 0; i < given.keys.size(); ++i) {
    if (given.keys[i] != static_cast<std::int64_t>(group)) continue;
    found.insert(found.end(), from.begin() + static_cast<std::ptrdiff_t>(i * step),
                 from.begin() + static_cast<std::ptrdiff_t>(i * step + size));
  }
  return found;
}

keyed_states random_groups(oracle::rng& random, element_type type, bool finite) {
  constexpr element_type types[] = {element_type::int64,  element_type::int32, element_type::uint32,
                                    element_type::uint64, element_type::int8,  element_type::uint8,
                                    element_type::int16,  element_type::uint16};
  keyed_states made;
  const std::size_t n = random.below(500);
  made.of = random_elements(random, type, n, finite);
  made.groups = 1 + random.below(40);
  made.key_type = types[random.below(8)];
  const std::size_t order = random.below(3);
  made.skips = random.below(4) == 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t key = order == 0 ? i * made.groups / n : order == 1 ? made.groups / 2 : random.below(made.groups);
    if (made.skips && random.below(9) == 0) key = made.groups + random.below(3);
    made.keys.push_back(static_cast<std::int64_t>(key));
  }
  return made;
}

void expect_groups(unsigned seed, bool finite) {
  oracle::rng random(seed);
  const element_type type = elements[random.below(elements.size())].type;
  const state_format format{summing[random.below(8)], type, random.coin() ? state_form::full : state_form::compact};
  const keyed_states given = random_groups(random, type, finite);
  group_launch_plan how;
  if (random.coin()) how.shared_bytes = random.coin() ? 0 : 3000 + random.below(8000);
  if (random.coin()) how.room = 1 + random.below(20);
  how.multiprocessors = static_cast<unsigned>(1 + random.below(3));
  std::vector<std::int64_t> expected(given.groups * format.words());
  const bool adds = finite && random.coin();
  if (adds) add_on_cpu(given, format, expected);
  const group_state_outcome found = run(given, format, expected, how, seed);
  add_on_cpu(given, format, expected);
  const std::string name =
      name_of_case(format,
                   std::to_string(given.of.n) + " elements in " + std::to_string(given.groups) +
                       " groups, shared memory of " + std::to_string(how.shared_bytes),
                   seed);
  ASSERT_EQ(found.bad_key, 0U) << name;
  ASSERT_EQ(found.checked_key, 0U) << name;
  expect_words(format, found.words, expected, finite, name);
  if (adds) return;
  for (std::size_t i = 0; i < given.groups && !testing::Test::HasFatalFailure(); i += 7) {
    const auto a = elements_of(given, given.of.a, i), b = elements_of(given, given.of.b, i);
    const auto view = [&](const std::vector<unsigned char>& x) {
      const auto size = size_of(type);
      return any_vector{x.data(), x.size() / size, type, static_cast<std::ptrdiff_t>(size), given.of.swapped};
    };
    expect_oracle(format, std::span(found.words).subspan(i * format.words(), format.words()), view(a), view(b),
                  name + ", group " + std::to_string(i));
  }
}

TEST_F(group_states, have_the_words_of_the_cpu) {
  for (int i = 0; i < oracle::scaled(300) && !HasFatalFailure(); ++i) {
    expect_groups(static_cast<unsigned>(i), i % 4 != 0);
  }
}

/// Doubles of both signs whose sums cross zero, in three groups.
struct three_groups {
  keyed_states given;
  state_format format{reduction::mean, element_type::float64, state_form::full};
  std::vector<std::int64_t> zeros, expected;

  three_groups() : zeros(3 * format.words()), expected(3 * format.words()) {
    oracle::rng random(5);
    given.of = random_elements(random, element_type::float64, 300, true);
    given.groups = 3;
    for (std::size_t i = 0; i < 300; ++i) given.keys.push_back(static_cast<std::int64_t>(i % 3));
    add_on_cpu(given, format, expected);
  }
};

TEST_F(group_states, of_keys_out_of_range_are_noted_and_left_out) {
  for (const std::size_t shared : {std::size_t{0}, std::size_t{48} << 10}) {
    for (const element_type type :
         {element_type::int32, element_type::int64, element_type::int8, element_type::int16}) {
      three_groups of;
      of.given.key_type = type;
      of.given.keys[7] = -1, of.given.keys[5] = 3;
      group_launch_plan how;
      how.shared_bytes = shared;
      const group_state_outcome found = run(of.given, of.format, of.zeros, how, 1);
      EXPECT_EQ(found.bad_key, ~wide_unsigned{5});
      EXPECT_EQ(found.checked_key, ~wide_unsigned{5});
      of.given.skips = true;
      std::vector<std::int64_t> expected(of.zeros);
      add_on_cpu(of.given, of.format, expected);
      EXPECT_EQ(found.words, expected);
      EXPECT_EQ(run(of.given, of.format, of.zeros, how, 1).bad_key, 0U);
    }
  }
}

TEST_F(group_states, are_wrong_if_a_launch_is_left_out) {
  const three_groups of;
  for (const std::size_t shared : {std::size_t{0}, std::size_t{48} << 10}) {
    for (const sabotage planted :
         {sabotage::none, sabotage::keeps_accumulators, sabotage::leaves_out_elements, sabotage::passes_no_carry}) {
      group_launch_plan how;
      how.shared_bytes = shared, how.planted = planted;
      EXPECT_EQ(run(of.given, of.format, of.zeros, how, 2).words == of.expected, planted == sabotage::none)
          << static_cast<int>(planted);
    }
  }
}

TEST_F(group_states, of_no_elements_are_states_of_nothing) {
  keyed_states given;
  given.of.type = element_type::float32, given.of.a.resize(16), given.of.b.resize(16);
  given.groups = 5;
  const state_format format{reduction::variance, element_type::float32, state_form::compact};
  std::vector<std::int64_t> expected(5 * format.words());
  const std::vector<std::int64_t> zeros(expected);
  add_on_cpu(given, format, expected);
  EXPECT_EQ(run(given, format, zeros, {}, 1).words, expected);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
