// The C interface beside the C++ interface: the same bits for all reductions and types; a message for each thread.
//
// This program holds two copies of the library, its own and that inside libexactdot_c.
#include <exactdot.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <exactdot/exactdot.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace exactdot;

xd_vector to_c(const any_vector& x) { return {x.data, x.n, x.stride, static_cast<int>(x.type), x.swapped}; }

/// Random bytes: of floating-point types also NaNs and infinities.
std::vector<unsigned char> random_bytes(std::size_t count) {
  std::mt19937 random(7);
  std::vector<unsigned char> bytes(count);
  for (auto& byte : bytes) byte = static_cast<unsigned char>(random());
  return bytes;
}

void expect_same(reduction what, const any_vector& a, const any_vector& b, element_type result,
                 const options& options, std::int64_t ddof) {
  const xd_vector first = to_c(a), second = to_c(b);
  xd_options given{};
  given.mode = static_cast<int>(options.mode), given.ddof = ddof;
  unsigned char found[8] = {}, expected[8] = {};
  const xd_status status = xd_reduce(static_cast<int>(what), &first, inputs_of(what) == 2 ? &second : nullptr,
                                     static_cast<int>(result), found, &given);
  const std::string name = std::string(name_of(what)) + " of " + std::string(name_of(a.type)) + " to " +
                           std::string(name_of(result)) + ", " + std::to_string(a.n) + " elements";
  try {
    const any_scalar value =
        inputs_of(what) == 2 ? reduce(what, a, b, result, options, ddof) : reduce(what, a, result, options, ddof);
    std::memcpy(expected, &value.bits, size_of(result));
    EXPECT_EQ(status, XD_OK) << name << ": " << xd_message();
  } catch (const error& thrown) {
    EXPECT_NE(status, XD_OK) << name;
    EXPECT_STREQ(xd_message(), thrown.what()) << name;
  }
  EXPECT_EQ(std::memcmp(found, expected, sizeof found), 0) << name;
}

TEST(c_interface, has_the_bits_of_the_cxx_interface) {
  const auto bytes = random_bytes(1 << 13);
  for (const element_info& of : elements) {
    const auto size = static_cast<std::ptrdiff_t>(of.bytes);
    for (const std::size_t n : {std::size_t{0}, std::size_t{2}, std::size_t{100}}) {
      const any_vector a(bytes.data(), n, of.type, size), b(&bytes[4096], n, of.type, -size);
      const any_vector swapped(&bytes[1], n, of.type, 3 * size, true);
      for (std::size_t k = 0; k < reduction_names.size(); ++k) {
        const auto what = static_cast<reduction>(k);
        for (const element_info& result : elements) {
          for (const mode mode : {mode::exact, mode::fast}) {
            expect_same(what, a, b, result.type, {.mode = mode}, 0);
            expect_same(what, swapped, a, result.type, {.mode = mode}, 1);
          }
        }
      }
    }
  }
}

TEST(c_interface, chooses_the_result_types_of_the_cxx_interface) {
  for (std::size_t k = 0; k < reduction_names.size(); ++k) {
    const auto what = static_cast<reduction>(k);
    for (const element_info& a : elements) {
      for (const element_info& b : elements) {
        if (is_integer(a.type) != is_integer(b.type)) continue;
        const element_type other = inputs_of(what) == 2 ? b.type : a.type;
        int type = -1;
        ASSERT_EQ(
            xd_default_result_type(static_cast<int>(k), static_cast<int>(a.type), static_cast<int>(b.type), &type),
            XD_OK);
        EXPECT_EQ(type, static_cast<int>(default_result_type(what, a.type, other)));
      }
    }
  }
}

TEST(c_interface, has_the_words_of_the_cxx_interface) {
  const auto bytes = random_bytes(1 << 10);
  for (const element_info& of : elements) {
    with_element(of.type, [&]<class T>(T) {
      const any_vector x(bytes.data(), 64, of.type);
      const xd_vector same = to_c(x);
      const int type = static_cast<int>(of.type);
      exactdot::moments<T> expected;
      expected.add(x);
      const auto words = expected.words();
      std::vector<std::int64_t> found(xd_moments_word_count(type));
      ASSERT_EQ(found.size(), words.size());
      xd_moments* made = nullptr;
      ASSERT_EQ(xd_moments_create(type, &made), XD_OK);
      EXPECT_EQ(xd_moments_add(made, &same, nullptr), XD_OK) << xd_message();
      EXPECT_EQ(xd_moments_words(made, found.data(), found.size()), XD_OK) << xd_message();
      EXPECT_TRUE(std::ranges::equal(found, words)) << of.name;
      xd_moments_destroy(made);
      EXPECT_EQ(xd_accumulator_word_count(type), accumulator<T>::word_count);
    });
  }
}

TEST(c_interface, refuses_exactly_the_results_that_overlap_an_element) {
  constexpr int size = 4, result_size = 8;
  for (int n = 0; n <= 4; ++n) {
    for (int stride = -13; stride <= 13; ++stride) {
      for (int place = 0; place < 120; ++place) {
        unsigned char memory[128] = {};
        const int first = 60;
        bool overlaps = false;
        for (int i = 0; i < n; ++i) {
          const int begin = first + i * stride;
          overlaps = overlaps || (begin < place + result_size && place < begin + size);
        }
        const xd_vector x{&memory[first], static_cast<std::size_t>(n), stride, XD_INT32, 0};
        const xd_status status = xd_reduce(XD_SUM, &x, nullptr, XD_FLOAT64, &memory[place], nullptr);
        ASSERT_EQ(status, overlaps ? XD_BAD_OPTION : XD_OK) << n << ' ' << stride << ' ' << place;
      }
    }
  }
}

TEST(c_interface, keeps_a_message_for_each_thread) {
  std::atomic<int> ready{0};
  std::vector<std::string> messages(4);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      EXPECT_STREQ(xd_message(), "");
      EXPECT_EQ(xd_accumulator_create(100 + i, nullptr), XD_NULL_POINTER);
      xd_accumulator* none = nullptr;
      EXPECT_EQ(xd_accumulator_create(100 + i, &none), XD_BAD_OPTION);
      for (++ready; ready < 4;) std::this_thread::yield();
      messages[static_cast<std::size_t>(i)] = xd_message();
    });
  }
  for (auto& thread : threads) thread.join();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(messages[static_cast<std::size_t>(i)],
              "xd_accumulator_create: unknown element type " + std::to_string(100 + i));
  }
}

TEST(c_interface, is_cancelled_by_another_thread) {
  xd_monitor* monitor = nullptr;
  ASSERT_EQ(xd_monitor_create(&monitor), XD_OK);
  const double one = 1;
  const xd_vector endless{&one, std::size_t{1} << 60, 0, XD_FLOAT64, 0};
  xd_options options{};
  options.threads = 1, options.monitor = monitor;
  double result = 42;
  std::thread other([&] {
    while (xd_monitor_done(monitor) == 0) std::this_thread::yield();
    EXPECT_EQ(xd_monitor_cancel(monitor), XD_OK);
  });
  EXPECT_EQ(xd_reduce(XD_SUM, &endless, nullptr, XD_FLOAT64, &result, &options), XD_CANCELLED);
  other.join();
  EXPECT_EQ(result, 42);
  xd_monitor_destroy(monitor);
}

}  // namespace
