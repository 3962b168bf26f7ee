// SPDX-License-Identifier: Apache-2.0
// An image that is larger than memory, band after band: a thread reads the next one while the last is worked on.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/handover.hpp"
#include "cli/threshold.hpp"
#include "io/bands.hpp"
#include "skerry/blocks.hpp"

namespace skerry::cli {

/// Rows [begin, end) of an image, those of all slices one after another: whole slices, or rows of one slice.
struct band_rows {
  std::int64_t begin = 0, end = 0;

  [[nodiscard]] std::int64_t count() const { return end - begin; }
  [[nodiscard]] block_place place(const extent& whole) const;
  [[nodiscard]] extent size(const extent& whole) const;
};

/// The bands that have rows from this one on.
[[nodiscard]] std::vector<band_rows> rows_after(std::int64_t row, std::vector<band_rows> bands);

/// How a band is labelled.
struct band_request {
  label_request asked;
  std::vector<std::uint8_t> filled;  // the image that is asked about, if it is not the band's own
};

/// What is asked about a band, in which holes are filled first where there is a numbering of them. Throws what the library throws.
[[nodiscard]] band_request fill_holes(engine& on, const label_request& asked, const block_place& place,
                                      const numbering* holes);

/// Memory that a user allows, and what of it bands may take.
class band_memory {
 public:
  /// Takes what the process holds now, and some more for what does not depend on bands, from the limit.
  ///   label_bytes   of a pixel of the label image
  ///   beside_bytes  of a pixel of what else is in memory for a band while it is labelled
  band_memory(std::int64_t limit, const io::band_reader& from, std::int64_t label_bytes, std::int64_t beside_bytes = 0);

  /// Bytes for bands: what is left of three quarters of the limit. The rest is for the components of all bands.
  [[nodiscard]] std::int64_t for_bands() const { return (limit_ - fixed_) / 4 * 3; }
  [[nodiscard]] std::int64_t for_components() const { return (limit_ - fixed_) / 4; }
  /// Bytes for all components while no band is in memory.
  [[nodiscard]] std::int64_t in_all() const { return limit_ - fixed_; }
  [[nodiscard]] std::int64_t fixed() const { return fixed_; }

  /// The bytes that a band takes at most: while it is labelled or its labels are written, and others are read and written.
  ///   runs, face_runs  of the band, and those of its rows that have neighbours in other bands
  [[nodiscard]] std::int64_t of_band(std::int64_t pixels, std::uint64_t runs, std::uint64_t face_runs) const;
  /// The smallest limit that gives bands so much.
  [[nodiscard]] std::int64_t limit_for(std::int64_t bytes_of_band) const { return fixed_ + bytes_of_band / 3 * 4 + 4; }

 private:
  std::int64_t limit_, fixed_;
  std::int64_t pixel_bytes_, label_bytes_, beside_bytes_;
};

/// The bands of an image one after another.
class band_source {
 public:
  struct band {
    band_rows rows;
    std::unique_ptr<std::byte[]> pixels;
  };
  struct job {
    io::band_reader& from;
    std::string name;
    label_options options;  // what makes runs
    band_memory memory;
  };

  /// Chooses bands from a row on, as large as memory allows.
  band_source(const job& of, std::int64_t first_row);
  /// Reads these bands.
  band_source(const job& of, std::vector<band_rows> bands);
  band_source(const band_source&) = delete;
  band_source& operator=(const band_source&) = delete;
  ~band_source();

  /// The next band; nothing after the last. Throws io::file_error, also when the limit is too small for any band.
  [[nodiscard]] std::optional<band> next() { return read_.take(); }
  /// Gives the memory of a band back, so that another can be read.
  void give_back(band used) { free_.put(std::move(used.pixels)); }

 private:
  // Rows that are stored together, and what is known of them.
  struct unit {
    band_rows rows;
    std::uint64_t runs;
  };

  void start(std::int64_t bytes, void (band_source::*work)());
  void read_chosen();
  void read_given();
  void cut_from(std::vector<unit>& units, std::unique_ptr<std::byte[]>& pixels);
  [[nodiscard]] unit read_unit(std::int64_t row, std::byte* to) const;
  [[nodiscard]] std::int64_t bytes_of(const std::vector<unit>& units, std::size_t count) const;
  [[nodiscard]] std::size_t units_of_band(const std::vector<unit>& units) const;
  [[nodiscard]] std::int64_t row_bytes() const;

  job of_;
  std::int64_t unit_rows_ = 1, first_row_ = 0;
  std::vector<band_rows> given_;
  handover<std::unique_ptr<std::byte[]>> free_;
  handover<band> read_;
  std::thread thread_;  // last: it uses the rest
};

/// The rule for all bands; for Otsu's threshold the image is read twice. Throws usage_error and io::file_error.
[[nodiscard]] foreground_choice choose_foreground(const foreground_options& options, io::band_reader& from,
                                                  const std::string& name);

}  // namespace skerry::cli
