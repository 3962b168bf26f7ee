// SPDX-License-Identifier: Apache-2.0
// What a command that works band after band leaves beside its output, so that it can go on after it was killed.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/bands.hpp"
#include "cli/joined_pieces.hpp"
#include "io/bands.hpp"
#include "skerry/blocks.hpp"

namespace skerry::cli {

/// What is to be done, and how.
struct band_question {
  std::string text;         // a line that says what is asked of what; another one cannot go on with the same state
  std::int64_t memory = 0;  // bytes; bands that were chosen for more are not taken with less
  bool resume = false;      // goes on where the state is, if there is one; else it is dropped
};

/// How far the work was when it was last saved.
struct band_progress {
  std::vector<band_rows> labelled;     // bands that are in pieces
  std::uint64_t piece_bytes = 0;       // of the file of pieces
  std::uint64_t open_piece = 0;        // number of the file that holds what is still open
  io::band_writer::progress written;   // rows of the output
  std::optional<std::uint64_t> count;  // labels, once the output is whole and is to get its name, or has it
};

/// A folder beside the output, OUTPUT.skerry, with the state and the bytes of the output so far. One process at a time has it.
///
///   state     text: version, question, how far; replaced as a whole
///   pieces    closed components, or all that is known of each band, piece after piece
///   open-N    the piece of all bands, of those that are still open
///   strips    bytes of the strips of a TIFF, 8 each
///   part      the output
class band_state {
 public:
  /// Opens the folder, or makes it. Throws io::file_error: when another process has it, and when the state is of another
  /// question, or damaged.
  band_state(const std::string& output, band_question asked);
  band_state(const band_state&) = delete;
  band_state& operator=(const band_state&) = delete;
  ~band_state();

  [[nodiscard]] const band_progress& progress() const { return progress_; }
  /// Whether a later process can go on from here.
  [[nodiscard]] bool is_saved() const { return saved_; }
  /// The file for the bytes of the output.
  [[nodiscard]] std::string part() const { return folder_ + "/part"; }

  /// Adds what is final of a band, or all that is known of one. Throws io::file_error.
  template <class Piece>
  void add(const Piece& piece) {
    append(piece.to_bytes());
  }
  /// The same, unless it has no component.
  void add_closed(const piece& closed) {
    if (closed.closed_components() > 0) add(closed);
  }
  /// All that were added at progress(), joined; `read` makes one of its bytes. Throws io::file_error.
  template <class Piece>
  [[nodiscard]] joined_pieces<Piece> pieces(Piece (*read)(std::span<const std::byte>)) const {
    joined_pieces<Piece> all;
    each_piece([&](std::span<const std::byte> bytes) { all.add(read(bytes)); });
    return all;
  }
  /// The piece of all bands at progress().
  [[nodiscard]] piece open() const;
  /// A band is in the pieces, of which `open` is what can still join. Saves now and then. Throws io::file_error.
  void labelled(const band_rows& band, const piece& open, bool last);
  /// Rows are in the output. Saves now and then; throws io::file_error.
  void written(const io::band_writer& writer, const io::pending_file& output);
  /// The output is whole, and has so many labels. Throws io::file_error.
  void finished(std::uint64_t count);
  /// Removes the folder.
  void remove();

 private:
  using take_bytes = std::function<void(std::span<const std::byte>)>;
  void append(const std::vector<std::byte>& piece);
  void each_piece(const take_bytes& take) const;
  void lock();
  void begin_anew();
  void read_state();
  void save();
  [[nodiscard]] bool is_time() const;
  template <class Work>
  void timed(Work work);

  std::string output_;
  band_question asked_;
  std::string folder_;
  int lock_ = -1;
  bool saved_ = false;
  band_progress progress_;
  std::uint64_t strips_ = 0;  // in the file
  std::chrono::steady_clock::time_point next_save_;
};

}  // namespace skerry::cli
