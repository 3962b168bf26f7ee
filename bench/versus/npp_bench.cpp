// SPDX-License-Identifier: Apache-2.0
// skerry next to NPP's label markers, on the same images in one process.
//
// NPP's union-find gives every region of equal pixels a label, background too, in no order and with gaps;
// its second function takes the gaps out. Only the foreground is compared: the same pixels must be told apart. Where they
// are not, NPP is timed all the same, and the report says how many pixels are wrong.
#include <nppcore.h>
#include <nppi_filtering_functions.h>

#include <cstdio>
#include <stdexcept>

#include "support/cuda_compare.hpp"
#include "support/cuda_desk.hpp"
#include "support/cuda_options.hpp"
#include "support/cuda_report.hpp"
#include "support/picture_queue.hpp"

namespace skerry::bench {
namespace {

void require_npp(NppStatus status, const char* what) {
  if (status < NPP_SUCCESS) throw std::runtime_error(std::string(what) + ": NPP status " + std::to_string(status));
}

// As NPP asks: the application fills it.
NppStreamContext context_of(cudaStream_t stream) {
  cudaDeviceProp device{};
  require(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  NppStreamContext context{};
  context.hStream = stream;
  context.nMultiProcessorCount = device.multiProcessorCount;
  context.nMaxThreadsPerMultiProcessor = device.maxThreadsPerMultiProcessor;
  context.nMaxThreadsPerBlock = device.maxThreadsPerBlock;
  context.nSharedMemPerBlock = device.sharedMemPerBlock;
  context.nCudaDevAttrComputeCapabilityMajor = device.major;
  context.nCudaDevAttrComputeCapabilityMinor = device.minor;
  require(cudaStreamGetFlags(stream, &context.nStreamFlags), "cudaStreamGetFlags");
  return context;
}

class npp_peer {
 public:
  npp_peer(int side, const cuda_desk& desk) : size_{side, side}, desk_(desk), context_(context_of(desk.stream())) {
    int label_bytes = 0, compress_bytes = 0;
    require_npp(nppiLabelMarkersUFGetBufferSize_32u_C1R(size_, &label_bytes), "buffer size");
    require_npp(nppiCompressMarkerLabelsGetBufferSize_32u_C1R(side * side, &compress_bytes), "buffer size");
    buffer_ = device_buffer(static_cast<std::size_t>(label_bytes));
    compress_buffer_ = device_buffer(static_cast<std::size_t>(compress_bytes));
  }
  [[nodiscard]] double scratch_bytes_per_pixel(bool compressed) const {
    const std::size_t bytes = buffer_.bytes() + (compressed ? compress_buffer_.bytes() : 0);
    return static_cast<double>(bytes) / static_cast<double>(desk_.pixels());
  }
  void label(int place, int connectivity) const {
    require_npp(nppiLabelMarkersUF_8u32u_C1R_Ctx(
                    const_cast<Npp8u*>(desk_.image(place)), size_.width, desk_.results().labels(), size_.width * 4,
                    size_, connectivity == 8 ? nppiNormInf : nppiNormL1, buffer_.data<Npp8u>(), context_),
                "nppiLabelMarkersUF");
  }
  // Returns the largest label.
  int compress() const {
    int largest = 0;
    require_npp(nppiCompressMarkerLabelsUF_32u_C1IR_Ctx(desk_.results().labels(), size_.width * 4, size_,
                                                        size_.width * size_.height, &largest,
                                                        compress_buffer_.data<Npp8u>(), context_),
                "nppiCompressMarkerLabelsUF");
    return largest;
  }
  // What is wrong with the labels, or nothing.
  [[nodiscard]] std::string complaint(int connectivity, bool compressed) const {
    label(0, connectivity);
    std::size_t labels = desk_.pixels() + 1;
    if (compressed) labels = static_cast<std::size_t>(compress()) + 1;
    require(cudaStreamSynchronize(desk_.stream()), "NPP");
    const peer_errors found = errors_of_partition(desk_.results().labels(), labels, desk_.results().right_labels(),
                                                  desk_.results().components(), desk_.pixels());
    if (!found.any()) return "";
    return std::to_string(found.out_of_range) + " pixels out of range, " + std::to_string(found.joined) +
           " joined to another component, " + std::to_string(found.split) + " split from their own";
  }
  [[nodiscard]] timing time(int connectivity, bool compressed, int repetitions) const {
    int place = 0;
    const auto call = [&] {
      label(place++ % cuda_desk::places, connectivity);
      if (compressed) compress();
    };
    return time_calls(desk_.stream(), call, repetitions);
  }

 private:
  NppiSize size_;
  const cuda_desk& desk_;
  NppStreamContext context_;
  device_buffer buffer_, compress_buffer_;
};

// skerry, NPP, and NPP with the gaps taken out, in turn on each image.
class comparison {
 public:
  comparison(int side, const cuda_options& how, cuda_report& report)
      : size_(side, side), how_(how), report_(report), desk_(size_), peer_(side, desk_) {}
  void run(int granularity) {
    std::vector<cuda_row> rows;
    for (const int connectivity : how_.what.connectivities)
      for (const char* method : methods) rows.push_back({method, "labels", connectivity, shape(), granularity});
    picture_queue pictures(size_, granularity, how_.what.densities, how_.what.seed);
    for (std::size_t d = 0; d < how_.what.densities.size(); ++d) {
      const std::vector<std::uint8_t> pixels = pictures.take(d);
      std::size_t row = 0;
      for (const int connectivity : how_.what.connectivities) {
        desk_.take(pixels.data(), connectivity);
        for (int method = 0; method < 3; ++method) bench(method, how_.what.densities[d], rows[row++]);
      }
    }
    for (const cuda_row& row : rows) report_.add(row);
  }

 private:
  static constexpr const char* methods[] = {"skerry", "NPP", "NPP 1..n"};
  [[nodiscard]] std::string shape() const { return std::to_string(size_.width) + "²"; }

  void bench(int method, int density, cuda_row& row) {
    const std::string name = row.method + " labels " + row.shape + " g=" + std::to_string(row.granularity) + ' ' +
                             std::to_string(density) + " %, connectivity " + std::to_string(row.connectivity);
    const bool compressed = method == 2;
    timing call;
    row.scratch_bytes_per_pixel =
        method == 0 ? desk_.scratch_bytes_per_pixel(cuda_outputs[0]) : peer_.scratch_bytes_per_pixel(compressed);
    if (method == 0) {
      desk_.check(cuda_outputs[0], name);
      if (errors_of_partition(desk_.results().labels(), desk_.results().components() + 1,
                              desk_.results().right_labels(), desk_.results().components(), desk_.pixels())
              .any())
        throw std::logic_error("right labels were taken for wrong ones");
      call = desk_.time(cuda_outputs[0], name, how_.what.repetitions);
    } else {
      if (const std::string wrong = peer_.complaint(row.connectivity, compressed); !wrong.empty())
        row.wrong += (row.wrong.empty() ? "" : "; ") + std::to_string(density) + " %: " + wrong;
      call = peer_.time(row.connectivity, compressed, how_.what.repetitions);
    }
    row.add(density, static_cast<double>(desk_.pixels()) / call.median / 1e9, call.spread);
  }

  extent size_;
  const cuda_options& how_;
  cuda_report& report_;
  cuda_desk desk_;
  npp_peer peer_;
};

int run(const cuda_options& how) {
  auto head = device_facts();
  const NppLibraryVersion* npp = nppGetLibVersion();
  head["NPP"] = std::to_string(npp->major) + '.' + std::to_string(npp->minor) + '.' + std::to_string(npp->build);
  head["repetitions"] = std::to_string(how.what.repetitions);
  cuda_report report(head);
  for (const int side : how.what.sizes) {
    comparison next(side, how, report);
    for (const int granularity : how.what.granularities) next.run(granularity);
  }
  if (!how.json.empty()) report.write_json(how.json);
  return 0;
}

}  // namespace
}  // namespace skerry::bench

int main(int count, char** arguments) {
  return skerry::bench::cuda_main("skerry_versus_npp", count, arguments, skerry::bench::run);
}
