# SPDX-License-Identifier: Apache-2.0
# Files of Highway are compiled once for every instruction set. SKERRY_FEWER_INSTRUCTION_SETS leaves out the sets of x86 that lie
# between others: half the time, where no set is to be tested for its own sake.
function(skerry_compile_for_instruction_sets target)
  target_compile_definitions(${target} PRIVATE HWY_WANT_AVX3_DL)
  if(SKERRY_FEWER_INSTRUCTION_SETS)
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:-DHWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3)>")
  endif()
endfunction()
