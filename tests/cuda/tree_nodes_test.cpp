// SPDX-License-Identifier: Apache-2.0
// Nodes of max-trees on the device, their attributes, and filters by them: small images next to the reference, larger ones
// next to the CPU engine, which other tests compare with the reference.
#include <limits>
#include <random>

#include "cuda/device_nodes.hpp"
#include "skerry/error.hpp"
#include "support/engines.hpp"
#include "support/grey.hpp"

namespace skerry::test {
namespace {

using job = cuda::tree_nodes_job;
using select_job = cuda::tree_select_job;

std::size_t pixels_of(const image_view& image) { return static_cast<std::size_t>(image.size.pixels()); }

void expect_nodes(engine& right, const grey& image, dtype type, const tree_options& options) {
  SCOPED_TRACE(testing::Message() << image.name << ", " << image.size.depth << " x " << image.size.height << " x "
                                  << image.size.width << ", " << name_of(type) << ", connectivity "
                                  << options.connectivity << (options.kind == tree_kind::min ? ", min" : ", max"));
  const placed_image placed = image.as(type);
  const right_nodes want(right, placed.view(), options);
  const device_tree tree(placed.view(), options);
  tree.build();
  const device_nodes got(tree, pixels_of(placed.view()));
  got.build();
  got.expect(want);
}

void expect_all_nodes(engine& right, const grey& image, dtype type) {
  for (const int connectivity : tree_connectivities(image.size))
    for (const tree_kind kind : {tree_kind::max, tree_kind::min}) {
      expect_nodes(right, image, type, {connectivity, kind});
      if (testing::Test::HasFailure()) return;
    }
}

TEST(cuda_tree_nodes, adversarial_images_of_every_type) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine reference = engine::reference();
  for (const extent& size : {extent(23, 37), extent(7, 6, 9)})
    for (const grey& image : adversarial_greys(size))
      for (const dtype type : tree_types) {
        expect_all_nodes(reference, image, type);
        ASSERT_FALSE(HasFailure());
      }
}

TEST(cuda_tree_nodes, random_images_of_every_type) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  std::uint32_t seed = 0;
  const int levels[] = {1, 2, 40, 256};
  for (const extent& size : {extent(1, 1), extent(1, 77), extent(90, 1), extent(33, 64), extent(211, 150),
                             extent(300, 420), extent(1, 9, 40), extent(20, 33, 31), extent(40, 50, 60)})
    for (const dtype type : tree_types) {
      ++seed;
      expect_all_nodes(cpu, random_grey(size, levels[seed % 4], 1 + static_cast<int>(seed % 3), seed), type);
      ASSERT_FALSE(HasFailure());
    }
}

TEST(cuda_tree_nodes, larger_adversarial_images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(2);
  for (const grey& image : adversarial_greys(extent(500, 601)))
    for (const dtype type : {dtype::u8, dtype::u16, dtype::f32}) {
      expect_nodes(cpu, image, type, {4, tree_kind::max});
      ASSERT_FALSE(HasFailure());
    }
}

// Chains that are cut into many pieces, and meet in pieces.
TEST(cuda_tree_nodes, chains_as_long_as_the_image) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(2);
  std::vector<float> ramp(1200 * 1001), tent(ramp.size());
  for (std::size_t p = 0; p < ramp.size(); ++p) {
    ramp[p] = static_cast<float>(p);
    tent[p] = static_cast<float>(std::min(p % 100003, 100003 - p % 100003));
  }
  for (const std::vector<float>* pixels : {&ramp, &tent}) {
    const image_view image(pixels->data(), extent(1001, 1200));
    for (const tree_kind kind : {tree_kind::max, tree_kind::min}) {
      const right_nodes want(cpu, image, {4, kind});
      const device_tree tree(image, {4, kind});
      tree.build();
      const device_nodes got(tree, pixels_of(image));
      got.build();
      got.expect(want);
      ASSERT_FALSE(HasFailure()) << (pixels == &ramp ? "ramp" : "tents");
    }
  }
}

