# Builds the MPI examples with the package that is installed in SCRATCH/moved, and runs each as one process: C, C++ and,
# if MPI_LANGUAGES has it, Fortran. Included by install_and_consume.cmake.
set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
foreach(language IN LISTS MPI_LANGUAGES)
  set(example_C c/mpi_sums.c)
  set(example_CXX mpi_sums.cpp)
  set(example_Fortran fortran/field_means.f90)
  set(component mpi)
  set(languages ${language})
  if(language STREQUAL "Fortran")
    set(component fortran)
    set(languages "C Fortran")
  endif()
  consume(mpi_consumer_${language} "-DLANGUAGES=${languages}" -DCMAKE_C_COMPILER=${C_COMPILER} -DCOMPONENTS=${component}
    -DLIBRARY=${component} -DSOURCE=${EXAMPLES}/${example_${language}})
  run(${SCRATCH}/mpi_consumer_${language}/consumer)
endforeach()
