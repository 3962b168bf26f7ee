// SPDX-License-Identifier: Apache-2.0
// Which pages of a TIFF become the image, by what its metadata say and the user chose.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "io/axes.hpp"
#include "io/image_file.hpp"
#include "io/tiff_file.hpp"

namespace skerry::io {

/// Pages in the order of the slices of the image, and what they are.
struct stack_choice {
  std::vector<std::size_t> pages;  // of tiff_file::pages()
  int sample = -1;                 // of their pixels; below 0: one value, or colour
  slice_axis slices = slice_axis::unknown;
};

/// What the first page's description says; nothing when it says nothing. A note of what cannot be read of a single page.
/// Throws file_error when the metadata of several pages cannot be read and the options do not say what the pages are.
[[nodiscard]] std::optional<stack_axes> read_axes(const tiff_file& file, const std::string& name,
                                                  const read_options& options, std::string& note);

/// Whether planes follow the only page without pages of their own, as ImageJ has it above 4 GB. The pages of a choice are then
/// planes.
[[nodiscard]] bool has_planes_without_pages(const tiff_file& file, const std::optional<stack_axes>& axes);

/// Throws file_error: several channels or time points of which none is chosen, and choices that there are not.
[[nodiscard]] stack_choice choose_planes(const tiff_file& file, const std::string& name, const read_options& options,
                                         const std::optional<stack_axes>& axes);

}  // namespace skerry::io
