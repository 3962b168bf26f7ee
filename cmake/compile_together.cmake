# SPDX-License-Identifier: Apache-2.0
# SKERRY_COMPILE_TOGETHER: large headers, ours and those of other libraries, are compiled once for several files. Without it
# every file has to include what it uses, but for those of the command that cli/CMakeLists.txt always compiles together.

# g++ takes the files of a group for headers, and warns of anonymous namespaces there.
function(skerry_allow_anonymous_names target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endfunction()

# Groups of so many files, in the order of the target's list.
function(skerry_compile_together target files_of_group)
  if(SKERRY_COMPILE_TOGETHER)
    set_target_properties(${target} PROPERTIES
      UNITY_BUILD ON UNITY_BUILD_MODE BATCH UNITY_BUILD_BATCH_SIZE ${files_of_group})
    skerry_allow_anonymous_names(${target})
    # CMake 3.31 and later would group device code as well: it has an option of its own below.
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "[.]cu$")
    set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# One group for each folder given. Files of Highway stay alone: each is compiled once for every instruction set, and tests without
# vector instructions (tests/scalar) compile them anew.
function(skerry_compile_folders_together target)  # FOLDER...
  if(NOT SKERRY_COMPILE_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  skerry_allow_anonymous_names(${target})
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE sources ${folder}/*.cpp)
    foreach(source IN LISTS sources)
      file(STRINGS ${source} of_highway REGEX "HWY_" LIMIT_COUNT 1)
      if(NOT of_highway)
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder})
      endif()
    endforeach()
  endforeach()
endfunction()

# SKERRY_COMPILE_DEVICE_TOGETHER: the device code of a folder is one file, so that nvcc reads the toolkit's headers once. For a build
# that no device runs: options of single files are left out.
function(skerry_compile_device_code_together target)  # FOLDER...
  if(NOT SKERRY_COMPILE_DEVICE_TOGETHER)
    return()
  endif()
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cu)
    list(TRANSFORM sources REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE includes)
    string(CONCAT includes ${includes})
    string(MAKE_C_IDENTIFIER ${target}_${folder} name)
    file(CONFIGURE OUTPUT together/${name}.cu CONTENT "${includes}" @ONLY)
    set_source_files_properties(${sources} PROPERTIES HEADER_FILE_ONLY ON)
    target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/together/${name}.cu)
  endforeach()
endfunction()

# SKERRY_COMPILE_QUICKLY: code that is long to compile and quick to run, such as options and tables, is not optimised. Half
# the time to compile, where it is sanitized; two thirds elsewhere.
function(skerry_compile_quickly)  # TARGET...
  if(SKERRY_COMPILE_QUICKLY)
    foreach(target IN LISTS ARGN)
      target_compile_options(${target} PRIVATE -O0)
    endforeach()
  endif()
endfunction()