TEST(cuda_tree_nodes, special_floats) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine reference = engine::reference();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float values[] = {0.0F, -0.0F, infinity, -infinity, 1e38F, -1e38F, 1e-42F, 0.3F};
  std::mt19937 draw(3);
  for (int round = 0; round < 4; ++round) {
    std::vector<float> pixels(40 * 50);
    for (float& each : pixels) each = values[draw() % (round % 2 == 0 ? 8 : 2)];
    const image_view image(pixels.data(), extent(40, 50));
    const tree_kind kind = round < 2 ? tree_kind::max : tree_kind::min;
    const right_nodes want(reference, image, {8, kind});
    const device_tree tree(image, {8, kind});
    tree.build();
    const device_nodes got(tree, 2000);
    got.build();
    got.expect(want);
    ASSERT_FALSE(HasFailure()) << round;
  }
}

TEST(cuda_tree_nodes, each_array_alone) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  for (const dtype type : {dtype::u8, dtype::i16, dtype::f32}) {
    const placed_image image = random_grey(extent(70, 91), 90, 1, 8).as(type);
    const right_nodes want(cpu, image.view(), {.connectivity = 8});
    const device_tree tree(image.view(), {.connectivity = 8});
    tree.build();
    const device_nodes all(tree, pixels_of(image.view()));
    for (int which = 0; which < 10; ++which) {
      device_nodes one(tree, pixels_of(image.view()));
      one.job = job{all.job.image,
                    all.job.kind,
                    all.job.parent,
                    nullptr,
                    all.job.capacity,
                    one.job.count,
                    one.job.first_pixel,
                    one.job.parent_node,
                    which == 0 ? one.job.level : nullptr,
                    which == 1 ? one.job.node_of_pixel : nullptr,
                    which == 2 ? one.job.area : nullptr,
                    which == 3 ? one.job.shapes : nullptr,
                    which == 4 ? one.job.moments : nullptr,
                    which == 5 ? one.job.greys : nullptr,
                    which == 5 ? one.job.scale : nullptr,
                    which == 6 ? one.job.height : nullptr,
                    which == 7 ? one.job.dynamics : nullptr,
                    which == 8 ? one.job.bbox_diagonal : nullptr};
      one.build();
      one.expect(want);
      ASSERT_FALSE(HasFailure()) << name_of(type) << ", array " << which;
    }
  }
}

TEST(cuda_tree_nodes, room_for_fewer_than_there_are) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  for (const dtype type : {dtype::u8, dtype::u16, dtype::u32}) {
    const placed_image image = random_grey(extent(120, 131), 200, 1, 4).as(type);
    const right_nodes want(cpu, image.view(), {.connectivity = 4});
    const device_tree tree(image.view(), {.connectivity = 4});
    tree.build();
    const std::size_t nodes = want.tree.nodes();
    const device_nodes exact(tree, nodes);
    exact.build();
    exact.expect(want);
    for (const std::size_t capacity : {nodes - 1, nodes / 2, std::size_t{1}, std::size_t{0}}) {
      const device_nodes few(tree, capacity);
      few.build();
      ASSERT_EQ(few.count(), nodes) << capacity;
      ASSERT_FALSE(HasFailure()) << name_of(type) << ", capacity " << capacity;
    }
  }
}

TEST(cuda_tree_nodes, no_pixels_and_nan) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::uint32_t nothing = 0;
  const device_bytes count(4);
  job work;
  work.image = {&nothing, dtype::f32, extent(0, 5)};
  work.parent = &nothing;
  work.count = count.data<std::uint32_t>();
  EXPECT_EQ(cuda::scratch_bytes(work), 0U);
  cuda::enqueue(work, nullptr, 0, nullptr);
  EXPECT_EQ(count.copied<std::uint32_t>(1)[0], 0U);

  std::vector<float> pixels(60 * 50, 1.5F);
  pixels[777] = std::numeric_limits<float>::quiet_NaN();
  const image_view image(pixels.data(), extent(60, 50));
  const device_tree tree(image, {.connectivity = 4});
  tree.build();
  const device_nodes got(tree, 3000);
  got.build();
  EXPECT_EQ(got.count(), 0U);
}

