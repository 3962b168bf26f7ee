// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include "data/random_image.hpp"
#include "label/cuda_sections.hpp"
#include "support/cuda_desk.hpp"
#include "support/cuda_floor.hpp"

namespace skerry::bench {
namespace {

// What frames are asked for, in one kernel and by tiles.
const std::vector<cuda_output> outputs = {
    {.name = "labels", .labels = true},
    {.name = "features", .rows = true},
    {.name = "features, few", .rows = true, .few_rows = true},
    {.name = "features, early", .rows = true, .early_launch = true, .few_rows = true},
    {.name = "labels, tiles", .labels = true, .one_kernel = false},
    {.name = "features, tiles", .rows = true, .one_kernel = false},
};

// Objects, and what is harder: many small components, noise.
struct frame_image {
  int granularity, density;  // percent
};
constexpr frame_image images[] = {{32, 30}, {4, 50}, {1, 50}};

std::string name_of(const cuda_output& what, int side, int connectivity) {
  return what.name + " of frames of " + std::to_string(side) + "², connectivity " + std::to_string(connectivity);
}

constexpr int many = 16;

void time_frame(cudaStream_t stream, const std::function<void()>& enqueue, int replays, cuda_frame& frame) {
  const cuda_graph graph(stream, enqueue), graph_of_many(stream, [&] {
    for (int k = 0; k < many; ++k) enqueue();
  });
  // A frame stays in the cache, as it does where frames arrive one by one.
  frame.in_a_row = time_replays_in_a_row(graph, replays).median * 1e6;
  frame.one_of_many = time_replays_in_a_row(graph_of_many, std::max(1, replays / many)).median * 1e6 / many;
  frame.alone = time_single_replays(graph, replays).median * 1e6;
  frame.host = time_host(stream, enqueue, replays).median * 1e6;
}

// What a launch takes alone, in the same ways.
void bench_launch(const cuda_options& how, cuda_report& report) {
  cuda_desk desk(extent(16, 16));
  cuda_frame nothing{.job = "an empty kernel"};
  time_frame(
      desk.stream(), [&] { cuda_floors::launch(desk.stream()); }, how.frame_replays, nothing);
  report.add(nothing);
}

void bench_single_frames(int side, const frame_image& image, const cuda_options& how, cuda_report& report) {
  const extent size(side, side);
  const std::vector<std::uint8_t> pixels = random_image(size, {image.granularity, image.density, how.what.seed});
  cuda_desk desk(size);
  for (const cuda_output& what : outputs)
    for (const int connectivity : how.what.connectivities) {
      if (what.few_rows && image.granularity == 1) continue;  // noise has more
      desk.take(pixels.data(), connectivity);
      desk.check(what, name_of(what, side, connectivity));
      cuda_frame frame{what.name, connectivity, side, image.granularity, image.density};
      time_frame(
          desk.stream(), [&] { desk.enqueue(0); }, how.frame_replays, frame);
      frame.scratch_bytes_per_pixel = desk.scratch_bytes_per_pixel(what);
      report.add(frame);
    }
}

void bench_batch(int side, const cuda_options& how, cuda_report& report) {
  const extent size(how.batch_frames, side, side);
  // All frames differ: one tall image, cut.
  const std::vector<std::uint8_t> pixels =
      random_image(extent(std::int64_t{how.batch_frames} * side, side), {4, 50, how.what.seed});
  cuda_desk desk(size);
  for (const cuda_output& what : {outputs[0], outputs[1]})
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
  bench_launch(how, report);
  for (const int side : {256, 512, 1024})
    for (const frame_image& image : images) bench_single_frames(side, image, how, report);
  bench_batch(256, how, report);
}

}  // namespace skerry::bench
