// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "cli/pictures.hpp"

namespace skerry::cli {

/// Gives an image a type that trees are built of where that changes no number: float16 becomes float32, uint64 becomes uint32
/// if all pixels fit. Every other image stays as it is; the library refuses those that have no tree. Throws io::file_error without memory.
void convert_for_trees(picture& from);

}  // namespace skerry::cli
