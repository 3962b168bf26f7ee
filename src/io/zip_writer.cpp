// SPDX-License-Identifier: Apache-2.0
#include "io/zip_writer.hpp"

#include <array>

namespace skerry::io {
namespace {

constexpr std::uint64_t zip_limit = 0xFFFFFFFF;  // of offsets and sizes without ZIP64
constexpr std::uint64_t most_files = 0xFFFE;     // without ZIP64
constexpr std::uint64_t fixed_bytes = 46 + 30;   // of the two headers of a file
constexpr std::uint64_t end_bytes = 22 + 20 + 56;

void append_little(std::string& to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(i < 8 ? value >> (8 * i) & 0xFF : 0);
}

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t rest = i;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ ((rest & 1) != 0 ? 0xEDB88320u : 0u);
    table[i] = rest;
  }
  return table;
}

// What the header before a file and its line in the list at the end have in common.
std::string shared_fields(std::uint32_t checksum, std::size_t size, std::size_t name) {
  std::string fields;
  append_little(fields, 20, 2);          // the version that reads it: 2.0
  append_little(fields, 0, 4);           // no flags, stored
  append_little(fields, 0x21 << 16, 4);  // 00:00 of 1980-01-01
  append_little(fields, checksum, 4);
  append_little(fields, size, 4);
  append_little(fields, size, 4);
  append_little(fields, name, 2);
  append_little(fields, 0, 2);  // no extra field
  return fields;
}

// ZIP64: the end of the list, and where that is.
std::string zip64_end(std::uint64_t files, std::uint64_t begin, std::uint64_t size) {
  std::string end = "PK\x06\x06";
  append_little(end, 44, 8);  // bytes that follow
  append_little(end, 45, 2);
  append_little(end, 45, 2);  // version 4.5
  append_little(end, 0, 8);   // one disk
  append_little(end, files, 8);
  append_little(end, files, 8);
  append_little(end, size, 8);
  append_little(end, begin, 8);
  end += "PK\x06\x07";
  append_little(end, 0, 4);
  append_little(end, begin + size, 8);
  append_little(end, 1, 4);
  return end;
}

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> table = crc_table();
  std::uint32_t rest = ~std::uint32_t{0};
  for (const char byte : bytes) rest = rest >> 8 ^ table[(rest ^ static_cast<unsigned char>(byte)) & 0xFF];
  return ~rest;
}

void zip_writer::write(std::string_view bytes) {
  out_(bytes);
  written_ += bytes.size();
}

bool zip_writer::add(const std::string& name, std::string_view bytes) {
  const std::uint64_t more = bytes.size() + 2 * name.size() + fixed_bytes;
  if (more > zip_limit || written_ + listed_ + more + end_bytes > zip_limit) return false;
  const std::uint32_t checksum = crc32(bytes);
  files_.push_back({name, checksum, static_cast<std::uint32_t>(bytes.size()), static_cast<std::uint32_t>(written_)});
  write("PK\x03\x04" + shared_fields(checksum, bytes.size(), name.size()) + name);
  write(bytes);
  listed_ += 46 + name.size();
  return true;
}

void zip_writer::finish() {
  const std::uint64_t begin = written_;
  for (const entry& file : files_) {
    std::string line = "PK\x01\x02";
    append_little(line, 20, 2);  // the version that wrote it
    line += shared_fields(file.checksum, file.size, file.name.size());
    append_little(line, 0, 10);  // no comment, disk 0, no attributes
    append_little(line, file.offset, 4);
    write(line + file.name);
  }
  const std::uint64_t size = written_ - begin;
  const bool many = files_.size() > most_files;
  if (many) write(zip64_end(files_.size(), begin, size));
  std::string end = "PK\x05\x06";
  append_little(end, 0, 4);  // one disk
  const std::uint64_t count = many ? 0xFFFF : files_.size();
  append_little(end, count, 2);
  append_little(end, count, 2);
  append_little(end, size, 4);
  append_little(end, begin, 4);
  append_little(end, 0, 2);  // no comment
  write(end);
}

}  // namespace skerry::io
