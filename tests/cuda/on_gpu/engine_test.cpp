// exactdot::dot and accumulators with a GPU: contiguous and strided vectors in every kind of memory, and in chunks,
// compared with the oracle bit by bit.
//
// Chunks are tested with a staging pipeline whose chunks are one tile of order v1, so that short vectors have many
// chunks.
#include <cstdlib>
#include <cuda/host/staging_pipeline.hpp>
#include <exactdot/accumulator.hpp>
#include <exactdot/reductions.hpp>
#include <memory>
#include <plan/gpu_engine.hpp>
#include <thread>

#include "cuda/on_gpu/support.hpp"
#include "oracle/cases.hpp"

namespace {

using namespace on_gpu;
using exactdot::device;
using exactdot::mode;
using exactdot::cuda_engine::staging_pipeline;

constexpr std::size_t tile_bytes = 8192;

constexpr exactdot::options options_of(mode m) { return {.mode = m, .device = device::cuda}; }

using engine = needs_gpu;

/// A pipeline with chunks of `chunk` bytes.
staging_pipeline pipeline_of(std::size_t chunk) { return staging_pipeline(chunk, {chunk, chunk, ~std::size_t{0}}); }

template <class R>
exactdot::engine::plan staged_plan(const exactdot::any_vector& a, const exactdot::any_vector& b, mode m) {
  return exactdot::engine::make_plan({"dot", exactdot::reduction::dot, a, b, exactdot::type_of<R>}, options_of(m));
}

/// The faults of a pipeline's results for these vectors in both modes, and of the words to which it adds; "" if
/// none.
template <class R, class T>
std::string staged_faults(const oracle::checker<T>& check, staging_pipeline& pipeline,
                          const exactdot::any_vector& a, const exactdot::any_vector& b) {
  const auto dot_in = [&](mode m) {
    return [&, m](const T*, const T*, std::size_t) {
      return exactdot::detail::from_word<R>(
          exactdot::cuda_engine::reduce_staged(staged_plan<R>(a, b, m), pipeline));
    };
  };
  const auto rounded_words = [&](const T*, const T*, std::size_t) {
    std::vector<std::int64_t> words(exactdot::accumulator<T>::word_count);
    words.back() = 1;
    exactdot::cuda_engine::add_staged(staged_plan<R>(a, b, mode::exact), pipeline, words.data());
    words.back() = 1;
    return exactdot::accumulator<T>(words).template round<R>();
  };
  return check.template exact_fault<R>(dot_in(mode::exact)) + check.template fast_fault<R>(dot_in(mode::fast)) +
         check.template exact_fault<R>(rounded_words);
}

/// A copy of x in memory of the given kind.
template <class T>
std::shared_ptr<T> placed(const std::vector<T>& x, const std::string& kind) {
  const std::size_t bytes = x.size() * sizeof(T) + sizeof(T);
  void* memory = nullptr;
  const cudaError_t status = kind == "device"    ? cudaMalloc(&memory, bytes)
                             : kind == "managed" ? cudaMallocManaged(&memory, bytes)
                             : kind == "pinned"  ? cudaMallocHost(&memory, bytes)
                                                 : cudaSuccess;
  EXPECT_EQ(status, cudaSuccess);
  if (kind == "host") memory = std::malloc(bytes);
  EXPECT_EQ(cudaMemcpy(memory, x.data(), bytes - sizeof(T), cudaMemcpyDefault), cudaSuccess);
  return {static_cast<T*>(memory), [kind](T* data) {
            if (kind == "host") return std::free(data);
            static_cast<void>(kind == "pinned" ? cudaFreeHost(data) : cudaFree(data));
          }};
}

template <class R, class T>
std::string dot_faults(const oracle::checker<T>& check, const T* a, const T* b, device target) {
  const auto dot_in = [&](mode m) {
    return
        [=](const T*, const T*, std::size_t n) { return exactdot::dot<R>(a, b, n, {.mode = m, .device = target}); };
  };
  return check.template exact_fault<R>(dot_in(mode::exact)) + check.template fast_fault<R>(dot_in(mode::fast));
}

template <class T>
std::string accumulator_fault(const oracle::checker<T>& check, const T* a, const T* b, device target) {
  exactdot::accumulator<T> sum;
  const std::size_t n = check.data().a.size();
  sum.add(std::span<const T>(a, n), std::span<const T>(b, n), {.device = target});
  return check.template exact_fault<double>([&](auto...) { return sum.template round<double>(); });
}

/// On the simulator not every pair of kinds of memory.
bool is_tried(const std::string& a_kind, const std::string& b_kind) {
  return !is_simulated() || b_kind == a_kind || b_kind == "device";
}

template <class T>
void expect_correct_in_all_memory(std::size_t n, staging_pipeline& pipeline) {
  const auto test = oracle::make_case(oracle::generator_named<T>("log_uniform"), 7, n);
  const std::string kinds[] = {"host", "pinned", "managed", "device"};
  for (const std::string& a_kind : kinds) {
    for (const std::string& b_kind : kinds) {
      if (!is_tried(a_kind, b_kind)) continue;
      const auto a = placed(test.check.data().a, a_kind), b = placed(test.check.data().b, b_kind);
      for (const device target : {device::automatic, device::cuda}) {
        EXPECT_EQ(dot_faults<float>(test.check, a.get(), b.get(), target) +
                      dot_faults<double>(test.check, a.get(), b.get(), target) +
                      accumulator_fault(test.check, a.get(), b.get(), target),
                  "")
            << a_kind << ", " << b_kind << ", " << test.name;
      }
      const auto x = exactdot::to_any(a.get(), n), y = exactdot::to_any(b.get(), n);
      EXPECT_EQ(staged_faults<double>(test.check, pipeline, x, y), "") << a_kind << ", " << b_kind << ", " << n;
    }
  }
}

TEST_F(engine, computes_on_vectors_in_every_kind_of_memory) {
  auto pipeline = pipeline_of(tile_bytes);
  for (const std::size_t n : {1, 100, 4099, 100003}) {
    if (n > at_most(n, 100)) break;
    expect_correct_in_all_memory<float>(n, pipeline);
    expect_correct_in_all_memory<double>(n, pipeline);
  }
}

/// A strided copy of x between NaNs in memory of the given kind; the stride is in elements.
template <class T>
struct strided_copy {
  strided_copy(const std::vector<T>& x, std::ptrdiff_t stride, const std::string& kind) {
    const std::size_t step = static_cast<std::size_t>(std::abs(stride));
    std::vector<T> all(x.size() * std::max<std::size_t>(step, 1) + 1, std::numeric_limits<T>::quiet_NaN());
    const std::size_t start = stride < 0 ? (x.size() - 1) * step : 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      all[start + static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) * stride)] = x[i];
    }
    memory = placed(all, kind);
    view = exactdot::to_any(exactdot::strided<T>{memory.get() + start, x.size(), stride});
  }
  std::shared_ptr<T> memory;
  exactdot::any_vector view;
};

