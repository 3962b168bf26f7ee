// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace skerry::cli {

/// The files that the user's inputs stand for, in their order: the files of a folder, sorted by name, without hidden ones and
/// without folders in it; what a pattern with *, ? or [ in it matches, sorted, if no file has that very name; other paths as
/// they are. Throws io::file_error for a folder or a pattern without files.
[[nodiscard]] std::vector<std::string> files_of(const std::vector<std::string>& paths);

}  // namespace skerry::cli
