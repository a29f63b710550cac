// Gradients of normalised rows in device memory: the bits of their definition (cuda/core/normalised_rows.hpp),
// which this computes on the CPU by the engine's exact sums and norms, of all types, lengths, alignments and kinds
// of data.
#include <plan/normalise.hpp>

#include "cuda/on_gpu/normalised_calls.hpp"

namespace {

using namespace exactdot;
using namespace on_gpu;

class cuda_gradient : public needs_gpu {};

/// The bits of a float rounded to a type; of a NaN, those of the contract's.
std::uint64_t rounded(element_type type, float x) {
  const core::number_format to = core::format_of(type);
  if (std::isnan(x)) return core::nan_word(to);
  if (std::isinf(x)) return core::infinity_word(to, x < 0);
  const std::uint64_t word = core::round_finite(to, x);
  return x == 0 && std::signbit(x) ? core::sign_bit(to, true) : word;
}
/// Any NaN as that of the contract.
std::uint64_t without_payload(element_type type, std::uint64_t bits) {
  const core::number_format of = core::format_of(type);
  return (bits & ~core::sign_bit(of, true)) > core::infinity_word(of, false) ? core::nan_word(of) : bits;
}

/// x, g and weights by their values.
struct gradient_case {
  element_type type;
  std::size_t rows, n;
  bool is_centred;
  double epsilon;
  std::vector<float> x, g, weight = {};
  std::size_t skew = 0;  ///< elements before the first, of x
};

/// What the definition makes of it: x̂, and the bits of the gradient.
struct expected_gradient {
  std::vector<float> normal;
  words gradient;

  explicit expected_gradient(const gradient_case& of) : normal(of.x.size()), gradient(of.x.size()) {
    const std::span<const float> none;
    const rows<float> x{of.x.data(), of.rows, of.n};
    if (of.is_centred) {
      layer_norm(x, none, none, normal, of.epsilon);
    } else {
      rms_norm(x, none, normal, of.epsilon);
    }
    for (std::size_t row = 0; row < of.rows; ++row) find_row(of, row);
  }

 private:
  void find_row(const gradient_case& of, std::size_t row) {
    const std::span x = std::span(of.x).subspan(row * of.n, of.n);
    const std::span unit = std::span(normal).subspan(row * of.n, of.n);
    std::vector<float> h(of.g.begin() + static_cast<std::ptrdiff_t>(row * of.n),
                         of.g.begin() + static_cast<std::ptrdiff_t>((row + 1) * of.n));
    for (std::size_t i = 0; i < of.n && !of.weight.empty(); ++i) h[i] = h[i] * of.weight[i];
    const auto count = static_cast<float>(of.n);
    const double v = of.is_centred ? variance<double>(x) : sum_of_squares<double>(x) / static_cast<double>(of.n);
    const auto scale = static_cast<float>(1 / std::sqrt(v + of.epsilon));
    const float along = dot<float>(h, unit) / count, mean = of.is_centred ? sum<float>(h) / count : 0;
    for (std::size_t i = 0; i < of.n; ++i) {
      volatile float part = unit[i] * along;  // no fused operation
      part = h[i] - part;
      if (of.is_centred) part = part - mean;
      part = part * scale;
      gradient[row * of.n + i] = rounded(of.type, part);
    }
  }
};

/// An array in device memory, `skew` elements behind an aligned address.
class skewed_array {
 public:
  skewed_array(element_type type, const std::vector<float>& x, std::size_t skew)
      : bytes_(bytes_of(words_of(type, x), type, skew, x.size(), x.size())), skew_(skew * size_of(type)) {}
  [[nodiscard]] unsigned char* data() const { return bytes_.data() + skew_; }