template <class T>
void expect_correct_with_strides(staging_pipeline& pipeline) {
  const auto test = oracle::make_case(oracle::generator_named<T>("log_uniform"), 3, at_most(20'011, 2503));
  const auto& [a, b] = test.check.data();
  const std::string kinds[] = {"host", "pinned", "managed", "device"};
  for (const std::string& a_kind : kinds) {
    for (const std::string& b_kind : kinds) {
      if (!is_tried(a_kind, b_kind)) continue;
      const strided_copy<T> x(a, 3, a_kind), y(b, -2, b_kind);
      const auto dot_in = [&](mode m, device target) {
        return [&, m, target](const T*, const T*, std::size_t) {
          const exactdot::options options{.mode = m, .device = target};
          return exactdot::dot(x.view, y.view, exactdot::type_of<T>, options).template as<T>();
        };
      };
      std::string faults = staged_faults<T>(test.check, pipeline, x.view, y.view);
      for (const device target : {device::automatic, device::cuda}) {
        faults += test.check.template exact_fault<T>(dot_in(mode::exact, target));
        faults += test.check.template fast_fault<T>(dot_in(mode::fast, target));
      }
      EXPECT_EQ(faults, "") << a_kind << ", " << b_kind;
    }
  }
}

TEST_F(engine, computes_on_strided_vectors_in_every_kind_of_memory) {
  auto pipeline = pipeline_of(tile_bytes);
  expect_correct_with_strides<float>(pipeline);
  expect_correct_with_strides<double>(pipeline);
}

template <class T>
void expect_correct_in_chunks() {
  constexpr std::size_t tile = tile_bytes / sizeof(T);
  const std::array<std::size_t, 9> lengths = {
      0, 1, tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1, 5 * tile + 17, 33 * tile - 1};
  auto pipeline = pipeline_of(tile_bytes);
  int results = 0;
  const auto check_case = [&](const oracle::test_case<T>& test) {
    const auto x = exactdot::to_any(test.check.data().a), y = exactdot::to_any(test.check.data().b);
    EXPECT_EQ(staged_faults<float>(test.check, pipeline, x, y) + staged_faults<double>(test.check, pipeline, x, y),
              "")
        << test.name;
    results += 6;
  };
  const auto used = std::span(lengths).first(is_simulated() ? 5 : lengths.size());
  oracle::for_each_case<T>(used, 1, check_case, testing::Test::HasFailure);
  std::cout << results << " results checked\n";
}

TEST_F(engine, computes_every_kind_of_data_in_chunks) {
  expect_correct_in_chunks<float>();
  expect_correct_in_chunks<double>();
}

TEST_F(engine, has_the_same_bits_for_every_size_of_chunks) {
  const auto test = oracle::make_case(oracle::generator_named<double>("uniform"), 3, at_most(1'000'003, 5'003));
  const auto x = exactdot::to_any(test.check.data().a), y = exactdot::to_any(test.check.data().b);
  for (std::size_t chunk = tile_bytes; chunk <= at_most(1 << 24, 1 << 16); chunk *= 2) {
    auto pipeline = pipeline_of(chunk);
    EXPECT_EQ(staged_faults<double>(test.check, pipeline, x, y), "") << chunk;
  }
}

TEST_F(engine, is_selected_for_page_locked_vectors_if_the_cpu_may_use_few_threads) {
  const std::vector<double> ones(1 << 20, 1.0);
  const auto pinned = placed(ones, "pinned");
  const auto is_on_gpu = [&](const double* x, std::size_t n, int threads) {
    const auto view = exactdot::to_any(x, n);
    return exactdot::engine::make_plan(
               {"dot", exactdot::reduction::dot, view, view, exactdot::element_type::float64}, {.threads = threads})
        .on_gpu;
  };
  EXPECT_TRUE(is_on_gpu(pinned.get(), ones.size(), 1));
  EXPECT_FALSE(is_on_gpu(pinned.get(), 1000, 1));
  EXPECT_FALSE(is_on_gpu(ones.data(), ones.size(), 1));
  EXPECT_FALSE(is_on_gpu(pinned.get(), ones.size(), 3) && std::thread::hardware_concurrency() > 2);
  if (is_simulated()) return;
  EXPECT_EQ(exactdot::dot<double>(pinned.get(), pinned.get(), ones.size(), {.threads = 1}), 1 << 20);
}

TEST_F(engine, reads_host_vectors_at_any_address) {
  auto pipeline = pipeline_of(tile_bytes);
  const auto test = oracle::make_case(oracle::generator_named<double>("uniform"), 5, 5000);
  const auto& [a, b] = test.check.data();
  std::vector<std::byte> bytes(5000 * 8 + 16);
  for (std::size_t gap = 0; gap < 16; gap += is_simulated() ? 5 : 1) {
    std::memcpy(bytes.data() + gap, a.data(), 5000 * 8);
    const auto* const moved = reinterpret_cast<const double*>(bytes.data() + gap);
    EXPECT_EQ(staged_faults<double>(test.check, pipeline, exactdot::to_any(moved, 5000), exactdot::to_any(b)), "")
        << gap;
    EXPECT_EQ(dot_faults<double>(test.check, moved, b.data(), device::cuda), "") << gap;
  }
}

TEST_F(engine, serves_concurrent_threads) {
  if (is_simulated()) GTEST_SKIP() << "the simulator's runtime serves one thread at a time";
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
                                                   options_of(m));
          wrong += !same_bits(got, m == mode::exact ? exact : fast);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(engine, reports_progress_and_ends_when_cancelled) {
  const std::vector<double> ones(at_most(1'000'003, 40'003), 1.0);
  const auto sum = static_cast<double>(ones.size());
  const device_vector<double> on_device(ones);
  for (const double* const x : {ones.data(), static_cast<const double*>(on_device.data())}) {
    for (const mode m : {mode::exact, mode::fast}) {
      exactdot::monitor monitor;
      exactdot::options options = options_of(m);
      options.monitor = &monitor;
      EXPECT_EQ(exactdot::dot<double>(x, x, ones.size(), options), sum);
      EXPECT_EQ(monitor.done, ones.size());
      monitor.cancel = true;
      expect_error(exactdot::errc::cancelled, "cancelled",
                   [&] { return exactdot::dot<double>(x, x, ones.size(), options); });
      EXPECT_EQ(monitor.done, ones.size());
    }
  }
  exactdot::monitor monitor;
  exactdot::options options = options_of(mode::exact);
  options.monitor = &monitor;
  std::thread canceller([&] {
    while (monitor.done == 0) std::this_thread::yield();
    monitor.cancel = true;
  });
  try {
    while (true) {
      EXPECT_EQ(exactdot::dot(ones, ones, options), sum);
    }
  } catch (const exactdot::error& error) {
    EXPECT_EQ(error.code(), exactdot::errc::cancelled) << error.what();
  }
  canceller.join();
  EXPECT_EQ(exactdot::dot(ones, ones, options_of(mode::fast)), sum);
}

}  // namespace
