// SPDX-License-Identifier: Apache-2.0
// SKERRY_TEST_SANITIZED is defined under AddressSanitizer and ThreadSanitizer, which take all addresses for themselves and end
// the process where a program would be refused memory.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SKERRY_TEST_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKERRY_TEST_SANITIZED
#endif

namespace skerry::test {

/// For numbers of repetitions: sanitized code is many times slower.
#ifdef SKERRY_TEST_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace skerry::test