 private:
  static words words_of(element_type type, const std::vector<float>& x) {
    words to;
    for (const float each : x) to.push_back(rounded(type, each));
    return to;
  }
  device_vector<unsigned char> bytes_;
  std::size_t skew_;
};

void expect_gradient(const gradient_case& of, const std::string& name) {
  if (!is_tried()) return;
  const expected_gradient expected(of);
  const std::size_t count = of.x.size();
  const skewed_array x(of.type, of.x, of.skew), g(of.type, of.g, of.skew),
      out(of.type, std::vector<float>(count, 7), of.skew);
  const device_vector<float> weight(of.weight), normal(count);
  cuda::workspace workspace;
  if (of.n % 3 != 0) workspace.library_storage().multiprocessors = 1;
  cuda::detail::enqueue_gradients(workspace,
                                  {of.is_centred, of.epsilon, of.rows, of.n, of.type, x.data(), g.data(),
                                   of.weight.empty() ? nullptr : weight.data(), normal.data(), out.data()});
  workspace.check();
  const std::vector<float> units = normal.read(count);
  std::vector<unsigned char> bytes(count * size_of(of.type));
  ASSERT_EQ(cudaMemcpy(bytes.data(), out.data(), bytes.size(), cudaMemcpyDeviceToHost), cudaSuccess);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t found = 0;
    std::memcpy(&found, &bytes[i * size_of(of.type)], size_of(of.type));
    const std::string where = name + ", " + std::string(name_of(of.type)) +
                              (of.is_centred ? ", layer norm" : ", RMS norm") +
                              (of.weight.empty() ? "" : ", weights") + ", " + std::to_string(of.rows) + " x " +
                              std::to_string(of.n) + ", element " + std::to_string(i);
    ASSERT_EQ(rounded(element_type::float32, units[i]), rounded(element_type::float32, expected.normal[i]))
        << where;
    ASSERT_EQ(without_payload(of.type, found), expected.gradient[i])
        << where << ": " << oracle::describe({of.type, found}) << ", not "
        << oracle::describe({of.type, expected.gradient[i]});
  }
}

std::vector<float> values(data kind, oracle::rng& random, std::size_t n, element_type type) {
  std::vector<float> x;
  for (const std::uint64_t each : encoded(type, row_of(kind, random, n, type))) {
    x.push_back(static_cast<float>(value_of(type, each)));
  }
  return x;
}

constexpr element_type types[] = {element_type::bfloat16, element_type::float16, element_type::float32};

/// Rows of x and g of one kind each.
gradient_case make_case(data of_x, data of_g, oracle::rng& random, element_type type, std::size_t n) {
  constexpr double epsilons[] = {1e-5, 1e-6, 0, 1e-12};
  gradient_case made{type, 1 + random.below(3), n, random.coin(), epsilons[random.below(4)], {}, {}};
  for (std::size_t row = 0; row < made.rows; ++row) {
    const std::vector<float> x = values(of_x, random, n, type), g = values(of_g, random, n, type);
    made.x.insert(made.x.end(), x.begin(), x.end()), made.g.insert(made.g.end(), g.begin(), g.end());
  }
  if (random.coin()) made.weight = values(data::bells, random, n, element_type::float32);
  made.skew = random.coin() ? 0 : random.below(9);
  return made;
}

