// SPDX-License-Identifier: Apache-2.0
#include "cli/frame_output.hpp"

#include "io/picture_file.hpp"

namespace skerry::cli {

frame_output::frame_output(const std::string& path) {
  if (path.empty()) return;
  (void)io::picture_format_of(path);
  file_.emplace(path);
}

void frame_output::prepare(const picture& from, dtype type) {
  if (!file_) return;
  io::check_pixel_type(file_->path(), type, from.pixels.size.rank);
  type_ = type;
  size_ = from.pixels.size;
  form_ = from.form();
  pixels_ = io::allocate_pixels(file_->path(), type_, size_);
}

mutable_image frame_output::frame(const picture& from, std::int64_t index) {
  const extent size = from.frame(index).size;
  return {pixels_.get() + index * size.pixels() * static_cast<std::int64_t>(size_of(type_)), type_, size};
}

void frame_output::finish() {
  if (!file_) return;
  io::write_picture(*file_, {pixels_.get(), type_, size_}, form_);
  file_->finish();
}

void frame_output::publish() {
  if (file_) file_->publish();
}

}  // namespace skerry::cli
