// SPDX-License-Identifier: Apache-2.0
// What intensities cost: a table of components with their intensities, for each kind of pixel, beside the table without. Sides,
// granularities, densities, threads (the largest number) and repetitions are those of the other benches.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "skerry/skerry.hpp"
#include "support/options.hpp"
#include "support/picture.hpp"
#include "support/program.hpp"

namespace skerry::bench {
namespace {

constexpr dtype types[] = {dtype::bit, dtype::u8, dtype::u16, dtype::i32, dtype::f32, dtype::f64};  // bit: none

template <class Pixel>
std::vector<std::byte> pixels_of(std::size_t count) {
  std::vector<std::byte> bytes(count * sizeof(Pixel));
  auto* const pixels = reinterpret_cast<Pixel*>(bytes.data());
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t noise = static_cast<std::uint32_t>(i) * 2654435761u;
    if constexpr (std::is_floating_point_v<Pixel>) pixels[i] = static_cast<Pixel>(noise) / 65536;
    else pixels[i] = static_cast<Pixel>(noise >> (32 - 8 * std::min<std::size_t>(sizeof(Pixel), 3)));
  }
  return bytes;
}

std::vector<std::byte> pixels_of(dtype type, std::size_t count) {
  switch (type) {
    case dtype::u8: return pixels_of<std::uint8_t>(count);
    case dtype::u16: return pixels_of<std::uint16_t>(count);
    case dtype::i32: return pixels_of<std::int32_t>(count);
    case dtype::f32: return pixels_of<float>(count);
    case dtype::f64: return pixels_of<double>(count);
    default: return {};
  }
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// The median time of a call in nanoseconds per pixel.
double time(engine& on, const picture& image, const image_view& intensity, int connectivity, int repetitions) {
  feature_table table;
  std::vector<double> spent;
  for (int k = 0; k <= repetitions; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    measure(on, image.view(), {.connectivity = connectivity}, {.intensity = intensity}, table);
    const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - begin;
    if (k > 0) spent.push_back(passed.count() / static_cast<double>(image.pixels.size()));
  }
  return median(spent);
}

int run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin() + 1, "--sizes=4096");  // unless the user says otherwise
  const options what = read_options(arguments);
  if (arguments.size() > 1) throw std::invalid_argument("'" + arguments[1] + "' is not an option\n" + usage);
  const int threads = *std::max_element(what.threads.begin(), what.threads.end());
  engine on = engine::cpu(threads);
  std::printf("ns per pixel on %d threads\n%6s%4s%6s%6s%9s", threads, "side", "g", "", "conn.", "none");
  for (const dtype type : types)
    if (type != dtype::bit) std::printf("%9s", name_of(type));
  std::printf("\n");
  for (const picture& image : make_pictures(what))
    for (const int connectivity : what.connectivities) {
      std::printf("%6d%4d%4d %%%6d", image.side(), image.granularity, image.density, connectivity);
      for (const dtype type : types) {
        const std::vector<std::byte> pixels = pixels_of(type, image.pixels.size());
        const image_view intensity = pixels.empty() ? image_view() : image_view(pixels.data(), type, image.size);
        std::printf("%9.3f", time(on, image, intensity, connectivity, what.repetitions));
        std::fflush(stdout);
      }
      std::printf("\n");
    }
  return 0;
}

}  // namespace
}  // namespace skerry::bench

int main(int count, char** arguments) {
  return skerry::bench::program("skerry_intensities", count, arguments, skerry::bench::run);
}
