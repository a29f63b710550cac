# CPack's settings for the Debian packages: which components of which build are in which package, and what it depends on.
# dpkg-shlibdeps finds the libraries that programs and shared libraries need; stage.cmake adds what Debian's policy asks for.
#
# SHARED_BUILD=<build of shared libraries> STATIC_BUILD=<build of archives, the program and the simulator, of the same sources>
#   cpack --config packages.cmake -B <folder for the packages>         (cpack sets what its -D says after it reads this file)
set(SHARED_BUILD $ENV{SHARED_BUILD})
set(STATIC_BUILD $ENV{STATIC_BUILD})
function(value_of result name)  # of a variable in the cache of the build
  file(STRINGS ${STATIC_BUILD}/CMakeCache.txt line REGEX "^${name}:" LIMIT_COUNT 1)
  string(REGEX REPLACE "^[^=]*=" "" value "${line}")
  set(${result} "${value}" PARENT_SCOPE)
endfunction()
value_of(major CMAKE_PROJECT_VERSION_MAJOR)
value_of(minor CMAKE_PROJECT_VERSION_MINOR)
value_of(summary CMAKE_PROJECT_DESCRIPTION)
file(STRINGS ${STATIC_BUILD}/version/exactdot_version.hpp version REGEX "EXACTDOT_VERSION")
string(REGEX REPLACE ".*\"(.*)\".*" "\\1" version "${version}")
string(REPLACE ".dev" "~dev" version "${version}")  # before the release that it leads to
value_of(CPACK_CMAKE_GENERATOR CMAKE_GENERATOR)
set(soname_package libexactdot${major}.${minor})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME exactdot)
set(CPACK_DEBIAN_PACKAGE_SOURCE exactdot)
set(CPACK_PACKAGE_VERSION ${version})
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_PACKAGE_DESCRIPTION "${summary}")
# the maintainer is who builds the packages: as Debian's tools have it, or git
foreach(key name email)
  execute_process(COMMAND git config user.${key} OUTPUT_VARIABLE ${key} ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endforeach()
if(DEFINED ENV{DEBEMAIL})
  set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
elseif(name AND email)
  set(CPACK_PACKAGE_CONTACT "${name} <${email}>")
else()
  set(CPACK_PACKAGE_CONTACT "The exactdot authors <root@localhost>")
endif()
value_of(homepage CMAKE_PROJECT_HOMEPAGE_URL)
if(homepage)
  set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "${homepage}")
endif()
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGE_FILE_NAME exactdot-${version})  # of CPack's own folder
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
  WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/stage.cmake)

# the components that each build installs, and the groups of components that become packages
set(CPACK_COMPONENTS_SHARED library development)
set(CPACK_COMPONENTS_STATIC archive simulator program documentation)
set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_SHARED} ${CPACK_COMPONENTS_STATIC})
set(CPACK_INSTALL_CMAKE_PROJECTS ${SHARED_BUILD} exactdot SHARED / ${STATIC_BUILD} exactdot STATIC /)
foreach(component IN ITEMS LIBRARY DEVELOPMENT PROGRAM DOCUMENTATION)
  string(TOLOWER ${component} group)
  set(CPACK_COMPONENT_${component}_GROUP ${group})
endforeach()
set(CPACK_COMPONENT_ARCHIVE_GROUP development)
set(CPACK_COMPONENT_SIMULATOR_GROUP development)

set(about "Dot products, sums, norms, means, variances and extrema that are correctly
rounded: the real number, rounded once. The bits are the same for any number
of threads, any instruction set and any order of the elements.
.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${soname_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")  # within a minor version functions are only added
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/triggers)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "exact, reproducible reductions (shared libraries)
${about}
This package contains the shared libraries for C++ and C.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libexactdot-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(exact_version "${version}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${soname_package} (= ${exact_version}), libhwy-dev, libc6-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "exactdot-doc, cmake, pkgconf, libopenmpi-dev | libmpich-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "exact, reproducible reductions (development files)
${about}
This package contains headers for C++, C, MPI and CUDA, the static library, the
package for CMake, files for pkg-config, and the simulator of CUDA.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME exactdot)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "g++, libexactdot-dev (= ${exact_version})")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "exactdot-doc, libopenblas-dev")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "exact, reproducible reductions (programs)
${about}
This package contains the program exactdot, which reduces vectors in files, and
simtcc, which compiles CUDA source files for a simulator on the CPU, and the
libraries with which "exactdot run" makes sums of BLAS calls exact. What is
recommended is what simtcc needs.")

set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_NAME exactdot-doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_COMPONENT_DOCUMENTATION_DESCRIPTION "exact, reproducible reductions (documentation)
${about}
This package contains the documents and the examples.")
