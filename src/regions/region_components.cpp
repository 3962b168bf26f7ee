// SPDX-License-Identifier: Apache-2.0
#include "regions/region_components.hpp"

#include "core/label_type.hpp"
#include "core/portable.hpp"
#include "skerry/label.hpp"

namespace skerry::regions {
namespace {

// The pixels that are no background.
foreground foreground_of(const background& rule, dtype type) {
  if (rule.kind == background::rule::none) return foreground::all();
  if (rule.kind == background::rule::zero_and_below)
    return is_signed_label_type(type) ? foreground::above(0) : foreground::nonzero();
  return rule.negative ? foreground::except(static_cast<i64>(rule.label)) : foreground::except(u64{rule.label});
}

}  // namespace

std::uint64_t label_parts(engine& on, const image_view& labels, const background& rule, int connectivity,
                          const mutable_image& parts) {
  label_options how;
  how.connectivity = connectivity;
  how.foreground = foreground_of(rule, labels.type);
  how.joining = joining::equal();
  return label(on, labels, how, parts);
}

}  // namespace skerry::regions
