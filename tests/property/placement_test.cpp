// Where the vectors lie changes nothing, and nothing outside them is read.
//
// Every byte offset of a cache line, for both vectors, between NaNs and pages that fault (guarded.hpp): kernels
// with masked or partial loads at the ends are where engines go wrong here.
#include <gtest/gtest.h>

#include "property/engines.hpp"
#include "property/guarded.hpp"

namespace {

using namespace oracle;
using namespace property;

template <class T>
class placement : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(placement, element_types);

/// The library's dot of copies of a and b at these places, whatever the addresses it is called with.
template <class T>
dot_function<T, T> dot_at(const guarded<T>& a, const guarded<T>& b, exactdot::options options) {
  return [&a, &b, options](const T*, const T*, std::size_t n) {
    return exactdot::dot<T>(a.data(), b.data(), n, options);
  };
}

template <class T>
void judge_at(const test_case<T>& one, flush where, std::size_t gap_a, std::size_t gap_b) {
  const guarded<T> a(one.check.data().a, where, gap_a);
  const guarded<T> b(one.check.data().b, where, gap_b);
  const auto exact = dot_at(a, b, {});
  const auto fast = dot_at(a, b, {.mode = exactdot::mode::fast});
  const char* side = where == flush::left ? "left" : "right";
  EXPECT_EQ(one.check.template exact_fault<T>(exact), "")
      << one.name << ", " << side << " " << gap_a << " " << gap_b;
  EXPECT_EQ(one.check.template fast_fault<T>(fast), "") << one.name << ", " << side << " " << gap_a << " " << gap_b;
}

template <class T>
void judge_all_places(const std::string& set) {
  const forced_instruction_set forced(set);
  SCOPED_TRACE(set);
  for (const char* name : {"uniform", "log_uniform", "alternating_huge_and_tiny"}) {
    for (const std::size_t n : {1u, 2u, 3u, 7u, 8u, 9u, 31u, 64u, 129u, 1030u, 4097u}) {
      const auto one = make_case(generator_named<T>(name), 2, n);
      for (std::size_t offset = 0; offset < 64; ++offset) {
        judge_at(one, flush::left, offset, offset);
        judge_at(one, flush::right, offset, (offset * 7 + 3) % 64);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TYPED_TEST(placement, of_either_vector_changes_no_bit) {
  for (const std::string& set : exactdot::cpu().instruction_sets) judge_all_places<TypeParam>(set);
}

/// Every length up to a few rows, with both ends next to a page that cannot be read.
TYPED_TEST(placement, next_to_unreadable_pages_is_safe_at_every_length) {
  for (const std::string& set : exactdot::cpu().instruction_sets) {
    const forced_instruction_set forced(set);
    SCOPED_TRACE(set);
    for (std::size_t n = 0; n <= 300; ++n) {
      const auto one = make_case(generator_named<TypeParam>("uniform"), 4, n);
      judge_at(one, flush::left, 0, 0);
      judge_at(one, flush::right, 0, 0);
      if (this->HasFailure()) return;
    }
  }
}

TYPED_TEST(placement, next_to_unreadable_pages_is_safe_at_border_lengths_with_threads) {
  for (const std::size_t n : {4095u, 8193u, 65537u, 300001u}) {
    const auto one = make_case(generator_named<TypeParam>("blocks"), 4, n);
    const guarded<TypeParam> a(one.check.data().a, flush::right, 0);
    const guarded<TypeParam> b(one.check.data().b, flush::left, 0);
    for (int threads = 1; threads <= 4; ++threads) {
      EXPECT_EQ(one.check.template exact_fault<TypeParam>(dot_at(a, b, {.threads = threads})), "") << one.name;
      EXPECT_EQ(one.check.template fast_fault<TypeParam>(
                    dot_at(a, b, {.mode = exactdot::mode::fast, .threads = threads})),
                "")
          << one.name;
    }
  }
}

/// A vector times itself: both spans are the same memory.
TYPED_TEST(placement, of_both_vectors_may_be_the_same) {
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
