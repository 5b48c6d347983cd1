# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The CMake package, for the build tree and for the install tree.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Softcap)
set(SOFTCAP_LLVM_MAJOR_MINOR ${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR})
get_property(SOFTCAP_LIBRARIES GLOBAL PROPERTY SOFTCAP_LIBRARIES)
list(JOIN SOFTCAP_LIBRARIES " " SOFTCAP_LIBRARIES)

# Build tree: found with Softcap_DIR=<build>/lib/cmake/Softcap.
set(build_package_dir ${PROJECT_BINARY_DIR}/lib/cmake/Softcap)
set(SOFTCAP_CONFIG_INCLUDE_DIRS "\"${PROJECT_SOURCE_DIR}/include\" \"${PROJECT_BINARY_DIR}/include\"")
set(SOFTCAP_CONFIG_LIB_DIR ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(SOFTCAP_CONFIG_BIN_DIR ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
configure_package_config_file(cmake/SoftcapConfig.cmake.in
  ${build_package_dir}/SoftcapConfig.cmake INSTALL_DESTINATION ${build_package_dir})
export(EXPORT SoftcapTargets NAMESPACE Softcap:: FILE ${build_package_dir}/SoftcapTargets.cmake)

# Install tree: paths relative to the package.
set(SOFTCAP_CONFIG_INCLUDE_DIRS "\"\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_INCLUDEDIR}\"")
set(SOFTCAP_CONFIG_LIB_DIR "\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_LIBDIR}")
set(SOFTCAP_CONFIG_BIN_DIR "\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_BINDIR}")
configure_package_config_file(cmake/SoftcapConfig.cmake.in
  ${PROJECT_BINARY_DIR}/install-package/SoftcapConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${build_package_dir}/SoftcapConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(EXPORT SoftcapTargets NAMESPACE Softcap:: DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/install-package/SoftcapConfig.cmake
  ${build_package_dir}/SoftcapConfigVersion.cmake DESTINATION ${package_dir})

install(DIRECTORY include/softcap DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/softcap DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.inc" PATTERN CMakeFiles EXCLUDE)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