// Threads meet at other places each time.
TEST(cuda_tree_nodes, the_same_image_many_times) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  for (const dtype type : {dtype::u8, dtype::f32}) {
    const placed_image image = random_grey(extent(300, 330), type == dtype::u8 ? 8 : 4096, 1, 13).as(type);
    const right_nodes want(cpu, image.view(), {.connectivity = 4});
    const device_tree tree(image.view(), {.connectivity = 4});
    tree.build();
    const device_nodes got(tree, pixels_of(image.view()));
    for (int round = 0; round < scaled(50); ++round) {
      got.build();
      got.expect(want);
      ASSERT_FALSE(HasFailure()) << name_of(type) << ", round " << round;
    }
  }
}

TEST(cuda_tree_nodes, strides_of_all_kinds) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  for (const dtype type : tree_types)
    for (const stride_rule rule :
         {stride_rule::gaps, stride_rule::backward, stride_rule::unaligned, stride_rule::transposed}) {
      const placed_image image = random_grey(extent(5, 19, 21), 9, 1, 5).as(type);
      const right_nodes want(cpu, image.view(), {.connectivity = 26});
      const device_tree tree(image.view(), {.connectivity = 26}, rule);
      tree.build();
      const device_nodes got(tree, pixels_of(image.view()));
      got.build();
      got.expect(want);
      ASSERT_FALSE(HasFailure()) << name_of(type) << ", strides " << static_cast<int>(rule);
    }
}

TEST(cuda_tree_nodes, graphs) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  for (const dtype type : {dtype::u8, dtype::f32}) {
    const placed_image image = random_grey(extent(150, 170), 256, 1, 3).as(type);
    const right_nodes want(cpu, image.view(), {.connectivity = 8});
    const device_tree tree(image.view(), {.connectivity = 8});
    const device_nodes got(tree, pixels_of(image.view()));
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t program = nullptr;
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    tree.enqueue(stream);
    got.enqueue(stream);
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&program, graph, 0), cudaSuccess);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(cudaGraphLaunch(program, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    got.expect(want);
    cudaGraphExecDestroy(program);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
  }
}

TEST(cuda_tree_nodes, scratch_is_what_the_header_says) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const extent size(4000, 6000);
  std::uint32_t word = 0;  // nothing is enqueued
  const auto bytes_per_pixel = [&](dtype type, bool area, bool height) {
    job work;
    work.image = {&word, type, size};
    work.parent = work.count = work.first_pixel = work.parent_node = work.node_of_pixel = &word;
    work.capacity = static_cast<std::size_t>(size.pixels());
    if (area) work.area = &word;
    double column = 0;
    if (height) work.height = &column;
    return static_cast<double>(cuda::scratch_bytes(work)) / static_cast<double>(size.pixels());
  };
  EXPECT_NEAR(bytes_per_pixel(dtype::u8, false, false), 6, 0.5);
  EXPECT_NEAR(bytes_per_pixel(dtype::u8, true, true), 14, 0.5);
  EXPECT_NEAR(bytes_per_pixel(dtype::i16, false, false), 14, 0.5);
  EXPECT_NEAR(bytes_per_pixel(dtype::u16, true, false), 14, 0.5);
  EXPECT_NEAR(bytes_per_pixel(dtype::f32, false, false), 20, 0.5);
  EXPECT_NEAR(bytes_per_pixel(dtype::u32, true, true), 28, 0.5);
}

// ---- filters --------------------------------------------------------------------------------------------------------

