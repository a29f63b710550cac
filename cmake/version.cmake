# Writes the version of the sources to a header, if it has changed: 0.3.0.dev0, and for the sources of a commit
# 0.3.0.dev0+g1234567 (PEP 440). Sources that differ from the commit have a hash of the difference, too, so that no two
# builds of different sources have the same version. An archive holds its commit in cmake/source_commit (git archive) or
# cmake/sdist_commit (source distribution of the Python package); without git and these the version has no commit.
#
# cmake -DSOURCE=<sources> [-DVERSION=<0.3.0.dev0> -DHEADER=<file>] [-DARCHIVE=<file that gets the commit>] -P version.cmake
cmake_minimum_required(VERSION 3.25)
function(exactdot_git result)
  execute_process(COMMAND git -C ${SOURCE} ${ARGN} OUTPUT_VARIABLE output ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    set(output)
  endif()
  set(${result} "${output}" PARENT_SCOPE)
endfunction()

# The local part: the commit of SOURCE, or nothing.
function(exactdot_commit result)
  set(archived)
  foreach(name source_commit sdist_commit)
    if(EXISTS ${SOURCE}/cmake/${name} AND NOT archived)
      file(STRINGS ${SOURCE}/cmake/${name} archived REGEX "^[0-9a-f.d]+$" LIMIT_COUNT 1)
    endif()
  endforeach()
  exactdot_git(root rev-parse --show-toplevel)
  file(REAL_PATH ${SOURCE} source)
  if(NOT root STREQUAL source)  # no checkout, or a copy within the checkout of another project
    set(${result} "${archived}" PARENT_SCOPE)
    return()
  endif()
  exactdot_git(commit rev-parse --short=7 HEAD)
  exactdot_git(difference diff HEAD --no-ext-diff -- CMakeLists.txt cmake include src mpi python/src simt/include)
  if(commit AND difference)
    string(SHA1 hash "${difference}")
    string(SUBSTRING ${hash} 0 7 hash)
    string(APPEND commit ".d${hash}")
  endif()
  set(${result} "${commit}" PARENT_SCOPE)
endfunction()

exactdot_commit(commit)
if(ARCHIVE)
  file(WRITE ${ARCHIVE} "${commit}\n")
endif()
if(commit)
  string(APPEND VERSION "+g${commit}")
endif()
if(HEADER)
  file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define EXACTDOT_VERSION \"@VERSION@\"\n" @ONLY)
endif()
