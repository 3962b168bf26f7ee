// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "io/printable.hpp"

namespace skerry::cli {
namespace {

constexpr std::uintmax_t large_file = 16 << 20;
constexpr std::size_t line_width = 79;  // a line that wraps cannot be taken back

}  // namespace

progress::progress(const console& to, bool quiet, std::size_t total)
    : to_(to), wanted_(to.err_is_terminal && !quiet), total_(total) {}

void progress::begin(std::size_t index, const std::string& name) {
  index_ = index;
  name_ = io::printable(name);
  std::error_code unknown;
  const std::uintmax_t bytes = std::filesystem::file_size(name, unknown);
  file_wanted_ = wanted_ && (total_ > 1 || (!unknown && bytes >= large_file));
}

void progress::show(const std::string& verb) {
  if (!file_wanted_) return;
  std::string line = total_ > 1 ? fmt::format("[{}/{}] {} ", index_ + 1, total_, verb) : verb + " ";
  const std::size_t room = line_width - std::min(line.size(), line_width);
  line += name_.size() <= room ? name_ : "..." + name_.substr(name_.size() - (room > 3 ? room - 3 : 0));
  to_.err << '\r' << line << "\x1b[K" << std::flush;
  visible_ = true;
}

void progress::clear() {
  if (visible_) to_.err << "\r\x1b[K" << std::flush;
  visible_ = false;
}

}  // namespace skerry::cli
