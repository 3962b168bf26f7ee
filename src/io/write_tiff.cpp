// SPDX-License-Identifier: Apache-2.0
#include "io/picture_file.hpp"
#include "io/tiff_writer.hpp"

namespace skerry::io {

void write_tiff(pending_file& to, const image_view& image, const stack_form& form) {
  tiff_writer file(to, {image.type, image.size, form});
  file.add(static_cast<const std::byte*>(image.data), image.size.rows());
  file.finish();
}

}  // namespace skerry::io
