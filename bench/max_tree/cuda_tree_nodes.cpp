// SPDX-License-Identifier: Apache-2.0
// Nodes of max-trees on a GPU, numbered and measured: what they take after the tree, by group of attributes. Everything is
// compared with the CPU engine before it is timed and after.
#include <algorithm>
#include <cstdio>
#include <cstring>
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

// What a tree is asked for: numbers of nodes; with areas; with sums of levels, too; with boxes; with all rows; with columns, whose
// rows are in scratch.
enum class asked { tree, tree_and_area, nodes, area, levels, geometry, all, columns };

using nodes_job = cuda::tree_nodes_job;
constexpr struct {
  const char* name;
  double* nodes_job::*place;
} columns[] = {{"height", &nodes_job::height},
               {"dynamics", &nodes_job::dynamics},
               {"bbox_diagonal", &nodes_job::bbox_diagonal},
               {"elongation", &nodes_job::elongation},
               {"compactness", &nodes_job::compactness},
               {"volume", &nodes_job::volume},
               {"level_mean", &nodes_job::level_mean},
               {"level_variance", &nodes_job::level_variance}};
constexpr std::size_t columns_of_all = 3;

// As images, so that none finds its pixels in the cache.
constexpr int places = 3;

class node_desk {
 public:
  node_desk(const grey_picture& picture, int connectivity) : picture_(picture), connectivity_(connectivity) {
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    for (device_buffer& image : images_) {
      image = device_buffer(picture.bytes.size());
      image.upload(picture.bytes.data(), picture.bytes.size());
    }
    engine on = engine::cpu();
    build(on, picture_.view(), {connectivity_}, tree_);
    measure(on, tree_, {.geometry = true, .moments = true, .levels = true}, table_);
    const std::size_t n = nodes();
    for (std::size_t k = 0; k < std::size(columns); ++k) {
      right_columns_[k] = table_.column(tree_, columns[k].name);
      columns_[k] = device_buffer(n * 8);
    }
    for (device_buffer* each : {&parent_, &area_image_, &node_of_pixel_}) *each = device_buffer(pixels() * 4);
    for (device_buffer* each : {&first_pixel_, &parent_node_, &area_}) *each = device_buffer(n * 4);
    level_ = device_buffer(n * 8);
    components_ = device_buffer(n * sizeof(geometry));
    moments_ = device_buffer(n * sizeof(second_moments));
    intensities_ = device_buffer(n * sizeof(real_intensity));  // the larger of the two
    count_ = device_buffer(4);
    std::size_t bytes = std::max(cuda::scratch_bytes(tree(0, true)), cuda::scratch_bytes(tree(0, false)));
    for (const asked what : {asked::levels, asked::all, asked::columns})
      bytes = std::max(bytes, cuda::scratch_bytes(job(0, what)));
    scratch_ = device_buffer(bytes);
  }
  node_desk(const node_desk&) = delete;
  node_desk& operator=(const node_desk&) = delete;
  ~node_desk() { cudaStreamDestroy(stream_); }

  void enqueue(int place, asked what) const {
    cuda::tree_plan(tree(place, what == asked::tree_and_area)).enqueue(scratch_.data(), stream_);
    if (what >= asked::nodes) cuda::tree_nodes_plan(job(place, what)).enqueue(scratch_.data(), stream_);
  }
  void spoil() const {
    for (const device_buffer* each : {&parent_, &node_of_pixel_, &first_pixel_, &parent_node_, &area_, &level_,
                                      &components_, &moments_, &intensities_, &count_, &scratch_})
      each->spoil(stream_);
    for (const device_buffer& each : columns_) each.spoil(stream_);
  }
  void compare_all() const {
    require(cudaStreamSynchronize(stream_), "nodes");
    compare("parents", parent_node_, tree_.parent());
    compare("first pixels", first_pixel_, tree_.first_pixel());
    compare("nodes of pixels", node_of_pixel_, tree_.node_of_pixel());
    compare("levels", level_, tree_.level());
    compare("areas", area_, table_.area);
    compare("components", components_, table_.components);
    compare("moments", moments_, table_.moments);
    if (sums_reals(picture_.type)) compare("intensities", intensities_, table_.real_intensities);
    else compare("intensities", intensities_, table_.intensities);
    for (std::size_t k = 0; k < columns_of_all; ++k) compare(columns[k].name, columns_[k], right_columns_[k]);
  }
  void compare_columns() const {
    require(cudaStreamSynchronize(stream_), "columns");
    for (std::size_t k = 0; k < std::size(columns); ++k) compare(columns[k].name, columns_[k], right_columns_[k]);
  }
  // Milliseconds of one call, from replays of a graph of several.
  [[nodiscard]] double time(int repetitions, asked what) const {
    const cuda_graph graph(stream_, [&] {
      for (int place = 0; place < places; ++place) enqueue(place, what);
    });
    return time_replays(graph, repetitions).median * 1e3 / places;
  }
  [[nodiscard]] std::size_t pixels() const { return static_cast<std::size_t>(picture_.size.pixels()); }
  [[nodiscard]] std::size_t nodes() const { return tree_.nodes(); }
  [[nodiscard]] double scratch_per_node() const {
    return static_cast<double>(cuda::scratch_bytes(job(0, asked::all))) / static_cast<double>(nodes());
  }

