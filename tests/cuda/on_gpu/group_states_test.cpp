// States of random groups in a GPU's memory: the words are those of the CPU's states, and rounded have the bits of
// the oracle; for every element type, term and form, in shared memory and by atomics, in one pass and in several,
// added to what is there, with keys of any type and order; keys out of range.
#include <exactdot/cuda/batch_states.hpp>

#include "cuda/on_gpu/state_cases.hpp"
#include "cuda/on_gpu/support.hpp"
#include "cuda/on_gpu/workspace_state.hpp"

namespace {

using namespace on_gpu;

class cuda_group_states : public needs_gpu {};

struct keyed_states {
  state_elements of;
  element_type key_type = element_type::int64;
  std::vector<std::int64_t> keys;
  std::size_t groups = 1;
  bool skips = false;
};

using words_of_groups = std::vector<std::int64_t>;

/// f(x, y, keys) of arrays in one memory. `keys` of the type.
template <class F>
void with_arrays(const keyed_states& given, const void* a, const void* b, const void* keys, element_type key_type,
                 F f) {
  const axis elements{given.of.n, given.of.stride * given.of.size()};
  f(any_grid{a, given.of.type, {}, {&elements, 1}, given.of.swapped},
    any_grid{b, given.of.type, {}, {&elements, 1}, given.of.swapped},
    any_keys{keys, given.keys.size(), key_type, static_cast<std::ptrdiff_t>(size_of(key_type)), given.groups,
             given.skips});
}

void add_on_cpu(const keyed_states& given, const state_format& format, words_of_groups& words) {
  with_arrays(given, given.of.a.data(), given.of.b.data(), given.keys.data(), element_type::int64,
              [&](const any_grid& x, const any_grid& y, const any_keys& keys) {
                format.what == reduction::dot ? dot_into(x, y, keys, words, format.form)
                                              : reduce_into(format.what, x, keys, words, format.form);
              });
}

/// Adds the states by a workspace that has added the same ones before, elsewhere.
words_of_groups add_on_gpu(const keyed_states& given, const state_format& format, const words_of_groups& before,
                           int multiprocessors, std::string* problem = nullptr) {
  const std::size_t key_size = size_of(given.key_type);
  std::vector<unsigned char> bytes(given.keys.size() * key_size + 8);
  for (std::size_t i = 0; i < given.keys.size(); ++i) std::memcpy(&bytes[i * key_size], &given.keys[i], key_size);
  const device_vector<unsigned char> a(given.of.a), b(given.of.b), keys(bytes);
  const device_vector<std::int64_t> words(before), others(before);
  cuda::workspace workspace;
  workspace.library_storage().multiprocessors = multiprocessors;
  with_arrays(given, a.data(), b.data(), keys.data(), given.key_type,
              [&](const any_grid& x, const any_grid& y, const any_keys& by) {
                for (std::int64_t* const to : {others.data(), words.data()}) {
                  format.what == reduction::dot ? cuda::dot_into(workspace, x, y, by, to, format.form)
                                                : cuda::reduce_into(workspace, format.what, x, by, to, format.form);
                }
              });
  try {
    workspace.check();
  } catch (const error& refusal) {
    if (problem != nullptr) *problem = refusal.what();
  }
  return words.read(before.size());
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
  const std::size_t n = random.below(500), order = random.below(3);
  made.of = random_elements(random, type, n, finite);
  made.groups = 1 + random.below(40), made.key_type = types[random.below(8)], made.skips = random.below(4) == 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t key = order == 0 ? i * made.groups / n : order == 1 ? made.groups / 2 : random.below(made.groups);
    if (made.skips && random.below(9) == 0) key = made.groups + random.below(3);
    made.keys.push_back(static_cast<std::int64_t>(key));
  }
  return made;
}

