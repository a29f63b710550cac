// Calls on memory that another thread writes meanwhile: any value may come out, or an error, and nothing outside
// the memory is read or written. Under AddressSanitizer too.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exactdot/exactdot.hpp>
#include <thread>
#include <vector>

namespace {

using namespace exactdot;

/// Writes both words in turns to some places of memory, as long as it lives.
template <class Word>
class writer {
 public:
  writer(std::vector<Word>& memory, std::vector<std::size_t> places, Word first, Word second)
      : thread_([this, &memory, places = std::move(places), first, second] {
          while (!ends_.load(std::memory_order_relaxed)) {
            for (const Word word : {first, second}) {
              for (const std::size_t i : places) static_cast<volatile Word&>(memory[i]) = word;
            }
          }
        }) {}
  ~writer() {
    ends_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

/// Repeats a call for a while; errors are results too.
template <class Call>
void repeat(Call call) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  int calls = 0;
  for (; std::chrono::steady_clock::now() < end; ++calls) {
    try {
      call();
    } catch (const error&) {
    }
  }
  EXPECT_GT(calls, 10);
}

template <class T>
class changing_elements : public testing::Test {};
using element_examples =
    testing::Types<double, float, float16, bfloat16, std::int8_t, std::uint16_t, std::int32_t, std::uint64_t>;
TYPED_TEST_SUITE(changing_elements, element_examples);

TYPED_TEST(changing_elements, have_an_index_within) {
  using word = typename detail::unsigned_of<sizeof(TypeParam)>::type;
  for (const std::size_t n : {std::size_t{300}, std::size_t{1} << 14}) {
    std::vector<word> x(n, 4);
    const auto* const elements = reinterpret_cast<const TypeParam*>(x.data());
    const writer<word> changes(x, {n / 2}, 1, 9);  // the least or the greatest, and not
    const std::span all(elements, n);
    repeat([&] { EXPECT_LT(argmin(all), n); });
    repeat([&] { EXPECT_LT(argmax(all), n); });
    std::vector<std::size_t> index(n / 20);
    repeat([&] {
      argmin(columns{elements, 20, n / 20}, index);
      for (const std::size_t each : index) EXPECT_LT(each, 20U);
    });
  }
}

TEST(changing_offsets, stay_within_the_vector) {
  const std::vector<double> x(1000, 1.5);
  for (const std::uint64_t other : {std::uint64_t{900}, ~std::uint64_t{0} / 16}) {
    std::vector<std::uint64_t> offsets = {0, 100, 500, 1000};
    const writer<std::uint64_t> changes(offsets, {1, 2}, 500, other);
    std::vector<double> out(3);
    repeat([&] { sum(segments{x, offsets}, out); });
    repeat([&] { min(segments{x, offsets}, out); });
    std::vector<std::int64_t> index(3);
    repeat([&] { argmax(segments{x, offsets}, index); });
  }
}

TEST(changing_keys, stay_within_the_groups) {
  std::vector<double> x(3000, 1.5);
  for (std::size_t i = 0; i < x.size(); i += 7) x[i] = i % 2 == 0 ? 1e300 : 1e-300;  // wide: open sums
  for (const std::int64_t other : {std::int64_t{3}, std::int64_t{1} << 40}) {
    std::vector<std::int64_t> keys(x.size());
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = static_cast<std::int64_t>(i * 7 % 5);
      if (i % 3 == 0) places.push_back(i);
    }
    const writer<std::int64_t> changes(keys, places, 1, other);
    std::vector<double> out(5);
    repeat([&] { sum(groups{x, keys, 5}, out); });
    repeat([&] { variance(groups{x, keys, 5}, out); });
    repeat([&] { max(groups{x, keys, 5}, out); });
  }
}

}  // namespace
