// SPDX-License-Identifier: Apache-2.0
#include "support/allocations.hpp"

#include <cstddef>

namespace skerry::test {

constinit std::atomic<std::uint64_t> allocations{0};
constinit thread_local std::int64_t good_allocations = -1;

namespace {

// Counts an allocation. False when it is the one to fail.
[[maybe_unused]] bool allowed() {
  ++allocations;
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

void* malloc(std::size_t bytes) { return skerry::test::allowed() ? __libc_malloc(bytes) : nullptr; }
void* calloc(std::size_t count, std::size_t bytes) {
  return skerry::test::allowed() ? __libc_calloc(count, bytes) : nullptr;
}
void* realloc(void* old, std::size_t bytes) { return skerry::test::allowed() ? __libc_realloc(old, bytes) : nullptr; }
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return skerry::test::allowed() ? __libc_memalign(alignment, bytes) : nullptr;
}
#endif
}

namespace skerry::test {

const bool allocations_are_counted = [] {
#ifdef SKERRY_TEST_SANITIZED
  __sanitizer_install_malloc_and_free_hooks([](const volatile void*, std::size_t) { ++allocations; },
                                            [](const volatile void*) {});
#endif
  return true;
}();

}  // namespace skerry::test
