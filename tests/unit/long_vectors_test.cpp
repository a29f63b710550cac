// Vectors of more than 2^31 elements, and vectors long enough to overflow integer sums that are not normalised.
//
// No length or index may be truncated to 32 bits. The longest vector consists of zero pages that were never
// written, so it takes address space but no memory; long rows, columns, segments and groups repeat elements by a
// stride of 0.
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

/// Matrices, segments and groups of more than 2^31 elements in all, or in one result.
TEST(long_vectors, in_every_shape_are_read_to_their_last_element) {
  if (oracle::scaled(100) < 25) GTEST_SKIP() << "only in a full run";
  using namespace exactdot;
  constexpr std::size_t side = (1 << 16) + 1;  // side * side > 2^32
  std::vector<float> row(side, 1), sums(side);
  row.back() = 0x1p20F;
  sum(rows{row.data(), side, side, 0, 1}, sums);  // every row is the same one
  EXPECT_EQ(sums, std::vector<float>(side, side - 1 + 0x1p20F));
  sum(columns{row.data(), side, side, 0}, sums);
  EXPECT_EQ(sums.front(), static_cast<float>(side));
  EXPECT_EQ(sums.back(), static_cast<float>(side) * 0x1p20F);

  const std::int8_t one = 1;
  std::vector<std::int64_t> found(2);
  sum(rows{&one, 2, n, 0, 0}, found);
  EXPECT_EQ(found, (std::vector<std::int64_t>{n, n}));
  const any_vector repeated(&one, n, element_type::int8, 0);
  const std::vector<std::int64_t> offsets{0, 5, n};
  const axis places{2, sizeof(std::int64_t)};
  const any_results results{found.data(), element_type::int64, {&places, 1}};
  reduce(reduction::sum, repeated, any_offsets{offsets.data(), 2, element_type::int64, 8}, results);
  EXPECT_EQ(found, (std::vector<std::int64_t>{5, n - 5}));
  const std::int32_t key = 1;
  reduce(reduction::sum, repeated, any_keys{&key, n, element_type::int32, 0, 2, false}, results);
  EXPECT_EQ(found, (std::vector<std::int64_t>{0, n}));
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