void expect_kinds(data of_x, data of_g, const std::string& name, unsigned salt) {
  for (const element_type type : types) {
    oracle::rng random(salt + 100 * static_cast<unsigned>(type));
    for (const std::size_t n : {1, 2, 7, 8, 32, 33, 128, 264, 1000, 1024, 2056, 4096, 8192, 20000}) {
      if (n > at_most(30000, 3000) || (is_simulated() && n > 300 && random.coin())) continue;
      expect_gradient(make_case(of_x, of_g, random, type, n), name);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_F(cuda_gradient, ordinary_rows_have_the_bits_of_the_definition) {
  expect_kinds(data::bells, data::bells, "bells", 1);
}
TEST_F(cuda_gradient, integers_have_the_bits_of_the_definition) {
  expect_kinds(data::integers, data::integers, "integers", 2);
}
TEST_F(cuda_gradient, gradients_of_zeros_are_zeros) { expect_kinds(data::bells, data::zeros, "no gradient", 3); }
TEST_F(cuda_gradient, rows_of_zeros_have_the_bits_of_the_definition) {
  expect_kinds(data::zeros, data::bells, "zeros", 4);
}
TEST_F(cuda_gradient, equal_elements_have_the_bits_of_the_definition) {
  expect_kinds(data::equal, data::equal, "equal", 5);
}
TEST_F(cuda_gradient, sums_that_cancel_have_the_bits_of_the_definition) {
  expect_kinds(data::cancelling, data::cancelling, "cancelling", 6);
}
TEST_F(cuda_gradient, signs_have_the_bits_of_the_definition) { expect_kinds(data::signs, data::signs, "signs", 7); }
TEST_F(cuda_gradient, all_exponents_have_the_bits_of_the_definition) {
  expect_kinds(data::exponents, data::exponents, "exponents", 8);
}
TEST_F(cuda_gradient, subnormal_elements_have_the_bits_of_the_definition) {
  expect_kinds(data::tiny, data::tiny, "tiny", 9);
}
TEST_F(cuda_gradient, rows_far_from_zero_have_the_bits_of_the_definition) {
  expect_kinds(data::far_mean, data::one_hot, "far mean", 10);
}

/// Infinities, NaNs and negative zeros, in x, in g or in the weights.
TEST_F(cuda_gradient, special_values_have_the_bits_of_the_definition) {
  const float specials[] = {HUGE_VALF, -HUGE_VALF, NAN, -0.0F};
  for (const element_type type : types) {
    oracle::rng random(50 + static_cast<unsigned>(type));
    for (int trial = 0; trial < 24; ++trial) {
      gradient_case of = make_case(data::bells, data::bells, random, type, 1 + random.below(70));
      std::vector<float>& where = trial % 3 == 0 ? of.x : trial % 3 == 1 || of.weight.empty() ? of.g : of.weight;
      for (std::size_t k = 0; k <= random.below(3); ++k)
        where[random.below(where.size())] = specials[random.below(4)];
      if (trial == 4) where.assign(where.size(), -0.0F);
      expect_gradient(of, "special values");
      if (HasFatalFailure()) return;
    }
  }
}

/// Σh·x̂ is half way between two floats, or next to it: only an exact sum tells.
TEST_F(cuda_gradient, sums_next_to_ties_have_the_bits_of_the_definition) {
  oracle::rng random(11);
  for (int trial = 0; trial < 20; ++trial) {
    gradient_case of{element_type::float32, 2, 64, trial % 2 == 0, 0, {}, {}};
    for (std::size_t i = 0; i < of.rows * of.n; ++i) of.x.push_back(i % 2 == 0 ? 1 : -1);  // x̂ = x
    for (std::size_t row = 0; row < of.rows; ++row) {
      std::vector<float> g(of.n, 0);
      const auto odd = static_cast<float>((std::uint64_t{1} << 23) + random.below(std::uint64_t{1} << 23));
      g[0] = odd, g[2] = 0.5F;                                    // a tie
      if (row == 1) g[4] = random.coin() ? 0x1p-60F : -0x1p-60F;  // or beside it
      if (random.coin()) g[6] = 0x1p80F, g[8] = -0x1p80F;         // and what cancels
      of.g.insert(of.g.end(), g.begin(), g.end());
    }
    expect_gradient(of, "ties");
    if (HasFatalFailure()) return;
  }
}

/// Σh cancels, where x̂ is 0 and nothing else is open.
TEST_F(cuda_gradient, means_that_cancel_have_the_bits_of_the_definition) {
  for (const element_type type : types) {
    oracle::rng random(60 + static_cast<unsigned>(type));
    for (const std::size_t n : {16, 64, 264, 1000}) {
      gradient_case of{type, 1, n, true, 1e-5, std::vector<float>(n, 0), values(data::cancelling, random, n, type)};
      expect_gradient(of, "means that cancel");
      if (HasFatalFailure()) return;
    }
  }
}

/// 1/√(v + ε) is half way between two floats, but for some roundings of doubles: the definition's decide.
TEST_F(cuda_gradient, scales_next_to_ties_have_the_bits_of_the_definition) {
  oracle::rng random(12);
  const auto any_tie = [&] {
    return static_cast<double>((std::uint64_t{1} << 24) + 2 * random.below(std::uint64_t{1} << 23) + 1);
  };
  for (int trial = 0; trial < 12; ++trial) {
    gradient_case of{element_type::float32, 1, 8, trial % 2 == 0, 0, std::vector<float>(8, 0), {}};
    of.g = values(data::bells, random, of.n, of.type);
    const double tie = std::ldexp(any_tie(), random.between(-24, -10));
    of.epsilon = 1 / (tie * tie);
    expect_gradient(of, "ties of scales");
    if (HasFatalFailure()) return;
  }
}

/// The same where plain sums of squares lose elements: without them 1/√(v + ε) lies on the other side of the tie.
TEST_F(cuda_gradient, scales_from_sums_that_round_have_the_bits_of_the_definition) {
  constexpr std::size_t n = 16384;  // 512 lanes have 8 packs of 4 each, as tuned
  gradient_case of{element_type::float32, 1, n, false, 0, std::vector<float>(n, 0), std::vector<float>(n, 0)};
  const float little = 0x1.69p-27F;  // its square is just below 2^-53
  for (std::size_t i = 0; i < n; i += 2) of.x[i] = i < 2048 && i % 4 == 0 ? 1 : little;
  for (std::size_t i = 0; i < n; ++i) of.g[i] = static_cast<float>(i % 5) - 2;
  long double squares = 0;
  for (const float each : of.x) squares += static_cast<long double>(each) * each;
  const auto all = static_cast<long double>(n), middle = (squares + 512) / (2 * all);  // 512 alone is the plain sum
  long double scale = 1 / std::sqrt(middle), unit = std::ldexp(1.0L, -21);             // of floats from 4 to 8
  scale = (std::floor(scale / unit) - 0.5L) * unit;
  of.epsilon = static_cast<double>(1 / (scale * scale) - middle);
  expect_gradient(of, "sums that round");
}

}  // namespace
