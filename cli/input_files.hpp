// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "cli/console.hpp"

namespace skerry::cli {

/// Takes one line that says which files of a folder were skipped.
using note_taker = std::function<void(const std::string& text)>;

/// Prints such lines as notes, unless the user wants quiet.
[[nodiscard]] note_taker notes_to(const console& to, bool quiet);

/// The files that the user's inputs stand for, in their order: the images of a folder, sorted by name, without hidden
/// files and without folders in it; what a pattern with *, ? or [ in it matches, sorted, if no file has that very name;
/// other paths as they are. A file of a folder is an image when its content or the ending of its name is that of a
/// format that is known; the others are named to `left_out`. Throws io::file_error for a folder without images and a
/// pattern without files.
[[nodiscard]] std::vector<std::string> files_of(const std::vector<std::string>& paths, const note_taker& left_out);

}  // namespace skerry::cli
