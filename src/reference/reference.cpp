// SPDX-License-Identifier: Apache-2.0
#include "reference/reference.hpp"

#include "reference/steps.hpp"

namespace skerry::reference {

answer analyse(const image_view& image, const label_options& options, const measure_options& features) {
  answer found;
  std::vector<u8> mask = foreground_of(image, options.foreground);
  if (options.selection.fill_holes) fill_holes(mask, image.size, options.connectivity);
  const u64 all = label(image, mask, options, found.labels);
  found.count = select(options, image.size, all, found.labels);
  found.table = measure(found.labels, found.count, image.size, features);
  found.runs = runs_of(found.labels, image.size);
  return found;
}

}  // namespace skerry::reference