void expect_random_groups(unsigned seed, bool finite) {
  oracle::rng random(seed);
  const element_type type = elements[random.below(elements.size())].type;
  const state_format format{summing[random.below(8)], type, random.coin() ? state_form::full : state_form::compact};
  const keyed_states given = random_groups(random, type, finite);
  words_of_groups expected(given.groups * format.words());
  const bool adds = finite && random.coin();
  if (adds) add_on_cpu(given, format, expected);
  choose_schedule(seed);
  const words_of_groups found = add_on_gpu(given, format, expected, static_cast<int>(1 + random.below(3)));
  add_on_cpu(given, format, expected);
  const std::string name = name_of_case(
      format, std::to_string(given.of.n) + " elements in " + std::to_string(given.groups) + " groups", seed);
  expect_words(format, found, expected, finite, name);
  if (adds) return;
  for (std::size_t i = 0; i < given.groups && !testing::Test::HasFatalFailure(); i += 7) {
    const auto a = elements_of(given, given.of.a, i), b = elements_of(given, given.of.b, i);
    const auto view = [&](const std::vector<unsigned char>& x) {
      return any_vector{x.data(), x.size() / size_of(type), type, given.of.size(), given.of.swapped};
    };
    expect_oracle(format, std::span(found).subspan(i * format.words(), format.words()), view(a), view(b),
                  name + ", group " + std::to_string(i));
  }
}

TEST_F(cuda_group_states, have_the_words_of_the_cpu) {
  for (int i = 0; i < oracle::scaled(100) && !HasFatalFailure(); ++i) {
    expect_random_groups(static_cast<unsigned>(i), i % 4 != 0);
  }
}

/// Doubles of both signs whose sums cross zero, in so many groups.
struct few_groups {
  keyed_states given;
  state_format format{reduction::mean, element_type::float64, state_form::full};
  words_of_groups zeros;

  explicit few_groups(std::size_t groups) : zeros(groups * format.words()) {
    oracle::rng random(5);
    given.of = random_elements(random, element_type::float64, 300, true);
    given.groups = groups;
    for (std::size_t i = 0; i < 300; ++i) given.keys.push_back(static_cast<std::int64_t>(i % groups));
  }
  [[nodiscard]] words_of_groups expected() const {
    words_of_groups words = zeros;
    add_on_cpu(given, format, words);
    return words;
  }
};

TEST_F(cuda_group_states, of_few_groups_have_the_words_of_the_cpu) {
  for (const std::size_t groups : {3, 4, 5}) {
    const few_groups of(groups);
    EXPECT_EQ(add_on_gpu(of.given, of.format, of.zeros, 2), of.expected()) << groups;
  }
}

TEST_F(cuda_group_states, of_keys_out_of_range_are_noted_and_left_out) {
  for (const std::size_t groups : {3, 4, 5}) {
    for (const element_type type :
         {element_type::int32, element_type::int64, element_type::int8, element_type::int16}) {
      few_groups of(groups);
      of.given.key_type = type;
      of.given.keys[7] = -1, of.given.keys[5] = static_cast<std::int64_t>(groups);
      std::string problem;
      const words_of_groups found = add_on_gpu(of.given, of.format, of.zeros, 2, &problem);
      EXPECT_NE(problem.find("key 5"), std::string::npos) << problem;
      of.given.skips = true;
      EXPECT_EQ(found, of.expected());
      problem.clear();
      EXPECT_EQ(add_on_gpu(of.given, of.format, of.zeros, 2, &problem), found);
      EXPECT_EQ(problem, "");
    }
  }
}

TEST_F(cuda_group_states, of_no_elements_are_states_of_nothing) {
  keyed_states given;
  given.of.type = element_type::float32, given.of.a.resize(16), given.of.b.resize(16), given.groups = 5;
  const state_format format{reduction::variance, element_type::float32, state_form::compact};
  words_of_groups expected(5 * format.words());
  const words_of_groups zeros(expected);
  add_on_cpu(given, format, expected);
  EXPECT_EQ(add_on_gpu(given, format, zeros, 2), expected);
}

}  // namespace
