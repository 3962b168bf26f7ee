// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "regions/cuda/on_cuda.hpp"
#include "regions/cuda/quantiles.cuh"
#include "regions/cuda/scratch.cuh"
#include "regions/cuda/values.cuh"
#include "regions/label_slots.hpp"
#include "regions/values.hpp"

namespace skerry::regions {
namespace {

using namespace on_device;  // NOLINT: this is their driver

// A call on its way: all labels of the image have rows.
class value_call {
 public:
  value_call(engine::state& on, const region_pixels& asked)
      : here_(on.device), asked_(asked), scratch_(scratch_in(on.region_scratch)),
        work_(launch_of(scratch_, asked.labels, asked.background)) {
    const image_view image =
        skerry::on_device(asked.image, work_.stream, scratch_.intensity_image, scratch_.packed, "image");
    image_ = {static_cast<const char*>(image.data), image.strides, image.type};
    count_ = number_labels(work_, scratch_);
    write_labels(work_, room_for<label_bits>(scratch_.row_labels, count_, "the labels"), count_);
    if (count_ != 0) download(scratch_.row_labels, count_, work_.stream, labels_);
  }

  [[nodiscard]] const std::vector<label_bits>& labels() const { return asked_.index ? *asked_.index : labels_; }

  // Calls visit(row) for each label of the result, with the number of rows for a label without pixels.
  template <class Visit>
  void each_result(Visit visit) const {
    if (!asked_.index) {
      for (std::size_t row = 0; row < labels_.size(); ++row) visit(row);
      return;
    }
    const bool is_signed = is_signed_label_type(asked_.labels.type);
    const auto before = [&](label_bits a, label_bits b) {
      return order_of_label(a, is_signed) < order_of_label(b, is_signed);
    };
    for (const label_bits label : *asked_.index) {
      const auto at = std::lower_bound(labels_.begin(), labels_.end(), label, before);
      const bool is_there = at != labels_.end() && *at == label;
      visit(is_there ? static_cast<std::size_t>(at - labels_.begin()) : labels_.size());
    }
  }

  [[nodiscard]] std::vector<placed_value> extrema(bool largest) {
    std::vector<u64> places;
    std::vector<double> values;
    if (count_ != 0) find_places(largest, places, values);
    std::vector<placed_value> result;
    const extent& size = asked_.labels.size;
    each_result([&](std::size_t row) {
      if (row == places.size()) return result.push_back({no_value, -1, -1, -1});
      const auto place = static_cast<i64>(places[row]), y = place / size.width;
      result.push_back({values[row], y / size.height, y % size.height, place % size.width});
    });
    return result;
  }

  // The counts of all bins of all rows.
  [[nodiscard]] std::vector<std::uint64_t> counts(const std::vector<double>& edges) {
    const u64 bins = edges.size() - 1, all = count_ * bins;
    std::vector<std::uint64_t> counts;
    if (count_ == 0) return counts;
    auto* const on_device = room_for<u64>(scratch_.rows, all, "the histograms");
    auto* const limits = room_for<double>(scratch_.moments, edges.size(), "the limits of bins");
    check_cuda(
        cudaMemcpyAsync(limits, edges.data(), edges.size() * sizeof(double), cudaMemcpyHostToDevice, work_.stream),
        "measure");
    check_cuda(cudaMemsetAsync(on_device, 0, all * sizeof(u64), work_.stream), "measure");
    with_work([&](const auto& work) {
      count_bins_kernel<<<blocks(), tile_threads, 0, work_.stream>>>(work, bin_edges{limits, bins}, on_device);
    });
    download(scratch_.rows, all, work_.stream, counts);
    return counts;
  }

  // The values of all rows between which each quantile lies.
  [[nodiscard]] std::vector<selected_pair> select(const std::vector<double>& fractions) {
    std::vector<selected_pair> found;
    if (count_ != 0) find_least_keys();
    for (const double fraction : fractions) {
      if (count_ != 0) search(fraction);
      each_result([&](std::size_t row) {
        if (row == labels_.size()) return found.push_back({0, no_value, no_value});
        if (has_nan(row)) return found.push_back({pixels_[row], no_value, no_value});
        const double value = value_of(keys_[row]);
        const bool is_last = places_[row] + 1 == pixels_[row];
        found.push_back({pixels_[row], value, is_last ? value : value_of(next_[row])});
      });
    }
    return found;
  }

