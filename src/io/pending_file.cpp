// SPDX-License-Identifier: Apache-2.0
#include "io/pending_file.hpp"

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "io/file_error.hpp"

namespace skerry::io {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;

// Names that a signal handler has to unlink. Whoever takes a pointer out of a slot owns it, so that the handler never
// reads memory that another thread has freed.
std::array<std::atomic<char*>, 64> temporaries{};
static_assert(std::atomic<char*>::is_always_lock_free, "a signal handler reads this");

int remember(const std::string& name) {
  char* copy = ::strdup(name.c_str());
  if (copy == nullptr) return -1;
  for (std::size_t i = 0; i < temporaries.size(); ++i) {
    char* nobody = nullptr;
    if (temporaries[i].compare_exchange_strong(nobody, copy)) return static_cast<int>(i);
  }
  std::free(copy);  // more open files than slots: they are still removed by their destructors
  return -1;
}

void forget(int slot) {
  if (slot >= 0) std::free(temporaries[static_cast<std::size_t>(slot)].exchange(nullptr));
}

extern "C" void unlink_temporaries(int signal) {
  remove_pending_files();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

[[noreturn]] void fail(const std::string& path, const char* what, int error) {
  throw file_error(path, std::string(what) + ": " + std::strerror(error));
}

// The number of an open file that a name stands for, or -1. Opening the name would write from the beginning again, over
// what others have written to it.
int descriptor_named(const std::string& path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int number = -1;
    const char* const end = path.data() + path.size();
    const auto [stop, error] = std::from_chars(path.data() + folder.size(), end, number);
    if (error == std::errc() && stop == end && number >= 0) return number;
  }
  return -1;
}

// Devices and pipes take bytes; replacing /dev/null by a file would be a disaster.
bool can_be_replaced(const std::string& path) {
  if (descriptor_named(path) >= 0 || path.starts_with("/dev/") || path.starts_with("/proc/")) return false;
  struct stat found {};
  return ::stat(path.c_str(), &found) != 0 || S_ISREG(found.st_mode);
}

void write_all(int descriptor, const char* bytes, std::size_t count, const std::string& path) {
  while (count > 0) {
    const ssize_t written = ::write(descriptor, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(path, "cannot be written", written < 0 ? errno : EIO);
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
}

}  // namespace

std::string target_of(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path at = path;
  for (int links = 0; fs::is_symlink(at, error); ++links) {
    const fs::path target = fs::read_symlink(at, error);
    if (error || links == 40) throw file_error(path, "too many symbolic links");
    at = at.parent_path() / target;  // an absolute target stays as it is
  }
  return at.string();
}

bool is_standard_output(const std::string& path) { return descriptor_named(path) == STDOUT_FILENO; }

pending_file::pending_file(std::string path) : path_(std::move(path)), destination_(path_) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::is_directory(path_, ignored)) throw file_error(path_, "cannot be written: it is a directory");
  replaces_ = can_be_replaced(path_);
  if (!replaces_) {
    const fs::path folder = fs::temp_directory_path(ignored);
    if (ignored) throw file_error(path_, "needs a temporary file, and TMPDIR is no folder");
    open_temporary(folder.string());
    return;
  }
  destination_ = target_of(path_);  // a link stays a link: its target is replaced
  const fs::path folder = fs::path(destination_).parent_path();
  open_temporary(folder.empty() ? "." : folder.string());
}

pending_file::pending_file(std::string path, std::string part)
    : path_(std::move(path)), destination_(target_of(path_)), temporary_(std::move(part)), stays_(true) {
  descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(path_, "cannot be written", errno);
}

pending_file::~pending_file() { discard(); }

