// Sums of states among ranks that reach each other's memory: every rank's results are the CPU's rounding of the
// summed words, by bits, launch after launch, whatever was launched before. The ranks are blocks of one grid: a
// simulator and one GPU suffice.
//
// Sabotage: a rank that drops an element must change results, words that are no state must be noticed by all ranks.
// clang-format off: on the simulator the next header defines what the kernels are written with
#include <exactdot/simt/cuda.hpp>
// clang-format on

#include <gtest/gtest.h>

#include <cstring>
#include <cuda/words/peer_kernel.cuh>
#include <exactdot/accumulator.hpp>
#include <exactdot/states.hpp>
#include <string>

#include "../oracle/random.hpp"
#include "backend.cuh"
#include "missing_gpu.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

struct peer_grid {
  peer_call call[max_peers];
  destination to[max_peers];
  unsigned ranks;
};

/// Blocks 0, ranks, 2·ranks, … are rank 0, and so on.
template <int chunks>
__global__ void peer_grid_kernel(const __grid_constant__ peer_grid grid) {
  const unsigned rank = blockIdx.x % grid.ranks, block = blockIdx.x / grid.ranks;
  round_among_peers<chunks>(grid.call[rank], grid.to[rank], std::size_t{block} * rows_per_block + threadIdx.x / 32,
                            std::size_t{gridDim.x / grid.ranks} * rows_per_block);
}

class peer_sums : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_gpu(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

using words = std::vector<std::int64_t>;

/// Ranks with their memory, which lasts from launch to launch.
class peer_launcher {
 public:
  peer_launcher(unsigned ranks, std::size_t max_rows, std::size_t max_words, unsigned seed)
      : layout_{ranks, max_rows, max_words}, memory_(stream_, ranks * layout_.all()), status_(stream_, ranks) {
    choose_schedule(stream_, seed);
    memory_.fill_zero(), status_.fill_zero();
  }
  ~peer_launcher() {
    for (const std::string& finding : gpu::findings(stream_)) ADD_FAILURE() << finding;
  }
  peer_launcher(const peer_launcher&) = delete;
  peer_launcher& operator=(const peer_launcher&) = delete;

  bool to_all = false;  ///< the next launches

  /// The results of every rank, one after the other. `of_rank`: `rows` rows of words, `gap` words between them.
  std::vector<std::uint64_t> round(const state_format& format, std::size_t rows, std::size_t gap,
                                   const std::vector<words>& of_rank, element_type type, unsigned blocks,
                                   std::vector<unsigned>& status) {
    const auto ranks = static_cast<unsigned>(layout_.ranks);
    const std::size_t extent = of_rank[0].size(), bytes = size_of(type);
    gpu::buffer<std::int64_t> all(stream_, ranks * extent);
    gpu::buffer<unsigned char> results(stream_, ranks * rows * 8);
    words joined;
    for (const words& each : of_rank) joined.insert(joined.end(), each.begin(), each.end());
    all.copy_from(joined.data(), joined.size());
    results.fill_zero();
    gpu::synchronise(stream_);
    std::vector<peer_call> calls;
    peer_grid grid{{call_of(format, rows, gap, all.data(), 0), call_of(format, rows, gap, all.data(), 0),
                    call_of(format, rows, gap, all.data(), 0), call_of(format, rows, gap, all.data(), 0),
                    call_of(format, rows, gap, all.data(), 0), call_of(format, rows, gap, all.data(), 0),
                    call_of(format, rows, gap, all.data(), 0), call_of(format, rows, gap, all.data(), 0)},
                   {},
                   ranks};
    for (unsigned rank = 0; rank < ranks; ++rank) {
      grid.call[rank] = call_of(format, rows, gap, all.data() + rank * extent, rank);
      grid.to[rank].value = results.data() + rank * rows * 8, grid.to[rank].status = status_.data() + rank;
      grid.to[rank].rule = {core::finish::round, core::format_of(type)};
    }
    const auto launch = [&](auto kernel) {
      gpu::launch(kernel, ranks * blocks, 32 * rows_per_block, 0, stream_, grid);
    };
    const int chunks = chunks_of(grid.call[0].rows.layout.limbs);
    chunks == 1   ? launch(peer_grid_kernel<1>)
    : chunks == 3 ? launch(peer_grid_kernel<3>)
                  : launch(peer_grid_kernel<5>);
    std::vector<unsigned char> found(ranks * rows * 8);
    results.copy_to(found.data(), found.size());
    status.resize(ranks);
    status_.copy_to(status.data(), ranks);
    status_.fill_zero();
    std::vector<std::uint64_t> bits(ranks * rows, 0);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      for (std::size_t i = 0; i < rows; ++i) {
        std::memcpy(&bits[rank * rows + i], &found[rank * rows * 8 + i * bytes], bytes);
      }
    }
    return bits;
  }

 private:
  peer_call call_of(const state_format& format, std::size_t rows, std::size_t gap, std::int64_t* first,
                    unsigned rank) {
    const word_rows all{engine::stored_state(format), first, format.words() + gap, rows};
    peer_call call{sum_rows(all, 0), layout_, rank, to_all, {}};
    for (std::size_t r = 0; r < layout_.ranks; ++r) call.memory[r] = memory_.data() + r * layout_.all();
    return call;
  }

  gpu::stream stream_;
  peer_layout layout_;
  gpu::buffer<wide_unsigned> memory_;
  gpu::buffer<unsigned> status_;
};

