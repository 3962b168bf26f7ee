// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace skerry::io {

/// Whether a name stands for standard output: "-", /dev/stdout, /dev/fd/1, /proc/self/fd/1.
[[nodiscard]] bool is_standard_output(const std::string& path);

/// What a chain of symbolic links ends in, whether that exists or not: there a pending file is published.
[[nodiscard]] std::string target_of(const std::string& path);

/// A file that gets its name only when it is whole: bytes go to a temporary file in the same folder, finish() flushes it, and
/// publish() renames it. Without them the temporary is removed and an older file of that name is as it was. Of several files
/// that belong together all are finished before one is published, so that one that fails leaves the others as they were.
///
/// A name that is not a regular file (standard output or another open file, a device, a pipe) cannot be renamed over: its
/// bytes are collected in a temporary file and copied by finish(), to an open file from where it stands.
///
/// Every function throws file_error, naming `path` and the system's reason.
class pending_file {
 public:
  explicit pending_file(std::string path);
  /// One whose bytes are in the file `part`, of the same file system. What is there is kept, and it stays when this is not
  /// published, so that a later process can go on with it. `path` is a name of a regular file.
  pending_file(std::string path, std::string part);
  pending_file(const pending_file&) = delete;
  pending_file& operator=(const pending_file&) = delete;
  ~pending_file();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Adds text at the end; collected in memory and written in large pieces.
  void append(std::string_view text);
  /// Writes bytes anywhere. Do not mix with append().
  void write_at(const void* bytes, std::size_t count, std::int64_t offset);
  /// Reads back what was written; returns how many bytes there were.
  [[nodiscard]] std::size_t read_at(void* bytes, std::size_t count, std::int64_t offset) const;
  [[nodiscard]] std::int64_t size() const;
  /// Drops the bytes from `size` on.
  void cut(std::int64_t size);
  /// Waits until what was written is on the disk.
  void save() const;

  /// Does all that a full disk or a limit may refuse. To be called once, after the last byte.
  void finish();
  /// Makes the finished file visible under its name. To be called once, last.
  void publish();
  /// Both, for a file that belongs to no other.
  void commit() {
    finish();
    publish();
  }

 private:
  void open_temporary(const std::string& folder);
  void flush();
  void copy_to_destination() const;
  void discard() noexcept;

  std::string path_;         // as the caller wrote it, for messages
  std::string destination_;  // with symbolic links followed
  std::string temporary_;
  std::string collected_;
  std::int64_t end_ = 0;  // of what append() has written
  int descriptor_ = -1;
  int slot_ = -1;  // in the list that the signal handler reads
  bool replaces_ = true;
  bool stays_ = false;  // when it is not published
};

/// Removes the temporaries of every pending_file, for a process that ends at once. Safe in a signal handler.
void remove_pending_files() noexcept;

/// Makes SIGINT, SIGQUIT, SIGTERM, SIGHUP and SIGPIPE remove the temporaries of every pending_file before they end the process
/// as they always do, and makes a write beyond the file size limit an error instead of a signal.
void remove_pending_files_on_signals();

}  // namespace skerry::io