std::vector<std::uint8_t> filtered_on_the_device(const device_tree& tree, const select_job& choice,
                                                 const filter_options& how) {
  const std::size_t pixels = pixels_of(tree.job().image);
  const dtype type = tree.job().image.type;
  const std::size_t bytes = pixels * size_of(type);
  const device_bytes output(bytes), keep(pixels);
  select_job choose = choice;
  choose.keep = keep.data<std::uint8_t>();
  cuda::enqueue(choose, nullptr);
  cuda::tree_filter_job work = tree.filter_job(0, nullptr);
  work.area = nullptr;
  work.keep = choose.keep;
  work.rule = how.rule;
  work.top_hat = how.top_hat;
  work.output = {output.data(), how.top_hat && type == dtype::i16 ? dtype::u16 : type, work.image.size};
  const std::size_t needed = cuda::scratch_bytes(work);
  const device_bytes scratch(needed);
  cuda::enqueue(work, scratch.data(), needed, nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  return output.copied<std::uint8_t>(bytes);
}

select_job choice_of(const device_nodes& nodes, const double* attribute, double least) {
  select_job choice;
  choice.size = nodes.job.image.size;
  choice.capacity = nodes.job.capacity;
  choice.count = nodes.job.count;
  choice.first_pixel = nodes.job.first_pixel;
  choice.attribute = attribute;
  choice.least = least;
  return choice;
}

TEST(cuda_tree_nodes, filters_by_attributes) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  for (const dtype type : tree_types)
    for (const tree_kind kind : {tree_kind::max, tree_kind::min}) {
      const placed_image image = random_grey(extent(60, 83), 30, 2, 9).as(type);
      const tree_options options{4, kind};
      const right_nodes want(cpu, image.view(), options);
      const device_tree tree(image.view(), options);
      tree.build();
      const device_nodes nodes(tree, pixels_of(image.view()));
      nodes.build();
      std::vector<std::uint8_t> right(pixels_of(image.view()) * size_of(type));
      const auto expect = [&](const double* attribute, const std::vector<double>& values, double least,
                              const filter_options& how) {
        const dtype output = how.top_hat && type == dtype::i16 ? dtype::u16 : type;
        filter_at_least(cpu, want.tree, values, least, how, {right.data(), output, want.tree.size});
        ASSERT_EQ(filtered_on_the_device(tree, choice_of(nodes, attribute, least), how), right)
            << name_of(type) << ", least " << least;
      };
      const double most = want.height[0];
      for (const double least : {0.0, most / 10, most / 3, 2 * most}) {
        expect(nodes.job.height, want.height, least, {});
        expect(nodes.job.dynamics, want.dynamics, least, {filter_rule::max, true});
      }
      for (const double least : {1.5, 6.0, 40.0}) expect(nodes.job.bbox_diagonal, want.bbox_diagonal, least, {});
      diagonal_filter(cpu, want.tree, want.table, 6, {right.data(), type, want.tree.size});
      ASSERT_EQ(filtered_on_the_device(tree, choice_of(nodes, nodes.job.bbox_diagonal, 6), {}), right);
      ASSERT_FALSE(HasFailure());
    }
}

TEST(cuda_tree_nodes, filters_by_own_decisions) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  const placed_image image = random_grey(extent(60, 83), 30, 2, 9).as(dtype::u16);
  const right_nodes want(cpu, image.view(), {.connectivity = 8});
  const device_tree tree(image.view(), {.connectivity = 8});
  tree.build();
  const device_nodes nodes(tree, pixels_of(image.view())), few(tree, 10);
  nodes.build();
  few.build();
  std::mt19937 draw(5);
  std::vector<std::uint8_t> keep(want.tree.nodes());
  for (std::uint8_t& each : keep) each = static_cast<std::uint8_t>(draw() % 3);
  const device_bytes decisions(keep);
  std::vector<std::uint8_t> right(pixels_of(image.view()) * 2);
  filter(cpu, want.tree, keep, {}, {right.data(), dtype::u16, want.tree.size});
  select_job choice = choice_of(nodes, nullptr, 0);
  choice.decision = decisions.data<std::uint8_t>();
  EXPECT_EQ(filtered_on_the_device(tree, choice, {}), right);

  // More nodes than room: the root alone is left.
  keep.assign(keep.size(), 0);
  filter(cpu, want.tree, keep, {}, {right.data(), dtype::u16, want.tree.size});
  EXPECT_EQ(filtered_on_the_device(tree, choice_of(few, few.job.height, 0), {}), right);
}

// ---- arguments ------------------------------------------------------------------------------------------------------

template <class Call>
void expect_refused(const std::string& name, Call call) {
  try {
    call();
    ADD_FAILURE() << name << " was not refused";
  } catch (const invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, name.size() + 1), name + ":") << error.what();
  }
}

template <class Item>
Item* askew(Item* items) {
  return reinterpret_cast<Item*>(reinterpret_cast<std::uintptr_t>(items) + 1);  // NOLINT: never followed
}