/// Rows of sums of a few numbers of very different size, some infinite or NaN.
template <class T>
words words_of_rank(oracle::rng& random, const state_format& format, std::size_t rows, std::size_t gap) {
  words made(rows * (format.words() + gap), 77);
  for (std::size_t i = 0; i < rows; ++i) {
    accumulator<T> sum;
    for (std::size_t k = random.below(4); k > 0; --k) {
      const T x = static_cast<T>(random.coin() ? 2 * random.unit() - 1 : std::ldexp(random.unit() - 0.5, -90));
      sum.add(random.below(200) == 0 ? static_cast<T>(INFINITY) : x);
    }
    const state_format full{format.what, format.type};
    const words all(sum.words().begin(), sum.words().end());
    words here(format.words());
    convert_states(full, all, format.form, here);
    std::copy(here.begin(), here.end(), made.begin() + static_cast<std::ptrdiff_t>(i * (format.words() + gap)));
  }
  return made;
}

/// What the CPU makes of the sum of all ranks' words of a row.
template <class R>
std::uint64_t expected_bits(const state_format& format, const std::vector<words>& of_rank, std::size_t i,
                            std::size_t gap) {
  words sum(format.words(), 0);
  for (const words& each : of_rank) {
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += each[i * (format.words() + gap) + k];
  }
  R result{};
  round_states(format, sum, std::span<R>(&result, 1));
  return core::to_word(result);
}

template <class T, class R>
void expect_launch(peer_launcher& on, oracle::rng& random, unsigned ranks, std::size_t max_rows) {
  const state_format format{reduction::sum, type_of<T>, random.coin() ? state_form::full : state_form::compact};
  const std::size_t rows = 1 + random.below(max_rows), gap = random.below(3);
  std::vector<words> of_rank;
  for (unsigned rank = 0; rank < ranks; ++rank) of_rank.push_back(words_of_rank<T>(random, format, rows, gap));
  std::vector<unsigned> status;
  const auto found =
      on.round(format, rows, gap, of_rank, type_of<R>, 1 + static_cast<unsigned>(random.below(2)), status);
  for (unsigned rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(status[rank], no_problem);
    for (std::size_t i = 0; i < rows; ++i) {
      ASSERT_EQ(found[rank * rows + i], expected_bits<R>(format, of_rank, i, gap))
          << "row " << i << " of " << rows << ", rank " << rank << " of " << ranks;
    }
  }
}

TEST_F(peer_sums, equal_the_cpu_launch_after_launch) {
  constexpr std::size_t max_rows = 23, max_words = accumulator<double>::word_count;
  for (unsigned seed = 0; seed < 10; ++seed) {
    oracle::rng random(seed);
    const auto ranks = 1 + seed % max_peers;
    peer_launcher on(ranks, max_rows, max_words, seed);
    for (int i = 0; i < 5; ++i) {
      random.coin() ? expect_launch<float, double>(on, random, ranks, max_rows)
                    : expect_launch<double, double>(on, random, ranks, max_rows);
      expect_launch<double, float>(on, random, ranks, max_rows);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// A row with a problem on one rank is NaN on all, and all are told; the other rows are right.
TEST_F(peer_sums, tell_all_ranks_of_words_that_are_no_state) {
  constexpr unsigned ranks = 3;
  constexpr std::size_t rows = 7;
  const state_format format{reduction::dot, element_type::float64};
  oracle::rng random(5);
  peer_launcher on(ranks, rows, format.words(), 1);
  for (const std::int64_t bad : {INT64_MIN, INT64_MIN + 1, std::int64_t{-1}}) {
    std::vector<words> of_rank;
    for (unsigned rank = 0; rank < ranks; ++rank) {
      of_rank.push_back(words_of_rank<double>(random, {reduction::sum, element_type::float64}, rows, 0));
    }
    of_rank[2][4 * format.words() + 9] = bad;
    on.to_all = bad == -1;
    for (unsigned rank = 0; rank < 2; ++rank) of_rank[rank][4 * format.words() + 9] = 0;
    std::vector<unsigned> status;
    const auto found = on.round(format, rows, 0, of_rank, element_type::float64, 1, status);
    for (unsigned rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(status[rank], impossible_words);
      for (std::size_t i = 0; i < rows; ++i) {
        const std::uint64_t expected = i == 4 ? 0x7ff8000000000000 : expected_bits<double>(format, of_rank, i, 0);
        ASSERT_EQ(found[rank * rows + i], expected) << "row " << i << ", rank " << rank;
      }
    }
  }
}

TEST_F(peer_sums, lose_bits_if_a_rank_drops_an_element) {
  const state_format format{reduction::sum, element_type::float64};
  peer_launcher on(2, 1, format.words(), 1);
  std::vector<std::uint64_t> results;
  for (const double last : {0x1p-60, 0.0}) {
    accumulator<double> first, second;
    first.add(1.0), first.add(0x1p-53), second.add(last);
    const std::vector<words> of_rank = {{first.words().begin(), first.words().end()},
                                        {second.words().begin(), second.words().end()}};
    std::vector<unsigned> status;
    on.to_all = !on.to_all;
    results.push_back(on.round(format, 1, 0, of_rank, element_type::float64, 1, status)[0]);
  }
  EXPECT_EQ(results, (std::vector<std::uint64_t>{0x3ff0000000000001, 0x3ff0000000000000}));
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
