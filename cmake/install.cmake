# install and export: consumers say find_package(exactdot) and link exactdot::exactdot.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/exactdot)

install(TARGETS exactdot EXPORT exactdot-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/exactdot DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT exactdot-targets NAMESPACE exactdot:: DESTINATION ${package_dir})
configure_package_config_file(cmake/exactdot-config.cmake.in exactdot-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(exactdot-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/exactdot-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/exactdot-config-version.cmake DESTINATION ${package_dir})
if(TARGET exactdot_program)
  install(TARGETS exactdot_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
