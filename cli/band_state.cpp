// SPDX-License-Identifier: Apache-2.0
#include "cli/band_state.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "cli/memory_size.hpp"
#include "io/file_error.hpp"
#include "io/pending_file.hpp"
#include "skerry/error.hpp"

namespace skerry::cli {
namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

constexpr int state_version = 1;
constexpr int most_of_the_time = 20;  // saving takes at most one part in so many

[[noreturn]] void damaged(const std::string& folder, const std::string& why) {
  throw io::file_error(folder, "cannot be continued: " + why + "; without --resume the work begins anew");
}

// Whether a state has files of this name. All others are the user's.
bool is_of_state(const std::string& name) {
  static const std::set<std::string, std::less<>> names = {"lock", "state", "pieces", "strips", "part"};
  return names.contains(name) || name.starts_with("open-") || name.starts_with(".skerry-");  // of a pending_file
}

void require_bytes(const std::string& path, std::uint64_t begin, std::uint64_t count) {
  std::error_code error;
  const std::uint64_t size = fs::file_size(path, error);
  if (error || begin > size || count > size - begin) damaged(path, "it is not all there");
}

std::vector<std::byte> bytes_of_file(const std::string& path, std::uint64_t begin, std::uint64_t count) {
  if (count == 0) return {};
  require_bytes(path, begin, count);  // before memory is taken for them
  std::ifstream file(path, std::ios::binary);
  std::vector<std::byte> bytes(count);
  file.seekg(static_cast<std::streamoff>(begin));
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(count));
  if (!file) damaged(path, "it is not all there");
  return bytes;
}

// Writes at an offset, and drops what is behind it.
void write_file(const std::string& path, std::uint64_t offset, const void* bytes, std::size_t count) {
  io::pending_file file(path, path);
  file.cut(static_cast<std::int64_t>(offset));
  file.write_at(bytes, count, static_cast<std::int64_t>(offset));
}

void save_file(const std::string& path) { io::pending_file(path, path).save(); }

template <class Read>
void read_checked(const std::string& path, const std::vector<std::byte>& bytes, Read read) {
  try {
    read(bytes);
  } catch (const invalid_argument& error) {
    damaged(path, error.what());
  }
}

}  // namespace

band_state::band_state(const std::string& output, band_question asked)
    : output_(output), asked_(std::move(asked)), folder_(io::target_of(output) + ".skerry") {
  std::error_code error;
  fs::create_directory(folder_, error);
  if (error) throw io::file_error(output_, "cannot be written: " + folder_ + ": " + error.message());
  lock();
  try {
    if (asked_.resume && fs::exists(folder_ + "/state")) read_state();
    else begin_anew();
  } catch (...) {
    ::close(lock_);
    throw;
  }
}

band_state::~band_state() {
  if (!saved_) remove();
  else ::close(lock_);
}

void band_state::lock() {
  lock_ = ::open((folder_ + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) throw io::file_error(output_, std::string("cannot be written: ") + std::strerror(errno));
  if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) return;
  ::close(lock_);
  throw io::file_error(output_, "is being written by another process");
}

void band_state::begin_anew() {
  std::vector<fs::path> old;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    if (!is_of_state(name)) throw io::file_error(folder_, "has " + name + ", which is not of skerry; move it away");
    if (name != "lock") old.push_back(entry.path());
  }
  for (const fs::path& file : old) fs::remove(file);
}

void band_state::read_state() {
  std::ifstream file(folder_ + "/state");
  const nlohmann::json state = nlohmann::json::parse(file, nullptr, false);
  try {
    if (state.at("version") != state_version) damaged(folder_, "it is of another version of skerry");
    if (state.at("question") != asked_.text)
      damaged(folder_, "it is of another input or other options: " + state.at("question").get<std::string>());
    const auto memory = state.at("memory").get<std::int64_t>();
    if (asked_.memory < memory)
      throw io::file_error(output_, "was begun with more memory; give --memory " + text_of_memory(memory) + " or more");
    for (const auto& band : state.at("bands")) {
      const band_rows rows{band.at(0).get<std::int64_t>(), band.at(1).get<std::int64_t>()};
      const std::int64_t begin = progress_.labelled.empty() ? 0 : progress_.labelled.back().end;
      if (rows.begin != begin || rows.end <= begin) damaged(folder_, "its bands do not follow each other");
      progress_.labelled.push_back(rows);
    }
    progress_.piece_bytes = state.at("pieces").get<std::uint64_t>();
    progress_.open_piece = state.at("open").get<std::uint64_t>();
    progress_.written.rows = state.at("rows").get<std::int64_t>();
    strips_ = state.at("strips").get<std::uint64_t>();
    if (state.contains("count")) progress_.count = state.at("count").get<std::uint64_t>();
  } catch (const nlohmann::json::exception&) {
    damaged(folder_, "its state cannot be read");
  }
  saved_ = true;
  if (progress_.count) {  // there is no more to be done, and maybe no more files
    if (!fs::exists(part()) && !fs::exists(io::target_of(output_)))
      damaged(folder_, "the output was finished and is gone");
    return;
  }
  if (progress_.piece_bytes != 0) require_bytes(folder_ + "/pieces", 0, progress_.piece_bytes);
  if (strips_ > ~std::uint64_t{0} / 8) damaged(folder_, "its state cannot be read");
  const std::vector<std::byte> strips = bytes_of_file(folder_ + "/strips", 0, 8 * strips_);
  progress_.written.strips.resize(strips_);
  if (strips_ > 0) std::memcpy(progress_.written.strips.data(), strips.data(), strips.size());
}

