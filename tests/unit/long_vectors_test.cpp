// Vectors of more than 2^31 elements, and others long enough to fill what an engine holds between emptyings.
//
// No length or index may be cut to 32 bits. The memory of the longest is all zeros that were never written, so it
// costs address space and time, but no memory.
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
  if (oracle::scaled(100) < 100) GTEST_SKIP() << "only in a full run";
  const zeros x;
  if (x.data() == nullptr) GTEST_SKIP() << "no address space for " << n << " floats";
  x.data()[0] = 1;
  x.data()[std::size_t{1} << 31] = 2;
  x.data()[n - 1] = 3;
  for (const auto mode : {exactdot::mode::exact, exactdot::mode::fast}) {
    exactdot::monitor watch;
    EXPECT_EQ(exactdot::dot<double>(x.data(), x.data(), n, {.mode = mode, .monitor = &watch}), 14);
    EXPECT_EQ(watch.done.load(), n);
  }
}

/// Eight million equal squares of one sign, all mantissa bits set: no bin may overflow before it is emptied.
TEST(long_vectors, fill_every_bin_of_the_engine) {
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
