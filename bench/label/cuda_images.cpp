// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "label/cuda_sections.hpp"
#include "support/cuda_compare.hpp"
#include "support/cuda_desk.hpp"
#include "support/cuda_floor.hpp"
#include "support/picture_queue.hpp"

namespace skerry::bench {
namespace {

double gigapixels(const cuda_desk& desk, const timing& call) {
  return static_cast<double>(desk.pixels()) / call.median / 1e9;
}

std::string shape_of(const extent& size) { return std::to_string(size.width) + (size.rank == 3 ? "³" : "²"); }

// Squares of the foreground get one of four values, which matter where pixels join by value only.
void give_values(std::vector<std::uint8_t>& pixels, const extent& size, int granularity) {
  for (std::int64_t i = 0; i < size.pixels(); ++i) {
    const std::int64_t row = i / size.width, square = row / granularity * size.width + i % size.width / granularity;
    pixels[static_cast<std::size_t>(i)] *= 1 + (static_cast<std::uint32_t>(square) * 2654435761u >> 30);
  }
}

// One row for each output and connectivity, in this order.
void bench_densities(cuda_desk& desk, const extent& size, int granularity, const std::vector<int>& densities,
                     const std::vector<int>& connectivities, const cuda_options& how, cuda_report& report) {
  std::vector<cuda_row> rows;
  for (const cuda_output& what : how.outputs)
    for (const int connectivity : connectivities)
      rows.push_back({"skerry", what.name, connectivity, shape_of(size), granularity});
  picture_queue pictures(size, granularity, densities, how.what.seed);
  for (std::size_t d = 0; d < densities.size(); ++d) {
    std::vector<std::uint8_t> pixels = pictures.take(d);
    give_values(pixels, size, granularity);
    for (std::size_t c = 0; c < connectivities.size(); ++c) {
      desk.take(pixels.data(), connectivities[c]);
      for (std::size_t k = 0; k < how.outputs.size(); ++k) {
        cuda_row& row = rows[k * connectivities.size() + c];
        const std::string name = row.job + ' ' + row.shape + " g=" + std::to_string(granularity) + ' ' +
                                 std::to_string(densities[d]) + " %, connectivity " + std::to_string(row.connectivity);
        desk.check(how.outputs[k], name);
        const timing call = desk.time(how.outputs[k], name, how.what.repetitions);
        row.add(densities[d], gigapixels(desk, call), call.spread);
        row.scratch_bytes_per_pixel = desk.scratch_bytes_per_pixel(how.outputs[k]);
      }
    }
  }
  for (const cuda_row& row : rows) report.add(row);
}

void require_right_floor(const cuda_desk& desk, const std::vector<std::uint8_t>& pixels) {
  std::vector<std::uint32_t> wide(pixels.size());
  require(cudaMemcpy(wide.data(), desk.results().labels(), wide.size() * 4, cudaMemcpyDeviceToHost), "floor");
  const auto copied = static_cast<std::ptrdiff_t>(pixels.size() / cuda_floors::whole * cuda_floors::whole);
  if (!std::equal(pixels.begin(), pixels.begin() + copied, wide.begin()))
    throw std::runtime_error("the floor copies wrongly");
}

void bench_floors(cuda_desk& desk, const extent& size, const options& how, cuda_report& report) {
  const std::vector<std::uint8_t> pixels = random_image(size, {1, 50, how.seed});
  desk.take(pixels.data(), 8);
  const device_buffer sums(sizeof(std::uint32_t));
  const auto bench = [&](const char* name, auto call) {
    constexpr int calls = 2 * cuda_desk::places;
    const cuda_graph graph(desk.stream(), [&] {
      for (int i = 0; i < calls; ++i) call(i % cuda_desk::places);
    });
    timing found = time_replays(graph, std::max(how.repetitions, 11));
    found.median /= calls;
    report.add(cuda_floor{name, gigapixels(desk, found)});
  };
  bench("read 1 B/px", [&](int place) {
    cuda_floors::read(desk.image(place), sums.data<std::uint32_t>(), desk.pixels(), desk.stream());
  });
  bench("write 4 B/px", [&](int) { cuda_floors::write(desk.results().labels(), desk.pixels(), desk.stream()); });
  bench("read 1 B/px and write 4 B/px", [&](int place) {
    cuda_floors::widen(desk.image(place), desk.results().labels(), desk.pixels(), desk.stream());
  });
  require_right_floor(desk, pixels);
}

}  // namespace

void bench_images(const cuda_options& how, cuda_report& report) {
  for (const int side : how.what.sizes) {
    const extent size(side, side);
    cuda_desk desk(size);
    bench_floors(desk, size, how.what, report);
    for (const int granularity : how.what.granularities)
      bench_densities(desk, size, granularity, how.what.densities, how.what.connectivities, how, report);
    bench_densities(desk, size, 16, {100}, how.what.connectivities, how, report);
  }
}

void bench_volumes(const cuda_options& how, cuda_report& report) {
  const extent size(how.volume_side, how.volume_side, how.volume_side);
  cuda_desk desk(size);
  bench_densities(desk, size, 4, how.what.densities, {26, 18, 6}, how, report);
}

}  // namespace skerry::bench
