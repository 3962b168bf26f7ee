// SPDX-License-Identifier: Apache-2.0
#include <future>
#include <numeric>
#include <stdexcept>

#include "data/grey_pictures.hpp"
#include "papers/paper_sections.hpp"
#include "published/cuda/tree_task.hpp"
#include "skerry/cuda.hpp"
#include "skerry/published.hpp"
#include "skerry/skerry.hpp"
#include "support/cuda_clock.hpp"
#include "support/cuda_memory.hpp"

namespace skerry::bench {
namespace {

// Copies of the image that calls take in turn, so that none finds its pixels in the cache.
constexpr int places = 3;
constexpr int connectivity = 4;

// A grey image in device memory, its tree, and any method that builds it.
class grey_desk {
 public:
  explicit grey_desk(const grey_picture& picture) : picture_(picture), parents_(pixels() * 4) {
    for (device_buffer& image : images_) {
      image = device_buffer(pixels());
      image.upload(picture.bytes.data(), pixels());
    }
    scratch_ = device_buffer(cuda::scratch_bytes(job(0)));
    engine on = engine::cpu();
    build(on, picture.view(), {connectivity}, right_);
  }

  // Runs methods, and compares their trees; the host numbers the nodes of all at the same time. To be called before time().
  void check(const std::vector<std::string>& methods) {
    std::vector<std::future<void>> checks;
    for (const std::string& method : methods) {
      parents_.spoil(stream_);
      const published::device_tree_answer answer = run(method, 0);
      std::vector<u32> parents(pixels());
      require(cudaStreamSynchronize(stream_), method.c_str());
      require(cudaMemcpy(parents.data(), parents_.data(), pixels() * 4, cudaMemcpyDeviceToHost), method.c_str());
      border_nodes_[method] = mean_border(answer);
      checks.push_back(std::async(std::launch::async, [this, method, parents = std::move(parents)] {
        tree_parts found;
        found.connectivity = connectivity;
        found.size = picture_.size;
        published::number_nodes(parents.data(), picture_.bytes.data(), found);
        if (max_tree::from_parts(std::move(found)) != right_)
          throw std::runtime_error(method + ": the tree is wrong: " + picture_.name);
      }));
    }
    for (std::future<void>& each : checks) each.get();
  }
  // Device time of a call, from replays of a graph of several.
  void time(const std::string& method, int repetitions, paper_sample& sample) {
    const cuda_graph graph(stream_, [&] {
      for (int place = 0; place < places; ++place) run(method, place);
    });
    const timing found = time_replays(graph, sample.calls = repetitions);
    sample.seconds = found.median / places;
    sample.spread = found.spread;
    sample.nodes = right_.nodes();
    sample.border_nodes = border_nodes_.at(method);
  }
  void time_phases(const std::string& method, int repetitions, paper_sample& sample) {
    std::map<std::string, std::vector<double>> seconds;
    for (int i = 0; i < repetitions; ++i) {
      published::phase_marks marks;
      run(method, i % places, &marks);
      require(cudaStreamSynchronize(stream_), method.c_str());
      for (const phase_time& phase : marks.times())
        seconds[std::string(phase.name)].push_back(phase.milliseconds * 1e-3);
    }
    for (const auto& [name, each] : seconds) sample.phases[name] = timing_of(each).median;
  }

 private:
  [[nodiscard]] std::size_t pixels() const { return picture_.bytes.size(); }
  [[nodiscard]] cuda::tree_job job(int place) const {
    cuda::tree_job work;
    work.image = {images_[place].data(), picture_.type, picture_.size};
    work.connectivity = connectivity;
    work.parent = parents_.data<u32>();
    return work;
  }
  published::device_tree_answer run(const std::string& method, int place, published::phase_marks* marks = nullptr) {
    if (method == published::own_method) {
      cuda::tree_plan(job(place)).enqueue(scratch_.data(), stream_);
      return {};
    }
    memory_.begin();
    return published::find_device_tree_method(method)({.levels = images_[place].data<u8>(),
                                                       .width = static_cast<u32>(picture_.size.width),
                                                       .height = static_cast<u32>(picture_.size.height),
                                                       .parents = parents_.data<u32>(),
                                                       .stream = stream_,
                                                       .memory = memory_,
                                                       .marks = marks});
  }
  static double mean_border(const published::device_tree_answer& answer) {
    if (answer.border_nodes == nullptr) return 0;
    std::vector<u32> nodes(answer.columns);
    require(cudaMemcpy(nodes.data(), answer.border_nodes, nodes.size() * 4, cudaMemcpyDeviceToHost), "borders");
    return std::accumulate(nodes.begin(), nodes.end(), 0.0) / static_cast<double>(answer.tiles);
  }

  const grey_picture& picture_;
  cuda_stream stream_;
  device_buffer images_[places], parents_, scratch_;
  published::device_arena memory_;
  max_tree right_;
  std::map<std::string, double> border_nodes_;
};

void bench_size(const std::string& figure, const extent& size, const paper_options& how, paper_report& report) {
  const std::vector<std::string> looks = {"natural", "blurred", "noise"};
  const std::vector<grey_picture> pictures = grey_pictures(size, {"u8"}, looks, how.seed);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    grey_desk desk(pictures[i]);
    const std::vector<std::string> methods = {"skerry", "blin", "blin-border"};
    desk.check(methods);
    for (const std::string& method : methods) {
      paper_sample sample{figure, method, "tree", connectivity, size.height, size.width};
      sample.look = looks[i];
      desk.time(method, how.more_repetitions(), sample);
      if (method != published::own_method) desk.time_phases(method, how.more_repetitions(), sample);
      report.add(sample);
    }
  }
}

}  // namespace

void bench_max_tree(const paper_options& how, paper_report& report) {
  const std::vector<extent> sizes =
      how.quick ? std::vector<extent>{extent(1000, 1500)} : std::vector<extent>{extent(4000, 6000), extent(8192, 8192)};
  for (const extent& size : sizes) bench_size("004 steps", size, how, report);
  bench_size("004 video", extent(1080, 1920), how, report);
}

}  // namespace skerry::bench
