// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "papers/density_sweep.hpp"

namespace skerry::bench {
namespace {

// Copies of whole images: a byte for each pixel to the device, 4 bytes of labels back.
double seconds_of_copy(const extent& size, cudaMemcpyKind kind, std::size_t pixel_bytes, cudaStream_t stream,
                       int repetitions) {
  const std::size_t bytes = static_cast<std::size_t>(size.pixels()) * pixel_bytes;
  const device_buffer device(bytes);
  const pinned_buffer host(bytes);
  const bool is_upload = kind == cudaMemcpyHostToDevice;
  const auto copy = [&] {
    require(cudaMemcpyAsync(is_upload ? device.data() : host.data<void>(),
                            is_upload ? host.data<void>() : device.data(), bytes, kind, stream),
            "copy");
  };
  return time_calls(stream, copy, repetitions).median;
}

struct transfers {
  double upload, download;
};

transfers transfers_of(const extent& size, cudaStream_t stream) {
  return {seconds_of_copy(size, cudaMemcpyHostToDevice, 1, stream, 3),
          seconds_of_copy(size, cudaMemcpyDeviceToHost, 4, stream, 3)};
}

void bench_densities(int side, int granularity, const std::vector<int>& densities, const paper_options& how,
                     paper_report& report, std::optional<transfers>& copies) {
  const density_sweep sweep{"003 size",         "labels",
                            paper_job::labels,  {4, 8},
                            extent(side, side), granularity,
                            densities,          {"skerry", "block-fill", std::string(paper_desk::own_first_pixel)}};
  sweep.run(how, report, [&](paper_desk& desk, const std::string& method, paper_sample& sample) {
    desk.time(method, std::min(how.repetitions, 3), sample);
    if (method == "block-fill") desk.time_phases(method, 3, sample);
    if (!copies) copies = transfers_of(sweep.size, desk.stream());
    sample.phases["upload"] = copies->upload;
    sample.phases["download"] = copies->download;
  });
}

}  // namespace

void bench_block_fill(const paper_options& how, paper_report& report) {
  for (const int side : {1024, 4096, 8192, 16384}) {
    if (how.quick != (side == 1024)) continue;
    const std::vector<int> densities = side == 4096 ? std::vector<int>{10, 30, 50, 70, 90} : std::vector<int>{50};
    std::optional<transfers> copies;
    for (const int granularity : {1, 16}) bench_densities(side, granularity, densities, how, report, copies);
  }
}

}  // namespace skerry::bench
