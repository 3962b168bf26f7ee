// SPDX-License-Identifier: Apache-2.0
#include "cli/band_output.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace skerry::cli {

band_output::band_output(const std::string& path, const io::stored_image& what, band_state& state)
    : what_(what), state_(state), file_(path, state.part()),
      writer_(io::write_bands(file_, what, state.progress().written)), row_(state.progress().written.rows) {
  for (int i = 0; i < 2; ++i) free_.put({});
  thread_ = std::thread([this] {
    try {
      write_all();
      free_.close();
    } catch (...) {
      free_.close(std::current_exception());
    }
  });
}

band_output::~band_output() { stop(); }

void band_output::stop() {
  full_.close();
  if (thread_.joinable()) thread_.join();
}

band_output::labels band_output::room(std::int64_t pixels) {
  auto found = free_.take();
  // After an error the thread takes nothing more; nothing else ends it before finish().
  if (!found) return {};
  if (found->room < pixels) {
    found->pixels.reset();
    found->pixels = io::allocate_pixels(file_.path(), what_.type, extent(1, pixels));
    found->room = pixels;
  }
  return std::move(*found);
}

void band_output::write_all() {
  while (auto band = full_.take()) {
    const std::int64_t passed = std::max<std::int64_t>(row_ - band->rows.begin, 0);
    writer_->add(band->pixels.get() + passed * what_.row_bytes(), band->rows.count() - passed);
    row_ = band->rows.end;
    state_.written(*writer_, file_);
    free_.put(std::move(*band));
  }
}

void band_output::finish(std::uint64_t count) {
  stop();
  while (free_.take()) continue;  // throws what the thread met
  writer_->finish();
  file_.finish();
  state_.finished(count);
  file_.publish();
}

}  // namespace skerry::cli
