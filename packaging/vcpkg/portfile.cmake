# An overlay port, of the sources that hold it: vcpkg install exactdot --overlay-ports=packaging/vcpkg
set(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../..")
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DEXACTDOT_BUILD_PROGRAM=OFF
    -DEXACTDOT_BUILD_C=OFF
    -DEXACTDOT_BUILD_MPI=OFF
    -DEXACTDOT_BUILD_SIMT=OFF
    -DEXACTDOT_BUILD_CUDA=OFF
    -DEXACTDOT_BUILD_TESTS=OFF
    -DEXACTDOT_BUILD_BENCH=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/exactdot)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
  "${CURRENT_PACKAGES_DIR}/share/doc")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
