// Vectors of more than 2^31 elements: no length or index is cut to 32 bits.
//
// The memory is all zeros that were never written, so it costs address space and time, but no memory.
#include <gtest/gtest.h>
#include <sys/mman.h>

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

}  // namespace
