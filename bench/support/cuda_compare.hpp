// SPDX-License-Identifier: Apache-2.0
// Results compared on the device, where they are. Each function waits for the device and throws std::runtime_error with
// `who` and how much differs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "skerry/feature.hpp"

namespace skerry::bench {

/// Every label must be the same; all arrays are device memory.
void require_same_device_labels(const std::string& who, const std::uint32_t* labels, const std::uint32_t* expected,
                                std::size_t pixels);

/// Every row must be the same. Rows of a batch may or may not know the number of their frame: z is not compared.
void require_same_device_rows(const std::string& who, const geometry* rows, const geometry* expected, std::size_t count,
                              bool batch);

/// Where `expected` is not 0, the peer's labels must tell the same pixels apart: labels below `peer_labels`, in any
/// order. What the peer writes elsewhere is not looked at when `background_too`, and must be 0 otherwise.
void require_same_device_partition(const std::string& who, const std::uint32_t* peer, std::size_t peer_labels,
                                   const std::uint32_t* expected, std::size_t components, std::size_t pixels,
                                   bool background_too);

}  // namespace skerry::bench
