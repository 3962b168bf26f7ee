// SPDX-License-Identifier: Apache-2.0
// The driver of images in slabs: checks, and the way to the devices.
#include "label/slabs/label_slabs.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "core/real_intensity.hpp"
#include "engine/choose.hpp"
#include "engine/image_checks.hpp"
#include "engine/residence.hpp"
#include "label/axis_order.hpp"
#include "label/call.hpp"
#include "label/check.hpp"
#include "label/cuda/slabs/on_slabs.hpp"
#include "skerry/error.hpp"
#include "skerry/slabs.hpp"

namespace skerry {
namespace {

using namespace label_stages;

bool is_cut(const label_options& options) {
  return options.joining.kind == joining::rule::foreground && !options.periodic.any() && !options.selection.fill_holes;
}

void check_is_cut(const label_options& options) {
  const auto refuse_option = [](const std::string& what) {
    refuse(what + " is not for images in slabs; label the image in one memory, or in blocks");
  };
  if (options.joining.kind != joining::rule::foreground) refuse_option("joining: by value");
  if (options.periodic.any()) refuse_option("periodic: an axis that wraps around");
  if (options.selection.fill_holes) refuse_option("selection: fill_holes");
  if (options.order != pixel_order::row_major) refuse_option("order: as_stored");
}

// One slab, or what refuses it with its number.
template <class Check>
void check_slab(std::size_t slab, Check check) {
  try {
    check();
  } catch (const invalid_argument& error) {
    refuse("slab " + std::to_string(slab) + ": " + error.what());
  }
}

void check_counts(const slab_request& asked, const slab_outputs& outputs) {
  const std::size_t slabs = asked.images.size();
  if (slabs == 0) refuse("images: there is none; an image in slabs has at least one");
  const auto check = [&](const char* name, std::size_t count) {
    if (count != 0 && count != slabs)
      refuse(std::string(name) + ": " + std::to_string(count) + " are given for " + std::to_string(slabs) + " slabs");
  };
  check("intensities", asked.intensities.size());
  check("labels", outputs.labels.size());
}

extent whole_of(const std::vector<image_view>& images) {
  extent whole = images.front().size;
  i64 layers = 0;
  for (const image_view& slab : images) layers += layers_of(slab.size);
  (whole.rank == 3 ? whole.depth : whole.height) = layers;
  return whole;
}

void check_alike(const slab_request& asked, const slab_outputs& outputs, std::size_t slab) {
  const image_view &first = asked.images.front(), &image = asked.images[slab];
  extent size = first.size;
  (size.rank == 3 ? size.depth : size.height) = layers_of(image.size);
  if (image.size != size)
    refuse("image: size " + text_of(image.size) + " does not continue slabs of " + text_of(first.size));
  const auto check_type = [](const char* name, dtype type, dtype of_first) {
    if (type != of_first)
      refuse(std::string(name) + ": dtype " + name_of(type) + " is not that of the first slab, " + name_of(of_first));
  };
  check_type("image", image.type, first.type);
  if (!asked.intensities.empty()) check_type("intensity", asked.intensities[slab].type, asked.intensities[0].type);
  if (!outputs.labels.empty()) check_type("labels", outputs.labels[slab].type, outputs.labels[0].type);
}

void check_slabs(const slab_request& asked, const slab_outputs& outputs, const extent& whole) {
  for (std::size_t i = 0; i < asked.images.size(); ++i)
    check_slab(i, [&] {
      const image_view& image = asked.images[i];
      check_options(image, asked.options);
      check_alike(asked, outputs, i);
      const image_view intensity = asked.intensities.empty() ? image_view() : asked.intensities[i];
      if (!asked.intensities.empty()) check_intensity("intensity", intensity, image, "image");
      if (!outputs.labels.empty()) check_labels(image, outputs.labels[i], intensity);
    });
  check_extent("images", whole);
  check_is_cut(asked.options);
  image_view all;
  all.size = whole;
  if (outputs.table != nullptr) check_features(all, {asked.moments, {}}, "images");
  if (!asked.intensities.empty() && sums_reals(asked.intensities[0].type) && whole.pixels() > most_pixels_of_real_sums)
    refuse(std::string("intensities: ") + text_of(whole) + " of " + name_of(asked.intensities[0].type) +
           " is more than 2^38 pixels");
}

}  // namespace

bool takes_slabs(const engine::state& on, const label_request& asked, const label_outputs& out) {
  const image_view& image = asked.image;
  if (on.devices.empty() || !is_cut(asked.options) || image.size.pixels() < on.least_pixels_of_slabs) return false;
  if (asked.options.order != pixel_order::row_major && !axis_order::stored(image).is_row_major()) return false;
  // One device may have all of it, and do it in one piece.
  for (const image_view& each : {image, image_view(out.labels), asked.features.intensity}) {
    if (each.data == nullptr) continue;
    const residence where = memory_at(each.data).where;
    if (!where.is_device()) continue;
    const bool alone = std::count(on.devices.begin(), on.devices.end(), where.device_number()) == 1;
    return !alone || layers_of_slab(image.size, {}) < layers_of(image.size);
  }
  return true;
}

std::uint64_t label_in_slabs(engine::state& on, const label_request& asked, const label_outputs& out) {
  const bool measures = out.table != nullptr;
  slab_question question{asked.options, asked.features, asked.image.size, {}, true};
  question.slabs.push_back({asked.image, measures ? asked.features.intensity : image_view(), out.labels, 0});
  slab_results results{out.runs, out.table, out.labels.type, out.labels.data != nullptr, {}};
  if (out.labels_for) results.labels_for = [&](u64 count) { return labels_placed(asked, out, count); };
  return run_on_slabs(on, question, results);
}

std::uint64_t label_slabs(engine& on, const slab_request& asked, const slab_outputs& outputs) {
  check_counts(asked, outputs);
  const extent whole = whole_of(asked.images);
  check_slabs(asked, outputs, whole);
  engine::state& state = engine_of_devices(on);

  label_request one{image_view(nullptr, asked.images.front().type, whole), asked.options, {asked.moments, {}}};
  if (outputs.table != nullptr && !asked.intensities.empty()) one.features.intensity = asked.intensities.front();
  slab_question question{one.options, one.features, whole, {}, false};
  for (std::size_t i = 0, first = 0; i < asked.images.size(); ++i) {
    question.slabs.push_back({asked.images[i],
                              one.features.intensity.data == nullptr ? image_view() : asked.intensities[i],
                              outputs.labels.empty() ? mutable_image() : outputs.labels[i], static_cast<i64>(first)});
    first += static_cast<std::size_t>(layers_of(asked.images[i].size));
  }
  const bool labels = !outputs.labels.empty();
  const slab_results results{outputs.runs, outputs.table, labels ? outputs.labels[0].type : dtype::u32, labels, {}};
  const auto work = [&] { return run_on_slabs(state, question, results); };
  return run_call(state, one, {.runs = outputs.runs, .table = outputs.table}, std::ref(work));
}

}  // namespace skerry
