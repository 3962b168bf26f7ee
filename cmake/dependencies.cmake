# SPDX-License-Identifier: Apache-2.0
# oneTBB and Highway: those of the system. Where it has none, SKERRY_FETCH_MISSING lets CMake fetch the versions of Debian 12 from their
# authors and build them: Highway as a static library, oneTBB as a shared one, since its threads exist once in a process.
# FETCHCONTENT_SOURCE_DIR_HIGHWAY and FETCHCONTENT_SOURCE_DIR_ONETBB name folders with their sources, for machines without a network.
include(FetchContent)

set(highway_archive https://github.com/google/highway/archive/refs/tags/1.0.3.tar.gz
    SHA256=566fc77315878473d9a6bd815f7de78c73734acdcb745c3dde8579560ac5440e)
set(onetbb_archive https://github.com/oneapi-src/oneTBB/archive/refs/tags/v2021.8.0.tar.gz
    SHA256=eee380323bb7ce864355ed9431f85c43955faaae9e9bce35c62b372d7ffd9f8b)

# Fetches a library, and builds it with these options of its own switched off.
function(skerry_fetch name debian url hash)  # OPTION...
  string(TOUPPER "FETCHCONTENT_SOURCE_DIR_${name}" folder)
  if(NOT DEFINED ${folder})
    message(STATUS "skerry: the system has no ${name}; taking ${url}. Where there is no network, install ${debian} of Debian first, "
                   "or name a folder with its sources by ${folder}")
  endif()
  foreach(option IN LISTS ARGN)
    set(${option} OFF CACHE INTERNAL "")
  endforeach()
  if(name STREQUAL "onetbb")
    set(BUILD_SHARED_LIBS ON)
  endif()
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  set(CMAKE_POLICY_VERSION_MINIMUM 3.5)  # CMake 4 refuses older ones, which these versions name
  FetchContent_Declare(${name} URL ${url} URL_HASH ${hash} SYSTEM)
  FetchContent_MakeAvailable(${name})
endfunction()

function(skerry_require package name debian)
  if(NOT ${package}_FOUND AND NOT SKERRY_FETCH_MISSING)
    message(FATAL_ERROR "${name} is missing: install it (${debian} of Debian; script/bootstrap build does), "
                        "or let CMake fetch it by -D SKERRY_FETCH_MISSING=ON")
  elseif(NOT ${package}_FOUND AND SKERRY_INSTALL)
    message(FATAL_ERROR "${name} is missing, and skerry does not install what it fetches: install ${debian} of Debian, "
                        "or have no install rules by -D SKERRY_INSTALL=OFF")
  endif()
endfunction()

find_package(Threads REQUIRED)
find_package(hwy QUIET)
skerry_require(hwy Highway libhwy-dev)
if(NOT hwy_FOUND)
  skerry_fetch(highway libhwy-dev ${highway_archive} HWY_ENABLE_CONTRIB HWY_ENABLE_EXAMPLES HWY_ENABLE_INSTALL HWY_ENABLE_TESTS)
  if(NOT TARGET hwy::hwy)
    add_library(hwy::hwy ALIAS hwy)
  endif()
endif()
find_package(TBB QUIET)
skerry_require(TBB oneTBB libtbb-dev)
if(NOT TBB_FOUND)
  skerry_fetch(onetbb libtbb-dev ${onetbb_archive} TBB_TEST TBB_STRICT TBB_ENABLE_IPO TBBMALLOC_BUILD)
  # One file, which needs no links beside it: wheels have none.
  get_target_property(onetbb_soversion tbb SOVERSION)
  set_target_properties(tbb PROPERTIES VERSION ${onetbb_soversion})
endif()
