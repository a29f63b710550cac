// A failed allocation becomes XD_OUT_OF_MEMORY: this program's operator new fails on request, also for
// libexactdot_c.
#include <exactdot.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

namespace {

bool allocations_fail = false;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const memory = allocations_fail ? nullptr : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

TEST(c_interface, reports_exhausted_memory) {
  xd_accumulator *sum = nullptr, *copy = nullptr;
  xd_moments* moments = nullptr;
  xd_monitor* monitor = nullptr;
  ASSERT_EQ(xd_accumulator_create(XD_FLOAT64, &sum), XD_OK);
  allocations_fail = true;
  const xd_status found[] = {xd_accumulator_copy(sum, &copy), xd_accumulator_create(XD_FLOAT64, &copy),
                             xd_moments_create(XD_FLOAT64, &moments), xd_monitor_create(&monitor)};
  const xd_status refused = xd_accumulator_round(sum, -1, nullptr);  // whose sentence cannot be made
  allocations_fail = false;
  for (const xd_status status : found) EXPECT_EQ(status, XD_OUT_OF_MEMORY);
  EXPECT_EQ(refused, XD_OUT_OF_MEMORY);
  EXPECT_STREQ(xd_message(), "exactdot: host memory is exhausted");
  EXPECT_EQ(copy, nullptr);
  EXPECT_EQ(moments, nullptr);
  EXPECT_EQ(monitor, nullptr);
  xd_accumulator_destroy(sum);
}

}  // namespace
