// exactdot::cuda::round_among on GPUs: the bits of one call on all data, calls after calls and graphs, on one
// device with several streams and on all that there are; its errors. ../peer_sums_test.cu has every schedule on the
// simulator.
#include <exactdot/cuda/peer_sums.hpp>
#include <exactdot/reductions.hpp>

#include "support.hpp"

namespace {

using namespace on_gpu;
using exactdot::accumulator;
using exactdot::element_type;
using exactdot::errc;
using exactdot::reduction;
using exactdot::cuda::connect_peers;
using exactdot::cuda::round_among;

class cuda_peers : public needs_gpu {};

/// A rank: its device, stream, share of the vectors, words and results.
struct rank_of_sum {
  int device;
  test_stream stream;
  exactdot::cuda::workspace workspace;
  device_vector<double> x, y, results;
  device_vector<std::int64_t> words;

  rank_of_sum(int device_, const std::vector<double>& a, const std::vector<double>& b, std::size_t k)
      : device(make_current(device_)),
        workspace(stream.handle()),
        x(a),
        y(b),
        results(k),
        words(k * accumulator<double>::word_count) {}
  static int make_current(int device) {
    EXPECT_EQ(cudaSetDevice(device), cudaSuccess);
    return device;
  }
  [[nodiscard]] exactdot::cuda::state_rows states(std::size_t k) const {
    return {{reduction::dot, element_type::float64}, words.data(), k};
  }
};

/// k dot products of n elements, each rank with the same number of them.
void expect_dots(const std::vector<int>& devices, std::size_t k) {
  constexpr std::size_t n = 600;
  const std::size_t ranks = devices.size(), share = n / ranks;
  const std::vector<double> a = uniform<double>(k * n, 1), b = uniform<double>(k * n, 2);
  const auto peers = connect_peers(devices, k + 3, accumulator<double>::word_count);
  std::vector<std::unique_ptr<rank_of_sum>> all;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::vector<double> x, y;
    for (std::size_t i = 0; i < k; ++i) {
      const auto first = static_cast<std::ptrdiff_t>(i * n + rank * share);
      const auto end = first + static_cast<std::ptrdiff_t>(share);
      x.insert(x.end(), a.begin() + first, a.begin() + end), y.insert(y.end(), b.begin() + first, b.begin() + end);
    }
    all.push_back(std::make_unique<rank_of_sum>(devices[rank], x, y, k));
  }
  accumulator<double> one;  // of the first result
  for (int call = 1; call <= 3; ++call) {
    for (const auto& each : all) {
      rank_of_sum::make_current(each->device);
      for (std::size_t i = 0; i < k; ++i) {
        exactdot::cuda::dot_into(each->workspace, each->x.data() + i * share, each->y.data() + i * share, share,
                                 each->words.data() + i * accumulator<double>::word_count);
      }
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {  // nothing is waited for between them
      rank_of_sum::make_current(all[rank]->device);
      round_among(all[rank]->workspace, peers[rank], all[rank]->states(k), reduction::dot,
                  all[rank]->results.data());
    }
    for (const auto& each : all) {
      rank_of_sum::make_current(each->device);
      each->workspace.check();
      const std::vector<double> found = each->results.read(k);
      for (std::size_t i = 0; i < k; ++i) {
        accumulator<double> sum;
        for (int times = 0; times < call; ++times) sum.add(std::span(&a[i * n], n), std::span(&b[i * n], n));
        ASSERT_TRUE(same_bits(found[i], sum.round<double>()))
            << i << " of " << k << ", call " << call << ", ranks " << ranks;
      }
    }
  }
  rank_of_sum::make_current(0);
}

std::vector<int> all_devices() {
  int count = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  std::vector<int> found;
  for (int device = 0; device < std::min(count, 8); ++device) found.push_back(device);
  return found;
}

TEST_F(cuda_peers, on_one_device_have_the_bits_of_one_call) {
  expect_dots({0}, 5);
  expect_dots({0, 0}, 1);
  expect_dots({0, 0}, 130);
  expect_dots({0, 0, 0}, 40);
}

TEST_F(cuda_peers, on_all_devices_have_the_bits_of_one_call) {
  const std::vector<int> devices = all_devices();
  if (devices.size() < 2) GTEST_SKIP() << "one GPU";
  for (const std::size_t k : {1U, 3U, 130U, 3000U}) expect_dots(devices, k);
}

TEST_F(cuda_peers, can_be_captured_in_graphs) {
  const std::vector<double> ones(4, 1.0);
  const auto peers = connect_peers(std::vector<int>{0, 0}, 1, accumulator<double>::word_count);
  rank_of_sum first(0, ones, ones, 1), second(0, ones, ones, 1);
  const auto enqueue = [](rank_of_sum& rank, const exactdot::cuda::peer_sums& among) {
    exactdot::cuda::dot_into(rank.workspace, rank.x.data(), rank.y.data(), 4, rank.words.data());
    round_among(rank.workspace, among, rank.states(1), reduction::dot, rank.results.data());
  };
  const captured_graph of_first(first.stream.handle(), [&] { enqueue(first, peers[0]); });
  const captured_graph of_second(second.stream.handle(), [&] { enqueue(second, peers[1]); });
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int launches = 1; launches <= 20; ++launches) {
    of_first.start(), of_second.start();  // neither ends without the other
    first.workspace.check(), second.workspace.check();
    ASSERT_EQ(first.results.read(1)[0], 8.0 * launches);
    ASSERT_EQ(second.results.read(1)[0], 8.0 * launches);
  }
}

TEST_F(cuda_peers, refuse_bad_arguments) {
  using exactdot::cuda::peer_sums;
  const device_vector<std::int64_t> words(4 * accumulator<double>::word_count);
  const device_vector<double> results(4);
  exactdot::cuda::workspace workspace;
  expect_error(errc::bad_option, "9 ranks", [] { static_cast<void>(peer_sums::bytes(9, 1, 1)); });
  expect_error(errc::bad_option, "0 ranks", [] { static_cast<void>(peer_sums::bytes(-1, 1, 1)); });
  expect_error(errc::bad_option, "0 rows", [] { static_cast<void>(peer_sums::bytes(2, 0, 1)); });
  expect_error(errc::bad_option, "address space", [] { static_cast<void>(peer_sums::bytes(2, SIZE_MAX / 2, 4)); });
  void* memory[2] = {words.data(), nullptr};
  expect_error(errc::null_pointer, "is null", [&] { peer_sums(0, memory, 1, 1); });
  expect_error(errc::bad_option, "rank 1 of 1", [&] { peer_sums(1, std::span(memory, 1), 1, 1); });
  const auto peers = connect_peers(std::vector<int>{0}, 3, 24);
  const auto among = [&](std::size_t rows, element_type of, reduction what, element_type type) {
    round_among(workspace, peers[0], {{reduction::sum, of}, words.data(), rows}, what, type, results.data());
  };
  expect_error(errc::bad_option, "4 rows of 24 words",
               [&] { among(4, element_type::float32, reduction::sum, element_type::float64); });
  expect_error(errc::bad_option, "138 words",
               [&] { among(1, element_type::float64, reduction::sum, element_type::float64); });
  expect_error(errc::bad_option, "not rounded among devices",
               [&] { among(1, element_type::float32, reduction::mean, element_type::float64); });
  among(0, element_type::float32, reduction::sum, element_type::float64);  // nothing to do
  workspace.check();
}

}  // namespace
