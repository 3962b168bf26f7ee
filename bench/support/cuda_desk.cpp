// SPDX-License-Identifier: Apache-2.0
#include "support/cuda_desk.hpp"

#include <algorithm>
#include <stdexcept>

#include "support/cuda_compare.hpp"

namespace skerry::bench {
namespace {

std::size_t most_offsets(const extent& size) { return static_cast<std::size_t>(size.depth) + 1; }

}  // namespace

cuda_desk::cuda_desk(const extent& size)
    : size_(size), labels_(pixels() * 4), rows_(row_capacity() * sizeof(geometry)),
      offsets_(most_offsets(size) * sizeof(std::uint64_t)), right_labels_(pixels() * 4),
      right_rows_(row_capacity() * sizeof(geometry)), host_labels_(pixels() * 4) {
  for (device_buffer& image : images_) image = device_buffer(pixels());
  require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
}

cuda_desk::~cuda_desk() { cudaStreamDestroy(stream_); }

void cuda_desk::take(const std::uint8_t* pixels, int connectivity) {
  connectivity_ = connectivity;
  images_[0].upload(pixels, this->pixels());
  for (int place = 1; place < places; ++place)
    require(cudaMemcpy(images_[place].data(), images_[0].data(), this->pixels(), cudaMemcpyDeviceToDevice), "copy");
  find_right_answer(pixels);
  for (const cuda_output& what : cuda_outputs)
    if (scratch_bytes(what) > scratch_.bytes()) scratch_ = device_buffer(scratch_bytes(what));
}

void cuda_desk::find_right_answer(const std::uint8_t* pixels) {
  const extent frame = is_batch() ? extent(size_.height, size_.width) : size_;
  const std::int64_t frames = size_.pixels() / frame.pixels();
  std::vector<geometry> rows;
  right_offsets_.assign(1, 0);
  for (std::int64_t f = 0; f < frames; ++f) {
    const std::int64_t first = f * frame.pixels();
    measure(cpu_, {pixels + first, frame}, {.connectivity = connectivity_}, {}, table_,
            {.labels = {host_labels_.data<std::uint32_t>() + first, frame}});
    right_offsets_.push_back(right_offsets_.back() + table_.size());
    if (frames > 1) rows.insert(rows.end(), table_.components.begin(), table_.components.end());
  }
  const std::vector<geometry>& all = frames > 1 ? rows : table_.components;
  if (all.size() > row_capacity()) throw std::runtime_error("more components than the table of the bench has rows");
  right_labels_.upload(host_labels_.data<std::uint32_t>(), this->pixels() * 4);
  right_rows_.upload(all.data(), all.size() * sizeof(geometry));
}

cuda::job cuda_desk::job(const cuda_output& what, int place) const {
  cuda::job work;
  work.image = {images_[place].data<std::uint8_t>(), size_};
  work.connectivity = connectivity_;
  if (what.labels) work.labels = {labels_.data<std::uint32_t>(), size_};
  if (what.rows) work.rows = rows_.data<geometry>(), work.row_capacity = row_capacity();
  work.offsets = offsets_.data<std::uint64_t>();
  return work;
}

std::size_t cuda_desk::scratch_bytes(const cuda_output& what) const { return cuda::scratch_bytes(job(what, 0)); }

void cuda_desk::enqueue(const cuda_output& what, int place) const {
  cuda::enqueue(job(what, place), scratch_.data(), scratch_.bytes(), stream_);
}

void cuda_desk::check(const cuda_output& what, const std::string& name) {
  for (int place = 0; place < places; ++place) {
    for (const device_buffer* array : {&labels_, &rows_, &offsets_}) array->spoil(stream_);
    enqueue(what, place);
    compare(what, name);
  }
}

void cuda_desk::compare(const cuda_output& what, const std::string& name) {
  require(cudaStreamSynchronize(stream_), name.c_str());
  std::vector<std::uint64_t> offsets(right_offsets_.size());
  require(cudaMemcpy(offsets.data(), offsets_.data(), offsets.size() * sizeof(std::uint64_t), cudaMemcpyDeviceToHost),
          "offsets");
  if (offsets != right_offsets_)
    throw std::runtime_error(name + ": " + std::to_string(offsets.back()) + " components, not " +
                             std::to_string(components()));
  if (what.labels)
    require_same_device_labels(name, labels_.data<std::uint32_t>(), right_labels_.data<std::uint32_t>(), pixels());
  if (what.rows)
    require_same_device_rows(name, rows_.data<geometry>(), right_rows_.data<geometry>(), components(), is_batch());
}

timing cuda_desk::time(const cuda_output& what, const std::string& name, int replays) {
  constexpr int calls = 2 * places;
  const cuda_graph graph(stream_, [&] {
    for (int i = 0; i < calls; ++i) enqueue(what, i % places);
  });
  timing found = time_replays(graph, replays);
  found.median /= calls;
  compare(what, name + ", after the timing");
  return found;
}

}  // namespace skerry::bench
