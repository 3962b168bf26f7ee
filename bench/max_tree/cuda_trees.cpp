// SPDX-License-Identifier: Apache-2.0
// Max-trees on a GPU: the parent image, with areas and an area opening, and another opening of a tree that is there, next
// to what the memory of the device allows. Everything is compared with the CPU engine before it is timed and after.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "data/grey_pictures.hpp"
#include "skerry/cuda.hpp"
#include "skerry/skerry.hpp"
#include "support/cuda_clock.hpp"
#include "support/cuda_memory.hpp"
#include "support/parts.hpp"
#include "support/repetitions.hpp"

namespace skerry::bench {
namespace {

constexpr std::uint64_t least_area = 50, next_least_area = 200;

struct tree_options_of_bench {
  std::vector<extent> sizes = {extent(4000, 6000), extent(8192, 8192)};
  std::vector<std::string> types = {"u8", "u16", "f32"}, looks = {"natural", "blurred", "noise"};
  std::vector<int> connectivities = {4, 8};
  int repetitions = 7;
  bool phases = false;
};

// Copies of the image that calls take in turn, so that none finds its pixels in the cache.
constexpr int places = 3;

class tree_desk {
 public:
  tree_desk(const grey_picture& picture, int connectivity) : picture_(picture), connectivity_(connectivity) {
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    for (device_buffer& image : images_) {
      image = device_buffer(picture.bytes.size());
      image.upload(picture.bytes.data(), picture.bytes.size());
    }
    parent_ = device_buffer(pixels() * 4);
    area_ = device_buffer(pixels() * 4);
    output_ = device_buffer(picture.bytes.size());
    scratch_ = device_buffer(std::max(cuda::scratch_bytes(tree(0, false)), bytes_with_opening()));
    find_right();
  }
  tree_desk(const tree_desk&) = delete;
  tree_desk& operator=(const tree_desk&) = delete;
  ~tree_desk() { cudaStreamDestroy(stream_); }

  void build(int place, bool with_area) const {
    cuda::tree_plan(tree(place, with_area)).enqueue(scratch_.data(), stream_);
  }
  void open(int place, std::uint64_t least) const {
    cuda::tree_filter_plan(opening(place, least)).enqueue(scratch_.data(), stream_);
  }
  void spoil() const {
    for (const device_buffer* each : {&parent_, &area_, &output_, &scratch_}) each->spoil(stream_);
  }
  void compare(const char* job) const {
    require(cudaStreamSynchronize(stream_), job);
    compare(job, parent_, right_parent_.data(), right_parent_.size() * 4);
  }
  void compare_opening(const char* job, std::uint64_t least) const {
    require(cudaStreamSynchronize(stream_), job);
    compare(job, output_, (least == least_area ? right_opening_ : right_next_).data(), picture_.bytes.size());
  }
  // Gpx/s of one call, from replays of a graph of several.
  [[nodiscard]] double time(int repetitions, const std::function<void(int place)>& call) const {
    const cuda_graph graph(stream_, [&] {
      for (int place = 0; place < places; ++place) call(place);
    });
    return places * static_cast<double>(pixels()) / time_replays(graph, repetitions).median / 1e9;
  }
  [[nodiscard]] std::size_t pixels() const { return static_cast<std::size_t>(picture_.size.pixels()); }
  [[nodiscard]] double bytes_per_pixel() const {
    const std::size_t all = bytes_with_opening() + parent_.bytes() + area_.bytes();
    return static_cast<double>(all) / static_cast<double>(pixels());
  }
  [[nodiscard]] image_view device_image() const { return {images_[0].data(), picture_.type, picture_.size}; }

 private:
  [[nodiscard]] cuda::tree_job tree(int place, bool with_area) const {
    cuda::tree_job work;
    work.image = {images_[place].data(), picture_.type, picture_.size};
    work.connectivity = connectivity_;
    work.parent = parent_.data<std::uint32_t>();
    if (with_area) work.area = area_.data<std::uint32_t>();
    return work;
  }
  [[nodiscard]] cuda::tree_filter_job opening(int place, std::uint64_t least) const {
    cuda::tree_filter_job work;
    work.image = {images_[place].data(), picture_.type, picture_.size};
    work.parent = parent_.data<std::uint32_t>();
    work.area = area_.data<std::uint32_t>();
    work.least_area = least;
    work.output = {output_.data(), picture_.type, picture_.size};
    return work;
  }
  // Scratch of a tree with areas, which the opening takes after it.
  [[nodiscard]] std::size_t bytes_with_opening() const {
    return std::max(cuda::scratch_bytes(tree(0, true)), cuda::scratch_bytes(opening(0, 1)));
  }
  void find_right() {
    engine on = engine::cpu();
    max_tree found;
    attribute_table table;
    skerry::build(on, picture_.view(), {connectivity_}, found);
    measure(on, found, {}, table);
    right_parent_.resize(pixels());
    for (std::size_t p = 0; p < pixels(); ++p) {
      const std::uint32_t node = found.node_of_pixel()[p];
      right_parent_[p] = found.first_pixel()[found.first_pixel()[node] == p ? found.parent()[node] : node];
    }
    for (auto* const each : {&right_opening_, &right_next_}) {
      each->resize(picture_.bytes.size());
      area_filter(on, found, table, each == &right_opening_ ? least_area : next_least_area,
                  {each->data(), picture_.type, picture_.size});
    }
  }
  void compare(const char* job, const device_buffer& got, const void* right, std::size_t bytes) const {
    std::vector<std::uint8_t> host(bytes);
    require(cudaMemcpy(host.data(), got.data(), bytes, cudaMemcpyDeviceToHost), job);
    if (std::memcmp(host.data(), right, bytes) != 0)
      throw std::runtime_error(std::string(job) + " is wrong: " + picture_.name + ", connectivity " +
                               std::to_string(connectivity_));
  }

