// Sums and dot products of other methods and libraries: correct for their name, at any alignment.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exactdot/element.hpp>
#include <io/data_source.hpp>
#include <lab/openblas_core.hpp>
#include <lab/peers.hpp>
#include <span>
#include <vector>

#include "oracle/exact.hpp"

namespace {

using exactdot::io::data_request;
using exactdot::io::data_set;
using exactdot::io::data_source;
namespace lab = exactdot::lab;

template <class T>
struct operands {
  explicit operands(const data_request& request) : a(request.n), b(request.n) {
    data_source<T>{request}.next(a, b);
  }
  std::vector<T> a, b;
};

template <class T>
class peers : public testing::Test {};
using types = testing::Types<float, double>;
TYPED_TEST_SUITE(peers, types);

/// The same elements at an aligned address + 1.
template <class T>
class misaligned {
 public:
  explicit misaligned(const std::vector<T>& values) : bytes_(values.size() * sizeof(T) + 1) {
    std::memcpy(bytes_.data() + 1, values.data(), values.size() * sizeof(T));
  }
  [[nodiscard]] const T* data() const { return reinterpret_cast<const T*>(bytes_.data() + 1); }

 private:
  std::vector<std::byte> bytes_;
};

TYPED_TEST(peers, do_not_depend_on_alignment) {
  const operands<TypeParam> x{{data_set::uniform, 1001}};
  const misaligned<TypeParam> a{x.a};
  const misaligned<TypeParam> b{x.b};
  const std::size_t n = x.a.size();
  EXPECT_EQ(lab::float_loop(x.a.data(), x.b.data(), n), lab::float_loop(a.data(), b.data(), n));
  EXPECT_EQ(lab::double_loop(x.a.data(), x.b.data(), n), lab::double_loop(a.data(), b.data(), n));
  EXPECT_EQ(lab::dot2(x.a.data(), x.b.data(), n), lab::dot2(a.data(), b.data(), n));
}

TYPED_TEST(peers, of_no_elements_are_zero) {
  EXPECT_EQ(lab::float_loop<TypeParam>(nullptr, nullptr, 0), 0);
  EXPECT_EQ(lab::double_loop<TypeParam>(nullptr, nullptr, 0), 0);
  EXPECT_EQ(lab::dot2<TypeParam>(nullptr, nullptr, 0), 0);
}

TEST(peers, loops_accumulate_in_the_type_they_name) {
  const std::vector<float> a = {0x1p24F, 1, 1, -0x1p24F};
  const std::vector<float> ones(4, 1.0F);
  EXPECT_EQ(lab::float_loop(a.data(), ones.data(), 4), 0);
  EXPECT_EQ(lab::double_loop(a.data(), ones.data(), 4), 2);
  const std::vector<double> c = {0x1p24, 1, 1, -0x1p24};
  const std::vector<double> double_ones(4, 1.0);
  EXPECT_EQ(lab::float_loop(c.data(), double_ones.data(), 4), 0);
  EXPECT_EQ(lab::double_loop(c.data(), double_ones.data(), 4), 2);
}

TYPED_TEST(peers, loops_add_products_values_and_magnitudes) {
  const std::vector<TypeParam> a = {3, -4, 5}, b = {1, 2, -1};
  const auto sums_of = [&](lab::term added) {
    return std::vector<double>{lab::plain_loop<float>(added, a.data(), b.data(), 3),
                               lab::plain_loop<double>(added, a.data(), b.data(), 3),
                               lab::compensated_loop(added, a.data(), b.data(), 3)};
  };
  EXPECT_EQ(sums_of(lab::term::product), std::vector<double>(3, -10));
  EXPECT_EQ(sums_of(lab::term::value), std::vector<double>(3, 4));
  EXPECT_EQ(sums_of(lab::term::magnitude), std::vector<double>(3, 12));
}

TYPED_TEST(peers, compensated_sums_keep_what_a_loop_loses) {
  const TypeParam large = TypeParam{1} / std::numeric_limits<TypeParam>::epsilon();
  const std::vector<TypeParam> x = {large * 4, 1, 1, large * -4};
  EXPECT_EQ(lab::plain_loop<TypeParam>(lab::term::value, x.data(), x.data(), 4), 0);
  EXPECT_EQ(lab::compensated_loop(lab::term::value, x.data(), x.data(), 4), 2);
}

TEST(peers, loops_in_16_bits_round_every_sum) {
  const std::vector<float> ones(3000, 1.0F);
  using exactdot::bfloat16, exactdot::float16;
  EXPECT_EQ(lab::plain_loop<float16>(lab::term::value, ones.data(), ones.data(), 3000), float16(2048.0F));
  EXPECT_EQ(lab::plain_loop<bfloat16>(lab::term::product, ones.data(), ones.data(), 3000), bfloat16(256.0F));
}

TYPED_TEST(peers, dot2_meets_its_error_bound) {
  const TypeParam unit = std::numeric_limits<TypeParam>::epsilon() / 2;
  const double condition = sizeof(TypeParam) == 4 ? 1e9 : 1e22;  // too large for a plain loop
  const operands<TypeParam> x{{data_set::ill, 200, 42, condition}};
  const auto truth = oracle::exact_dot(std::span<const TypeParam>(x.a), std::span<const TypeParam>(x.b));
  double magnitudes = 0;
  for (std::size_t i = 0; i < 200; ++i)
    magnitudes += std::abs(static_cast<double>(x.a[i]) * static_cast<double>(x.b[i]));
  const double gamma = 200.0 * unit / (1 - 200.0 * unit);
  const double bound = unit * std::abs(truth.as_double) + gamma * gamma * magnitudes * (1 + 1e-6);
  const double error = std::abs(lab::dot2(x.a.data(), x.b.data(), 200) - truth.as_double);
  EXPECT_LE(error, bound);
  const double plain = sizeof(TypeParam) == 4 ? lab::float_loop(x.a.data(), x.b.data(), 200)
                                              : lab::double_loop(x.a.data(), x.b.data(), 200);
  EXPECT_GT(std::abs(plain - truth.as_double), bound);
}

TYPED_TEST(peers, openblas_computes_or_names_the_reason) {
  const lab::openblas& peer = lab::openblas::instance();
  if (!peer.available()) {
    EXPECT_NE(peer.fault(), "");
    GTEST_SKIP() << "OpenBLAS: " << peer.fault();
  }
  EXPECT_NE(peer.core_name(), "");
  EXPECT_EQ(peer.set_threads(1), 1);
  const operands<TypeParam> x{{data_set::halves, 12345}};
  EXPECT_EQ(peer.dot(x.a.data(), x.b.data(), x.a.size()), TypeParam{12345});
  EXPECT_EQ(peer.dot(misaligned(x.a).data(), misaligned(x.b).data(), x.a.size()), TypeParam{12345});
  EXPECT_EQ(peer.dot(x.a.data(), x.b.data(), 0), TypeParam{0});
  const std::vector<TypeParam> y = {3, 0, -4};
  EXPECT_EQ(peer.asum(y.data(), 3), TypeParam{7});
  EXPECT_EQ(peer.asum(misaligned(y).data(), 3), TypeParam{7});
  EXPECT_EQ(peer.nrm2(y.data(), 3), TypeParam{5});
  EXPECT_EQ(peer.nrm2(misaligned(y).data(), 3), TypeParam{5});
  EXPECT_EQ(peer.asum(y.data(), 0), TypeParam{0});
  EXPECT_EQ(peer.nrm2(y.data(), 0), TypeParam{0});
  EXPECT_EQ(peer.template cblas_dot<TypeParam>()(100, x.a.data(), 1, x.b.data(), 1), TypeParam{100});
  EXPECT_NE(peer.symbol("cblas_dasum"), nullptr);
  EXPECT_EQ(peer.symbol("cblas_no_such_function"), nullptr);
  EXPECT_TRUE(peer.version().starts_with("OpenBLAS ")) << peer.version();
}

TEST(peers, openblas_as_shipped_uses_its_default_kernels) {
  const lab::openblas& best = lab::openblas::instance();
  if (!best.available()) GTEST_SKIP() << "OpenBLAS: " << best.fault();
  const lab::openblas& shipped = lab::openblas::as_shipped();
  ASSERT_TRUE(shipped.available()) << shipped.fault();
  const bool by_user = std::getenv(lab::openblas_core_variable) != nullptr;
  EXPECT_EQ(&shipped == &best, by_user || best.asked_core().empty());
  EXPECT_TRUE(by_user || lab::better_openblas_core(best.core_name()).empty()) << best.core_name();
  if (!by_user) {
    EXPECT_EQ(shipped.asked_core(), "");
    EXPECT_EQ(lab::better_openblas_core(shipped.core_name()), best.asked_core());
  }
  const std::vector<double> ones(1000, 1.0);
  EXPECT_EQ(shipped.set_threads(1), 1);
  EXPECT_EQ(shipped.dot(ones.data(), ones.data(), ones.size()), 1000);
}

}  // namespace
