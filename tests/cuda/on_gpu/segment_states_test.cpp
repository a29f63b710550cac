// States of random segments and rows in a GPU's memory: the words are those of the CPU's states, and rounded have
// the bits of the oracle; for every element type, term, form and layout, added to what is there; long segments
// shared by blocks, empty and tiny ones between them; offsets that are wrong. On the simulator few elements are
// long (CMakeLists.txt).
#include <exactdot/cuda/batch_states.hpp>

#include "cuda/on_gpu/state_cases.hpp"
#include "cuda/on_gpu/support.hpp"
#include "cuda/on_gpu/workspace_state.hpp"

namespace {

using namespace on_gpu;

class cuda_segment_states : public needs_gpu {};
using words_of_lines = std::vector<std::int64_t>;

/// Adds to words in device memory: add(workspace, first elements, second ones, words).
template <class Add>
words_of_lines add_on_gpu(const state_elements& of, const words_of_lines& before, int multiprocessors, Add add,
                          std::string* problem = nullptr) {
  const device_vector<unsigned char> a(of.a), b(of.b);
  const device_vector<std::int64_t> words(before);
  cuda::workspace workspace;
  workspace.library_storage().multiprocessors = multiprocessors;
  add(workspace, a.data(), b.data(), words.data());
  expect_finished(workspace, problem);
  return words.read(before.size());
}

words_of_lines add_segments(const state_elements& of, const std::vector<std::uint64_t>& offsets,
                            element_type offset_type, const state_format& format, const words_of_lines& before,
                            int multiprocessors, std::string* problem = nullptr) {
  const std::size_t size = size_of(offset_type);
  std::vector<unsigned char> bytes(offsets.size() * size);
  for (std::size_t i = 0; i < offsets.size(); ++i) std::memcpy(&bytes[i * size], &offsets[i], size);
  const device_vector<unsigned char> placed(bytes);
  const any_offsets at{placed.data(), offsets.size() - 1, offset_type, static_cast<std::ptrdiff_t>(size)};
  const auto add = [&](cuda::workspace& on, const unsigned char* a, const unsigned char* b, std::int64_t* words) {
    const auto view = [&](const unsigned char* data) {
      return any_vector{data, of.n, of.type, of.stride * of.size(), of.swapped};
    };
    format.what == reduction::dot ? cuda::dot_into(on, view(a), view(b), at, words, format.form)
                                  : cuda::reduce_into(on, format.what, view(a), at, words, format.form);
  };
  return add_on_gpu(of, before, multiprocessors, add, problem);
}

element_type any_type(oracle::rng& random) { return elements[random.below(elements.size())].type; }
state_format any_format(oracle::rng& random, element_type type) {
  return {summing[random.below(8)], type, random.coin() ? state_form::full : state_form::compact};
}

/// Empty, tiny and some long ones.
std::vector<std::uint64_t> random_offsets(oracle::rng& random, std::size_t count) {
  std::vector<std::uint64_t> offsets = {random.below(4)};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t kind = random.below(12);
    offsets.push_back(offsets.back() + (kind < 3 ? 0 : kind < 10 ? random.below(20) : random.below(900)));
  }
  return offsets;
}

any_vector stretch(const any_vector& of, std::uint64_t begin, std::uint64_t end) {
  return {static_cast<const char*>(of.data) + static_cast<std::ptrdiff_t>(begin) * of.stride, end - begin, of.type,
          of.stride, of.swapped};
}

void expect_segments(unsigned seed, bool finite) {
  oracle::rng random(seed);
  const element_type type = any_type(random);
  const state_format format = any_format(random, type);
  const auto offsets = random_offsets(random, 1 + random.below(60));
  const state_elements of = random_elements(random, type, offsets.back() + random.below(3), finite);
  constexpr element_type types[] = {element_type::int64, element_type::int32, element_type::uint32,
                                    element_type::uint64};
  const any_vector x = of.view(of.a), y = of.view(of.b);
  const any_offsets given{offsets.data(), offsets.size() - 1, element_type::uint64, 8};
  words_of_lines expected(given.count * format.words());
  const auto add = [&] {
    return format.what == reduction::dot ? dot_into(x, y, given, expected, format.form)
                                         : reduce_into(format.what, x, given, expected, format.form);
  };
  const bool adds = finite && random.coin();
  if (adds) add();
  choose_schedule(seed);
  const words_of_lines found =
      add_segments(of, offsets, types[random.below(4)], format, expected, static_cast<int>(1 + random.below(4)));
  add();
  const std::string name = name_of_case(format, std::to_string(given.count) + " segments", seed);
  expect_words(format, found, expected, finite, name);
  if (adds) return;
  for (std::size_t i = 0; i < given.count && !testing::Test::HasFatalFailure(); i += 5) {
    expect_oracle(format, std::span(found).subspan(i * format.words(), format.words()),
                  stretch(x, offsets[i], offsets[i + 1]), stretch(y, offsets[i], offsets[i + 1]), name);
  }
}

TEST_F(cuda_segment_states, have_the_words_of_the_cpu) {
  for (int i = 0; i < oracle::scaled(70) && !HasFatalFailure(); ++i) {
    expect_segments(static_cast<unsigned>(i), i % 4 != 0);
  }
}

