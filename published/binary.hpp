// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/cpu/buffer.hpp"
#include "published/task.hpp"

namespace skerry::published {

/// True when the pixels in memory are the binary image already.
[[nodiscard]] bool is_binary(const image_view& image, const foreground& rule);

/// Such an image as rows.
[[nodiscard]] binary_rows rows_of(const image_view& image);

/// Any image of rank 2 made binary, in `memory`.
[[nodiscard]] binary_rows binary_of(const image_view& image, const foreground& rule, buffer<u8>& memory);

}  // namespace skerry::published
