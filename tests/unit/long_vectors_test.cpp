// Vectors of more than 2^31 elements, and vectors long enough to overflow integer sums that are not normalised.
//
// No length or index may be truncated to 32 bits. The longest vector consists of zero pages that were never
// written, so it takes address space but no memory.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <exactdot/exactdot.hpp>

#include "oracle/cases.hpp"

namespace {

constexpr std::size_t n = (std::size_t{1} << 31) + 12345;

class zeros {
 public:
  zeros() {
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const memory = mmap(nullptr, n * sizeof(float), PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory != MAP_FAILED) data_ = static_cast<float*>(memory);
  }
  ~zeros() {
    if (data_ != nullptr) munmap(data_, n * sizeof(float));
  }
  zeros(const zeros&) = delete;
  zeros& operator=(const zeros&) = delete;
  [[nodiscard]] float* data() const { return data_; }

 private:
  float* data_ = nullptr;
};

TEST(long_vectors, are_read_to_their_last_element) {
  if (oracle::scaled(100) < 25) GTEST_SKIP() << "only in a full run";
  const zeros x;
  if (x.data() == nullptr) GTEST_SKIP() << "no address space for " << n << " floats";
  x.data()[0] = 1;
  x.data()[std::size_t{1} << 31] = 2;
  x.data()[n - 1] = 3;
  for (const auto mode : {exactdot::mode::exact, exactdot::mode::fast}) {
    exactdot::monitor monitor;
    EXPECT_EQ(exactdot::dot<double>(x.data(), x.data(), n, {.mode = mode, .monitor = &monitor}), 14);
    EXPECT_EQ(monitor.done.load(), n);
  }
}

/// Eight million equal squares with all significand bits set: no limb may overflow before it is normalised.
TEST(long_vectors, overflow_no_limb) {
  const auto count = static_cast<std::size_t>(oracle::scaled(8'000'000));
  const double x = std::nextafter(2.0, 0.0);
  const std::vector<double> many(count, x);
  oracle::integer_sum square;
  square.add(x, x);
  const mpz_class expected = square.units() * mpz_class(static_cast<unsigned long>(count));
  for (const std::string& set : exactdot::cpu().instruction_sets) {
    exactdot::use_instruction_set(set);
    exactdot::accumulator<double> sum;
    sum.add(std::span<const double>(many), std::span<const double>(many), {.threads = 1});
    const auto limbs = sum.words().first(exactdot::accumulator<double>::limb_count);
    EXPECT_EQ(oracle::units_of_limbs(limbs, exactdot::accumulator<double>::lowest_exponent), expected) << set;
  }
  exactdot::use_instruction_set("");
}

}  // namespace
