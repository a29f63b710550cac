// lost_tail: 16-byte loads of n / 4 packs, and nothing for the last n mod 4 elements.
//
// The result is right if 4 divides n. Tests with powers of two therefore pass.
#include <lab/block_combine.cuh>
#include <lab/hazard_kernel.hpp>

namespace exactdot::lab {
namespace {

template <bool with_tail>
__global__ void add_packs(const float* x, std::size_t n, float* total) {
  const float4* const packs = reinterpret_cast<const float4*>(x);
  float value = 0;
  for (std::size_t i = thread_in_grid(); i < n / 4; i += threads_in_grid()) {
    const float4 pack = packs[i];
    value += pack.x + pack.y + pack.z + pack.w;
  }
  if (with_tail && thread_in_grid() < n % 4) value += x[n / 4 * 4 + thread_in_grid()];
  value = fold_warp<sum>(value);
  if (threadIdx.x % 32 == 0) atomicAdd(total, value);
}

template <bool with_tail>
float sum_of_ones(gpu::stream& stream, std::size_t n) {
  gpu::buffer<float> x(stream, n), total(stream, 1);
  fill_ones(x);
  total.fill_zero();
  gpu::launch(add_packs<with_tail>, 2, 64, 0, stream, x.data(), n, total.data());
  return only_value(total);
}

hazard_outcome run_lost_tail(const hazard_request& request) {
  seeded_stream stream(request.seed);
  const float power = sum_of_ones<false>(stream, 1024), odd = sum_of_ones<false>(stream, 1001);
  const float with_tail = sum_of_ones<true>(stream, 1001);
  hazard_outcome outcome;
  outcome.detected = take_findings(stream);
  outcome.expected = "1024 for 1024 ones, 1000 for 1001, and no finding; 1001 with a loop for the tail";
  outcome.observed =
      format_text("%g for 1024 ones, %g for 1001; %g with a loop for the tail", power, odd, with_tail);
  outcome.as_expected = power == 1024 && odd == 1000 && with_tail == 1001 && outcome.detected.empty();
  outcome.figures = {{"sum_of_1024", static_cast<double>(power)},
                     {"sum_of_1001", static_cast<double>(odd)},
                     {"with_tail", static_cast<double>(with_tail)}};
  return outcome;
}

const register_hazard registration{
    {.number = 15,
     .name = "lost_tail",
     .file = "lost_tail.cu",
     .effect = "Adds n ones by 16-byte loads of n / 4 packs, for n = 1024 and n = 1001.",
     .cause =
         "The division discards the remainder: the last n mod 4 elements belong to no pack and are never read: no "
         "fault to any tool, but a note of simtcc, unread_global. The result is wrong only for some n.",
     .fix = "Add the elements after the last pack one by one: rung vectorized, lab/wide_loads.cuh. Test lengths "
            "that no "
            "block, warp or pack divides."},
    run_lost_tail};

}  // namespace
}  // namespace exactdot::lab
