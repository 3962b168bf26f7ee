// SPDX-License-Identifier: Apache-2.0
// What the memory of this machine allows, whatever the algorithm. Each runs on the given number of threads.
#pragma once
#include <cstddef>
#include <cstdint>

namespace skerry::bench::floors {

/// Writes each byte as 32 bits, with plain stores.
void copy_plain(const std::uint8_t* in, std::uint32_t* out, std::size_t count, int threads);

/// The same with non-temporal stores; `out` is aligned to 64 bytes.
void copy_streamed(const std::uint8_t* in, std::uint32_t* out, std::size_t count, int threads);

/// Sums the bytes.
[[nodiscard]] std::uint64_t read(const std::uint8_t* in, std::size_t count, int threads);

/// Writes bytes with non-temporal stores; `out` is aligned to 64 bytes.
void write(std::uint8_t* out, std::size_t count, int threads);

}  // namespace skerry::bench::floors
