// The second level of mode exact for one carrier, EXACTDOT_ELEMENT. One object per carrier.
#include <cuda/sum/second_level_code.cuh>

namespace exactdot::inline v0_3::cuda_engine {

#define EXACTDOT_INSTANTIATE(layout)                                                                              \
  template __device__ void add_share(const operands<EXACTDOT_ELEMENT, input_layout::layout>&, thread_share, bool, \
                                     const core::term_info&, superaccumulator<EXACTDOT_ELEMENT>&);                \
  template __device__ refined_sum refined_sum_of_share(const operands<EXACTDOT_ELEMENT, input_layout::layout>&,   \
                                                       thread_share, double, const core::term_info&);
EXACTDOT_INSTANTIATE(contiguous)
EXACTDOT_INSTANTIATE(strided)
EXACTDOT_INSTANTIATE(any)
EXACTDOT_INSTANTIATE(axes)
#undef EXACTDOT_INSTANTIATE

template __device__ core::decision decide_refined<EXACTDOT_ELEMENT>(refined_sum, error_bound, scaling, int,
                                                                    const destination&);
template __device__ bool finish_digits(const destination&, superaccumulator<EXACTDOT_ELEMENT>&, unsigned*,
                                       std::int64_t*);
template __device__ void finish_special(const destination&, const superaccumulator<EXACTDOT_ELEMENT>&);

}  // namespace exactdot::inline v0_3::cuda_engine
