// SPDX-License-Identifier: Apache-2.0
#include "support/cuda_results.hpp"

#include <stdexcept>

#include "support/cuda_compare.hpp"

namespace skerry::bench {

void result_table::reserve(std::uint64_t wanted) {
  if (wanted <= capacity) return;
  given = device_buffer(wanted * item_bytes);
  right = device_buffer(wanted * item_bytes);
  capacity = wanted;
}

void result_table::upload(const void* from, std::uint64_t count) {
  if (count > capacity) throw std::runtime_error("more results than the tables of the bench have room for");
  right.upload(from, count * item_bytes);
  items = count;
}

cuda_results::cuda_results(const extent& size)
    : size_(size), offsets_((static_cast<std::size_t>(size.depth) + 1) * sizeof(std::uint64_t)),
      host_labels_(static_cast<std::size_t>(size.pixels()) * sizeof(std::uint32_t)) {
  labels_.reserve(static_cast<std::uint64_t>(size.pixels()));
}

void cuda_results::expect(const cuda_output& what, const std::uint8_t* pixels, const image_view& intensities,
                          int connectivity) {
  batch_ = size_.rank == 3 && (connectivity == 4 || connectivity == 8);
  const auto room = static_cast<std::uint64_t>(size_.pixels() / pixels_per_row + 1);
  if (what.rows) rows_.reserve(room);
  if (what.moments) moments_.reserve(room);
  if (what.intensities) (what.real ? reals_ : intensities_).reserve(room);
  if (what.runs) runs_.reserve(static_cast<std::uint64_t>(size_.pixels() / pixels_per_run + 1));
  const extent frame = batch_ ? extent(size_.height, size_.width) : size_;
  right_offsets_.assign(1, 0);
  frame_rows_.clear();
  for (std::int64_t first = 0; first < size_.pixels(); first += frame.pixels()) {
    find_frame(what, {pixels + first, frame}, intensities, connectivity, host_labels_.data<std::uint32_t>() + first);
    right_offsets_.push_back(right_offsets_.back() + table_.size());
    if (batch_) frame_rows_.insert(frame_rows_.end(), table_.components.begin(), table_.components.end());
  }
  const auto count = static_cast<std::size_t>(size_.pixels());
  if (what.labels && what.numbering == cuda::numbering::first_pixel) number_by_first_pixel(count);
  if (what.labels) labels_.upload(host_labels_.data<std::uint32_t>(), count);
  const table_rows<geometry>& rows = batch_ ? frame_rows_ : table_.components;
  if (what.rows) rows_.upload(rows.data(), rows.size());
  if (what.moments) moments_.upload(table_.moments.data(), table_.moments.size());
  if (what.real) reals_.upload(table_.real_intensities.data(), table_.real_intensities.size());
  else if (what.intensities) intensities_.upload(table_.intensities.data(), table_.intensities.size());
  if (what.runs) runs_.upload(host_runs_.data(), host_runs_.size());
}

void cuda_results::find_frame(const cuda_output& what, const image_view& image, const image_view& intensities,
                              int connectivity, std::uint32_t* labels) {
  label_outputs outputs = {.table = &table_};
  if (what.labels) outputs.labels = {labels, image.size};
  if (what.runs) outputs.runs = &host_runs_;
  const measure_options features = {.moments = what.moments,
                                    .intensity = what.intensities ? intensities : image_view{}};
  label(cpu_, {image, {.connectivity = connectivity, .selection = what.keep, .joining = what.joining}, features},
        outputs);
}

// 1 + the index of the first pixel, in place of 1..n.
void cuda_results::number_by_first_pixel(std::size_t pixels) {
  auto* const labels = host_labels_.data<std::uint32_t>();
  std::vector<std::uint32_t> first(components() + 1, 0);
  for (std::size_t i = 0; i < pixels; ++i) {
    if (labels[i] == 0) continue;
    std::uint32_t& number = first[labels[i]];
    if (number == 0) number = static_cast<std::uint32_t>(i + 1);
    labels[i] = number;
  }
}

void cuda_results::attach(const cuda_output& what, cuda::label_job& work) const {
  if (what.labels) work.labels = {labels_.given.data<std::uint32_t>(), size_};
  work.numbering = what.numbering;
  work.selection = what.keep;
  work.joining = what.joining;
  work.one_kernel = what.one_kernel;
  work.early_launch = what.early_launch;
  if (what.rows) work.rows = rows_.given.data<geometry>(), work.row_capacity = rows_.capacity;
  if (what.few_rows) work.row_capacity = static_cast<std::uint64_t>(size_.pixels() / 64);
  if (what.moments) work.moments = moments_.given.data<second_moments>();
  if (what.real) work.real_intensities = reals_.given.data<real_intensity>();
  else if (what.intensities) work.intensities = intensities_.given.data<intensity>();
  if (what.runs) work.runs = runs_.given.data<labelled_run>(), work.run_capacity = runs_.capacity;
  work.offsets = offsets_.data<std::uint64_t>();
}

void cuda_results::spoil(cudaStream_t stream) const {
  for (const result_table* table : {&labels_, &rows_, &moments_, &intensities_, &reals_, &runs_})
    if (table->capacity != 0) table->given.spoil(stream);
  offsets_.spoil(stream);
}

void cuda_results::compare(const cuda_output& what, const std::string& name) const {
  std::vector<std::uint64_t> offsets(right_offsets_.size());
  require(cudaMemcpy(offsets.data(), offsets_.data(), offsets.size() * sizeof(std::uint64_t), cudaMemcpyDeviceToHost),
          name.c_str());
  if (offsets != right_offsets_)
    throw std::runtime_error(name + ": " + std::to_string(offsets.back()) + " components, not " +
                             std::to_string(components()));
  const auto same = [&](const result_table& table, const char* items) {
    require_same_device_items(name, items, table.given.data(), table.right.data(), table.items, table.item_bytes);
  };
  if (what.labels) same(labels_, "labels");
  if (what.rows)
    require_same_device_rows(name, rows_.given.data<geometry>(), rows_.right.data<geometry>(), rows_.items, batch_);
  if (what.moments) same(moments_, "moments");
  if (what.intensities) same(what.real ? reals_ : intensities_, "intensities");
  if (what.runs) same(runs_, "runs");
}

}  // namespace skerry::bench
