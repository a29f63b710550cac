// exactdot::dot and accumulators with a GPU: vectors wherever they may lie, in chunks, against the oracle, bit by
// bit.
//
// Vectors from the host go to the GPU because device::cuda demands it, in chunks of one tile of order v1, so that
// short ones make many.
#include <cpu/offload.hpp>
#include <cstdlib>
#include <cuda/conveyor.hpp>
#include <exactdot/accumulator.hpp>
#include <exactdot/dot.hpp>
#include <memory>
#include <thread>

#include "cuda/on_gpu/support.hpp"
#include "oracle/cases.hpp"

namespace {

using namespace on_gpu;
using exactdot::device;
using exactdot::mode;

constexpr exactdot::options on_the_gpu(mode m) { return {.mode = m, .device = device::cuda}; }

class engine : public needs_gpu {
 protected:
  ~engine() override { exactdot::cuda_engine::limits = {}; }
  static void use_chunks_of(std::size_t bytes) {
    exactdot::cuda_engine::limits.largest_chunk = exactdot::cuda_engine::limits.smallest_chunk = bytes;
  }
};

/// A copy of x in one kind of memory.
template <class T>
std::shared_ptr<T> placed(const std::vector<T>& x, const std::string& kind) {
  const std::size_t bytes = x.size() * sizeof(T) + sizeof(T);
  void* room = nullptr;
  const cudaError_t status = kind == "device"    ? cudaMalloc(&room, bytes)
                             : kind == "managed" ? cudaMallocManaged(&room, bytes)
                             : kind == "pinned"  ? cudaMallocHost(&room, bytes)
                                                 : cudaSuccess;
  EXPECT_EQ(status, cudaSuccess);
  if (kind == "host") room = std::malloc(bytes);
  EXPECT_EQ(cudaMemcpy(room, x.data(), bytes - sizeof(T), cudaMemcpyDefault), cudaSuccess);
  return {static_cast<T*>(room), [kind](T* all) {
            if (kind == "host") return std::free(all);
            static_cast<void>(kind == "pinned" ? cudaFreeHost(all) : cudaFree(all));
          }};
}

template <class R, class T>
std::string faults(const oracle::checker<T>& check, const T* a, const T* b, device where) {
  const auto by = [&](mode m) {
    return
        [=](const T*, const T*, std::size_t n) { return exactdot::dot<R>(a, b, n, {.mode = m, .device = where}); };
  };
  return check.template exact_fault<R>(by(mode::exact)) + check.template fast_fault<R>(by(mode::fast));
}

template <class T>
std::string fault_of_accumulator(const oracle::checker<T>& check, const T* a, const T* b, device where) {
  exactdot::accumulator<T> sum;
  const std::size_t n = check.data().a.size();
  sum.add(std::span<const T>(a, n), std::span<const T>(b, n), {.device = where});
  return check.template exact_fault<double>([&](auto...) { return sum.template round<double>(); });
}

template <class T>
void expect_right_wherever_they_lie(std::size_t n) {
  const auto one = oracle::make_case(oracle::generator_named<T>("log_uniform"), 7, n);
  const std::string kinds[] = {"host", "pinned", "managed", "device"};
  for (const std::string& a_kind : kinds) {
    for (const std::string& b_kind : kinds) {
      const auto a = placed(one.check.data().a, a_kind), b = placed(one.check.data().b, b_kind);
      for (const device where : {device::automatic, device::cuda}) {
        EXPECT_EQ(faults<float>(one.check, a.get(), b.get(), where) +
                      faults<double>(one.check, a.get(), b.get(), where) +
                      fault_of_accumulator(one.check, a.get(), b.get(), where),
                  "")
            << a_kind << ", " << b_kind << ", " << one.name;
      }
    }
  }
}

TEST_F(engine, computes_on_vectors_wherever_they_lie) {
  for (const std::size_t n : {1, 100, 4099, 100003}) {
    expect_right_wherever_they_lie<float>(n);
    expect_right_wherever_they_lie<double>(n);
  }
  use_chunks_of(8192);
  expect_right_wherever_they_lie<float>(100003);
  expect_right_wherever_they_lie<double>(100003);
}

template <class T>
void expect_right_in_chunks() {
  constexpr std::size_t tile = 8192 / sizeof(T);
  const std::array<std::size_t, 9> lengths = {
      0, 1, tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1, 5 * tile + 17, 33 * tile - 1};
  int results = 0;
  const auto judge = [&](const oracle::test_case<T>& one) {
    const auto& [a, b] = one.check.data();
    EXPECT_EQ(faults<float>(one.check, a.data(), b.data(), device::cuda) +
                  faults<double>(one.check, a.data(), b.data(), device::cuda) +
                  fault_of_accumulator(one.check, a.data(), b.data(), device::cuda),
              "")
        << one.name;
    results += 5;
  };
  oracle::for_each_case<T>(lengths, 1, judge, testing::Test::HasFailure);
  std::cout << results << " results judged\n";
}

TEST_F(engine, takes_every_kind_of_data_through_chunks) {
  use_chunks_of(8192);
  expect_right_in_chunks<float>();
  expect_right_in_chunks<double>();
}

TEST_F(engine, has_the_same_bits_whatever_the_chunk) {
  const auto one = oracle::make_case(oracle::generator_named<double>("uniform"), 3, 1'000'003);
  const auto& [a, b] = one.check.data();
  for (std::size_t chunk = 8192; chunk <= (1 << 24); chunk *= 2) {
    use_chunks_of(chunk);
    EXPECT_EQ(faults<double>(one.check, a.data(), b.data(), device::cuda), "") << chunk;
  }
}

TEST_F(engine, takes_page_locked_vectors_where_few_threads_would_read_them) {
  const std::vector<double> ones(1 << 20, 1.0);
  const auto pinned = placed(ones, "pinned");
  const auto* const table = exactdot::cpu_engine::linked_gpu_engine.load();
  const auto takes = [&](const double* x, std::size_t n, int threads) {
    return table->takes(x, x, n, sizeof(double), {.threads = threads});
  };
  EXPECT_TRUE(takes(pinned.get(), ones.size(), 1));
  EXPECT_FALSE(takes(pinned.get(), 1000, 1));
  EXPECT_FALSE(takes(ones.data(), ones.size(), 1));
  EXPECT_FALSE(takes(pinned.get(), ones.size(), 3) && std::thread::hardware_concurrency() > 2);
  EXPECT_EQ(exactdot::dot<double>(pinned.get(), pinned.get(), ones.size(), {.threads = 1}), 1 << 20);
  exactdot::cuda_engine::limits.device_memory = 0;
  exactdot::cuda_engine::limits.largest_chunk = std::size_t{1} << 21;  // no kept one
  EXPECT_EQ(exactdot::dot<double>(pinned.get(), pinned.get(), ones.size(), {.threads = 1}), 1 << 20);
}

TEST_F(engine, takes_host_vectors_at_any_address) {
  use_chunks_of(8192);
  const auto one = oracle::make_case(oracle::generator_named<double>("uniform"), 5, 5000);
  const auto& [a, b] = one.check.data();
  std::vector<std::byte> room(5000 * 8 + 16);
  for (std::size_t gap = 0; gap < 16; ++gap) {
    std::memcpy(room.data() + gap, a.data(), 5000 * 8);
    const auto* const moved = reinterpret_cast<const double*>(room.data() + gap);
    EXPECT_EQ(faults<double>(one.check, moved, b.data(), device::cuda), "") << gap;
  }
}

TEST_F(engine, serves_many_threads_at_once) {
  const std::vector<double> a = uniform<double>(300'007, 1), b = uniform<double>(300'007, 2);
  const device_vector<double> x(a), y(b);
  const double exact = exactdot::dot(a, b), fast = exactdot::dot(a, b, {.mode = mode::fast});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int index = 0; index < 8; ++index) {
    threads.emplace_back([&, index] {
      const bool host = index % 2 == 0;
      for (int repeat = 0; repeat < 50; ++repeat) {
        for (const mode m : {mode::exact, mode::fast}) {
          const double got = exactdot::dot<double>(host ? a.data() : x.data(), host ? b.data() : y.data(), a.size(),
                                                   on_the_gpu(m));
          wrong += !same_bits(got, m == mode::exact ? exact : fast);
        }
      }
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(engine, counts_what_is_done_and_ends_when_cancelled) {
  use_chunks_of(8192);
  const std::vector<double> ones(1'000'003, 1.0);
  const device_vector<double> there(ones);
  for (const double* const at : {ones.data(), static_cast<const double*>(there.data())}) {
    for (const mode m : {mode::exact, mode::fast}) {
      exactdot::monitor watch;
      exactdot::options how = on_the_gpu(m);
      how.monitor = &watch;
      EXPECT_EQ(exactdot::dot<double>(at, at, ones.size(), how), 1'000'003);
      EXPECT_EQ(watch.done, ones.size());
      watch.cancel = true;
      expect_refused(exactdot::errc::cancelled, "cancelled",
                     [&] { return exactdot::dot<double>(at, at, ones.size(), how); });
      EXPECT_EQ(watch.done, ones.size());
    }
  }
  exactdot::monitor watch;
  exactdot::options how = on_the_gpu(mode::exact);
  how.monitor = &watch;
  std::thread canceller([&] {
    while (watch.done == 0) std::this_thread::yield();
    watch.cancel = true;
  });
  try {
    while (true) {
      EXPECT_EQ(exactdot::dot(ones, ones, how), 1'000'003);
    }
  } catch (const exactdot::error& why) {
    EXPECT_EQ(why.code(), exactdot::errc::cancelled) << why.what();
  }
  canceller.join();
  EXPECT_EQ(exactdot::dot(ones, ones, on_the_gpu(mode::fast)), 1'000'003);
}

}  // namespace