 private:
  void search(double fraction) {
    key_search of{};
    const std::size_t bytes =
        lay_out_in(scratch_.rows, "the values of regions", [&](pieces& memory) { of.lay_out(memory, count_); });
    check_cuda(cudaMemsetAsync(scratch_.rows.data(), 0, bytes, work_.stream), "measure");
    const u32 first = 64 - key_digit_bits, last = last_shift(image_.type);
    for (u32 shift = first;; shift -= key_digit_bits) {
      with_work([&](const auto& work) {
        count_key_digits_kernel<<<blocks(), tile_threads, 0, work_.stream>>>(work, shift, of);
      });
      if (shift == first) {
        begin_search_kernel<<<list_blocks, list_threads, 0, work_.stream>>>(of, fraction, count_);
        copy(of.places, places_);
      }
      choose_digit_kernel<<<list_blocks, list_threads, 0, work_.stream>>>(of, shift, count_);
      if (shift == last) break;
    }
    end_search_kernel<<<list_blocks, list_threads, 0, work_.stream>>>(of, (u64{1} << last) - 1, count_);
    with_work([&](const auto& work) { find_next_keys_kernel<<<blocks(), tile_threads, 0, work_.stream>>>(work, of); });
    copy(of.pixels, pixels_), copy(of.keys, keys_), copy(of.next, next_);
    check_cuda(cudaStreamSynchronize(work_.stream), "measure");
  }
  void copy(const u64* from, std::vector<u64>& to) {
    to.resize(count_);
    check_cuda(cudaMemcpyAsync(to.data(), from, count_ * sizeof(u64), cudaMemcpyDeviceToHost, work_.stream), "measure");
  }
  [[nodiscard]] bool has_floats() const {
    return image_.type == dtype::f16 || image_.type == dtype::f32 || image_.type == dtype::f64;
  }
  // Which say where there is a NaN.
  void find_least_keys() {
    if (!has_floats()) return;
    auto* const best = room_for<u64>(scratch_.moments, count_, "the least values");
    check_cuda(cudaMemsetAsync(best, 0xff, count_ * sizeof(u64), work_.stream), "measure");
    with_work([&](const auto& work) {
      find_best_keys_kernel<<<blocks(), tile_threads, 0, work_.stream>>>(work, value_keys{false}, best);
    });
    copy(best, least_keys_);
  }
  [[nodiscard]] bool has_nan(std::size_t row) const { return has_floats() && least_keys_[row] == 0; }
  [[nodiscard]] double value_of(u64 key) const {
    if (image_.type == dtype::u64) return static_cast<double>(key);
    if (image_.type == dtype::i64) return static_cast<double>(value_of_key<i64>(key));
    return value_of_key<double>(key);
  }
  [[nodiscard]] u32 blocks() const { return work_.grid().blocks(); }
  template <class Launch>
  void with_work(Launch launch) const {
    work_.with_labels([&]<class Label>(const background_test<Label>& test) {
      launch(value_work<Label>{work_.source(), work_.grid(), test, work_.numbers, image_});
    });
    check_cuda(cudaGetLastError(), "measure");
  }
  void find_places(bool largest, std::vector<u64>& places, std::vector<double>& values) {
    auto* const best = room_for<u64>(scratch_.rows, count_, "the best values");
    auto* const at = room_for<u64>(scratch_.moments, count_, "their places");
    auto* const read = room_for<double>(scratch_.intensities, count_, "the best values");
    check_cuda(cudaMemsetAsync(best, 0xff, count_ * sizeof(u64), work_.stream), "measure");
    check_cuda(cudaMemsetAsync(at, 0xff, count_ * sizeof(u64), work_.stream), "measure");
    const value_keys keys{largest};
    with_work([&](const auto& work) {
      find_best_keys_kernel<<<blocks(), tile_threads, 0, work_.stream>>>(work, keys, best);
      find_best_places_kernel<<<blocks(), tile_threads, 0, work_.stream>>>(work, keys, best, at);
    });
    const extent& size = asked_.labels.size;
    read_values_kernel<<<list_blocks, list_threads, 0, work_.stream>>>(image_, size.height, size.width, at, read,
                                                                       count_);
    check_cuda(cudaGetLastError(), "measure");
    download(scratch_.moments, count_, work_.stream, places);
    download(scratch_.intensities, count_, work_.stream, values);
  }

  const current_device here_;
  const region_pixels& asked_;
  region_scratch& scratch_;
  region_launch work_;
  intensity_image image_{};
  u64 count_ = 0;
  std::vector<label_bits> labels_;                  // of the image, in ascending order
  std::vector<u64> least_keys_;                     // of floats, for quantiles
  std::vector<u64> pixels_, places_, keys_, next_;  // of the last search
};

}  // namespace

region_extrema find_extrema_on_cuda(engine::state& on, const region_pixels& asked) {
  value_call call(on, asked);
  return {call.labels(), call.extrema(false), call.extrema(true)};
}

selected_values select_on_cuda(engine::state& on, const region_pixels& asked, const std::vector<double>& fractions) {
  value_call call(on, asked);
  return {call.labels(), call.select(fractions)};
}

region_histograms count_histograms_on_cuda(engine::state& on, const region_pixels& asked,
                                           const std::vector<double>& edges) {
  value_call call(on, asked);
  const std::size_t bins = edges.size() - 1;
  const std::vector<std::uint64_t> counts = call.counts(edges);
  region_histograms result{call.labels(), bins, {}};
  call.each_result([&](std::size_t row) {
    const std::size_t begin = row * bins;
    if (begin >= counts.size()) result.counts.insert(result.counts.end(), bins, 0);
    else
      result.counts.insert(result.counts.end(), counts.begin() + static_cast<std::ptrdiff_t>(begin),
                           counts.begin() + static_cast<std::ptrdiff_t>(begin + bins));
  });
  return result;
}

}  // namespace skerry::regions
