// The addresses of the vectors do not affect the result, and nothing outside the vectors is read.
//
// Both vectors start at every byte offset of a cache line, between NaNs and inaccessible pages (guarded.hpp). The
// tests cover masked and partial loads at the ends of vectors.
#include <gtest/gtest.h>

#include "property/library_dot.hpp"
#include "property/guarded.hpp"
#include "table/instruction_set.hpp"

namespace {

using namespace oracle;
using namespace property;
using table::forced_instruction_set;

template <class T>
class placement : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(placement, element_types);

/// The library's dot of the guarded copies; the pointers in the call are ignored.
template <class T>
dot_function<T, T> guarded_dot(const guarded_vector<T>& a, const guarded_vector<T>& b, exactdot::options options) {
  return [&a, &b, options](const T*, const T*, std::size_t n) {
    return exactdot::dot<T>(a.data(), b.data(), n, options);
  };
}

template <class T>
void check_at(const test_case<T>& test, guard_side side, std::size_t gap_a, std::size_t gap_b) {
  const guarded_vector<T> a(test.check.data().a, side, gap_a);
  const guarded_vector<T> b(test.check.data().b, side, gap_b);
  const auto exact = guarded_dot(a, b, {});
  const auto fast = guarded_dot(a, b, {.mode = exactdot::mode::fast});
  const char* side_name = side == guard_side::left ? "left" : "right";
  EXPECT_EQ(test.check.template exact_fault<T>(exact), "")
      << test.name << ", " << side_name << " " << gap_a << " " << gap_b;
  EXPECT_EQ(test.check.template fast_fault<T>(fast), "")
      << test.name << ", " << side_name << " " << gap_a << " " << gap_b;
}

template <class T>
void check_all_offsets(const std::string& set) {
  const forced_instruction_set forced(set);
  SCOPED_TRACE(set);
  for (const char* name : {"uniform", "log_uniform", "alternating_huge_and_tiny"}) {
    for (const std::size_t n : {1u, 2u, 3u, 7u, 8u, 9u, 31u, 64u, 129u, 1030u, 4097u}) {
      const auto test = make_case(generator_named<T>(name), 2, n);
      for (std::size_t offset = 0; offset < 64; ++offset) {
        check_at(test, guard_side::left, offset, offset);
        check_at(test, guard_side::right, offset, (offset * 7 + 3) % 64);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TYPED_TEST(placement, does_not_change_the_result) {
  for (const std::string& set : exactdot::cpu().instruction_sets) check_all_offsets<TypeParam>(set);
}

/// Every length up to a few rows of order v1, with either end next to an inaccessible page.
TYPED_TEST(placement, next_to_inaccessible_pages_is_safe_at_every_length) {
  for (const std::string& set : exactdot::cpu().instruction_sets) {
    const forced_instruction_set forced(set);
    SCOPED_TRACE(set);
    for (std::size_t n = 0; n <= 300; ++n) {
      const auto test = make_case(generator_named<TypeParam>("uniform"), 4, n);
      check_at(test, guard_side::left, 0, 0);
      check_at(test, guard_side::right, 0, 0);
      if (this->HasFailure()) return;
    }
  }
}

TYPED_TEST(placement, next_to_inaccessible_pages_is_safe_at_border_lengths_with_threads) {
  for (const std::size_t n : {4095u, 8193u, 65537u, 300001u}) {
    const auto test = make_case(generator_named<TypeParam>("blocks"), 4, n);
    const guarded_vector<TypeParam> a(test.check.data().a, guard_side::right, 0);
    const guarded_vector<TypeParam> b(test.check.data().b, guard_side::left, 0);
    for (int threads = 1; threads <= 4; ++threads) {
      EXPECT_EQ(test.check.template exact_fault<TypeParam>(guarded_dot(a, b, {.threads = threads})), "")
          << test.name;
      EXPECT_EQ(test.check.template fast_fault<TypeParam>(
                    guarded_dot(a, b, {.mode = exactdot::mode::fast, .threads = threads})),
                "")
          << test.name;
    }
  }
}

/// A vector times itself: both spans are the same memory.
TYPED_TEST(placement, may_be_the_same_for_both_vectors) {
  for (const std::size_t n : border_lengths) {
    rng random(n);
    auto v = generator_named<TypeParam>("log_uniform").make(random, n);
    v.b = v.a;
    const checker<TypeParam> check(v);
    const dot_function<TypeParam, TypeParam> squared = [](const TypeParam* a, const TypeParam*, std::size_t count) {
      return exactdot::dot<TypeParam>(a, a, count);
    };
    EXPECT_EQ(check.template exact_fault<TypeParam>(squared), "") << n;
  }
}

}  // namespace
