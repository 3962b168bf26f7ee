# SPDX-License-Identifier: Apache-2.0
# find_package(skerry) gives the targets skerry::skerry and skerry::published, for static and for shared libraries.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(skerry_config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/skerry)

set(skerry_libraries skerry)
if(SKERRY_BUILD_PUBLISHED)
  list(APPEND skerry_libraries skerry_published)
endif()
install(TARGETS ${skerry_libraries} EXPORT skerry-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/skerry DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT skerry-targets NAMESPACE skerry:: DESTINATION ${skerry_config_folder})

get_target_property(skerry_library_type skerry TYPE)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/skerry-config.cmake.in
                              ${PROJECT_BINARY_DIR}/skerry-config.cmake
                              INSTALL_DESTINATION ${skerry_config_folder})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/skerry-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/skerry-config.cmake ${PROJECT_BINARY_DIR}/skerry-config-version.cmake
        DESTINATION ${skerry_config_folder})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