  const grey_picture& picture_;
  int connectivity_;
  cudaStream_t stream_ = nullptr;
  device_buffer images_[places], parent_, area_, output_, scratch_;
  std::vector<std::uint32_t> right_parent_;
  std::vector<std::uint8_t> right_opening_, right_next_;
};

void bench_picture(const grey_picture& picture, int connectivity, const tree_options_of_bench& how) {
  const tree_desk desk(picture, connectivity);
  for (int place = 0; place < places; ++place) {
    desk.spoil();
    desk.build(place, true);
    desk.compare("tree");
    for (const std::uint64_t least : {least_area, next_least_area}) {
      desk.open(place, least);
      desk.compare_opening("opening", least);
    }
  }
  const double tree = desk.time(how.repetitions, [&](int place) { desk.build(place, false); });
  desk.compare("tree, after the timing");
  const double all = desk.time(how.repetitions, [&](int place) {
    desk.build(place, true);
    desk.open(place, least_area);
  });
  desk.compare_opening("opening, after the timing", least_area);
  const double again = desk.time(how.repetitions, [&](int place) { desk.open(place, next_least_area); });
  desk.compare_opening("next opening, after the timing", next_least_area);
  std::printf("%-8s %5dx%-5d %4d %8.1f %8.1f %8.1f %8.1f\n", picture.name.c_str(), static_cast<int>(picture.size.width),
              static_cast<int>(picture.size.height), connectivity, tree, all, again, desk.bytes_per_pixel());
  if (how.phases) {
    engine on = engine::cuda();
    on.set_profiling(true);
    max_tree found;
    for (int i = 0; i < 2; ++i) skerry::build(on, desk.device_image(), {connectivity}, found);
    const stage_times times = on.last_profile();
    std::printf("         ms: local %.3f, merge %.3f, resolve %.3f; %.3f nodes per pixel\n", times.milliseconds[1],
                times.milliseconds[2], times.milliseconds[3],
                static_cast<double>(found.nodes()) / static_cast<double>(desk.pixels()));
  }
  std::fflush(stdout);
}

tree_options_of_bench read(int count, char** arguments) {
  tree_options_of_bench how;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const std::vector<std::string> values = parts_of(equals == std::string::npos ? "" : argument.substr(equals + 1));
    if (name == "--types") how.types = values;
    else if (name == "--looks") how.looks = values;
    else if (name == "--phases") how.phases = true;
    else if (name == "--repetitions") how.repetitions = enough_repetitions(std::stoi(values[0]), name);
    else if (name == "--connectivities") {
      how.connectivities.clear();
      for (const std::string& value : values) how.connectivities.push_back(std::stoi(value));
    } else if (name == "--sizes") {
      how.sizes.clear();
      for (const std::string& value : values)
        how.sizes.emplace_back(std::stoll(value.substr(value.find('x') + 1)), std::stoll(value));
    } else {
      throw std::invalid_argument(
          "options: [--sizes=6000x4000,8192x8192] [--types=u8,u16,f32] "
          "[--looks=natural,blurred,noise] [--connectivities=4,8] [--repetitions=7] [--phases]");
    }
  }
  return how;
}

void run(const tree_options_of_bench& how) {
  std::printf(
      "Gpx/s, device time; the last column is bytes of device memory per pixel besides image and output,\n"
      "of a tree with areas and an opening\n");
  std::printf("%-8s %11s %4s %8s %8s %8s %8s\n", "image", "size", "conn", "tree", "+opening", "again", "B/px");
  for (const extent& size : how.sizes)
    for (const grey_picture& picture : grey_pictures(size, how.types, how.looks, 0))
      for (const int connectivity : how.connectivities) bench_picture(picture, connectivity, how);
  std::puts("every output was that of the CPU engine, before it was timed and after");
}

}  // namespace
}  // namespace skerry::bench

int main(int count, char** arguments) {
  try {
    skerry::bench::run(skerry::bench::read(count, arguments));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "skerry_cuda_trees: %s\n", error.what());
    return 2;
  }
}
