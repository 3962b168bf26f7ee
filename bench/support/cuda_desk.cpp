// SPDX-License-Identifier: Apache-2.0
#include "support/cuda_desk.hpp"

namespace skerry::bench {

cuda_desk::cuda_desk(const extent& size) : size_(size), results_(size) {
  for (device_buffer& image : images_) image = device_buffer(pixels());
  require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
}

cuda_desk::~cuda_desk() { cudaStreamDestroy(stream_); }

void cuda_desk::take(const std::uint8_t* pixels, int connectivity) {
  connectivity_ = connectivity;
  pixels_ = pixels;
  images_[0].upload(pixels, this->pixels());
  for (int place = 1; place < places; ++place)
    require(cudaMemcpy(images_[place].data(), images_[0].data(), this->pixels(), cudaMemcpyDeviceToDevice), "copy");
}

// Grey values without a pattern that the blocks of the image could share.
void cuda_desk::make_intensities() {
  intensities_.resize(pixels());
  for (std::size_t i = 0; i < intensities_.size(); ++i)
    intensities_[i] = static_cast<std::uint8_t>(static_cast<std::uint32_t>(i) * 2654435761u >> 24);
  intensity_image_ = device_buffer(pixels());
  intensity_image_.upload(intensities_.data(), pixels());
  reals_.resize(pixels());
  for (std::size_t i = 0; i < reals_.size(); ++i)
    reals_[i] = static_cast<float>(static_cast<std::uint32_t>(i) * 2654435761u) / 65536;
  real_image_ = device_buffer(pixels() * sizeof(float));
  real_image_.upload(reals_.data(), pixels() * sizeof(float));
}

cuda::label_job cuda_desk::job(const cuda_output& what, int place) const {
  cuda::label_job work;
  work.image = {image(place), size_};
  work.connectivity = connectivity_;
  if (what.real) work.intensity_image = {real_image_.data<float>(), size_};
  else if (what.intensities) work.intensity_image = {intensity_image_.data<std::uint8_t>(), size_};
  results_.attach(what, work);
  return work;
}

double cuda_desk::scratch_bytes_per_pixel(const cuda_output& what) const {
  return static_cast<double>(cuda::scratch_bytes(job(what, 0))) / static_cast<double>(pixels());
}

void cuda_desk::enqueue(int place) const { plans_[place].enqueue(scratch_.data(), stream_); }

void cuda_desk::check(const cuda_output& what, const std::string& name) {
  if (what.intensities && intensities_.empty()) make_intensities();
  const image_view intensities = what.real ? image_view(reals_.data(), size_) : image_view(intensities_.data(), size_);
  results_.expect(what, pixels_, intensities, connectivity_);
  plans_.clear();
  for (int place = 0; place < places; ++place) plans_.emplace_back(job(what, place));
  if (plans_[0].scratch_bytes() > scratch_.bytes()) scratch_ = device_buffer(plans_[0].scratch_bytes());
  for (int place = 0; place < places; ++place) {
    results_.spoil(stream_);
    enqueue(place);
    require(cudaStreamSynchronize(stream_), name.c_str());
    results_.compare(what, name);
  }
}

timing cuda_desk::time(const cuda_output& what, const std::string& name, int replays) {
  constexpr int calls = 2 * places;
  const cuda_graph graph(stream_, [&] {
    for (int i = 0; i < calls; ++i) enqueue(i % places);
  });
  timing found = time_replays(graph, replays);
  found.median /= calls;
  results_.compare(what, name + ", after the timing");
  return found;
}

}  // namespace skerry::bench
