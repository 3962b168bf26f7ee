// SPDX-License-Identifier: Apache-2.0
// Frames in host memory: labelled and measured by the public calls of any engine. Ids are inherited from runs, or on
// the reference engine from label images.
#include <algorithm>

#include "reference/inherit.hpp"
#include "skerry/error.hpp"
#include "track/foreground.hpp"
#include "track/frame_steps.hpp"
#include "track/frame_work.hpp"
#include "track/inherit.hpp"

namespace skerry::track_steps {
namespace {

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
      slot.pixels = std::make_unique<std::byte[]>(dense_bytes(options.type, options.size));
      if (by_reference_) slot.labels.resize(pixel_count());
      if (options.labels) slot.ids = std::make_unique<u32[]>(pixel_count());
    }
  }

  mutable_image frame_memory(std::size_t slot) override {
    return {slots_[slot].pixels.get(), options_.type, options_.size};
  }
  void upload(std::size_t slot, const image_view& frame) override {
    if (frame.data != slots_[slot].pixels.get()) copy_dense(frame, slots_[slot].pixels.get());
  }
  void analyse(std::size_t slot, frame_result& result) override;
  void inherit(std::size_t slot, frame_result& result) override;

 private:
  [[nodiscard]] std::size_t slot_count() const { return static_cast<std::size_t>(options_.slots); }
  [[nodiscard]] std::size_t pixel_count() const { return static_cast<std::size_t>(options_.size.pixels()); }
  void paint(const slot_memory& slot, frame_result& result) const;

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
  const image_view frame(slot.pixels.get(), options_.type, options_.size);
  if (options_.images) result.image = frame;
  const foreground_image found = foreground_.of(frame);
  label_options how;
  how.connectivity = options_.connectivity;
  how.foreground = found.rule;
  how.selection = options_.selection;
  measure_options features;
  features.moments = options_.moments;
  if (options_.intensities) features.intensity = frame;
  label_outputs outputs = {.table = &result.table};
  if (by_reference_) outputs.labels = {slot.labels.data(), options_.size};
  else outputs.runs = &slot.runs;
  result.count = label(on_, {found.image, how, features}, outputs);
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

void host_work::inherit(std::size_t number, frame_result& result) {
  slot_memory& slot = slots_[number];
  if (by_reference_) {
    reference_.step(result.frame, slot.labels, result.count, result.objects, result.events);
  } else {
    inheritance_.step(result.frame, slot.runs, result.table.components, result.objects, result.events);
  }
  if (options_.labels) paint(slot, result);
  cut(options_, result);
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
