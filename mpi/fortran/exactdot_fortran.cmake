# exactdot_add_fortran(folder c): the static library exactdot_fortran with the module exactdot, from the sources in `folder`,
# on the C interface `c`. Module files and communicators are those of one compiler and one MPI library, so the sources are
# compiled where they are used. Needs the languages C and Fortran and the targets of find_package(MPI COMPONENTS C Fortran).
function(exactdot_add_fortran folder c)
  set(modules ${CMAKE_CURRENT_BINARY_DIR}/exactdot_modules)
  add_library(exactdot_fortran STATIC EXCLUDE_FROM_ALL
    ${folder}/exactdot_bindings.f90 ${folder}/exactdot_reductions.f90 ${folder}/exactdot_accumulators.f90
    ${folder}/exactdot.f90 ${folder}/exactdot_fortran.c)
  add_library(exactdot::fortran ALIAS exactdot_fortran)
  set_target_properties(exactdot_fortran PROPERTIES Fortran_MODULE_DIRECTORY ${modules} UNITY_BUILD OFF
    POSITION_INDEPENDENT_CODE ON)
  target_include_directories(exactdot_fortran INTERFACE ${modules})
  target_link_libraries(exactdot_fortran PUBLIC ${c} MPI::MPI_C MPI::MPI_Fortran)
endfunction()
