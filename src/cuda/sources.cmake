# The files of the CUDA engine, for the library (src/CMakeLists.txt) and for the tests, which compile it for the simulator
# too (tests/cuda/on_simt). Paths are relative to src.
set(cuda_host_files
  cuda/host/batch_engine.cpp
  cuda/host/driver.cpp
  cuda/host/engine.cpp
  cuda/host/group_engine.cpp
  cuda/host/group_state_engine.cpp
  cuda/host/line_engine.cpp
  cuda/host/list_engine.cpp
  cuda/host/normalise_engine.cpp
  cuda/host/peer_sums.cpp
  cuda/host/reduce.cpp
  cuda/host/router.cpp
  cuda/host/row_group_engine.cpp
  cuda/host/staging_pipeline.cpp
  cuda/host/state_engine.cpp
  cuda/host/states.cpp
  cuda/host/workspace.cpp)
# kernels that no carrier multiplies; those of each carrier, EXACTDOT_ELEMENT; and of each size of an element,
# EXACTDOT_ELEMENT_BYTES
set(cuda_common_kernels
  cuda/group/sort_rows.cu
  cuda/host/copies.cu
  cuda/host/launch_extrema.cu
  cuda/host/launch_finishes.cu
  cuda/host/launch_gradients.cu
  cuda/host/launch_integer_moments.cu
  cuda/host/launch_moments.cu
  cuda/host/launch_normalise.cu
  cuda/host/launch_offsets.cu
  cuda/host/launch_right_sides.cu
  cuda/words/launch_peers.cu
  cuda/words/launch_states.cu
  cuda/work/gradient_again.cu)
set(cuda_group_kernels
  cuda/group/launch_groups.cu)
set(cuda_carriers float double)
set(cuda_kernels_of_carrier
  cuda/host/launch_vectors.cu
  cuda/host/launch_any_lines.cu
  cuda/host/launch_converted.cu
  cuda/host/launch_line_moments.cu
  cuda/host/launch_line_states.cu
  cuda/host/launch_lines.cu
  cuda/host/launch_row_groups.cu
  cuda/host/launch_lists.cu
  cuda/host/launch_segments.cu
  cuda/sum/second_level.cu
  cuda/work/normalise_again.cu)
set(cuda_element_sizes 1 2 4 8)
set(cuda_kernels_of_size
  cuda/host/launch_line_extrema.cu)