void band_state::append(const std::vector<std::byte>& piece) {
  write_file(folder_ + "/pieces", progress_.piece_bytes, piece.data(), piece.size());
  progress_.piece_bytes += piece.size();
}

void band_state::each_piece(const take_bytes& take) const {
  const std::string path = folder_ + "/pieces";
  for (std::uint64_t at = 0; at < progress_.piece_bytes;) {
    constexpr std::uint64_t around = 24;  // the beginning of a piece, which has its length, and its sum
    std::uint64_t length = 0;
    std::memcpy(&length, bytes_of_file(path, at, 16).data() + 8, sizeof length);
    if (length > progress_.piece_bytes - at) damaged(path, "it was changed");
    read_checked(path, bytes_of_file(path, at, length + around), take);
    at += length + around;
  }
}

piece band_state::open() const {
  if (progress_.labelled.empty()) return {};
  const std::string path = folder_ + "/open-" + std::to_string(progress_.open_piece);
  std::error_code error;
  const auto size = fs::file_size(path, error);
  piece open;
  read_checked(path, bytes_of_file(path, 0, error ? 0 : size),
               [&](std::span<const std::byte> bytes) { open = piece_from_bytes(bytes); });
  return open;
}

bool band_state::is_time() const { return clock::now() >= next_save_; }

template <class Work>
void band_state::timed(Work work) {
  const auto begin = clock::now();
  work();
  next_save_ = clock::now() + most_of_the_time * (clock::now() - begin);
}

void band_state::labelled(const band_rows& band, const piece& open, bool last) {
  progress_.labelled.push_back(band);
  if (!last && !is_time()) return;
  timed([&] {
    const std::vector<std::byte> bytes = open.to_bytes();
    const std::string before = folder_ + "/open-" + std::to_string(progress_.open_piece);
    const std::string path = folder_ + "/open-" + std::to_string(++progress_.open_piece);
    write_file(path, 0, bytes.data(), bytes.size());
    save_file(path);
    save_file(folder_ + "/pieces");
    save();
    std::error_code ignored;
    fs::remove(before, ignored);
  });
}

void band_state::written(const io::band_writer& writer, const io::pending_file& output) {
  if (!is_time()) return;
  timed([&] {
    io::band_writer::progress reached = writer.reached(strips_);
    const std::size_t bytes = 8 * reached.strips.size();
    write_file(folder_ + "/strips", 8 * strips_, reached.strips.data(), bytes);
    save_file(folder_ + "/strips");
    output.save();
    strips_ += reached.strips.size();
    progress_.written.rows = reached.rows;
    save();
  });
}

void band_state::save() {
  nlohmann::json state = {{"version", state_version},        {"question", asked_.text},
                          {"pieces", progress_.piece_bytes}, {"open", progress_.open_piece},
                          {"rows", progress_.written.rows},  {"strips", strips_},
                          {"memory", asked_.memory}};
  if (progress_.count) state["count"] = *progress_.count;
  auto& bands = state["bands"] = nlohmann::json::array();
  for (const band_rows& rows : progress_.labelled) bands.push_back({rows.begin, rows.end});
  io::pending_file file(folder_ + "/state");
  file.append(state.dump());
  file.commit();
  saved_ = true;
}

void band_state::finished(std::uint64_t count) {
  progress_.count = count;
  save();
}

void band_state::remove() {
  std::error_code ignored;
  fs::remove(folder_ + "/state", ignored);  // first: without it the others are nothing
  fs::remove_all(folder_, ignored);
  ::close(std::exchange(lock_, -1));
  saved_ = true;
}

}  // namespace skerry::cli
