// SPDX-License-Identifier: Apache-2.0
// Fuzzes the option and file path of the command line, in this process.
//
// An input is lines of arguments, an empty line, and the bytes of the file in.npy:
//
//   label
//   in.npy
//   --min-area
//   3
//
//   \x93NUMPY...
//
// What is fuzzed: CLI11's parsing of any arguments, our checks of them, the NPY reader, the labelling and measuring of
// what it read with every engine and selection, and the writers of NPY, TIFF, PNG, CSV and JSON. TIFF has our reader on
// top of libtiff, and in.tif holds the same bytes when the arguments name it.
// What is not: the decoders of OpenImageIO and the libraries behind it. They are not ours, not instrumented, and read
// nothing here: no argument can name a file that they would open, since the folder holds none.
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/run.hpp"

namespace {

constexpr std::size_t most_arguments = 24;
constexpr std::string_view pixel_limit = "--max-pixels=65536";  // nothing large is taken for a header that lies

const std::string folder_name = "skerry-fuzz-";

// Everything is written to a folder of this process, and arguments cannot leave it. libFuzzer ends without a last word,
// so the folders of dead processes are removed by the next one.
std::filesystem::path make_playground() {
  const std::filesystem::path parent =
      std::filesystem::exists("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path();
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(parent)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(folder_name)) continue;
    const int process = std::atoi(name.c_str() + folder_name.size());
    if (process > 0 && ::kill(process, 0) != 0) std::filesystem::remove_all(entry, ignored);
  }
  const std::filesystem::path folder = parent / (folder_name + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::filesystem::current_path(folder);
  return folder;
}

std::filesystem::path playground;

std::vector<std::string> arguments_of(std::string_view lines) {
  std::vector<std::string> arguments = {"skerry"};
  while (!lines.empty() && arguments.size() < most_arguments) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string word(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    for (char& c : word)
      if (c == '/' || c == '\0') c = '_';
    // Standard input belongs to the fuzzer, and hundreds of threads only cost time.
    if (word == "-" || word == ".." || word.starts_with("--threads")) continue;
    // Films that never end, and films that are looked at, take their time; many slots take memory.
    if (word.starts_with("--demo") || word.starts_with("--play") || word.starts_with("--slots")) continue;
    arguments.push_back(std::move(word));
  }
  return arguments;
}

// The promise of an error: one line, the last, that begins with the program's name. Before it may be notes, summaries of
// earlier files (when results go to standard output), errors of frames, where many files are read a line for each other
// bad file, and the table of --profile.
bool is_one_complaint(std::string_view err, bool one_for_each_file, bool profiled) {
  if (!err.ends_with('\n')) return false;
  err.remove_suffix(1);
  const std::size_t before_last = err.rfind('\n') + 1;  // 0 when there is none
  if (!err.substr(before_last).starts_with("skerry: ")) return false;
  err = err.substr(0, before_last);
  while (!err.empty()) {
    const std::size_t end = err.find('\n');
    const std::string_view line = err.substr(0, end);
    err.remove_prefix(end + 1);
    const auto holds = [&](std::string_view words) { return line.find(words) != std::string_view::npos; };
    const bool own = line.starts_with("skerry: ");
    const bool expected = own ? one_for_each_file || line.starts_with("skerry: note: ") || holds(": frame ")
                              : profiled || holds(" component") || holds("-tree of ") || holds(" frame");
    if (!expected) return false;
  }
  return true;
}

void fail(const char* what, const std::string& err) {
  std::fprintf(stderr, "%s: '%s'\n", what, err.c_str());
  std::abort();
}

}  // namespace

// libFuzzer's own files keep their places when the process moves to its playground.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const std::string_view prefix = "-artifact_prefix=";
  for (int i = 1; i < *argc; ++i) {
    const std::string_view word = (*argv)[i];
    const bool has_prefix = word.starts_with(prefix);
    if (word.starts_with('-') && !has_prefix) continue;
    const std::string path = std::filesystem::absolute(has_prefix ? word.substr(prefix.size()) : word).string();
    (*argv)[i] = ::strdup(has_prefix ? (std::string(prefix) + path).c_str() : path.c_str());
  }
  playground = make_playground();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const std::size_t split = std::min(input.find("\n\n"), input.size());
  std::vector<std::string> arguments = arguments_of(input.substr(0, split));
  const std::string_view content = split + 2 <= input.size() ? input.substr(split + 2) : std::string_view();

  for (const auto& entry : std::filesystem::directory_iterator(playground)) std::filesystem::remove_all(entry);
  std::ofstream("in.npy", std::ios::binary) << content;
  // Only what libtiff takes for a TIFF: other bytes would go to OpenImageIO.
  if (content.starts_with(std::string_view("II\x2a\0", 4)) || content.starts_with(std::string_view("MM\0\x2a", 4)))
    std::ofstream("in.tif", std::ios::binary) << content;
  if (arguments.size() > 1 && (arguments[1] == "label" || arguments[1] == "measure" || arguments[1] == "relabel" ||
                               arguments[1] == "tree" || arguments[1] == "track" || arguments[1] == "info"))
    arguments.insert(arguments.begin() + 2, std::string(pixel_limit));

  std::vector<const char*> words;
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  std::ostringstream out, err;
  const int code = skerry::cli::run(static_cast<int>(words.size()), words.data(), out, err);

  // The promises of the help: 0, or 2 and one line, or 1 of a film with frames that have no result; and no temporary file is
  // left.
  const bool film = arguments.size() > 1 && arguments[1] == "track";
  if (code != 0 && code != 2 && !(film && code == 1)) fail("exit code", std::to_string(code));
  if (code == 1 && err.str().find(": frame ") == std::string::npos) fail("no message", err.str());
  const bool one_for_each_file = arguments.size() > 1 && arguments[1] != "track";
  const bool profiled = std::ranges::count(arguments, "--profile") != 0;
  if (code == 2 && !is_one_complaint(err.str(), one_for_each_file, profiled)) fail("not one message", err.str());
  for (const auto& entry : std::filesystem::directory_iterator(playground))
    if (entry.path().extension() == ".part") fail("a temporary file is left", entry.path().string());
  return 0;
}
