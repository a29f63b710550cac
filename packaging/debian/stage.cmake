# What Debian's policy asks of packages beyond the installed files; CPack runs this on the folders of the packages before it
# makes archives of them. Shared libraries and simtcc are stripped. The program is not: its simulator finds the source lines
# of faults in its own debug information, as the override for lintian says.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(timestamp_of_sources seconds result)
  set(time $ENV{SOURCE_DATE_EPOCH})
  if(NOT time)
    execute_process(COMMAND git -C ${CMAKE_CURRENT_LIST_DIR} log -1 --format=%ct OUTPUT_VARIABLE time ERROR_QUIET
      OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  if(NOT time)
    string(TIMESTAMP time %s UTC)
  endif()
  execute_process(COMMAND date -R -u -d @${time} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(${seconds} ${time} PARENT_SCOPE)
  set(${result} "${date}" PARENT_SCOPE)
endfunction()

timestamp_of_sources(seconds date)
foreach(group LIBRARY DEVELOPMENT PROGRAM DOCUMENTATION)
  string(TOLOWER ${group} folder)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${folder}/usr)
  set(package ${CPACK_DEBIAN_${group}_PACKAGE_NAME})
  set(doc ${root}/share/doc/${package})
  if(NOT IS_DIRECTORY ${root})
    message(FATAL_ERROR "${package}: ${root} is not there; the build has no component for it")
  endif()
  file(COPY ${CMAKE_CURRENT_LIST_DIR}/copyright DESTINATION ${doc})
  file(WRITE ${doc}/changelog.Debian "exactdot (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Packages of this version of the sources.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  run(gzip -9nf ${doc}/changelog.Debian)
  file(COPY ${CMAKE_CURRENT_LIST_DIR}/../../CHANGELOG.md DESTINATION ${doc})
  run(gzip -9nf ${doc}/CHANGELOG.md)
  file(RENAME ${doc}/CHANGELOG.md.gz ${doc}/changelog.gz)

  file(GLOB_RECURSE libraries ${root}/lib/*.so ${root}/lib/*.so.*)
  file(GLOB programs ${root}/bin/*)
  foreach(file IN LISTS libraries programs)
    if(NOT IS_SYMLINK ${file})
      file(RPATH_REMOVE FILE ${file})
    endif()
    if(NOT IS_SYMLINK ${file} AND NOT file STREQUAL "${root}/bin/exactdot")
      run(strip --strip-unneeded --remove-section=.comment --remove-section=.note ${file})
    endif()
  endforeach()
endforeach()
set(summary_of_exactdot "exact, reproducible reductions of vectors in files")
set(summary_of_simtcc "compile CUDA source files for a simulator on the CPU")
foreach(program exactdot simtcc)  # manual pages, of what --help and --version print
  set(page ${CPACK_TEMPORARY_DIRECTORY}/program/usr/share/man/man1/${program}.1)
  file(MAKE_DIRECTORY ${CPACK_TEMPORARY_DIRECTORY}/program/usr/share/man/man1)
  run(${CMAKE_COMMAND} -E env SOURCE_DATE_EPOCH=${seconds} help2man --no-info --name ${summary_of_${program}} --output ${page}
    ${CPACK_TEMPORARY_DIRECTORY}/program/usr/bin/${program})
  run(gzip -9nf ${page})
endforeach()
file(WRITE ${CPACK_TEMPORARY_DIRECTORY}/program/usr/share/lintian/overrides/exactdot
  "exactdot: unstripped-binary-or-object [usr/bin/exactdot]\n")
