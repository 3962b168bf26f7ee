// SPDX-License-Identifier: Apache-2.0
#include "regions/check.hpp"

#include "core/label_type.hpp"
#include "engine/engine_state.hpp"
#include "engine/image_checks.hpp"

namespace skerry::regions {

void check_engine(engine& on, const std::string& job) {
  const engine::state& inside = on.inside();
  if (inside.kind == engine_kind::cuda && !inside.trees_on_cpu)
    refuse("on: the cuda engine has no " + job + "(); use engine::cpu()");
}

void check_label_image(const std::string& name, const image_view& labels) {
  check_image(name, labels);
  if (!is_label_type(labels.type) && labels.type != dtype::boolean)
    refuse(name + ": dtype " + name_of(labels.type) +
           " has no labels; give integers of 8, 16, 32 or 64 bits, or booleans");
}

void check_background(const background& rule) {
  if (rule.kind > background::rule::none) refuse("background: unknown rule");
}

void check_same_size(const std::string& name, const image_view& image, const image_view& labels) {
  if (image.size != labels.size)
    refuse(name + ": size " + text_of(image.size) + " is not that of the label image, " + text_of(labels.size));
}

}  // namespace skerry::regions
