# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Helpers for every target of the project: compile flags, one shared precompiled header, TableGen rules.

if(SOFTCAP_ENABLE_ASSERTIONS)
  # Release flags define NDEBUG; undefine it for our own code only. The packaged MLIR has assertions off.
  add_compile_options(-UNDEBUG)
endif()
if(SOFTCAP_SANITIZE)
  add_compile_options(-fsanitize=${SOFTCAP_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SOFTCAP_SANITIZE})
endif()
add_compile_options(-Wall -Wextra -Wno-unused-parameter)
if(SOFTCAP_WARNINGS_AS_ERRORS)
  add_compile_options(-Werror)
endif()
if(NOT LLVM_ENABLE_EH)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
endif()
if(NOT LLVM_ENABLE_RTTI)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
endif()

# MLIR's headers dominate build time: they are compiled once here and reused by every target (REUSE_FROM).
file(WRITE ${PROJECT_BINARY_DIR}/softcap_pch.cpp "// Holds the project's precompiled header.\n")
add_library(SoftcapPCH STATIC ${PROJECT_BINARY_DIR}/softcap_pch.cpp)
target_precompile_headers(SoftcapPCH PRIVATE
  <mlir/Dialect/Affine/IR/AffineOps.h> <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h>
  <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Dialect/Linalg/IR/Linalg.h>
  <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/MemRef/IR/MemRef.h> <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Dialect/Tensor/IR/Tensor.h> <mlir/Dialect/Vector/IR/VectorOps.h>
  <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/PatternMatch.h>
  <mlir/Interfaces/TilingInterface.h> <mlir/Pass/Pass.h>
  <mlir/Transforms/DialectConversion.h> <mlir/Transforms/GreedyPatternRewriteDriver.h>)

# softcap_add_library(NAME source... [LINK lib...] [DEPENDS target...] [NO_PCH])
# A static component library that links libMLIR.so and is part of the installed CMake package.
function(softcap_add_library name)
  cmake_parse_arguments(ARG "NO_PCH" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_library(Softcap::${name} ALIAS ${name})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  add_dependencies(${name} SoftcapIncGen ${ARG_DEPENDS})
  if(NOT ARG_NO_PCH)
    target_precompile_headers(${name} REUSE_FROM SoftcapPCH)
  endif()
  set_property(GLOBAL APPEND PROPERTY SOFTCAP_LIBRARIES ${name})
  install(TARGETS ${name} EXPORT SoftcapTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# softcap_add_tool(NAME source... [LINK lib...]): an installed executable.
function(softcap_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
  target_precompile_headers(${name} REUSE_FROM SoftcapPCH)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# softcap_tablegen(TARGET td-file [-gen-flag output]...): mlir-tblgen rules, collected under SoftcapIncGen.
add_custom_target(SoftcapIncGen)
function(softcap_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(args ${ARGN})
  while(args)
    list(POP_FRONT args output)
    list(POP_FRONT args flags)
    separate_arguments(flags)
    mlir_tablegen(${output} ${flags})
  endwhile()
  add_public_tablegen_target(${target})
  add_dependencies(SoftcapIncGen ${target})
endfunction()
