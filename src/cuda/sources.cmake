# The files of the CUDA engine, for the library (src/CMakeLists.txt) and for the tests, which compile it for the simulator
# too (tests/cuda/on_simt). Paths are relative to src.
set(cuda_host_files
  cuda/batch_engine.cpp
  cuda/driver.cpp
  cuda/engine.cpp
  cuda/group_engine.cpp
  cuda/group_state_engine.cpp
  cuda/line_engine.cpp
  cuda/peer_sums.cpp
  cuda/reduce.cpp
  cuda/segment_extrema.cpp
  cuda/staging_pipeline.cpp
  cuda/state_engine.cpp
  cuda/states.cpp
  cuda/workspace.cpp)
# kernels that no carrier multiplies; those of each carrier, EXACTDOT_ELEMENT; and of each size of an element,
# EXACTDOT_ELEMENT_BYTES
set(cuda_common_kernels
  cuda/extremum_kernel.cu
  cuda/finish_kernel.cu
  cuda/launch_integer_moments.cu
  cuda/moments_kernel.cu
  cuda/offsets_kernel.cu
  cuda/peer_kernel.cu
  cuda/state_kernel.cu)
set(cuda_group_kernels
  cuda/group_launch.cu)
set(cuda_carriers float double)
set(cuda_kernels_of_carrier
  cuda/launch.cu
  cuda/launch_any_lines.cu
  cuda/launch_converted.cu
  cuda/launch_line_moments.cu
  cuda/launch_line_states.cu
  cuda/launch_lines.cu
  cuda/launch_segments.cu
  cuda/second_level.cu)
set(cuda_element_sizes 1 2 4 8)
set(cuda_kernels_of_size
  cuda/launch_line_extrema.cu)
