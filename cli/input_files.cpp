// SPDX-License-Identifier: Apache-2.0
#include "cli/input_files.hpp"

#include <glob.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>

#include "io/file_error.hpp"
#include "io/formats.hpp"
#include "io/printable.hpp"

namespace skerry::cli {
namespace {

namespace fs = std::filesystem;

// A file that cannot be opened is an image: reading it will say what is wrong.
bool is_image(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return true;
  std::array<char, io::recognised_bytes> start{};
  file.read(start.data(), start.size());
  const std::string_view bytes(start.data(), static_cast<std::size_t>(file.gcount()));
  return io::recognise(bytes, path.string()) != nullptr || io::has_image_ending(path.filename().string());
}

// "plates: 4 files are not images and were skipped: a.csv, b.csv, c.csv and 1 more"
std::string stray_note(const std::string& folder, const std::vector<std::string>& names) {
  constexpr std::size_t shown = 3;
  const std::size_t listed = std::min(names.size(), shown);
  const std::vector<std::string> first(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(listed));
  std::string text = fmt::format("{}: {} skipped: {}", folder,
                                 names.size() == 1 ? std::string("1 file is not an image and was")
                                                   : fmt::format("{} files are not images and were", names.size()),
                                 fmt::join(first, ", "));
  if (names.size() > listed) text += fmt::format(" and {} more", names.size() - listed);
  return text;
}

std::vector<std::string> files_of_folder(const std::string& path, const note_taker& left_out) {
  std::vector<std::string> inside, strays;
  std::error_code error;
  fs::directory_iterator entry(path, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code unknown;  // a link in a circle is no file, and no reason to refuse the others
    const std::string name = entry->path().filename().string();
    if (!entry->is_regular_file(unknown) || name.starts_with('.')) continue;
    if (is_image(entry->path())) inside.push_back(entry->path().string());
    else strays.push_back(name);
  }
  if (error) throw io::file_error(path, error.message());
  if (inside.empty()) throw io::file_error(path, "is a folder without images");
  std::sort(inside.begin(), inside.end());
  std::sort(strays.begin(), strays.end());
  if (!strays.empty()) left_out(stray_note(path, strays));
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

note_taker notes_to(const console& to, bool quiet) {
  return [&to, quiet](const std::string& text) {
    if (!quiet) to.err << "skerry: note: " << io::printable(text) << '\n' << std::flush;
  };
}

std::vector<std::string> files_of(const std::vector<std::string>& paths, const note_taker& left_out) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code unknown;
    const auto add = [&](const std::vector<std::string>& more) { files.insert(files.end(), more.begin(), more.end()); };
    if (path != "-" && fs::is_directory(path, unknown)) add(files_of_folder(path, left_out));
    else if (path.find_first_of("*?[") != std::string::npos && !fs::exists(path, unknown)) add(files_of_pattern(path));
    else files.push_back(path);
  }
  return files;
}

}  // namespace skerry::cli