TEST(cuda_tree_nodes, wrong_arguments) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  const placed_image image = random_grey(extent(70, 90), 9, 1, 5).as(dtype::u16);
  const device_tree tree(image.view(), {.connectivity = 4});
  tree.build();
  const device_nodes right(tree, 6300);
  const std::size_t bytes = cuda::scratch_bytes(right.job);
  const device_bytes scratch(bytes);
  const auto refused = [&](const std::string& name, auto spoil) {
    job wrong = right.job;
    std::size_t size = bytes;
    spoil(wrong, size);
    expect_refused(name, [&] { cuda::enqueue(wrong, scratch.data(), size, nullptr); });
  };
  refused("image", [](job& j, std::size_t&) { j.image.type = dtype::f64; });
  refused("kind", [](job& j, std::size_t&) { j.kind = static_cast<tree_kind>(7); });
  refused("parent", [](job& j, std::size_t&) { j.parent = nullptr; });
  refused("count", [](job& j, std::size_t&) { j.count = nullptr; });
  refused("first_pixel", [](job& j, std::size_t&) { j.first_pixel = nullptr; });
  refused("parent_node", [](job& j, std::size_t&) { j.parent_node = nullptr; });
  refused("parent", [](job& j, std::size_t&) { j.parent = askew(j.parent); });
  refused("first_nan", [](job& j, std::size_t&) { j.first_nan = askew(j.first_nan); });
  refused("count", [](job& j, std::size_t&) { j.count = askew(j.count); });
  refused("first_pixel", [](job& j, std::size_t&) { j.first_pixel = askew(j.first_pixel); });
  refused("parent_node", [](job& j, std::size_t&) { j.parent_node = askew(j.parent_node); });
  refused("level", [](job& j, std::size_t&) { j.level = askew(j.level); });
  refused("node_of_pixel", [](job& j, std::size_t&) { j.node_of_pixel = askew(j.node_of_pixel); });
  refused("area", [](job& j, std::size_t&) { j.area = askew(j.area); });
  refused("shapes", [](job& j, std::size_t&) { j.shapes = askew(j.shapes); });
  refused("moments", [](job& j, std::size_t&) { j.moments = askew(j.moments); });
  refused("greys", [](job& j, std::size_t&) { j.greys = askew(j.greys); });
  refused("scale", [](job& j, std::size_t&) { j.scale = askew(j.scale); });
  refused("height", [](job& j, std::size_t&) { j.height = askew(j.height); });
  refused("dynamics", [](job& j, std::size_t&) { j.dynamics = askew(j.dynamics); });
  refused("bbox_diagonal", [](job& j, std::size_t&) { j.bbox_diagonal = askew(j.bbox_diagonal); });
  refused("scratch", [](job&, std::size_t& size) { --size; });
  right.build();
  right.expect(right_nodes(cpu, image.view(), {.connectivity = 4}));
}

TEST(cuda_tree_nodes, wrong_arguments_of_a_choice) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const placed_image image = random_grey(extent(70, 90), 9, 1, 5).as(dtype::u16);
  const device_tree tree(image.view(), {.connectivity = 4});
  tree.build();
  const device_nodes nodes(tree, 6300);
  nodes.build();
  const device_bytes keep(6300);
  select_job right = choice_of(nodes, nodes.job.height, 1);
  right.keep = keep.data<std::uint8_t>();
  const auto refused = [&](const std::string& name, auto spoil) {
    select_job wrong = right;
    spoil(wrong);
    expect_refused(name, [&] { cuda::enqueue(wrong, nullptr); });
  };
  refused("size", [](select_job& j) { j.size.height = -1; });
  refused("size", [](select_job& j) { j.size = extent(1 << 20, 1 << 20); });
  refused("count", [](select_job& j) { j.count = nullptr; });
  refused("count", [](select_job& j) { j.count = askew(j.count); });
  refused("first_pixel", [](select_job& j) { j.first_pixel = nullptr; });
  refused("first_pixel", [](select_job& j) { j.first_pixel = askew(j.first_pixel); });
  refused("attribute", [](select_job& j) { j.attribute = nullptr; });
  refused("attribute", [&](select_job& j) { j.decision = keep.data<std::uint8_t>(); });
  refused("attribute", [](select_job& j) { j.attribute = askew(j.attribute); });
  refused("keep", [](select_job& j) { j.keep = nullptr; });
  cuda::enqueue(right, nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

}  // namespace
}  // namespace skerry::test