void pending_file::open_temporary(const std::string& folder) {
  static std::atomic<unsigned> serial{0};
  for (int attempt = 0; attempt < 1000; ++attempt) {
    temporary_ = folder + "/.skerry-" + std::to_string(::getpid()) + "-" + std::to_string(serial++) + ".part";
    slot_ = remember(temporary_);  // before the file exists: no signal can leave it behind
    descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) break;
    const int error = errno;
    forget(std::exchange(slot_, -1));
    temporary_.clear();
    if (error == ENOENT) throw file_error(path_, "cannot be written: there is no folder " + folder);
    if (error != EEXIST) fail(path_, "cannot be written", error);
  }
  if (descriptor_ < 0) throw file_error(path_, "cannot be written: no free temporary name");
  struct stat old {};
  if (replaces_ && ::stat(destination_.c_str(), &old) == 0) {
    if (::access(destination_.c_str(), W_OK) != 0) {
      const int error = errno;
      discard();
      fail(path_, "cannot be written", error);
    }
    (void)::fchmod(descriptor_, old.st_mode & 07777);
  }
}

void pending_file::append(std::string_view text) {
  collected_.append(text);
  if (collected_.size() >= piece_bytes) flush();
}

void pending_file::flush() {
  write_at(collected_.data(), collected_.size(), end_);
  end_ += static_cast<std::int64_t>(collected_.size());
  collected_.clear();
}

void pending_file::write_at(const void* bytes, std::size_t count, std::int64_t offset) {
  const char* from = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t written = ::pwrite(descriptor_, from, count, offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(path_, "cannot be written", written < 0 ? errno : EIO);
    from += written;
    offset += written;
    count -= static_cast<std::size_t>(written);
  }
}

std::size_t pending_file::read_at(void* bytes, std::size_t count, std::int64_t offset) const {
  char* to = static_cast<char*>(bytes);
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = ::pread(descriptor_, to + done, count - done, offset + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, "cannot be read back", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::int64_t pending_file::size() const {
  struct stat now {};
  if (::fstat(descriptor_, &now) != 0) fail(path_, "cannot be written", errno);
  return now.st_size;
}

void pending_file::cut(std::int64_t size) {
  if (::ftruncate(descriptor_, size) != 0) fail(path_, "cannot be written", errno);
}

void pending_file::save() const {
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL) fail(path_, "cannot be written", errno);
}

void pending_file::finish() {
  flush();
  if (!replaces_) {
    copy_to_destination();
    discard();
    return;
  }
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail(path_, "cannot be written", errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(path_, "cannot be written", errno);
}

void pending_file::publish() {
  if (!replaces_) return;
  if (::rename(temporary_.c_str(), destination_.c_str()) != 0) fail(path_, "cannot be written", errno);
  forget(std::exchange(slot_, -1));
  temporary_.clear();
}

void pending_file::copy_to_destination() const {
  const int open_already = descriptor_named(path_);
  const int to = open_already >= 0 ? open_already : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (to < 0) fail(path_, "cannot be written", errno);
  try {
    std::vector<char> piece(piece_bytes);
    for (std::int64_t offset = 0;;) {
      const std::size_t got = read_at(piece.data(), piece.size(), offset);
      if (got == 0) break;
      write_all(to, piece.data(), got, is_standard_output(path_) ? "standard output" : path_);
      offset += static_cast<std::int64_t>(got);
    }
  } catch (...) {
    if (open_already < 0) ::close(to);
    throw;
  }
  if (open_already < 0 && ::close(to) != 0) fail(path_, "cannot be written", errno);
}

void pending_file::discard() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (!temporary_.empty() && !stays_) ::unlink(temporary_.c_str());
  temporary_.clear();
  forget(std::exchange(slot_, -1));
}

void remove_pending_files() noexcept {
  for (auto& slot : temporaries)
    if (const char* name = slot.exchange(nullptr)) ::unlink(name);
}

void remove_pending_files_on_signals() {
  struct sigaction action {};
  action.sa_handler = unlink_temporaries;
  sigfillset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU, SIGALRM}) {
    struct sigaction before {};
    // A parent that ignores a signal (nohup) wants it ignored.
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &ignore, nullptr);
}

}  // namespace skerry::io
