// SPDX-License-Identifier: Apache-2.0
// A film of rising bubbles: they enter at the bottom or are born within the frame, some catch up with a larger one and
// merge, some split in two, some burst, the others leave at the top. What happens in it is known exactly.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "skerry/track.hpp"

namespace skerry::scenes {

struct bubble_options {
  /// Pixels. Bubbles rise in lanes that never touch each other; a lane is 24 pixels wide or more, the frame at least
  /// one lane wide and three lanes high.
  std::int64_t height = 512, width = 512;
  int lane = 64;
  std::uint32_t seed = 0;
  bool noise = true;
  /// Frames in which bubbles rise as far as they do in one frame without it: 1 to 4096, more for a faster camera.
  int slowness = 1;
};

/// One object of a frame, as the film knows it.
struct bubble {
  std::uint32_t body = 0;            // its number in the whole film, never used again
  std::int64_t area = 0;             // pixels
  std::int64_t row = 0, column = 0;  // of a pixel that is its
};

/// Any frame can be asked for, in any order; only integers are used, so every machine has the same film.
class bubbles {
 public:
  /// Pixels of bubbles are above this, all others below.
  static constexpr std::uint8_t threshold = 120;

  /// Throws invalid_argument for a frame that is too small.
  explicit bubbles(const bubble_options& options);

  [[nodiscard]] extent size() const { return {options_.height, options_.width}; }
  /// Writes height · width pixels.
  void draw(std::uint64_t frame, std::uint8_t* pixels) const;
  /// What a tracker should see in a frame, in no order.
  [[nodiscard]] std::vector<bubble> objects(std::uint64_t frame) const;
  /// What happened since the frame before; everything in frame 0 is born. Ids are bodies. No continuations, and no
  /// reappearances.
  [[nodiscard]] std::vector<track_event> events(std::uint64_t frame) const;
  /// An actuator acts at a pixel: whatever covers it in this frame is gone from this frame on; frames before stay as they were.
  /// Of a pair that is one object, or was in the frame before, both go, else the disc that is hit.
  /// Returns the bodies that went; of such a pair that of the large disc.
  std::vector<std::uint32_t> pulse(std::uint64_t frame, std::int64_t row, std::int64_t column);

 private:
  struct act;
  struct moment;
  struct disc {                        // as it is drawn
    std::vector<std::int64_t> halves;  // of each row, from the upper one: half its width
    std::vector<std::uint8_t> shades;  // of all pixels of all rows
  };
  template <class Visit>
  void each_act(std::uint64_t frame, Visit visit) const;
  [[nodiscard]] act act_of(std::int64_t lane, std::int64_t number) const;
  [[nodiscard]] moment moment_of(const act& of, std::uint64_t frame) const;
  [[nodiscard]] bool is_there(std::uint32_t body, std::uint64_t frame) const;
  [[nodiscard]] std::int64_t risen(std::int64_t lane, std::uint64_t frame) const;
  static disc disc_of(std::int64_t radius);
  void draw_background(std::uint64_t frame, std::uint8_t* pixels) const;
  void draw_disc(const moment& at, std::int64_t row, std::int64_t radius, std::uint8_t* pixels) const;

  bubble_options options_;
  std::int64_t lanes_, spacing_;                      // between the acts of a lane
  std::map<std::int64_t, disc> discs_;                // by radius
  std::map<std::uint32_t, std::uint64_t> taken_out_;  // body → the first frame without it
};

}  // namespace skerry::scenes
