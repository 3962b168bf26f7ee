// SPDX-License-Identifier: Apache-2.0
#include "cli/input_files.hpp"

#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "io/file_error.hpp"

namespace skerry::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_of_folder(const std::string& path) {
  std::vector<std::string> inside;
  std::error_code error;
  fs::directory_iterator entry(path, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code unknown;  // a link in a circle is no file, and no reason to refuse the others
    if (entry->is_regular_file(unknown) && !entry->path().filename().string().starts_with('.'))
      inside.push_back(entry->path().string());
  }
  if (error) throw io::file_error(path, error.message());
  if (inside.empty()) throw io::file_error(path, "is a folder without files");
  std::sort(inside.begin(), inside.end());
  return inside;
}

std::vector<std::string> files_of_pattern(const std::string& pattern) {
  glob_t found{};
  const int error = ::glob(pattern.c_str(), 0, nullptr, &found);
  const std::unique_ptr<glob_t, decltype(&::globfree)> freed_later(&found, ::globfree);
  std::vector<std::string> files;
  for (std::size_t i = 0; error == 0 && i < found.gl_pathc; ++i)
    if (std::error_code unknown; fs::is_regular_file(found.gl_pathv[i], unknown)) files.emplace_back(found.gl_pathv[i]);
  if (files.empty()) throw io::file_error(pattern, "no such file, and none matches it as a pattern");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<std::string> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code unknown;
    const auto add = [&](const std::vector<std::string>& more) { files.insert(files.end(), more.begin(), more.end()); };
    if (path != "-" && fs::is_directory(path, unknown)) add(files_of_folder(path));
    else if (path.find_first_of("*?[") != std::string::npos && !fs::exists(path, unknown)) add(files_of_pattern(path));
    else files.push_back(path);
  }
  return files;
}

}  // namespace skerry::cli