 private:
  [[nodiscard]] cuda::tree_job tree(int place, bool with_area) const {
    cuda::tree_job work;
    work.image = {images_[place].data(), picture_.type, picture_.size};
    work.connectivity = connectivity_;
    work.parent = parent_.data<std::uint32_t>();
    if (with_area) work.area = area_image_.data<std::uint32_t>();
    return work;
  }
  [[nodiscard]] cuda::tree_nodes_job job(int place, asked what) const {
    cuda::tree_nodes_job work;
    work.image = {images_[place].data(), picture_.type, picture_.size};
    work.parent = parent_.data<std::uint32_t>();
    work.capacity = nodes();
    work.count = count_.data<std::uint32_t>();
    work.first_pixel = first_pixel_.data<std::uint32_t>();
    work.parent_node = parent_node_.data<std::uint32_t>();
    work.node_of_pixel = node_of_pixel_.data<std::uint32_t>();
    work.level = level_.data<double>();
    const std::size_t wanted = what == asked::columns ? std::size(columns) : what == asked::all ? columns_of_all : 0;
    for (std::size_t k = 0; k < wanted; ++k) work.*columns[k].place = columns_[k].data<double>();
    if (what == asked::columns) return work;
    if (what >= asked::area) work.area = area_.data<std::uint32_t>();
    if (what >= asked::geometry) work.components = components_.data<geometry>();
    if (what >= asked::all) work.moments = moments_.data<second_moments>();
    if (what < asked::all && what != asked::levels) return work;
    if (sums_reals(work.image.type)) work.real_intensities = intensities_.data<real_intensity>();
    else work.intensities = intensities_.data<intensity>();
    return work;
  }
  template <class Rows>  // a vector or a span
  void compare(const char* what, const device_buffer& got, const Rows& right) const {
    const std::size_t bytes = right.size() * sizeof(typename Rows::value_type);
    std::vector<std::byte> host(bytes);
    require(cudaMemcpy(host.data(), got.data(), bytes, cudaMemcpyDeviceToHost), what);
    if (std::memcmp(host.data(), right.data(), bytes) != 0)
      throw std::runtime_error(std::string(what) + " are wrong: " + picture_.name);
  }

  const grey_picture& picture_;
  int connectivity_;
  cudaStream_t stream_ = nullptr;
  device_buffer images_[places], parent_, area_image_, node_of_pixel_, first_pixel_, parent_node_, area_, level_,
      components_, moments_, intensities_, count_, scratch_, columns_[std::size(columns)];
  max_tree tree_;
  attribute_table table_;
  std::vector<double> right_columns_[std::size(columns)];
};

void bench_picture(const grey_picture& picture, int connectivity, int repetitions) {
  const node_desk desk(picture, connectivity);
  const auto check = [&](int place) {
    desk.spoil();
    desk.enqueue(place, asked::all);
    desk.compare_all();
    desk.spoil();
    desk.enqueue(place, asked::columns);
    desk.compare_columns();
  };
  for (int place = 0; place < places; ++place) check(place);
  std::printf("%-8s %8.3f", picture.name.c_str(),
              static_cast<double>(desk.nodes()) / static_cast<double>(desk.pixels()));
  for (const asked what :
       {asked::tree, asked::tree_and_area, asked::nodes, asked::area, asked::levels, asked::geometry, asked::all})
    std::printf(" %8.3f", desk.time(repetitions, what));
  desk.compare_all();
  std::printf(" %8.3f", desk.time(repetitions, asked::columns));
  desk.compare_columns();
  std::printf(" %8.1f\n", desk.scratch_per_node());
  std::fflush(stdout);
}

void run(const std::vector<std::string>& types, const std::vector<std::string>& looks, const extent& size,
         int repetitions) {
  std::printf("%d x %d, 4 neighbours; milliseconds of device time, of the tree alone, or with what is named\n",
              static_cast<int>(size.width), static_cast<int>(size.height));
  std::printf("%-8s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s\n", "image", "nodes/px", "tree", "areas", "nodes", "n+area",
              "+levels", "n+boxes", "n+all", "columns", "B/node");
  for (const grey_picture& picture : grey_pictures(size, types, looks, 0)) bench_picture(picture, 4, repetitions);
  std::puts("every row was that of the CPU engine, before it was timed and after; B/node: scratch for everything");
}

void read_and_run(int count, char** arguments) {
  std::vector<std::string> types = {"u8", "u16", "f32"}, looks = {"natural", "noise"};
  extent size(4000, 6000);
  int repetitions = 7;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i], name = argument.substr(0, argument.find('='));
    const std::string value = name == argument ? "" : argument.substr(name.size() + 1);
    if (name == "--types") types = parts_of(value);
    else if (name == "--looks") looks = parts_of(value);
    else if (name == "--repetitions") repetitions = enough_repetitions(std::stoi(value), name);
    else if (name == "--size") size = extent(std::stoll(value.substr(value.find('x') + 1)), std::stoll(value));
    else
      throw std::invalid_argument(
          "options: [--size=6000x4000] [--types=u8,u16,f32] [--looks=natural,blurred,noise] [--repetitions=7]");
  }
  run(types, looks, size, repetitions);
}

}  // namespace
}  // namespace skerry::bench

int main(int count, char** arguments) {
  try {
    skerry::bench::read_and_run(count, arguments);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "skerry_cuda_tree_nodes: %s\n", error.what());
    return 2;
  }
}
