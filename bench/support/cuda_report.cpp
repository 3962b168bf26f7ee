// SPDX-License-Identifier: Apache-2.0
#include "support/cuda_report.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "skerry/version.hpp"
#include "support/cuda_memory.hpp"

namespace skerry::bench {
namespace {

std::string quoted(const std::string& text) { return '"' + text + '"'; }  // names hold nothing to be escaped

class json_object {
 public:
  json_object& field(const char* name, const std::string& text) { return raw(name, quoted(text)); }
  json_object& field(const char* name, int value) { return raw(name, std::to_string(value)); }
  json_object& field(const char* name, double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return raw(name, text);
  }
  json_object& raw(const std::string& name, const std::string& value) {
    text_ += (text_.empty() ? "" : ", ") + quoted(name) + ": " + value;
    return *this;
  }
  [[nodiscard]] std::string text() const { return '{' + text_ + '}'; }

 private:
  std::string text_;
};

std::string json_of(const cuda_floor& what) {
  return json_object().field("floor", what.name).field("Gpx/s", what.gigapixels).text();
}

std::string json_of(const cuda_row& what) {
  json_object densities;
  for (const auto& [density, speed] : what.by_density) densities.field(std::to_string(density).c_str(), speed);
  json_object object;
  object.field("method", what.method).field("job", what.job).field("connectivity", what.connectivity);
  object.field("shape", what.shape).field("granularity", what.granularity).field("mean Gpx/s", what.mean());
  object.field("slowest / mean", what.least() / what.mean()).field("worst spread", what.worst_spread);
  if (what.scratch_bytes_per_pixel) object.field("scratch B/px", *what.scratch_bytes_per_pixel);
  if (!what.wrong.empty()) object.field("wrong", what.wrong);
  return object.raw("by_density", densities.text()).text();
}

std::string json_of(const cuda_frame& what) {
  json_object object;
  object.field("job", what.job).field("connectivity", what.connectivity).field("side", what.side);
  object.field("granularity", what.granularity).field("density", what.density);
  object.field("us in a row", what.in_a_row)
      .field("us in a graph of many", what.one_of_many)
      .field("us alone", what.alone)
      .field("host us to enqueue", what.host);
  return object.field("scratch B/px", what.scratch_bytes_per_pixel).text();
}

std::string json_of(const cuda_batch& what) {
  json_object object;
  object.field("job", what.job).field("connectivity", what.connectivity).field("side", what.side);
  object.field("frames", what.frames).field("frames/s", what.frames_per_second);
  return object.field("scratch B/px", what.scratch_bytes_per_pixel).text();
}

// One entry a line keeps the file readable and its differences short.
template <class Entry>
std::string json_of(const char* name, const std::vector<Entry>& entries) {
  std::string text;
  for (const Entry& entry : entries) text += (text.empty() ? "\n  " : ",\n  ") + json_of(entry);
  return ",\n " + quoted(name) + ": [" + text + "\n ]";
}

}  // namespace

double cuda_row::mean() const {
  double sum = 0;
  for (const auto& [density, speed] : by_density) sum += speed;
  return sum / static_cast<double>(by_density.size());
}

double cuda_row::least() const {
  return std::min_element(by_density.begin(), by_density.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->second;
}

void cuda_row::add(int density, double gigapixels, double spread) {
  by_density[density] = gigapixels;
  worst_spread = std::max(worst_spread, spread);
}

cuda_report::cuda_report(std::map<std::string, std::string> head) : head_(std::move(head)) {
  for (const auto& [name, fact] : head_) std::printf("%s: %s\n", name.c_str(), fact.c_str());
}

void cuda_report::add(const cuda_floor& what) {
  std::printf("floor: %-28s %6.0f Gpx/s\n", what.name.c_str(), what.gigapixels);
  floors_.push_back(what);
}

void cuda_report::add(const cuda_row& what) {
  std::printf("%-9s %-11s %s %2d-conn ", what.method.c_str(), what.job.c_str(), what.shape.c_str(), what.connectivity);
  if (what.by_density.size() == 1 && what.by_density.begin()->first == 100) {
    std::printf("all ones %6.1f", what.mean());
  } else {
    std::printf("g=%-2d mean %6.1f least %3.0f %% :", what.granularity, what.mean(), 100 * what.least() / what.mean());
    for (const auto& [density, speed] : what.by_density) std::printf(" %6.1f", speed);
  }
  if (what.scratch_bytes_per_pixel) std::printf(" | scratch %.2f B/px", *what.scratch_bytes_per_pixel);
  std::printf(" | spread %.0f %%\n", 100 * what.worst_spread);
  if (!what.wrong.empty()) std::printf("  wrong: %s\n", what.wrong.c_str());
  std::fflush(stdout);
  rows_.push_back(what);
}

void cuda_report::add(const cuda_frame& what) {
  std::printf(
      "frame     %-16s %4d² %d-conn g=%-2d %2d %% %6.2f us in a row, %6.2f in a graph of many, %6.2f alone; host %4.1f "
      "us to enqueue; scratch %.2f B/px\n",
      what.job.c_str(), what.side, what.connectivity, what.granularity, what.density, what.in_a_row, what.one_of_many,
      what.alone, what.host, what.scratch_bytes_per_pixel);
  std::fflush(stdout);
  frames_.push_back(what);
}

void cuda_report::add(const cuda_batch& what) {
  std::printf("batch     %-11s %d x %d² %d-conn %6.2f million frames/s; scratch %.2f B/px\n", what.job.c_str(),
              what.frames, what.side, what.connectivity, what.frames_per_second / 1e6, what.scratch_bytes_per_pixel);
  std::fflush(stdout);
  batches_.push_back(what);
}

void cuda_report::write_json(const std::string& path) const {
  json_object head;
  for (const auto& [name, fact] : head_) head.field(name.c_str(), fact);
  std::ofstream file(path);
  file << "{\"head\": " << head.text() << json_of("floors", floors_) << json_of("rows", rows_)
       << json_of("frames", frames_) << json_of("batches", batches_) << "\n}\n";
  if (!file.flush()) throw std::runtime_error(path + ": could not be written");
}

std::map<std::string, std::string> device_facts() {
  cudaDeviceProp device{};
  require(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  int driver = 0, runtime = 0;
  require(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  require(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  const auto dotted = [](int version) {
    return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
  };
  return {{"skerry", version},
          {"device", device.name},
          {"multiprocessors", std::to_string(device.multiProcessorCount)},
          {"L2 MiB", std::to_string(device.l2CacheSize >> 20)},
          {"CUDA", dotted(runtime) + ", driver " + dotted(driver)}};
}

}  // namespace skerry::bench
