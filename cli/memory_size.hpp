// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace skerry::cli {

/// Bytes of "500M", "2G", "1.5 GiB": a number and K, M, G or T, powers of 1024, or bytes. Nothing for other text and below 1.
[[nodiscard]] std::optional<std::int64_t> memory_of(const std::string& text);

/// A size that memory_of() reads, rounded up to whole MiB: "512M".
[[nodiscard]] std::string text_of_memory(std::int64_t bytes);

/// Bytes of memory that this process has touched and still holds, 0 when the system does not say.
[[nodiscard]] std::int64_t resident_bytes();

}  // namespace skerry::cli
