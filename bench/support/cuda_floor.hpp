// SPDX-License-Identifier: Apache-2.0
// What the memory of the device allows, whatever the algorithm. Pixels come by blocks of `whole`: what is left over at the end of an
// image, fewer than 1 in 4000 at 8191 × 8191, is not touched.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace skerry::bench::cuda_floors {

constexpr std::size_t whole = 16384;

/// Reads 1 byte per pixel; a word of `sums` gets what depends on all of them.
void read(const std::uint8_t* in, std::uint32_t* sums, std::size_t pixels, cudaStream_t stream);

/// Writes 4 bytes per pixel: its number.
void write(std::uint32_t* out, std::size_t pixels, cudaStream_t stream);

/// Both: writes each byte as 32 bits.
void widen(const std::uint8_t* in, std::uint32_t* out, std::size_t pixels, cudaStream_t stream);

/// A kernel that does nothing: what a launch alone takes.
void launch(cudaStream_t stream);

}  // namespace skerry::bench::cuda_floors
