// SPDX-License-Identifier: Apache-2.0
#include "data/random_image.hpp"
#include "papers/paper_desk.hpp"
#include "papers/paper_sections.hpp"

namespace skerry::bench {
namespace {

// Copies of whole images, as the text has them: 4 bytes for each pixel both ways.
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

}  // namespace

void bench_block_fill(const paper_options& how, paper_report& report) {
  for (const int side : {1024, 4096, 8192, 16384}) {
    if (how.quick != (side == 1024)) continue;
    const extent size(side, side);
    for (const int granularity : {1, 16}) {
      if (granularity == 1 && side > 8192) continue;  // a fill of noise takes seconds
      const std::vector<std::uint8_t> pixels = random_image(size, {granularity, 50, how.seed});
      paper_desk desk(size);
      for (const int connectivity : {4, 8}) {
        desk.take(pixels.data(), connectivity, paper_job::labels);
        for (const char* method : {"skerry", "block-fill"}) {
          paper_sample sample{"003 size", method, "labels", connectivity, side, side, granularity, 50};
          const bool is_fill = sample.method == "block-fill";
          if (is_fill) desk.check(method), desk.time_phases(method, 1, sample);
          else desk.time(method, std::min(how.repetitions, 3), sample);
          for (const auto& [name, seconds] : sample.phases) sample.seconds += seconds;
          sample.components = desk.components();
          const std::size_t pixel_in = is_fill ? 4 : 1;
          sample.phases["upload"] = seconds_of_copy(size, cudaMemcpyHostToDevice, pixel_in, desk.stream(), 3);
          sample.phases["download"] = seconds_of_copy(size, cudaMemcpyDeviceToHost, 4, desk.stream(), 3);
          report.add(sample);
        }
      }
    }
  }
}

}  // namespace skerry::bench
