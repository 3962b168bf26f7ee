// SPDX-License-Identifier: Apache-2.0
#include "regions/check.hpp"

#include <cmath>

#include "core/label_type.hpp"
#include "engine/image_checks.hpp"
#include "engine/line.hpp"
#include "engine/residence.hpp"
#include "label/check.hpp"

namespace skerry::regions {

void check_engine(engine& on, const std::string& job) {
  if (on.kind() == engine_kind::cuda) refuse("on: the cuda engine has no " + job + "(); use engine::cpu()");
}

void check_label_image(const std::string& name, const image_view& labels) {
  check_image(name, labels);
  if (!is_label_type(labels.type) && labels.type != dtype::boolean)
    refuse(name + ": dtype is " + name_of(labels.type) + "; give integers of 8 to 64 bits or bool");
}

void check_background(const background& rule) {
  if (rule.kind > background::rule::none) refuse("background: unknown rule");
}

void check_value_image(const std::string& name, const image_view& image, const image_view& labels,
                       const std::string& labels_name) {
  check_image(name, as_plane(name, image));
  if (image.type == dtype::bit) refuse(name + ": dtype bit is not supported; give booleans");
  if (image.size != labels.size)
    refuse(name + ": size " + text_of(image.size) + " is not that of " +
           (labels_name == "labels" ? "the labels" : "the image") + ", " + text_of(labels.size));
}

void check_label_output(const std::string& name, const mutable_image& out, const image_view& labels) {
  check_image(name, out);
  if (!is_label_type(out.type))
    refuse(name + ": dtype " + name_of(out.type) + " is not an integer of 8, 16, 32 or 64 bits");
  if (out.size != labels.size)
    refuse(name + ": size " + text_of(out.size) + " is not that of the labels, " + text_of(labels.size));
  if (labels.size.pixels() == 0) return;
  check_distinct(name, out);
  const bool in_place = out.data == labels.data && size_of(out.type) == size_of(labels.type) &&
                        out.strides.z == labels.strides.z && out.strides.y == labels.strides.y &&
                        out.strides.x == labels.strides.x;
  if (!in_place) check_apart(name, out, labels, "labels");
}

void check_numbers(std::uint64_t count, const mutable_image& out) { check_room("out", count, "regions", out.type); }

bool fits(label_bits label, bool is_signed, dtype type) {
  const bool negative = is_signed && label >> 63 != 0;
  if (!negative) return label <= largest_label(type);
  return is_signed_label_type(type) && ~label <= largest_label(type);  // -1 - label
}

void check_fits(const std::string& name, label_bits label, bool is_signed, dtype type) {
  if (!fits(label, is_signed, type))
    refuse(name + ": label " + text_of_label(label, is_signed) + " does not fit " + name_of(type));
}

std::string text_of_label(label_bits label, bool is_signed) {
  return is_signed ? std::to_string(static_cast<i64>(label)) : std::to_string(label);
}

void check_outline(const outline_request& asked) {
  if (asked.labels.size.rank == 1) refuse("labels: rank 1 has no outlines, which need 2 axes");
  check_label_image("labels", asked.labels);
  if (asked.labels.size.rank != 2) refuse("labels: rank 3 has no outlines; give slices of rank 2");
  check_connectivity(asked.connectivity, 2);
  check_background(asked.background);
  if (!(asked.simplify >= 0) || std::isinf(asked.simplify)) refuse("simplify: not a distance; give pixels, 0 or more");
  if (asked.simplify > 0 && asked.keep_collinear)
    refuse("keep_collinear: simplified outlines have few corners; give one of both");
  if (asked.simplify > 0 && asked.through_centres)
    refuse("through_centres: only outlines along edges are simplified; give one of both");
}

}  // namespace skerry::regions
