// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace skerry::io {

/// Writes a ZIP archive front to back. Files are stored without compression, with the date 1980-01-01, so that the same files give
/// the same bytes. More than 65534 files take the records of ZIP64 at the end [APPNOTE 6.3.10, 4.3].
class zip_writer {
 public:
  using sink = std::function<void(std::string_view)>;

  explicit zip_writer(sink out) : out_(std::move(out)) {}

  /// Adds a file. Returns false, and adds nothing, when the archive would not end below 4 GiB.
  ///   name  of ASCII, at most 100 characters
  [[nodiscard]] bool add(const std::string& name, std::string_view bytes);
  /// Writes the list of files. To be called once, last.
  void finish();

 private:
  struct entry {
    std::string name;
    std::uint32_t checksum, size, offset;
  };
  void write(std::string_view bytes);

  sink out_;
  std::uint64_t written_ = 0, listed_ = 0;  // bytes of files, and those that their list will have
  std::vector<entry> files_;
};

/// The CRC-32 of ZIP and PNG [ISO 3309].
[[nodiscard]] std::uint32_t crc32(std::string_view bytes);

}  // namespace skerry::io
