# NCCL, for one example and one benchmark: from the CUDA toolkit, from the system, or from PyPI's package nvidia-nccl-cu13
# (EXACTDOT_NCCL_ROOT names the folder that holds include/ and lib/). Sets EXACTDOT_HAS_NCCL and the target exactdot_nccl.
set(EXACTDOT_NCCL_ROOT "" CACHE PATH "Folder with include/nccl.h and lib/libnccl.so; empty: the toolkit's or the system's")
find_path(EXACTDOT_NCCL_INCLUDE nccl.h HINTS ${EXACTDOT_NCCL_ROOT}/include ${CUDAToolkit_INCLUDE_DIRS})
find_library(EXACTDOT_NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS ${EXACTDOT_NCCL_ROOT}/lib ${CUDAToolkit_LIBRARY_DIR}
  ${CUDAToolkit_LIBRARY_ROOT}/lib)
mark_as_advanced(EXACTDOT_NCCL_INCLUDE EXACTDOT_NCCL_LIBRARY)
set(EXACTDOT_HAS_NCCL OFF)
if(EXACTDOT_NCCL_INCLUDE AND EXACTDOT_NCCL_LIBRARY)
  set(EXACTDOT_HAS_NCCL ON)
  add_library(exactdot_nccl INTERFACE)
  target_include_directories(exactdot_nccl SYSTEM INTERFACE ${EXACTDOT_NCCL_INCLUDE})
  target_link_libraries(exactdot_nccl INTERFACE ${EXACTDOT_NCCL_LIBRARY})
  message(STATUS "NCCL found: ${EXACTDOT_NCCL_LIBRARY}")
else()
  message(STATUS "NCCL not found: its example and its benchmark are left out")
endif()
