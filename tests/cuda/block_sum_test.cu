// Exact sums in kernels (exactdot/block.cuh), on the simulator or on a GPU: words and roundings are the integer
// oracle's, for data of all its generators, any path of a term, any launch shape and any schedule.
//
// Sabotage: a carry that is lost must change words, and the simulator must name a barrier that is missing.
// clang-format off: on the simulator the next header defines what the kernels are written with
#include <exactdot/simt/cuda.hpp>
// clang-format on

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <exactdot/accumulator.hpp>
#include <string>
#include <vector>

#include "backend.cuh"
#include "block_sum_kernels.cuh"
#include "missing_gpu.cuh"
#include "oracle/cases.hpp"
#include "oracle/generators.hpp"
#include "oracle/reference.hpp"

namespace exactdot::inline v0_3::cuda {
namespace {

class block_sums : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_gpu(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

using word_list = std::vector<std::int64_t>;

struct launch_shape {
  unsigned blocks;
  dim3 block;
  [[nodiscard]] unsigned threads() const { return block.x * block.y * block.z; }
};

/// Two inputs and the state that kernels publish into, which starts at zero.
template <class T>
class device_data {
 public:
  device_data(const oracle::vectors<T>& from, unsigned seed, std::size_t states = 1)
      : n_(static_cast<unsigned>(from.size())),
        a_(scheduled(stream_, seed), n_ + 1),
        b_(stream_, n_ + 1),
        words_(stream_, states * block_sum<T>::word_count) {
    copy_input(a_, from.a, 0), copy_input(b_, from.b, 0);
    words_.fill_zero();
  }

  /// Launches a kernel of (a, b, n, words, more…).
  template <class Kernel, class... More>
  void launch(Kernel kernel, const launch_shape& shape, More... more) {
    gpu::launch(kernel, shape.blocks, shape.block, 0, stream_, static_cast<const T*>(a_.data()),
                static_cast<const T*>(b_.data()), n_, words_.data(), more...);
  }
  [[nodiscard]] word_list words() {
    word_list copy(words_.size());
    words_.copy_to(copy.data(), copy.size());
    return copy;
  }
  [[nodiscard]] std::vector<std::string> findings() { return gpu::findings(stream_); }
  void expect_no_findings() {
    for (const std::string& finding : findings()) ADD_FAILURE() << finding;
  }
  gpu::stream& stream() { return stream_; }

 private:
  static gpu::stream& scheduled(gpu::stream& stream, unsigned seed) {
    choose_schedule(stream, seed);
    return stream;
  }

  unsigned n_;
  gpu::stream stream_;
  gpu::buffer<T> a_, b_;
  gpu::buffer<std::int64_t> words_;
};

template <class T>
oracle::reference reference_of(const oracle::vectors<T>& of, int inputs) {
  return {inputs == 2 ? reduction::dot : reduction::sum, to_any(of.a), to_any(of.b)};
}

/// The words are `times` times the oracle's sum, those that `states` states make, and their rounding is right.
template <class T>
void expect_words(const word_list& words, const oracle::reference& right, const std::string& name, int states = 1,
                  int times = 1) {
  EXPECT_EQ(right.words_fault(words, times), "") << name;
  EXPECT_EQ(words.back(), states) << name;
  if (times != 1 || words.back() < 1) return;
  const accumulator<T> sum(words);
  EXPECT_EQ(oracle::to_bits(sum.template round<T>()), oracle::to_bits(right.sum().template round<T>())) << name;
  if (states == 1) {
    EXPECT_TRUE(std::ranges::equal(words, sum.words())) << name << ": words are not canonical";
  }
}

/// The terms that a block of a launch adds.
template <class T>
oracle::vectors<T> terms_of_block(const oracle::vectors<T>& of, const launch_shape& shape, unsigned block) {
  oracle::vectors<T> made;
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (i / shape.threads() % shape.blocks == block) made.push({of.a[i], of.b[i]});
  }
  return made;
}

template <path by, int inputs, class T>
void expect_sums(const oracle::vectors<T>& given, launch_shape shape, unsigned seed, const std::string& name) {
  if (by == path::warp && shape.threads() % 32 != 0) shape.block = dim3(shape.threads() / 32 * 32 + 32);
  device_data<T> data(given, seed);
  gpu::buffer<double> of_block(data.stream(), shape.blocks);
  data.launch(sum_terms<by, inputs, T>, shape, of_block.data());
  const std::string launch = name + ", path " + std::to_string(static_cast<int>(by)) + ", " +
                             std::to_string(inputs) + " inputs, " + std::to_string(shape.blocks) + " blocks of " +
                             std::to_string(shape.threads());
  expect_words<T>(data.words(), reference_of(given, inputs), launch, static_cast<int>(shape.blocks));
  std::vector<double> found(shape.blocks);
  of_block.copy_to(found.data(), found.size());
  for (unsigned block = 0; block < shape.blocks; ++block) {
    const auto terms = terms_of_block(given, shape, block);
    const auto right = reference_of(terms, inputs).sum().template round<double>();
    EXPECT_EQ(oracle::to_bits(found[block]), oracle::to_bits(right)) << launch << ", block " << block;
  }
  data.expect_no_findings();
}

template <class T, path by>
void expect_sums_of_all_kinds(unsigned salt) {
  const launch_shape shapes[] = {{1, 32}, {3, 64}, {1, 100}, {2, 256}, {1, 33}, {4, 96}, {1, dim3(5, 7, 3)}};
  unsigned seed = salt;
  for (const auto& kind : oracle::generators<T>()) {
    for (int repeat = 0; repeat < oracle::scaled(4); ++repeat) {
      ++seed;
      oracle::rng random(seed);
      const std::size_t n = 1 + random.below(seed % 4 == 0 ? 700 : 90);
      const auto given = oracle::make_vectors(kind, seed, n);
      const launch_shape& shape = shapes[random.below(std::size(shapes))];
      const std::string name = oracle::case_name(kind, seed, n);
      seed % 3 == 0 ? expect_sums<by, 1>(given, shape, seed, name) : expect_sums<by, 2>(given, shape, seed, name);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST_F(block_sums, of_terms_added_in_shared_memory) {
  expect_sums_of_all_kinds<float, path::direct>(1000);
  expect_sums_of_all_kinds<double, path::direct>(2000);
}

TEST_F(block_sums, of_terms_added_by_some_threads_for_others) {
  expect_sums_of_all_kinds<float, path::divergent>(3000);
  expect_sums_of_all_kinds<double, path::divergent>(4000);
}

TEST_F(block_sums, of_terms_held_by_threads) {
  expect_sums_of_all_kinds<float, path::thread>(5000);
  expect_sums_of_all_kinds<double, path::thread>(6000);
}

TEST_F(block_sums, of_terms_held_by_warps) {
  expect_sums_of_all_kinds<float, path::warp>(7000);
  expect_sums_of_all_kinds<double, path::warp>(8000);
}

TEST_F(block_sums, of_every_block_size_are_the_same_words) {
  oracle::rng random(5);
  const auto given = oracle::make_vectors(oracle::generator_named<double>("log_uniform"), 5, 1500);
  const word_list right = [&] {
    accumulator<double> sum;
    sum.add(given.a, given.b, {.device = device::cpu});
    return word_list(sum.words().begin(), sum.words().end());
  }();
  for (const unsigned threads : {1U, 31U, 32U, 97U, 128U, 500U, 512U, 777U, 1024U}) {
    device_data<double> data(given, threads);
    gpu::buffer<double> of_block(data.stream(), 1);
    data.launch(sum_terms<path::thread, 2, double>, {1, threads}, of_block.data());
    EXPECT_EQ(data.words(), right) << threads << " threads";
    data.expect_no_findings();
  }
}

template <class T, bool in_registers>
void expect_sums_of_warps() {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const auto all = oracle::generators<T>();
    const auto given = oracle::make_vectors(all[seed * 7 % all.size()], seed, 150);
    device_data<T> data(given, seed, 4);
    data.launch(sum_by_warps<in_registers, T>, {1, 128});
    const word_list words = data.words();
    for (unsigned warp = 0; warp < 4; ++warp) {
      const auto from = words.begin() + static_cast<std::ptrdiff_t>(warp * block_sum<T>::word_count);
      expect_words<T>({from, from + block_sum<T>::word_count},
                      reference_of(terms_of_block(given, {4, 32}, warp), 2), "warp " + std::to_string(warp));
    }
    data.expect_no_findings();
  }
}

TEST_F(block_sums, of_warps_need_no_barrier_of_the_block) {
  expect_sums_of_warps<float, false>();
  expect_sums_of_warps<float, true>();
  expect_sums_of_warps<double, false>();
  expect_sums_of_warps<double, true>();
}

TEST_F(block_sums, of_several_launches_meet_in_one_state) {
  const auto given = oracle::make_vectors(oracle::generator_named<float>("cancels_to_small"), 3, 200);
  device_data<float> data(given, 3);
  gpu::buffer<double> of_block(data.stream(), 2);
  data.launch(sum_terms<path::direct, 2, float>, {2, 64}, of_block.data());
  data.launch(sum_terms<path::thread, 2, float>, {1, 33}, of_block.data());
  data.launch(sum_terms<path::warp, 2, float>, {2, 32}, of_block.data());
  expect_words<float>(data.words(), reference_of(given, 2), "three launches", 5, 3);
  data.expect_no_findings();
}

/// Words, as one state or several, that round to R as accumulator<T> rounds them.
template <class T, class R>
void expect_roundings(const word_list& words, std::uint64_t count, unsigned seed) {
  gpu::stream stream;
  choose_schedule(stream, seed);
  gpu::buffer<std::int64_t> state(stream, words.size());
  gpu::buffer<std::uint64_t> result(stream, 4);
  state.copy_from(words.data(), words.size());
  gpu::launch(round_state<T, R>, 1, 1, 0, stream, static_cast<const std::int64_t*>(state.data()), count,
              result.data());
  std::uint64_t found[4];
  result.copy_to(found, 4);
  const accumulator<T> sum(words);
  const R right[] = {sum.template round<R>(), sum.template round_root<R>(), sum.template round_quotient<R>(count),
                     sum.template round<R>()};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(found[i], core::to_word(right[i])) << "rounding " << i << ", seed " << seed;
  }
  for (const std::string& finding : gpu::findings(stream)) ADD_FAILURE() << finding;
}

template <class T>
void expect_all_roundings(unsigned salt) {
  unsigned seed = salt;
  for (const auto& kind : oracle::generators<T>()) {
    const auto given = oracle::make_vectors(kind, ++seed, 20);
    accumulator<T> sum;
    sum.add(given.a, given.b, {.device = device::cpu});
    word_list words(sum.words().begin(), sum.words().end());
    if (seed % 3 == 0) {  // as the elementwise sum of three states leaves them
      for (std::int64_t& word : words) word *= 3;
    }
    const std::uint64_t count = seed % 11 == 0 ? 0 : seed;
    expect_roundings<T, float>(words, count, seed);
    expect_roundings<T, double>(words, count, seed);
    expect_roundings<T, float16>(words, count, seed);
    expect_roundings<T, bfloat16>(words, count, seed);
    expect_roundings<T, float8_e4m3fn>(words, count, seed);
    expect_roundings<T, float8_e5m2>(words, count, seed);
  }
}

TEST_F(block_sums, round_words_as_an_accumulator) {
  expect_all_roundings<float>(100);
  expect_all_roundings<double>(200);
}

TEST_F(block_sums, load_words_as_one_state) {
  const auto given = oracle::make_vectors(oracle::generator_named<double>("log_uniform"), 9, 60);
  accumulator<double> sum;
  sum.add(given.a, given.b, {.device = device::cpu});
  word_list words(sum.words().begin(), sum.words().end());
  for (std::int64_t& word : words) word *= 3;
  gpu::stream stream;
  gpu::buffer<std::int64_t> from(stream, words.size()), to(stream, words.size());
  from.copy_from(words.data(), words.size()), to.fill_zero();
  gpu::launch(publish_loaded<double>, 1, 1, 0, stream, static_cast<const std::int64_t*>(from.data()), to.data());
  word_list found(words.size());
  to.copy_to(found.data(), found.size());
  EXPECT_TRUE(std::ranges::equal(found, accumulator<double>(words).words()));
}

/// A high half that passes ±2^30 moves units into the next limb (block_sum.cuh); none is lost.
template <class T>
void expect_moves() {
  constexpr int words = block_sum<T>::word_count, limb = words / 2;
  constexpr int exponent = core::lowest_product_exponent<T> + 32 * limb + 31;  // two such terms carry
  const T unit = static_cast<T>(std::ldexp(1.0, exponent));
  for (const int around : {1 << 30, (1 << 30) + (1 << 16), -(1 << 30), -(1 << 30) - (1 << 16), 0}) {
    for (const int distance : {-70, -3, -1, 0, 1, 2}) {
      for (const T x : {unit, -unit}) {
        constexpr unsigned times = 5, threads = 40;
        gpu::stream stream;
        choose_schedule(stream, static_cast<unsigned>(distance + 100));
        gpu::buffer<std::int64_t> before(stream, words), after(stream, words);
        gpu::buffer<int> high(stream, 1);
        after.fill_zero();
        gpu::launch(add_next_to_a_move<T>, 1, threads, 0, stream, limb, around + distance, x, times, before.data(),
                    after.data(), high.data());
        word_list start(words), end(words);
        int last = 0;
        before.copy_to(start.data(), words), after.copy_to(end.data(), words), high.copy_to(&last, 1);
        start[limb] += (x < 0 ? -1 : 1) * (std::int64_t{times * threads} << 31);
        core::normalise(core::layout_of<T>(), start.data());
        EXPECT_EQ(end, start) << around << " + " << distance;
        const std::int64_t change = (x < 0 ? -1 : 1) * std::int64_t{times * threads / 2};
        const bool passes =
            std::abs(around) >= 1 << 30 && (around > 0) == (x > 0) && (around > 0 ? distance < 0 : distance > 0);
        if (passes) {
          EXPECT_EQ(last, around + distance + change - (x < 0 ? -1 : 1) * (1 << 16)) << "one move at " << around;
        }
        for (const std::string& finding : gpu::findings(stream)) ADD_FAILURE() << finding;
      }
    }
  }
}

TEST_F(block_sums, move_carries_to_the_next_limb) {
  expect_moves<float>();
  expect_moves<double>();
}

TEST_F(block_sums, have_the_words_of_an_accumulator) {
  EXPECT_EQ(static_cast<int>(accumulator<float>::word_count), block_sum<float>::word_count);
  EXPECT_EQ(static_cast<int>(accumulator<double>::word_count), block_sum<double>::word_count);
}

TEST_F(block_sums, are_wrong_without_a_carry) {
  const auto given = oracle::make_vectors(oracle::generator_named<double>("positive"), 1, 300);
  device_data<double> right(given, 1), wrong(given, 1);
  right.launch(sum_wrongly<fault::none, double>, {1, 64});
  wrong.launch(sum_wrongly<fault::carry, double>, {1, 64});
  EXPECT_EQ(reference_of(given, 2).words_fault(right.words(), 1), "");
  EXPECT_NE(reference_of(given, 2).words_fault(wrong.words(), 1), "");
  right.expect_no_findings();
}

template <fault without>
void expect_a_race() {
  const auto given = oracle::make_vectors(oracle::generator_named<float>("uniform"), 1, 100);
  device_data<float> data(given, 2);
  data.launch(sum_wrongly<without, float>, {1, 64});
  const auto findings = data.findings();
  EXPECT_TRUE(std::ranges::any_of(
      findings,
      [](const std::string& each) { return each.find("data_race in shared memory") != std::string::npos; }))
      << findings.size() << " findings";
}

TEST_F(block_sums, need_their_barriers) {
  if (!has_schedules<gpu::stream>) GTEST_SKIP() << "a GPU reports no races";
  expect_a_race<fault::barrier_before>();
  expect_a_race<fault::barrier_after>();
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda
