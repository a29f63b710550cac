// Reductions over several axes that no one stride describes, of arrays in a GPU's memory, through the public calls:
// the bits of the CPU's batch for every reduction and type, many lines and one, and their states.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstring>
#include <exactdot/cuda/batch_states.hpp>
#include <exactdot/cuda/batches.hpp>
#include <exactdot/exactdot.hpp>
#include <string>
#include <vector>

#include "cuda/on_gpu/support.hpp"

namespace {

using namespace exactdot;
using namespace on_gpu;
using cuda_element_axes = needs_gpu;

/// An array in C order, of which some positions along each axis are used: every step-th.
struct array_shape {
  std::vector<std::size_t> lengths;
  std::vector<bool> is_reduced;
  std::vector<std::size_t> steps = std::vector<std::size_t>(lengths.size(), 1);

  [[nodiscard]] std::size_t elements() const {
    std::size_t all = 1;
    for (const std::size_t n : lengths) all *= n;
    return all;
  }
  /// The shape or, on the simulator, one of no more than some hundred elements.
  [[nodiscard]] array_shape that_fits() const {
    array_shape made = *this;
    while (made.elements() > at_most(elements(), 600)) {
      std::size_t& longest = *std::max_element(made.lengths.begin(), made.lengths.end());
      longest = (longest + 1) / 2;
    }
    return made;
  }
  [[nodiscard]] std::vector<axis> axes(std::size_t size, bool reduced) const {
    std::vector<axis> made;
    std::size_t stride = size;
    for (std::size_t k = lengths.size(); k-- != 0; stride *= lengths[k]) {
      if (is_reduced[k] != reduced) continue;
      made.insert(made.begin(),
                  {(lengths[k] + steps[k] - 1) / steps[k], static_cast<std::ptrdiff_t>(stride * steps[k])});
    }
    return made;
  }
  [[nodiscard]] std::string name() const {
    std::string made;
    for (std::size_t k = 0; k < lengths.size(); ++k) {
      made += (k == 0 ? "" : " x ") + std::to_string(lengths[k]) + (is_reduced[k] ? "*" : "");
    }
    return made;
  }
};

std::vector<axis> contiguous_axes(const std::vector<axis>& like, std::size_t size) {
  std::vector<axis> made = like;
  std::size_t stride = size;
  for (std::size_t k = made.size(); k-- != 0; stride *= made[k].n)
    made[k].stride = static_cast<std::ptrdiff_t>(stride);
  return made;
}

std::size_t positions(const std::vector<axis>& axes) {
  std::size_t all = 1;
  for (const axis& each : axes) all *= each.n;
  return all;
}

/// Random numbers; of floating-point types without NaNs and infinities.
std::vector<unsigned char> random_numbers(element_type type, std::size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<unsigned char> made(n * size_of(type));
  for (unsigned char& each : made) each = static_cast<unsigned char>(generator() >> 11);
  if (is_integer(type)) return made;
  for (std::size_t i = size_of(type) - 1; i < made.size(); i += size_of(type)) made[i] &= 0xbf;
  return made;
}

void expect_batch_of_cpu(reduction what, element_type type, element_type result, const array_shape& given,
                         unsigned seed) {
  const array_shape shape = given.that_fits();
  const auto a = random_numbers(type, shape.elements(), seed), b = random_numbers(type, shape.elements(), seed + 1);
  const std::size_t size = size_of(type), of_result = size_of(result);
  const std::vector<axis> results = shape.axes(size, false), elements = shape.axes(size, true),
                          places = contiguous_axes(results, of_result);
  const std::size_t count = positions(results);
  const device_vector<unsigned char> x(a), y(b), out(std::vector<unsigned char>(count * of_result, 0x5a));
  std::vector<unsigned char> expected(count * of_result);
  cuda::workspace workspace;
  const auto run = [&](const unsigned char* first, const unsigned char* second, unsigned char* to, bool waits,
                       device device) {
    const any_grid of_a{first, type, results, elements}, of_b{second, type, results, elements};
    const any_results into{to, result, places};
    const options options{.device = device};
    if (what == reduction::dot) {
      waits ? dot(of_a, of_b, into, options) : cuda::dot(workspace, of_a, of_b, into, options);
    } else {
      waits ? reduce(what, of_a, into, options) : cuda::reduce(workspace, what, of_a, into, options);
    }
  };
  run(a.data(), b.data(), expected.data(), true, device::cpu);
  for (const bool waits : {true, false}) {
    ASSERT_EQ(cudaMemset(out.data(), 0x5a, expected.size()), cudaSuccess);
    run(x.data(), y.data(), out.data(), waits, device::automatic);
    const auto found = out.read(expected.size());
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(std::memcmp(&found[i * of_result], &expected[i * of_result], of_result), 0)
          << name_of(what) << " of " << name_of(type) << " to " << name_of(result) << ", result " << i << " of "
          << shape.name() << (waits ? ", waits" : "");
    }
  }
}

