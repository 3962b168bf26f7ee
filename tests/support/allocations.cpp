// SPDX-License-Identifier: Apache-2.0
#include "support/allocations.hpp"

#include <link.h>

#include <cstddef>
#include <iterator>
#include <string_view>

namespace skerry::test {

constinit std::atomic<std::uint64_t> allocations{0};
constinit std::atomic<std::uint64_t> allocations_outside_the_pool{0};
constinit thread_local std::int64_t good_allocations = -1;

namespace {

struct code_range {
  std::uintptr_t begin = 0, end = 0;
  bool of_driver = false;
};
constinit code_range code_of_pool[12];  // oneTBB, the loader, and the CUDA driver

[[maybe_unused]] int find_pool(dl_phdr_info* library, std::size_t, void* next_range) {
  const std::string_view name = library->dlpi_name;
  auto*& next = *static_cast<code_range**>(next_range);
  const auto is = [&](std::string_view library) { return name.find(library) != name.npos; };
  const bool of_driver = is("libcuda.so");
  if (!is("libtbb") && !is("ld-linux") && !of_driver) return 0;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = library->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0 || next == std::end(code_of_pool)) continue;
    const std::uintptr_t begin = library->dlpi_addr + part.p_vaddr;
    *next++ = {begin, begin + part.p_memsz, of_driver};
  }
  return 0;
}

// Counts an allocation. False when it is the one to fail.
[[maybe_unused]] bool allowed(const void* caller) {
  const auto place = reinterpret_cast<std::uintptr_t>(caller);
  bool of_pool = false, of_driver = false;
  for (const code_range& range : code_of_pool)
    if (range.begin <= place && place < range.end) of_pool = true, of_driver = range.of_driver;
  if (!of_driver) ++allocations;
  if (!of_pool) ++allocations_outside_the_pool;
  return good_allocations < 0 || good_allocations-- != 0;
}

}  // namespace
}  // namespace skerry::test

// Every allocation of the program comes by here: operator new calls malloc.
extern "C" {
#ifdef SKERRY_TEST_SANITIZED
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t),
                                              void (*on_free)(const volatile void*));
#else
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* old, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

void* malloc(std::size_t bytes) {
  return skerry::test::allowed(__builtin_return_address(0)) ? __libc_malloc(bytes) : nullptr;
}
void* calloc(std::size_t count, std::size_t bytes) {
  return skerry::test::allowed(__builtin_return_address(0)) ? __libc_calloc(count, bytes) : nullptr;
}
void* realloc(void* old, std::size_t bytes) {
  return skerry::test::allowed(__builtin_return_address(0)) ? __libc_realloc(old, bytes) : nullptr;
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return skerry::test::allowed(__builtin_return_address(0)) ? __libc_memalign(alignment, bytes) : nullptr;
}
#endif
}

namespace skerry::test {

void find_the_pool() {
#ifndef SKERRY_TEST_SANITIZED
  code_range* next = code_of_pool;
  dl_iterate_phdr(find_pool, &next);
#endif
}

const bool allocations_are_counted = [] {
#ifdef SKERRY_TEST_SANITIZED
  __sanitizer_install_malloc_and_free_hooks([](const volatile void*, std::size_t) { ++allocations; },
                                            [](const volatile void*) {});
#endif
  find_the_pool();
  return true;
}();

}  // namespace skerry::test
