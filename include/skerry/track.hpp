// SPDX-License-Identifier: Apache-2.0
// Tracking: feed in frames; get the objects of each frame with persistent ids, the features of measure(), and the events
// since the frame before.
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skerry/engine.hpp"
#include "skerry/image.hpp"
#include "skerry/label.hpp"
#include "skerry/measure.hpp"

namespace skerry {

// ---- foreground -----------------------------------------------------------------------------------------------------

/// How a stream finds the foreground of each frame.
struct frame_threshold {
  /// Where the rule of a frame comes from; the functions below make each of them.
  enum class policy : std::uint8_t { fixed, otsu, background };
  /// Which pixels stand out: those above, those below, or both.
  enum class side : std::uint8_t { bright, dark, both };

  policy kind = policy::fixed;   // where the rule comes from
  skerry::foreground rule = {};  // fixed
  side where = side::bright;     // otsu: bright or dark; background: any
  double difference = 0;         // background: grey values, 0…65535
  int adaptation = 5;            // background: 0…16

  /// The same rule for every frame.
  [[nodiscard]] static constexpr frame_threshold fixed(const skerry::foreground& rule) {
    return {.kind = policy::fixed, .rule = rule};
  }
  /// Pixels above Otsu's threshold of their own frame, or with side::dark all others that are numbers. Any dtype but
  /// bit.
  [[nodiscard]] static constexpr frame_threshold otsu(side where = side::bright) {
    return {.kind = policy::otsu, .where = where};
  }
  /// Pixels that are more than `difference` brighter (darker, either) than a running mean b of earlier frames; boolean,
  /// u8, i8, u16 and i16. The mean is an integer in units of 1/256 grey value: the first frame sets b = 256·v, and each
  /// frame then adds (256·v - b) >> adaptation to it, after it was compared. So the first frame has no foreground, and an
  /// object that stands still becomes background after about 2^adaptation frames.
  [[nodiscard]] static constexpr frame_threshold background(double difference, side where = side::bright,
                                                            int adaptation = 5) {
    return {.kind = policy::background, .where = where, .difference = difference, .adaptation = adaptation};
  }
};

// ---- inheritance ----------------------------------------------------------------------------------------------------

/// How the components of a frame inherit ids (data association).
///
/// An id is *seen* in a frame when a component has it; an id that is not seen may be *remembered* with the pixels that
/// it had last. A component c and an id k are *linked* when they share enough pixels: those of c now, those of k where
/// it was seen last. The score of a link is its overlap in pixels, or the overlap over the union.
///
///   1. Each id that was seen in the frame before chooses, of the components linked to it, the one with the best score;
///      among equals the larger, then the one whose first pixel comes first.
///   2. Each component keeps, of the ids that chose it, the one with the best score; among equals the older, which has
///      the smaller number. An id that chose a component and is not kept has *merged* into the one that is.
///   3. Remembered ids choose in the same way among the components that have no id yet, and are kept in the same way;
///      such an id *reappears*.
///   4. Components that have no id yet get new ones in label order. The *parent* of a component is the id of the frame
///      before with the best score of its links, among equals the older: with a parent a component has *split* off,
///      without one it is *born*.
///   5. An id of the frame before that is linked to no component is lost: it *dies* at once, or after it was remembered
///      for `keep_alive` frames. A merged id is remembered for `memory` frames, and then forgotten without an event.
///
/// A frame that was dropped, or that ended in an error, does not count: "before" is the last good frame. (A running
/// background may include it.) A frame whose result was dropped does count.
struct inherit_options {
  /// Pixels that two objects share, or those over the pixels of their union.
  enum class score : std::uint8_t { overlap, iou };
  score by = score::overlap;  // what links are ranked by
  /// A link has at least this many pixels; 1 or more.
  std::uint32_t least_overlap = 1;
  /// A link has at least this share, 0…1: of the smaller of the two areas, or with score::iou, of the union.
  double least_share = 0;
  /// Frames that a lost id is remembered.
  std::uint32_t keep_alive = 0;
  /// Frames that a merged id is remembered: an object that separates again in time gets its old id back, if it is where it
  /// was.
  std::uint32_t memory = 0;
  /// The first id; 1 or more. Ids count up and are never reused; when they run out, frames end in an error.
  std::uint32_t first_id = 1;
};

/// What happened to an object or an id.
enum class track_event_kind : std::uint8_t { continuation, birth, split, reappearance, merge, death };

/// "continuation", "birth", …
[[nodiscard]] std::string_view name_of(track_event_kind kind) noexcept;

/// Everything but continuations.
struct track_event {
  track_event_kind kind = track_event_kind::birth;  // what happened
  std::uint32_t id = 0;                             // to whom
  /// split, reappearance: the parent; merge: the id that stays; 0 for none.
  std::uint32_t other = 0;
  friend constexpr bool operator==(const track_event&, const track_event&) = default;
};

/// One object of a frame.
struct tracked_object {
  std::uint32_t id = 0;                                     // 1 or more
  std::uint32_t parent = 0;                                 // split, reappearance
  std::uint64_t born = 0;                                   // number of the frame of its birth
  track_event_kind event = track_event_kind::continuation;  // what happened to it in this frame
  friend constexpr bool operator==(const tracked_object&, const tracked_object&) = default;
};

// ---- results --------------------------------------------------------------------------------------------------------

/// Nanoseconds of std::chrono::steady_clock.
struct frame_times {
  std::uint64_t pushed = 0;     // push() was called
  std::uint64_t begun = 0;      // the frame is in the tracker's memory, and its turn has come
  std::uint64_t published = 0;  // the result is ready
};

/// Nanoseconds of the clock of a CUDA device (%globaltimer), which is not that of the host; 0 without a device.
struct device_times {
  std::uint64_t labelled = 0;  // labels of the frame and of the one before are there: their links are counted from here
  std::uint64_t published = 0;  // the last word of the result was written
};

/// The result of one frame.
struct frame_result {
  std::uint64_t frame = 0;    // its number: frames are counted as they are pushed, from 0, dropped ones as well
  std::uint64_t stamp = 0;    // what the caller gave with it
  frame_times times;          // of the host
  device_times on_device;     // of the device
  std::uint64_t dropped = 0;  // frames and results of this stream that were dropped before this one was published
  /// Why this frame has no objects; empty for a good one. The stream goes on.
  std::string error;

