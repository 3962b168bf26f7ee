// SPDX-License-Identifier: Apache-2.0
// Given label images: what a method can do with one, checked, and the way to it and back.
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "core/label_type.hpp"
#include "core/pixel_type.hpp"
#include "engine/begin_call.hpp"
#include "engine/cpu/buffer.hpp"
#include "published/method_list.hpp"
#include "published/on_cuda.hpp"
#include "skerry/published.hpp"

namespace skerry::published {
namespace {

void check(engine_kind on, const method& which, const region_request& asked) {
  if (!which.takes_labels) refuse(which, "finds components itself, and takes no label image");
  check_engine(which, on);
  const image_view& labels = asked.labels;
  if (labels.data == nullptr) throw invalid_argument("labels: there is no image");
  if (!is_label_type(labels.type)) refuse(which, "takes labels of integers of 8 to 64 bits");
  if (labels.residence.is_device()) refuse(which, "takes label images in host memory only; copy it there");
  if (labels.size.rank != 2) refuse(which, "takes label images of rank 2 only");
  if (labels.size.height <= 0 || labels.size.width <= 0 || labels.size.pixels() > (i64{1} << 32) - 2)
    refuse(which, "takes label images of 1 to 4294967294 pixels");
  if (asked.background.kind != background::rule::zero_and_below)
    refuse(which, "takes 0 and below for background only");
  if (asked.features.moments || asked.features.intensity.data != nullptr || !asked.channels.empty())
    refuse(which, "measures area, box and coordinate sums only, no moments and no intensity");
  if (asked.index) refuse(which, "gives rows of all labels only; leave the index out");
}

// Dense labels of 32 bits, 0 for the background; labels that such a method cannot have are refused.
template <class Label>
void copy_rows(const method& which, const image_view& from, u32* out) {
  const u64 most = static_cast<u64>(from.size.pixels() + 1) / 2;
  for (i64 y = 0; y < from.size.height; ++y) {
    const std::byte* const row = static_cast<const std::byte*>(from.data) + y * from.strides.y;
    u32 before = 0;
    for (i64 x = 0; x < from.size.width; ++x) {
      Label label;
      std::memcpy(&label, row + x * from.strides.x, sizeof label);
      const u64 number = label > Label{0} ? static_cast<u64>(label) : 0;
      if (number > most)
        refuse(which, "label " + std::to_string(number) + " is above half the number of pixels, " + std::to_string(most) +
                          "; number the regions 1, 2, 3 …");
      if (before != 0 && number != 0 && before != number)
        refuse(which, "labels " + std::to_string(before) + " and " + std::to_string(number) + " touch in row " +
                          std::to_string(y) + "; labels of components do not");
      before = static_cast<u32>(number);
      *out++ = before;
    }
  }
}

void copy_labels(const method& which, const image_view& from, u32* out) {
  with_pixel_type(from.type, [&]<class Pixel>(pixel_type<Pixel>) {
    if constexpr (std::is_integral_v<Pixel>) copy_rows<Pixel>(which, from, out);
  });
}

}  // namespace

u64 measure(engine& on, std::string_view by, const region_request& asked, region_table& table,
            const method_options& how) {
  if (by == own_method) return measure_regions(on, asked, table);
  const method& which = find_method(methods(), by);
  check(on.kind(), which, asked);
  check_options(which, how);
  buffer<u32> labels;
  labels.reserve(static_cast<std::size_t>(asked.labels.size.pixels()));
  copy_labels(which, asked.labels, labels.data());
  const running_call call(engine_for_method(on, which.engines.front(), {{"labels", asked.labels}}));
  table = {};
  table.signed_labels = is_signed_label_type(asked.labels.type);
  const given_labels given{labels.data(), static_cast<u32>(asked.labels.size.height),
                           static_cast<u32>(asked.labels.size.width)};
  measure_on_cuda(call.state(), by, given, how, table.features.components);
  // Rows come by ascending label: those that there are.
  std::vector<bool> is_there(static_cast<std::size_t>(asked.labels.size.pixels() + 1) / 2 + 1);
  for (i64 i = 0; i < asked.labels.size.pixels(); ++i) is_there[labels.data()[i]] = true;
  for (std::size_t label = 1; label < is_there.size(); ++label)
    if (is_there[label]) table.labels.push_back(label);
  return table.labels.size();
}

}  // namespace skerry::published
