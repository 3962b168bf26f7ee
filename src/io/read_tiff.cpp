// SPDX-License-Identifier: Apache-2.0
#include "io/grey.hpp"
#include "io/image_file.hpp"
#include "io/tiff_slices.hpp"

namespace skerry::io {

image read_tiff(const std::string& path, const std::string& name, const read_options& options) {
  tiff_slices file(path, name, options);
  image read = file.about();
  const extent page_size = file.page_size();
  const grey_rule& rule = file.rule();
  read.bytes = allocate_pixels(name, read.type, read.size);
  const colour_pages colours(read, rule, page_size, options, name);
  std::byte* to = read.bytes.get();
  for (std::int64_t slice = 0; slice < file.count(); ++slice) {
    std::byte* stored = rule.mixes() ? colours.page(slice) : to;
    file.read(slice, 0, page_size.height, stored);
    if (rule.mixes()) mix_colours(file.stored_type(), stored, to, page_size.pixels());
    to += page_size.pixels() * static_cast<std::int64_t>(size_of(read.type));
  }
  return read;
}

}  // namespace skerry::io
