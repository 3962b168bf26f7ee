// SPDX-License-Identifier: Apache-2.0
#include "cli/output_names.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "cli/console.hpp"
#include "io/file_error.hpp"
#include "io/pending_file.hpp"

namespace skerry::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view placeholder = "{name}";

bool means_folder(const std::string& given, std::size_t inputs) {
  std::error_code ignored;
  if (io::is_standard_output(given)) return false;
  return given.ends_with('/') || fs::is_directory(given, ignored) || (inputs > 1 && !fs::path(given).has_extension());
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error) throw io::file_error(folder.string(), "cannot be made: " + error.message());
}

// One spelling for one file, whether it exists or not; "-" for standard output, and for nothing, which is printed. Devices
// may be written twice.
std::string identity(const std::string& path) {
  if (path.empty() || io::is_standard_output(path)) return "-";
  if (path.starts_with("/dev/")) return {};
  std::error_code error;
  const fs::path whole = fs::absolute(io::target_of(path), error), resolved = fs::weakly_canonical(whole, error);
  return error ? whole.lexically_normal().string() : resolved.string();
}

}  // namespace

std::string fill_name(std::string pattern, const std::string& input) {
  const std::string name = input == "-" ? "stdin" : fs::path(input).stem().string();
  for (std::size_t at = 0; (at = pattern.find(placeholder, at)) != std::string::npos; at += name.size())
    pattern.replace(at, placeholder.size(), name);
  return pattern;
}

void check_distinct(const std::string& option, const std::vector<std::string>& outputs,
                    const std::vector<std::string>& others) {
  std::set<std::string> taken;
  for (const std::string& other : others)
    if (other != "-") taken.insert(identity(other));
  taken.erase("");
  std::set<std::string> seen;
  for (const std::string& output : outputs) {
    const std::string file = identity(output);
    if (taken.contains(file))
      throw usage_error(file == "-" ? option + ": standard output has room for one result"
                                    : fmt::format("{}: {} is also an input or another output", option, output));
    if (!file.empty() && !seen.insert(file).second)
      throw usage_error(fmt::format("{}: two inputs of the same name would both be written to {}", option, output));
  }
}

std::vector<std::string> name_outputs(const std::string& option, const std::string& given,
                                      const std::vector<std::string>& inputs, const std::string& ending) {
  std::vector<std::string> outputs;
  if (given.empty()) return outputs;
  if (given.find(placeholder) != std::string::npos) {
    for (const std::string& input : inputs) outputs.push_back(fill_name(given, input));
  } else if (means_folder(given, inputs.size())) {
    for (const std::string& input : inputs)
      outputs.push_back((fs::path(given) / fill_name(std::string(placeholder) + ending, input)).string());
  } else if (inputs.size() > 1) {
    throw usage_error(option + ": several inputs need a folder, or a name with {name} in it such as out/{name}" +
                      ending);
  } else {
    outputs.emplace_back(io::is_standard_output(given) ? "/dev/stdout"
                                                       : given);  // not "-", which is standard input among the inputs
    check_distinct(option, outputs, inputs);
    return outputs;
  }
  check_distinct(option, outputs, inputs);
  for (const std::string& output : outputs) make_folder(fs::path(output).parent_path());
  return outputs;
}

}  // namespace skerry::cli
