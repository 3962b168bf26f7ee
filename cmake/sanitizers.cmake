# SPDX-License-Identifier: Apache-2.0
# SKERRY_SANITIZE is "", "address,undefined" or "thread"; it reaches every target, because sanitized and plain code do
# not mix (but for the oracle under ThreadSanitizer, src/CMakeLists.txt). A finding ends the program, so a test that has one fails.
set(SKERRY_SANITIZE "" CACHE STRING "Sanitizers to build with: address,undefined or thread")
set_property(CACHE SKERRY_SANITIZE PROPERTY STRINGS "" "address,undefined" "thread")

if(SKERRY_SANITIZE)
  add_compile_options(-fsanitize=${SKERRY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SKERRY_SANITIZE})
endif()

# libFuzzer follows which code an input reaches, in the library as well; only the fuzz targets have its main().
if(SKERRY_BUILD_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
