# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds examples/external against softcap's package and runs it. TREE=build
# takes the build tree; TREE=install installs, moves the result, and takes that.

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: ${status}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(package ${BUILD}/lib/cmake/Softcap)
set(tools ${BUILD}/bin)
if(TREE STREQUAL install)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
  file(RENAME ${WORK}/first ${WORK}/moved)
  set(package ${WORK}/moved/${LIBDIR}/cmake/Softcap)
  set(tools ${WORK}/moved/${BINDIR})
  file(GLOB_RECURSE configs ${package}/*.cmake)
  foreach(config ${configs})
    file(STRINGS ${config} leaks REGEX "${SOURCE}|${BUILD}")
    if(leaks)
      message(FATAL_ERROR "${config} names the build machine's folders: ${leaks}")
    endif()
  endforeach()
  run(${tools}/softcap-opt --version)
  if(NOT output MATCHES "^softcap-opt [0-9.]+ .LLVM [0-9.]+.\n$")
    message(FATAL_ERROR "the installed softcap-opt answers --version with: ${output}")
  endif()
endif()

run(${CMAKE_COMMAND} -S ${SOURCE}/examples/external -B ${WORK}/external -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_C_COMPILER=${CC} -DMLIR_DIR=${MLIR_DIR}
    -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
    -DSoftcap_DIR=${package} "-DCMAKE_EXE_LINKER_FLAGS=${LINK_FLAGS}")
run(${CMAKE_COMMAND} --build ${WORK}/external)
run(${WORK}/external/cap-count ${SOURCE}/test/Package/Inputs/two-caps.mlir)
if(NOT output STREQUAL "2\n")
  message(FATAL_ERROR "cap-count printed '${output}' instead of 2")
endif()