/// Rows of one length: of a warp, or shared by blocks.
void expect_rows(unsigned seed, bool finite) {
  oracle::rng random(seed);
  const element_type type = any_type(random);
  const state_format format = any_format(random, type);
  const std::size_t count = 1 + random.below(4), n = 1 + random.below(seed % 2 == 0 ? 100 : 900);
  const state_elements of = random_elements(random, type, count * n, finite);
  const axis results{count, static_cast<std::ptrdiff_t>(n) * of.stride * of.size()},
      in_row{n, of.stride * of.size()};
  const auto grid = [&](const unsigned char* data) {
    return any_grid{data, type, {&results, 1}, {&in_row, 1}, of.swapped};
  };
  words_of_lines expected(count * format.words());
  choose_schedule(seed);
  const auto add = [&](cuda::workspace& on, const unsigned char* a, const unsigned char* b, std::int64_t* words) {
    format.what == reduction::dot ? cuda::dot_into(on, grid(a), grid(b), words, format.form)
                                  : cuda::reduce_into(on, format.what, grid(a), words, format.form);
  };
  const words_of_lines found = add_on_gpu(of, expected, static_cast<int>(1 + random.below(4)), add);
  format.what == reduction::dot ? dot_into(grid(of.a.data()), grid(of.b.data()), expected, format.form)
                                : reduce_into(format.what, grid(of.a.data()), expected, format.form);
  expect_words(format, found, expected, finite,
               name_of_case(format, std::to_string(count) + " x " + std::to_string(n), seed));
}

TEST_F(cuda_segment_states, of_rows_have_the_words_of_the_cpu) {
  for (int i = 0; i < oracle::scaled(50) && !HasFatalFailure(); ++i) {
    expect_rows(static_cast<unsigned>(i), i % 4 != 0);
  }
}

/// Floats and the offsets of one long segment between others.
struct one_long {
  state_elements of;
  std::vector<std::uint64_t> offsets{0, 3, 3, 4003, 4010};
  state_format format{reduction::mean, element_type::float32, state_form::compact};
  words_of_lines expected, zeros;

  one_long() : expected(4 * format.words()), zeros(expected) {
    oracle::rng random(1);
    of = random_elements(random, element_type::float32, 4010, true);
    reduce_into(format.what, of.view(of.a), {offsets.data(), 4, element_type::uint64, 8}, expected, format.form);
  }
  [[nodiscard]] words_of_lines part(const words_of_lines& from, std::size_t i) const {
    const auto first = from.begin() + static_cast<std::ptrdiff_t>(i * format.words());
    return {first, first + static_cast<std::ptrdiff_t>(format.words())};
  }
};

TEST_F(cuda_segment_states, of_which_one_is_long_have_the_words_of_the_cpu) {
  const one_long given;
  EXPECT_EQ(add_segments(given.of, given.offsets, element_type::int64, given.format, given.zeros, 3),
            given.expected);
}

TEST_F(cuda_segment_states, of_wrong_offsets_are_left_as_they_are) {
  const one_long given;
  for (const element_type type : {element_type::int64, element_type::int32}) {
    for (const std::uint64_t wrong : {std::uint64_t{2}, std::uint64_t{4500}, ~std::uint64_t{0}}) {
      std::vector<std::uint64_t> offsets = given.offsets;
      offsets[2] = wrong;  // segments 1 and, past the end, 2
      std::string problem;
      const auto found = add_segments(given.of, offsets, type, given.format, given.zeros, 2, &problem);
      EXPECT_NE(problem.find("segment 1"), std::string::npos) << problem;
      EXPECT_EQ(given.part(found, 0), given.part(given.expected, 0));
      EXPECT_EQ(given.part(found, 1), given.part(given.zeros, 1));
      if (wrong != 2) {
        EXPECT_EQ(given.part(found, 2), given.part(given.zeros, 2));
      }
      EXPECT_EQ(given.part(found, 3), given.part(given.expected, 3));
    }
  }
}

/// So many long segments, which overlap by offsets that decrease, that the list has no place for all: a warp has
/// the others.
TEST_F(cuda_segment_states, that_find_no_place_in_the_list_are_summed_by_warps) {
  oracle::rng random(2);
  const std::size_t n = at_most(20000, 40), count = 2 * at_most(4300, 100);
  const state_elements of = random_elements(random, element_type::float32, n, true);
  const state_format format{reduction::sum, element_type::float32, state_form::compact};
  std::vector<std::uint64_t> offsets;
  for (std::size_t i = 0; i <= count; ++i) offsets.push_back(i % 2 == 0 ? 0 : n);
  words_of_lines right(format.words());
  const std::uint64_t all[] = {0, n};
  reduce_into(format.what, of.view(of.a), {all, 1, element_type::uint64, 8}, right, format.form);
  std::string problem;
  const words_of_lines found =
      add_segments(of, offsets, element_type::int64, format, words_of_lines(count * format.words()), 2, &problem);
  EXPECT_NE(problem.find("segment 1"), std::string::npos) << problem;
  for (std::size_t i = 0; i < count; i += 2) {
    const auto first = found.begin() + static_cast<std::ptrdiff_t>(i * format.words());
    ASSERT_TRUE(std::equal(right.begin(), right.end(), first)) << i;
  }
}

}  // namespace
