// SPDX-License-Identifier: Apache-2.0
// Frames in host memory: labelled and measured by the public calls of any engine. Ids are inherited from runs, or on
// the reference engine from label images.
#include <algorithm>
#include <cstring>

#include "reference/inherit.hpp"
#include "skerry/error.hpp"
#include "track/foreground.hpp"
#include "track/frame_work.hpp"
#include "track/inherit.hpp"

namespace skerry::track_steps {
namespace {

std::size_t bytes_of(dtype type, const extent& size) {
  const byte_strides strides = dense_strides(type, size);
  return static_cast<std::size_t>(strides.z) * static_cast<std::size_t>(size.depth);
}

void copy_dense(const image_view& from, std::byte* to) {
  const byte_strides dense = dense_strides(from.type, from.size);
  const bool rows_are_dense = from.type == dtype::bit || from.strides.x == dense.x;
  const auto pixel = static_cast<std::size_t>(dense.x), row = static_cast<std::size_t>(dense.y);
  for (i64 z = 0; z < from.size.depth; ++z)
    for (i64 y = 0; y < from.size.height; ++y, to += row) {
      const auto* at = static_cast<const std::byte*>(from.data) + z * from.strides.z + y * from.strides.y;
      if (rows_are_dense) std::memcpy(to, at, row);
      else
        for (i64 x = 0; x < from.size.width; ++x, at += from.strides.x)
          std::memcpy(to + static_cast<std::size_t>(x) * pixel, at, pixel);
    }
}

struct slot_memory {
  std::unique_ptr<std::byte[]> pixels;
  std::vector<labelled_run> runs;
  std::vector<u32> labels;     // of each pixel; reference only
  std::unique_ptr<u32[]> ids;  // of each pixel, when wanted
};

class host_work final : public frame_work {
 public:
  host_work(engine& on, const track_options& options)
      : on_(on), options_(options), by_reference_(on.kind() == engine_kind::reference), slots_(slot_count()),
        foreground_(options.threshold, options.type, options.size), inheritance_(options.inherit),
        reference_(options.inherit) {
    for (slot_memory& slot : slots_) {
      slot.pixels = std::make_unique<std::byte[]>(bytes_of(options.type, options.size));
      if (by_reference_) slot.labels.resize(pixel_count());
      if (options.labels) slot.ids = std::make_unique<u32[]>(pixel_count());
    }
  }

  void upload(std::size_t slot, const image_view& frame) override {
    if (frame.size.pixels() > 0) copy_dense(frame, slots_[slot].pixels.get());
  }
  void analyse(std::size_t slot, frame_result& result) override;
  void inherit(std::size_t slot, frame_result& result) override;

 private:
  [[nodiscard]] std::size_t slot_count() const { return static_cast<std::size_t>(options_.slots); }
  [[nodiscard]] std::size_t pixel_count() const { return static_cast<std::size_t>(options_.size.pixels()); }
  void paint(const slot_memory& slot, frame_result& result) const;
  void cut(frame_result& result) const;

  engine& on_;
  track_options options_;
  bool by_reference_;
  std::vector<slot_memory> slots_;
  frame_foreground foreground_;
  inheritance inheritance_;
  reference::inheritance reference_;
};

void host_work::analyse(std::size_t number, frame_result& result) {
  slot_memory& slot = slots_[number];
  result.image = {slot.pixels.get(), options_.type, options_.size};
  const foreground_image found = foreground_.of(result.image);
  label_options how;
  how.connectivity = options_.connectivity;
  how.foreground = found.rule;
  how.selection = options_.selection;
  measure_options features;
  features.moments = options_.moments;
  if (options_.intensities) features.intensity = result.image;
  measure_outputs outputs;
  if (by_reference_) outputs.labels = {slot.labels.data(), options_.size};
  else outputs.runs = &slot.runs;
  result.count = measure(on_, found.image, how, features, result.table, outputs);
}

// The id of each pixel.
void host_work::paint(const slot_memory& slot, frame_result& result) const {
  u32* const ids = slot.ids.get();
  if (by_reference_) {
    for (std::size_t i = 0; i < pixel_count(); ++i)
      ids[i] = slot.labels[i] == 0 ? 0 : result.objects[slot.labels[i] - 1].id;
  } else {
    std::fill_n(ids, pixel_count(), 0);
    for (const labelled_run& run : inheritance_.runs()) {
      u32* const row = ids + run.row * options_.size.width;
      std::fill(row + run.begin, row + run.end, result.objects[run.label - 1].id);
    }
  }
  result.labels = {ids, dtype::u32, options_.size};
}

// What does not fit is left out, and said.
void host_work::cut(frame_result& result) const {
  const std::size_t most = options_.capacity;
  result.happened = result.events.size();
  result.overflow = result.objects.size() > most || result.events.size() > 2 * most;
  const auto shorten = [](auto& rows, std::size_t length) {
    if (rows.size() > length) rows.resize(length);
  };
  shorten(result.objects, most);
  shorten(result.table.components, most);
  shorten(result.table.moments, most);
  shorten(result.table.intensities, most);
  shorten(result.events, 2 * most);
}

void host_work::inherit(std::size_t number, frame_result& result) {
  slot_memory& slot = slots_[number];
  if (by_reference_) {
    reference_.step(result.frame, slot.labels, result.count, result.objects, result.events);
  } else {
    inheritance_.step(result.frame, slot.runs, result.table.components, result.objects, result.events);
  }
  if (options_.labels) paint(slot, result);
  cut(result);
}

}  // namespace

std::unique_ptr<frame_work> make_host_work(engine& on, const track_options& options) {
  try {
    return std::make_unique<host_work>(on, options);
  } catch (const std::bad_alloc&) {
    throw out_of_memory("out of memory: the slots of the stream do not fit");
  }
}

}  // namespace skerry::track_steps
