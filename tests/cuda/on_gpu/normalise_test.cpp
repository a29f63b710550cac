// RMS norm and layer norm of rows in device memory: every element has the bits of the real number rounded once, as
// MPFR finds it, of all types, lengths, alignments and kinds of data.
#include "cuda/on_gpu/normalised_calls.hpp"

namespace {

using namespace exactdot;
using namespace on_gpu;

class cuda_normalise : public needs_gpu {};

constexpr std::size_t lengths[] = {1,   2,   3,   7,   8,    9,    16,   31,   32,   33,
                                   100, 128, 255, 512, 1000, 1001, 1024, 1032, 2056, 4096};

void expect_kind(data kind, const std::string& name, unsigned salt, std::size_t longest = 4096) {
  using enum element_type;
  for (const element_type type : {bfloat16, float16, float32, float64}) {
    oracle::rng random(salt + 100 * static_cast<unsigned>(type));
    for (const std::size_t n : lengths) {
      const bool is_wide =  // exactly, by one thread
          kind == data::exponents || kind == data::bits || kind == data::signs;
      if (n > at_most(longest, type != float64 ? 2056
                               : is_wide       ? 16
                                               : 128) ||
          (is_simulated() && n > 300 && random.below(3) == 0))
        continue;
      expect_right(any_case(random, type, n, kind), name);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_F(cuda_normalise, elements_of_ordinary_rows_are_rounded_once) { expect_kind(data::bells, "bells", 1); }
TEST_F(cuda_normalise, ties_are_rounded_to_even) { expect_kind(data::ties, "ties", 2); }
TEST_F(cuda_normalise, small_integers_are_rounded_once) { expect_kind(data::integers, "integers", 13); }
TEST_F(cuda_normalise, sums_that_cancel_are_rounded_once) { expect_kind(data::cancelling, "cancelling", 14); }
TEST_F(cuda_normalise, all_exponents_are_rounded_once) { expect_kind(data::exponents, "exponents", 3, 300); }
TEST_F(cuda_normalise, rows_far_from_zero_are_rounded_once) { expect_kind(data::far_mean, "far mean", 4); }
TEST_F(cuda_normalise, rows_of_equal_elements_have_no_variance) { expect_kind(data::equal, "equal", 5); }
TEST_F(cuda_normalise, elements_that_biases_cancel_are_rounded_once) { expect_kind(data::signs, "signs", 12); }
TEST_F(cuda_normalise, rows_of_one_element_are_rounded_once) { expect_kind(data::one_hot, "one hot", 6); }
TEST_F(cuda_normalise, subnormal_elements_are_rounded_once) { expect_kind(data::tiny, "tiny", 7); }
TEST_F(cuda_normalise, any_bits_are_rounded_once) { expect_kind(data::bits, "bits", 8, 300); }
TEST_F(cuda_normalise, rows_of_zeros_are_zero_or_nan) { expect_kind(data::zeros, "zeros", 9, 1100); }

/// Weights that put elements next to ties, and biases that cancel nearly all of an element.
TEST_F(cuda_normalise, elements_next_to_ties_and_to_zero_are_rounded_once) {
  using enum element_type;
  for (const element_type type : {bfloat16, float16, float32, float64}) {
    for (unsigned seed = 0; seed < 6; ++seed) {
      oracle::rng random(seed + 1000);
      const std::size_t n = type == float64 ? 40 : 264;
      normalisation of{type, type == float64 ? float64 : float32, 2, n, seed % 2 == 1, 1e-5, {}};
      for (std::size_t row = 0; row < of.rows; ++row) {
        const words x = encoded(type, row_of(data::bells, random, n, type));
        of.x.insert(of.x.end(), x.begin(), x.end());
      }
      std::vector<double> weight(n, 1);
      of.weight = encoded(of.parameter_type, weight);
      if (seed % 3 == 0) of.bias = words(n, 0);
      expected_row plain(of, 0);
      std::vector<double> bias(n, 0);
      for (std::size_t i = 0; i < n; ++i) {
        const oracle::number y = oracle::decode(type, plain.element(i));
        const double value = std::ldexp(static_cast<double>(y.value.mantissa), y.value.exponent);
        const double half = std::ldexp(random.coin() ? 0.5 : -0.5, y.value.exponent);
        if (value == 0) continue;
        if (seed % 3 == 0) bias[i] = y.value.negative ? value : -value;
        weight[i] = (value + half) / value;  // next to a tie: the unrounded element is near `value`
      }
      of.weight = encoded(of.parameter_type, weight);
      if (seed % 3 == 0)
        of.bias = encoded(of.parameter_type, bias),
        of.weight = encoded(of.parameter_type, std::vector<double>(n, 1));
      expect_right(of, "seed " + std::to_string(seed));
      if (HasFatalFailure()) return;
    }
  }
}

/// Elements 3·w/2 for weights w nearest to 2·t/3, of ties t: some 2^-25 of t beside them, so that a float is the
/// tie.
TEST_F(cuda_normalise, elements_close_to_ties_are_rounded_once) {
  using enum element_type;
  const std::vector<double> of_mean_square_4{3, 3, 2, 1, 1, 0};
  for (const element_type type : {bfloat16, float16}) {
    oracle::rng random(5);
    normalisation of{type, float32, 4, 48, false, 0, {}};
    std::vector<double> weight, x;
    for (std::size_t i = 0; i < of.n; ++i) {
      const int bits = type == bfloat16 ? 7 : 10;
      std::uint64_t twice = 0;  // the tie; none of 3, of which the element would be the tie itself
      while (twice % 3 == 0) twice = 2 * ((std::uint64_t{1} << bits) + random.below(std::uint64_t{1} << bits)) + 1;
      weight.push_back(static_cast<double>(static_cast<float>(static_cast<double>(twice) / 3)) *
                       (random.coin() ? 1 : -1));
    }
    for (std::size_t i = 0; i < of.rows * of.n; ++i) x.push_back(of_mean_square_4[i % 6]);
    of.x = encoded(type, x), of.weight = encoded(float32, weight);
    expect_right(of, "close to ties");
    if (HasFatalFailure()) return;
  }
}

/// z, of which a bias is the most, is one unit of a double beside a tie and errs by more than the rest of its row
/// tells.
TEST_F(cuda_normalise, biases_that_are_most_of_an_element_are_rounded_once) {
  using enum element_type;
  normalisation of{float32, float32, 1, 12, true, 1e-5, {}};
  of.x = encoded(float32, {0x1.98bb98p+1, 0x1.10fe2p+1, 0x1.201adp+1, 0x1.142adcp+2, 0x1.ee32cp-2, -0x1.b347dp+0,
                           0x1.0f9c58p+1, 0x1.b72278p+1, 0x1.45a58p-1, 0x1.b1d2p-4, 0x1.d620dp+0, 0x1.b7b2dp+0});
  of.weight = encoded(float32, std::vector<double>(of.n, 0x1.6c7508p+1));
  of.bias = encoded(float32, std::vector<double>(of.n, 1.25));
  expect_right(of, "bias");
}

TEST_F(cuda_normalise, results_below_the_normal_numbers_are_rounded_once) {
  using enum element_type;
  for (const element_type type : {float16, bfloat16}) {
    for (const bool is_centred : {false, true}) {
      oracle::rng random(6);
      normalisation of{type, float32, 5, 264, is_centred, 1e-5, {}};
      for (std::size_t row = 0; row < of.rows; ++row) {
        const words x = encoded(type, row_of(data::bells, random, of.n, type));
        of.x.insert(of.x.end(), x.begin(), x.end());
      }
      std::vector<double> weight = row_of(data::bells, random, of.n, float32);
      for (double& each : weight) each = std::ldexp(each, type == float16 ? -17 : -128);
      of.weight = encoded(float32, weight);
      expect_right(of, "subnormal results");
      if (HasFatalFailure()) return;
    }
  }
}

/// A row has the same bits alone and among others, wherever it lies.
TEST_F(cuda_normalise, a_row_has_the_same_bits_in_every_batch) {
  using enum element_type;
  for (const element_type type : {bfloat16, float16, float32, float64}) {
    oracle::rng random(77);
    normalisation all{type, float32, 9, 136, true, 1e-6, {}};
    for (std::size_t row = 0; row < all.rows; ++row) {
      const words x = encoded(type, row_of(row % 2 == 0 ? data::bells : data::far_mean, random, all.n, type));
      all.x.insert(all.x.end(), x.begin(), x.end());
    }
    all.weight = encoded(float32, row_of(data::bells, random, all.n, float32));
    cuda::workspace workspace;
    const words together = results_of(all, workspace);
    for (std::size_t row = 0; row < all.rows; ++row) {
      normalisation alone = all;
      const auto first = all.x.begin() + static_cast<std::ptrdiff_t>(row * all.n);
      alone.rows = 1, alone.x = words(first, first + static_cast<std::ptrdiff_t>(all.n));
      alone.skew_x = row, alone.skew_out = row % 3;
      const words found = results_of(alone, workspace);
      for (std::size_t i = 0; i < all.n; ++i)
        ASSERT_EQ(found[i], together[row * all.n + i]) << name_of(type) << ", row " << row;
    }
  }
}

TEST_F(cuda_normalise, long_rows_are_rounded_once) {
  using enum element_type;
  for (const element_type type : {bfloat16, float16, float32, float64}) {
    oracle::rng random(31);
    for (const std::size_t n : {4097, 20000, 100000}) {
      const std::size_t length = at_most(n, type == float64 ? 1500 : 17000);
      normalisation of{
          type, type, 1, length, n % 2 == 1, 1e-5, encoded(type, row_of(data::bells, random, length, type))};
      of.gap = (16 - length % 16) % 16;
      of.weight = encoded(type, row_of(data::bells, random, length, type));
      expect_right(of, "long");
      if (HasFatalFailure()) return;
    }
  }
}

/// A captured call, replayed on other elements.
TEST_F(cuda_normalise, a_captured_call_normalises_what_is_there_then) {
  oracle::rng random(3);
  constexpr std::size_t n = 64, rows = 5;
  const device_vector<float> x(uniform<float>(rows * n, 1)), out(rows * n);
  test_stream stream;
  cuda::workspace workspace(stream.handle());
  const captured_graph graph(stream.handle(), [&] {
    cuda::rms_norm(workspace, exactdot::rows{x.data(), rows, n}, std::span<const float>(), out.data(), 1e-6);
  });
  for (unsigned seed = 2; seed < 4; ++seed) {
    const std::vector<float> values = uniform<float>(rows * n, seed);
    ASSERT_EQ(cudaMemcpy(x.data(), values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice),
              cudaSuccess);
    graph.launch();
    normalisation of{element_type::float32, element_type::float32, rows, n, false, 1e-6, {}};
    for (const float each : values) of.x.push_back(core::to_word(each));
    const std::vector<float> found = out.read(rows * n);
    for (std::size_t row = 0; row < rows; ++row) {
      expected_row expected(of, row);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(core::to_word(found[row * n + i]), expected.element(i));
    }
  }
}

/// Calls without a workspace find the GPU by the arrays.
TEST_F(cuda_normalise, calls_that_wait_have_the_same_bits) {
  constexpr std::size_t n = 100, m = 7;
  const std::vector<float> values = uniform<float>(m * n, 1), parameters = uniform<float>(n, 2);
  const device_vector<float> x(values), weight(parameters), out(m * n);
  std::vector<float> expected(m * n);
  layer_norm(rows{values.data(), m, n}, parameters, parameters, expected, 1e-5);
  const std::span<const float> on_device(weight.data(), n);
  layer_norm(rows{x.data(), m, n}, on_device, on_device, std::span(out.data(), m * n), 1e-5);
  expect_same(out, expected, "layer norm");
  cuda::workspace workspace;
  cuda::layer_norm(workspace, rows{x.data(), m, n}, on_device, on_device, out.data(), 1e-5);
  workspace.check();
  expect_same(out, expected, "layer norm with a workspace");
  expect_error(errc::bad_option, "host memory", [&] {
    layer_norm(rows{x.data(), m, n}, parameters, on_device, std::span(out.data(), m * n), 1e-5);
  });
}

TEST_F(cuda_normalise, wrong_calls_are_refused) {
  const device_vector<float> x(64), out(64);
  cuda::workspace workspace;
  const std::span<const float> none;
  const auto refuses = [&](errc code, const char* text, const rows<float>& in, std::span<const float> weight,
                           float* to, double epsilon) {
    expect_error(code, text, [&] { cuda::rms_norm(workspace, in, weight, to, epsilon); });
  };
  const rows<float> right{x.data(), 2, 32};
  const std::vector<float> on_host(32);
  refuses(errc::bad_option, "epsilon", right, none, out.data(), -1);
  refuses(errc::bad_option, "epsilon", right, none, out.data(), NAN);
  refuses(errc::null_pointer, "null", {nullptr, 2, 32}, none, out.data(), 1);
  refuses(errc::bad_option, "host memory", right, on_host, out.data(), 1);
  refuses(errc::size_mismatch, "weight", right, {x.data(), 31}, out.data(), 1);
  refuses(errc::bad_option, "results lie within", right, none, x.data() + 32, 1);
  cuda::rms_norm(workspace, rows<float>{nullptr, 0, 32}, none, out.data(), 1);
}

}  // namespace
