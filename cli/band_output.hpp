// SPDX-License-Identifier: Apache-2.0
// A label image that is larger than memory: a thread writes the last band while the next one is labelled.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "cli/band_state.hpp"
#include "cli/bands.hpp"
#include "cli/handover.hpp"
#include "io/bands.hpp"
#include "io/pending_file.hpp"

namespace skerry::cli {

class band_output {
 public:
  struct labels {
    band_rows rows;
    std::int64_t room = 0;  // pixels
    std::unique_ptr<std::byte[]> pixels;
  };

  /// Begins the output, or goes on with it where the state says. Nothing is visible under its name before finish().
  /// Throws io::file_error.
  band_output(const std::string& path, const io::stored_image& what, band_state& state);
  band_output(const band_output&) = delete;
  band_output& operator=(const band_output&) = delete;
  ~band_output();

  /// Memory for the labels of a band. Throws io::file_error when what came before cannot be written.
  [[nodiscard]] labels room(std::int64_t pixels);
  /// The rows that follow. Those that the output already has are passed over.
  void add(labels band) { full_.put(std::move(band)); }
  /// Waits for all rows, and gives the file, which has so many labels, its name. Throws io::file_error.
  void finish(std::uint64_t count);

 private:
  void write_all();
  void stop();

  io::stored_image what_;
  band_state& state_;
  io::pending_file file_;
  std::unique_ptr<io::band_writer> writer_;
  std::int64_t row_;  // the next
  handover<labels> free_, full_;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace skerry::cli