  std::uint64_t transferred = 0;       // bytes of the result that came from a device; 0 without one
  std::uint64_t count = 0;             // objects of the frame, all of them
  std::uint64_t happened = 0;          // events of the frame, all of them
  bool overflow = false;               // there were more of either than track_options::capacity lets through
  table_rows<tracked_object> objects;  // in label order
  feature_table table;                 // row i is object i
  table_rows<track_event> events;      // of objects in label order, then merges and then deaths by id
  /// How many of all `happened` events are of each track_event_kind.
  std::array<std::uint64_t, 6> happened_by_kind = {};

  image_view image;   // the frame as it was pushed, dense; without data if it could not be taken, or is not wanted
  image_view labels;  // u32, the id of each pixel, 0 is background; without data unless wanted

  /// Frames since the birth of an object.
  [[nodiscard]] std::uint64_t age(std::size_t object) const { return frame - objects[object].born; }
};

// ---- the stream -----------------------------------------------------------------------------------------------------

/// What a stream consists of, and what is wanted of each frame.
struct track_options {
  extent size;                  // of every frame, rank 2 or 3; fewer than 2^31 pixels
  dtype type = dtype::u8;       // of every frame
  int connectivity = 0;         // required: 4 or 8; 6, 18 or 26 in volumes
  frame_threshold threshold;    // which pixels belong to objects
  skerry::selection selection;  // which objects stay
  bool moments = false;         // measured as well
  bool intensities = false;     // measured in the frame itself; any dtype but bit
  bool labels = false;          // frame_result::labels is wanted
  bool images = true;           // frame_result::image is wanted. CUDA: frames of device memory then go to the host, too
  inherit_options inherit;      // how ids pass from frame to frame

  /// Objects that a result can hold, besides twice as many events; 1 or more. All objects are tracked; those beyond the
  /// capacity, in label order, are left out of the result, which still counts them.
  std::uint32_t capacity = 4096;
  /// Frames and results in flight at the same time; 2…1024.
  int slots = 8;
  /// When all slots are taken, push() waits, or drops the oldest frame whose objects have no ids yet; if there is none, it
  /// drops the oldest result that was not taken.
  enum class when_full : std::uint8_t { wait, drop_oldest };
  when_full full = when_full::wait;  // what push() does then

  /// CUDA: how a result reaches host memory. `mapped`: the device writes as much as there is, and the host polls for it. For
  /// comparison, by copies: `predicted` copies the size of the last result plus a share `margin`, and the rest in a second
  /// copy if that was too little; `whole` copies all that a result may hold.
  enum class publishing : std::uint8_t { mapped, predicted, whole };
  publishing publish = publishing::mapped;  // the way
  double margin = 0.1;                      // 0…16
  /// CUDA: how long tracker threads and waiting callers poll for work before they sleep. Waking a thread costs tens of
  /// microseconds; with frames farther apart than this, each result pays that twice.
  std::chrono::microseconds patience{250};
};

/// Tracks the components of a stream of frames.
///
/// One thread pushes; one thread takes results (it may be the same), or a function is called with each of them. Two tracker
/// threads work in between: one finds the foreground, labels and measures, the other inherits ids and publishes. Results come in
/// the order of frames, and are the same on every engine.
///
/// On CUDA frames may lie in device memory too, and several are in flight at once. The host paints ids into `labels`. It also chooses
/// ids, unless `capacity` and the image have room for more than 8192 objects, no id is remembered, frames wait for a slot, results are
/// `mapped`, and the threshold is not Otsu's of floats or 64-bit integers: then the device does. From a frame of more objects than
/// `capacity` on, the host does so until no frame is in flight, many times slower. Where it chooses ids, up to three more threads
/// copy the rows of frames of more than 8192 objects.
class tracker {
 public:
  /// Takes a result; what it refers to is there until the call ends.
  using callback = std::function<void(const frame_result&)>;

