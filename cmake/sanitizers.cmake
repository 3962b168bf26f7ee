# SPDX-License-Identifier: Apache-2.0
# SKERRY_SANITIZE is "", "address,undefined" or "thread"; it reaches every target, because sanitized and plain code do
# not mix (but for the oracle under ThreadSanitizer, src/CMakeLists.txt). A finding ends the program, so a test that has one fails.
set(SKERRY_SANITIZE "" CACHE STRING "Sanitizers to build with: address,undefined or thread")
set_property(CACHE SKERRY_SANITIZE PROPERTY STRINGS "" "address,undefined" "thread")

if(SKERRY_SANITIZE)
  add_compile_options(-fsanitize=${SKERRY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SKERRY_SANITIZE})
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=lld SKERRY_HAS_LLD)
  if(SKERRY_HAS_LLD)  # links large programs several times as fast
    add_link_options(-fuse-ld=lld)
  endif()
endif()

# libFuzzer follows which code an input reaches, in the library as well; only the fuzz targets have its main().
if(SKERRY_BUILD_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Files of the current folder that fuzz targets run millions of times: optimised, and each an object of its own, so that a
# target is linked without the others.
function(skerry_compile_for_fuzzing)  # FILE...
  if(SKERRY_BUILD_FUZZ)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS -O1)
  endif()
endfunction()

# For code on pixels and places, whose comparisons suggest no input to libFuzzer: reporting them took a third of the time.
function(skerry_report_no_comparisons)  # TARGET...
  if(SKERRY_BUILD_FUZZ)
    foreach(target IN LISTS ARGN)
      target_compile_options(${target} PRIVATE -fno-sanitize-coverage=trace-cmp)
    endforeach()
  endif()
endfunction()
