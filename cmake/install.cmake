# Installation and package: consumers call find_package(exactdot) and link exactdot::exactdot. The CUDA engine,
# exactdot::cuda, is a separate component, because it needs the static runtime of the CUDA toolkit. So are the simulator,
# exactdot::simt, and the C interface, exactdot::c, which need nothing. exactdot::mpi is headers, exactdot::fortran sources over
# them. For pkg-config exactdot.pc names the C++ library, exactdot_c.pc the C interface. The components of the
# installation are those of which packaging/debian makes packages; `cmake --install` without --component installs all of them
# but the documentation.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/exactdot)
set(shared_library LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)

# before version 1.0 a minor version may change the binary interface
set_target_properties(exactdot PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
install(TARGETS exactdot EXPORT exactdot-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT archive ${shared_library})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT license)
install(DIRECTORY include/exactdot DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT exactdot-targets NAMESPACE exactdot:: DESTINATION ${package_dir} COMPONENT development)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation EXCLUDE_FROM_ALL)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation EXCLUDE_FROM_ALL
  PATTERN *.json EXCLUDE PATTERN __pycache__ EXCLUDE)

# consumers of a static library link its dependencies, too
get_target_property(exactdot_library_type exactdot TYPE)
set(libraries_of_programs)
set(libraries_of_library "-lhwy -lpthread -ldl")
if(exactdot_library_type STREQUAL "STATIC_LIBRARY")
  set(libraries_of_programs " ${libraries_of_library}")
  set(libraries_of_library)
endif()
# paths relative to the file, so that an installation can be moved
cmake_path(SET pkgconfig_dir "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig")
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${pkgconfig_dir}" OUTPUT_VARIABLE prefix_from_pkgconfig)
set(line_of_address)  # URL: where there is a public address (scripts/release --address)
if(PROJECT_HOMEPAGE_URL)
  set(line_of_address "\nURL: ${PROJECT_HOMEPAGE_URL}")
endif()
configure_file(cmake/exactdot.pc.in exactdot.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/exactdot.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT development)
if(TARGET exactdot_c)
  install(TARGETS exactdot_c EXPORT exactdot-c-targets ${shared_library})
  install(FILES include/exactdot.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
  install(EXPORT exactdot-c-targets NAMESPACE exactdot:: DESTINATION ${package_dir} COMPONENT development)
  configure_file(cmake/exactdot_c.pc.in exactdot_c.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/exactdot_c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT development)
endif()
if(TARGET exactdot_mpi)  # headers, and sources that programs compile with their MPI library
  install(FILES mpi/include/exactdot_mpi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
  install(DIRECTORY mpi/include/exactdot DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
  install(DIRECTORY mpi/fortran DESTINATION ${CMAKE_INSTALL_DATADIR}/exactdot COMPONENT development)
endif()
if(TARGET exactdot_cuda)
  install(TARGETS exactdot_cuda EXPORT exactdot-cuda-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cuda)
  install(EXPORT exactdot-cuda-targets NAMESPACE exactdot:: DESTINATION ${package_dir} COMPONENT cuda)
endif()
if(TARGET exactdot_simt)
  # simtcc, its headers and libraries, and CUDA's runtime for the programs that it compiles; with the component simtcc all that
  # packaging/simtcc makes a wheel of
  install(TARGETS exactdot_simt exactdot_simt_headers EXPORT exactdot-simt-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT simulator)
  install(TARGETS exactdot_simt_runtime ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT simulator)
  install(TARGETS simtcc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  install(DIRECTORY simt/include/exactdot DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT simulator)
  install(EXPORT exactdot-simt-targets NAMESPACE exactdot:: DESTINATION ${package_dir} COMPONENT simulator)
  option(EXACTDOT_SIMTCC_BUNDLE "Install with simtcc what its programs use of exactdot and of others" OFF)
  if(EXACTDOT_SIMTCC_BUNDLE)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libbacktrace.a OUTPUT_VARIABLE static_backtrace
      OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    file(REAL_PATH ${static_backtrace} static_backtrace)
    install(FILES ${static_backtrace} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT simtcc)
    install(FILES include/exactdot/error.hpp include/exactdot/requirements.hpp
      DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/exactdot COMPONENT simtcc)
  endif()
endif()

configure_package_config_file(cmake/exactdot-config.cmake.in exactdot-config.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(exactdot-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/exactdot-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/exactdot-config-version.cmake DESTINATION ${package_dir} COMPONENT development)

if(TARGET exactdot_program)
  set_target_properties(exactdot_program PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS exactdot_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()
if(TARGET exactdot_blas)  # of the program: `exactdot run` preloads them, nothing is linked with them
  install(TARGETS exactdot_blas exactdot_blas_gemv LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT program)
endif()