const array_shape shapes[] = {
    {{37, 50, 40}, {true, false, true}},              // (0, 2) of three
    {{64, 3, 30, 50}, {true, false, true, true}},     // the batch and the pixels of each channel
    {{9, 700, 11, 13}, {false, true, false, true}},   // several axes of results, too
    {{33, 1000, 20}, {true, true, true}, {1, 2, 1}},  // one result
    {{70, 41, 90}, {true, true, false}, {1, 3, 1}},   // columns
    {{3, 4, 5, 6, 7, 8}, {true, false, true, false, true, false}},
    {{4, 3, 2, 3, 2, 3}, {true, true, true, true, true, true}, {1, 2, 1, 2, 1, 2}},
};

TEST_F(cuda_element_axes, have_the_exact_results_of_the_cpu) {
  unsigned seed = 1;
  for (const array_shape& shape : shapes) {
    for (const element_type type : {element_type::float32, element_type::float64, element_type::bfloat16,
                                    element_type::int64, element_type::uint8}) {
      for (const reduction what : {reduction::sum, reduction::dot, reduction::asum, reduction::nrm2,
                                   reduction::mean, reduction::variance, reduction::stddev}) {
        expect_batch_of_cpu(what, type, seed % 2 == 0 ? element_type::float64 : element_type::float32, shape,
                            seed);
        ++seed;
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(cuda_element_axes, have_the_extrema_of_the_cpu) {
  unsigned seed = 1000;
  for (const array_shape& shape : shapes) {
    for (const element_info& info : elements) {
      for (const reduction what : {reduction::min, reduction::max, reduction::argmin, reduction::argmax}) {
        expect_batch_of_cpu(what, info.type, gives_index(what) ? element_type::int64 : info.type, shape,
                            ++seed);
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// One result of 2^24 elements, and a few of 2^21: all multiprocessors read them.
TEST_F(cuda_element_axes, of_few_long_lines_have_the_bits_of_the_cpu) {
  unsigned seed = 3000;
  for (const array_shape& shape : {array_shape{{512, 32, 2048}, {true, true, true}, {1, 2, 1}},
                                   array_shape{{512, 8, 4096}, {true, false, true}}}) {
    for (const reduction what : {reduction::sum, reduction::variance, reduction::argmax}) {
      expect_batch_of_cpu(what, element_type::float32,
                          gives_index(what) ? element_type::int64 : element_type::float64, shape,
                          ++seed);
    }
    expect_batch_of_cpu(reduction::variance, element_type::int64, element_type::float64, shape,
                        ++seed);
  }
}

TEST_F(cuda_element_axes, have_the_states_of_the_cpu) {
  for (const array_shape& given : shapes) {
    const array_shape shape = given.that_fits();
    const std::vector<float> a = uniform<float>(shape.elements(), 7);
    const std::vector<axis> results = shape.axes(4, false), elements = shape.axes(4, true);
    const device_vector<float> x(a);
    for (const reduction what : {reduction::sum, reduction::variance}) {
      std::vector<std::int64_t> expected(positions(results) * state_words<float>(what, state_form::compact));
      const device_vector<std::int64_t> words(expected);
      cuda::workspace workspace;
      reduce_into(what, any_grid{a.data(), element_type::float32, results, elements}, expected,
                  state_form::compact);
      cuda::reduce_into(workspace, what, any_grid{x.data(), element_type::float32, results, elements}, words.data(),
                        state_form::compact);
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      expect_same(words, expected, std::string(name_of(what)) + " of " + shape.name());
    }
  }
}

TEST_F(cuda_element_axes, of_which_there_are_too_many_are_refused) {
  const device_vector<float> x(uniform<float>(6561 * 2, 1)), out(std::vector<float>(1, 7.0F));
  std::vector<axis> elements;
  std::ptrdiff_t stride = 4;
  for (int k = 0; k < 7; ++k, stride *= 3) elements.insert(elements.begin(), {2, stride});
  const any_grid grid{x.data(), element_type::float32, {}, elements};
  expect_error(errc::bad_option, "7 axes that no one stride describes", [&] {
    reduce(reduction::sum, grid, any_results{out.data(), element_type::float32, {}});
  });
  expect_same(out, {7.0F}, "refused");
}

}  // namespace
