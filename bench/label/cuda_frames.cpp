// SPDX-License-Identifier: Apache-2.0
#include "data/random_image.hpp"
#include "label/cuda_sections.hpp"
#include "support/cuda_desk.hpp"

namespace skerry::bench {
namespace {

constexpr int granularity = 4, density = 50;

// What frames are asked for.
const std::vector<cuda_output> outputs = {cuda_outputs[0], cuda_outputs[1]};

std::string name_of(const cuda_output& what, int side, int connectivity) {
  return what.name + " of frames of " + std::to_string(side) + "², connectivity " + std::to_string(connectivity);
}

// A frame stays in the cache, as it does where frames arrive one by one.
void bench_single_frames(int side, const cuda_options& how, cuda_report& report) {
  const extent size(side, side);
  const std::vector<std::uint8_t> pixels = random_image(size, {granularity, density, how.what.seed});
  cuda_desk desk(size);
  for (const cuda_output& what : outputs)
    for (const int connectivity : how.what.connectivities) {
      desk.take(pixels.data(), connectivity);
      desk.check(what, name_of(what, side, connectivity));
      const cuda_graph graph(desk.stream(), [&] { desk.enqueue(what, 0); });
      cuda_frame frame{what.name, connectivity, side};
      frame.in_a_row = time_replays_in_a_row(graph, how.frame_replays).median * 1e6;
      frame.alone = time_single_replays(graph, how.frame_replays).median * 1e6;
      frame.host = time_host(
                       desk.stream(), [&] { desk.enqueue(what, 0); }, how.frame_replays)
                       .median *
                   1e6;
      frame.scratch_bytes_per_pixel = desk.scratch_bytes_per_pixel(what);
      report.add(frame);
    }
}

void bench_batch(int side, const cuda_options& how, cuda_report& report) {
  const extent size(how.batch_frames, side, side);
  // All frames differ: one tall image, cut.
  const std::vector<std::uint8_t> pixels =
      random_image(extent(std::int64_t{how.batch_frames} * side, side), {granularity, density, how.what.seed});
  cuda_desk desk(size);
  for (const cuda_output& what : outputs)
    for (const int connectivity : how.what.connectivities) {
      desk.take(pixels.data(), connectivity);
      const std::string name = "batch, " + name_of(what, side, connectivity);
      desk.check(what, name);
      const timing call = desk.time(what, name, how.what.repetitions);
      report.add(cuda_batch{what.name, connectivity, side, how.batch_frames, how.batch_frames / call.median,
                            desk.scratch_bytes_per_pixel(what)});
    }
}

}  // namespace

void bench_frames(const cuda_options& how, cuda_report& report) {
  for (const int side : {256, 512, 1024}) bench_single_frames(side, how, report);
  bench_batch(256, how, report);
}

}  // namespace skerry::bench
