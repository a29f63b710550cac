// rounded_down_grid: a grid of n / block blocks instead of n / block rounded up, one element per thread.
//
// The last n mod block elements are never read. For n < block the grid has no block at all: the launch is refused,
// and a program that ignores the error prints the initial value of the sum.
#include <lab/block_combine.cuh>
#include <lab/hazard_kernel.hpp>

namespace exactdot::lab {
namespace {

constexpr int threads = 256;

__global__ void add_elements(const float* x, int n, float* total) {
  const std::size_t i = thread_in_grid();
  const float value = fold_warp<sum>(i < static_cast<std::size_t>(n) ? x[i] : 0.0F);
  if (threadIdx.x % 32 == 0) atomicAdd(total, value);
}

struct launched_sum {
  float sum;
  std::string refusal;  ///< message of the launch; "" if it was accepted
};

launched_sum sum_of_ones(gpu::stream& stream, int n, int blocks) {
  gpu::buffer<float> x(stream, static_cast<std::size_t>(n)), total(stream, 1);
  fill_ones(x);
  total.fill_zero();
  const std::string refusal = error_of([&] {
    gpu::launch(add_elements, static_cast<unsigned>(blocks), threads, 0, stream, x.data(), n, total.data());
  });
  return {only_value(total), refusal};
}

hazard_outcome run_grid(const hazard_request& request) {
  seeded_stream stream(request.seed);
  const launched_sum multiple = sum_of_ones(stream, 1024, 1024 / threads);
  const launched_sum odd = sum_of_ones(stream, 1000, 1000 / threads);
  const launched_sum few = sum_of_ones(stream, 100, 100 / threads);
  const launched_sum rounded_up = sum_of_ones(stream, 1000, (1000 + threads - 1) / threads);
  hazard_outcome outcome;
  outcome.detected = take_findings(stream);
  outcome.expected =
      "1024 for 1024 ones, 768 for 1000, 0 and a refused launch for 100; 1000 with the grid rounded up";
  outcome.observed = format_text(
      "%g for 1024 ones, %g for 1000, %g and %s launch for 100; %g with the grid rounded up", multiple.sum, odd.sum,
      few.sum, few.refusal.empty() ? "an accepted" : "a refused", rounded_up.sum);
  outcome.as_expected = multiple.sum == 1024 && odd.sum == 768 && few.sum == 0 && !few.refusal.empty() &&
                        rounded_up.sum == 1000 && outcome.detected.empty();
  outcome.figures = {{"sum_of_1024", static_cast<double>(multiple.sum)},
                     {"sum_of_1000", static_cast<double>(odd.sum)},
                     {"sum_of_100", static_cast<double>(few.sum)},
                     {"rounded_up", static_cast<double>(rounded_up.sum)}};
  return outcome;
}

const register_hazard registration{
    {.number = 17,
     .name = "rounded_down_grid",
     .file = "rounded_down_grid.cu",
     .effect = "Adds n ones with one element per thread on n / 256 blocks of 256, for n = 1024, 1000 and 100.",
     .cause =
         "Integer division rounds down: n / 256 blocks have fewer than n threads unless 256 divides n. The last "
         "elements have no thread. For n < 256 the grid is empty and the launch returns an error that must be "
         "asked for.",
     .fix = "Launch (n + block - 1) / block blocks with if (i < n) in the kernel, or loop over the vector with the "
            "stride of the grid: rung shared_atomic. Check the result of every launch."},
    run_grid};

}  // namespace
}  // namespace exactdot::lab
