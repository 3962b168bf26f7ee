// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "engine/cuda/memory_checks.hpp"
#include "engine/cuda/stage_marks.cuh"
#include "regions/check.hpp"
#include "regions/cuda/new_labels.cuh"
#include "regions/cuda/on_cuda.hpp"
#include "regions/cuda/scratch.cuh"

namespace skerry::regions {
namespace {

using namespace on_device;  // NOLINT: this is their driver

// A call on its way: labels are numbered, new ones are found, and the image is written.
class relabelling {
 public:
  relabelling(engine::state& on, const image_view& labels, const background& rule, const mutable_image& out)
      : here_(on.device), clock_(on.clock), scratch_(scratch_in(on.region_scratch)),
        work_(launch_of(scratch_, labels, rule)), out_(out) {
    if (is_device_memory(out.data)) cuda::check_pixels("out", out, cuda::access::written);
    if (clock_.on()) marks_.emplace(work_.stream);
    begin(stage::local);
    count_ = number_labels(work_, scratch_);
    begin(stage::measure);
    write_labels(work_, room_for<label_bits>(scratch_.row_labels, count_, "the labels"), count_);
    new_labels_ = room_for<label_bits>(scratch_.rows, count_, "the new labels");
  }

  // The original label of each new one.
  [[nodiscard]] std::vector<label_bits> number(region_order order) {
    check_numbers(count_, out_);
    if (order == region_order::first_pixel && count_ != 0) return number_by_first_pixels();
    number_by_rows_kernel<<<list_blocks, list_threads, 0, work_.stream>>>(count_, new_labels_);
    check_cuda(cudaGetLastError(), "resolve");
    return downloaded(scratch_.row_labels);
  }
  // All labels of the image become new_label(label), which may throw.
  void name(const std::function<label_bits(label_bits)>& new_label) {
    std::vector<label_bits> labels = downloaded(scratch_.row_labels);
    for (label_bits& label : labels) label = new_label(label);
    if (count_ == 0) return;
    check_cuda(
        cudaMemcpyAsync(new_labels_, labels.data(), count_ * sizeof(label_bits), cudaMemcpyHostToDevice, work_.stream),
        "resolve");
    check_cuda(cudaStreamSynchronize(work_.stream), "resolve");
  }
  void write() {
    begin(stage::emit);
    mutable_image to = out_;
    if (!is_device_memory(out_.data)) {
      scratch_.out.reserve(dense_bytes(out_), "the new label image");
      to = {scratch_.out.data(), out_.type, out_.size};
    }
    work_.with_labels([&]<class Label>(const background_test<Label>& test) {
      with_label_type(to.type, [&]<class NewLabel>(label_type<NewLabel>) {
        using stored = std::make_unsigned_t<NewLabel>;
        write_new_labels_kernel<Label, stored><<<work_.grid().blocks(), tile_threads, 0, work_.stream>>>(
            work_.source(), work_.grid(), test, work_.numbers, new_labels_, new_label_target<stored>::of(to));
      });
    });
    check_cuda(cudaGetLastError(), "emit");
    if (marks_) marks_->finish(clock_);
    if (to.data == out_.data) check_cuda(cudaStreamSynchronize(work_.stream), "emit");
    else copy_from_dense(scratch_.out, out_, work_.stream, scratch_.packed);
  }

 private:
  void begin(stage next) {
    if (marks_) marks_->end_of_previous(next);
  }
  std::vector<label_bits> number_by_first_pixels() {
    auto* const first = room_for<u64>(scratch_.intensities, count_, "the first pixels");
    auto* const originals = room_for<label_bits>(scratch_.moments, count_, "the labels");
    check_cuda(cudaMemsetAsync(first, 0xff, count_ * sizeof(u64), work_.stream), "resolve");
    work_.with_labels([&]<class Label>(const background_test<Label>& test) {
      find_first_pixels_kernel<Label><<<work_.grid().blocks(), tile_threads, 0, work_.stream>>>(
          work_.source(), work_.grid(), test, work_.numbers, first);
    });
    check_cuda(cudaGetLastError(), "resolve");
    dense_numbers places = numbers_of_places(static_cast<u64>(out_.size.pixels()));
    lay_out_in(scratch_.places, "the first pixels", [&](pieces& memory) { places.lay_out(memory); });
    check_cuda(cudaMemsetAsync(places.bits, 0, places.keys / 8, work_.stream), "resolve");
    mark_first_pixels_kernel<<<list_blocks, list_threads, 0, work_.stream>>>(places, first, count_);
    number_marks(places, work_.counts, work_.stream);
    number_by_first_pixels_kernel<<<list_blocks, list_threads, 0, work_.stream>>>(
        places, first, static_cast<const label_bits*>(scratch_.row_labels.data()), count_, new_labels_, originals);
    check_cuda(cudaGetLastError(), "resolve");
    return downloaded(scratch_.moments);
  }
  [[nodiscard]] std::vector<label_bits> downloaded(const device_memory& from) const {
    std::vector<label_bits> labels;
    if (count_ != 0) download(from, count_, work_.stream, labels);
    return labels;
  }

  const current_device here_;
  stage_clock& clock_;
  region_scratch& scratch_;
  region_launch work_;
  const mutable_image& out_;
  std::optional<stage_marks> marks_;
  u64 count_ = 0;
  label_bits* new_labels_ = nullptr;  // of each row
};

}  // namespace

std::vector<label_bits> relabel_on_cuda(engine::state& on, const image_view& labels, const relabel_options& options,
                                        const mutable_image& out) {
  relabelling work(on, labels, options.background, out);
  std::vector<label_bits> originals = work.number(options.order);
  work.write();
  return originals;
}

void remap_on_cuda(engine::state& on, const image_view& labels, const std::function<label_bits(label_bits)>& new_label,
                   const mutable_image& out) {
  relabelling work(on, labels, background::none(), out);
  work.name(new_label);
  work.write();
}

}  // namespace skerry::regions