  /// Starts a stream.
  ///   on        engine; it is the tracker's as long as the tracker lives
  ///   options   fixed for the life of the stream
  ///   on_result called with each result, in order, by a thread of the tracker; the result is valid until it returns.
  ///             It must not wait for the stream: no push() that may wait, no flush(), no stop(). Without it, results
  ///             are taken by poll() and wait()
  /// Throws invalid_argument naming the argument; out_of_memory.
  /// Scratch: for each slot a frame, and room for `capacity` objects (4 bytes per pixel more with labels), from the start; that
  /// of measure(), lists of runs and tables of links, which grow for a frame with more of them than any before. On CUDA for
  /// each slot a frame and its results, on the device and in pinned memory, 4.3 bytes per pixel for packed labels (4 more on
  /// either side with labels; 1 for Otsu's threshold or a background, and 256 KiB for Otsu's), the scratch of
  /// cuda::enqueue(), and where it chooses ids 60 bytes for each object that there is room for; once 40 bytes for each such object,
  /// 4 bytes per pixel for a background, and 2.1 of pinned memory where ids are remembered; all from the start. A frame with
  /// thousands of objects more than `capacity`, or tens of thousands of links, goes through measure(), whose scratch on the device
  /// grows then (docs/decisions/0020).
  tracker(engine& on, const track_options& options, callback on_result = {});
  tracker(const tracker&) = delete;
  tracker& operator=(const tracker&) = delete;
  /// Drops frames in flight, and ends the threads.
  ~tracker();

  /// Copies a frame into the stream, and returns its number.
  ///   frame  in host memory, on CUDA in device memory too, of the size and type of the options, any strides; free for reuse
  ///          when this returns. In device memory it must be complete: the tracker reads it on a stream of its own, which
  ///          waits for none of the caller's. The device copies a dense frame of 128 KiB or more in pinned memory: 1 MiB takes some
  ///          30 instead of 100 µs (H200, 2026-11-27)
  ///   stamp  anything; it comes back with the result
  /// Waits for a slot, unless options say otherwise: a thread that both pushes and takes results should use try_push().
  /// Throws invalid_argument naming the argument, also after stop(); the stream goes on.
  std::uint64_t push(const image_view& frame, std::uint64_t stamp = 0);
  /// The same, but instead of waiting it returns nothing, and the frame is not pushed.
  std::optional<std::uint64_t> try_push(const image_view& frame, std::uint64_t stamp = 0);

  /// A frame that its source could not deliver: it gets a number and, in its turn, a result with this error and no image.
  ///   error  why, not empty
  /// Waits for a slot as push(). Throws as push().
  std::uint64_t push_error(std::string_view error, std::uint64_t stamp = 0);

  /// Memory of the stream for a frame, dense, which commit() pushes without a copy: for sources that can write to a given
  /// address. The copy is most of what a thread does for a frame: 1 MiB takes some 100 µs, and 20 µs on the link to a
  /// device. Frames may be acquired before others are committed, as long as slots are left. Waits for a slot as push().
  /// Throws as push(); device_error.
  [[nodiscard]] mutable_image acquire();
  /// Pushes a frame that was acquired and filled; they may be committed in any order.
  /// Throws invalid_argument when it was not acquired, or after stop().
  std::uint64_t commit(const mutable_image& frame, std::uint64_t stamp = 0);

  /// The next result if there is one, else null. It is valid until the next call of poll() or wait().
  [[nodiscard]] const frame_result* poll();
  /// The next result; waits while a frame is in flight; null when none is in flight and none is ready.
  [[nodiscard]] const frame_result* wait();

  /// Waits until every frame that was pushed is published: its result is ready, or the callback has returned.
  /// Throws what the callback threw, once; the callback was called for the other frames.
  void flush();
  /// flush(), and frames are refused from then on. Results can still be taken.
  void stop();

  [[nodiscard]] std::uint64_t pushed() const;   // frames
  [[nodiscard]] std::uint64_t dropped() const;  // frames and results

  struct state;

 private:
  std::unique_ptr<state> state_;
};

}  // namespace skerry
