// SPDX-License-Identifier: Apache-2.0
#include "cuda/device_tree.hpp"
#include "cuda/plans.hpp"

#include <cstring>

namespace skerry::test {
namespace {

using i64 = std::int64_t;

// Strides, the place of the first pixel, and bytes.
struct arrangement {
  byte_strides strides;
  i64 origin = 0, bytes = 0;
};

arrangement arrange(dtype type, const extent& size, stride_rule rule) {
  const auto pixel = static_cast<i64>(size_of(type));
  arrangement made{dense_strides(type, size), 0, 0};
  byte_strides& s = made.strides;
  switch (rule) {
    case stride_rule::dense: break;
    case stride_rule::gaps: s = {s.z * 2 + 12 * pixel, s.y * 2 + 4 * pixel, 2 * pixel}; break;
    case stride_rule::backward:
      made.origin = size.pixels() * pixel - pixel;
      s = {-s.z, -s.y, -s.x};
      break;
    case stride_rule::unaligned:
      made.origin = 1;
      s.y += 1;
      s.z = s.y * size.height;
      break;
    case stride_rule::transposed: s = {s.z, pixel, pixel * size.height}; break;
  }
  if (rule == stride_rule::gaps) s.z = s.y * size.height;
  made.bytes = size.pixels() * pixel * 2 + size.rows() * 4 * pixel + 64;
  return made;
}

std::vector<std::uint8_t> arranged(const image_view& image, const arrangement& how) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(how.bytes), 0x5a);
  const byte_strides dense = dense_strides(image.type, image.size);
  for (i64 z = 0; z < image.size.depth; ++z)
    for (i64 y = 0; y < image.size.height; ++y)
      for (i64 x = 0; x < image.size.width; ++x)
        std::memcpy(bytes.data() + how.origin + z * how.strides.z + y * how.strides.y + x * how.strides.x,
                    static_cast<const char*>(image.data) + z * dense.z + y * dense.y + x * dense.x,
                    size_of(image.type));
  return bytes;
}

}  // namespace

right_tree::right_tree(const image_view& image, const tree_options& options) {
  engine on = engine::cpu(1);
  build(on, image, options, tree);
  measure(on, tree, {}, table);
  parent.resize(tree.node_of_pixel().size());
  area.resize(parent.size());
  for (std::size_t p = 0; p < parent.size(); ++p) {
    const std::uint32_t node = tree.node_of_pixel()[p];
    const bool first = tree.first_pixel()[node] == p;
    parent[p] = tree.first_pixel()[first ? tree.parent()[node] : node];
    area[p] = first ? table.area[node] : 0;
  }
}

device_tree::device_tree(const image_view& image, const tree_options& options, stride_rule rule)
    : image_(arranged(image, arrange(image.type, image.size, rule))),
      parent_(static_cast<std::size_t>(image.size.pixels()) * 4),
      area_(static_cast<std::size_t>(image.size.pixels()) * 4), nan_(8),
      job_(job_for(image, options, arrange(image.type, image.size, rule).strides,
                   arrange(image.type, image.size, rule).origin)),
      bytes_(cuda::scratch_bytes(job_)), scratch_(bytes_) {}

cuda::tree_job device_tree::job_for(const image_view& image, const tree_options& options, const byte_strides& strides,
                                    std::int64_t origin) const {
  cuda::tree_job made;
  made.image = {image_.data<char>() + origin, image.type, image.size, strides};
  made.connectivity = options.connectivity;
  made.kind = options.kind;
  made.parent = parent_.data<std::uint32_t>();
  made.area = area_.data<std::uint32_t>();
  made.first_nan = nan_.data<std::uint64_t>();
  return made;
}

void device_tree::spoil() const {
  for (const device_bytes* each : {&parent_, &area_})
    EXPECT_EQ(cudaMemset(each->data(), 0xab, pixels() * 4), cudaSuccess);
  EXPECT_EQ(cudaMemset(scratch_.data(), 0x77, bytes_), cudaSuccess);
}

void device_tree::enqueue(cudaStream_t stream) const { plan_of(job_).enqueue(scratch_.data(), stream); }

void device_tree::build() const {
  enqueue(nullptr);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

void device_tree::build_parents() const {
  cuda::tree_job work = job_;
  work.area = nullptr;
  const std::size_t bytes = cuda::scratch_bytes(work);
  const device_bytes scratch(bytes);
  plan_of(work).enqueue(scratch.data(), nullptr);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

void device_tree::expect_parents(const right_tree& want) const {
  ASSERT_EQ(parent_.copied<std::uint32_t>(pixels()), want.parent);
}

void device_tree::expect(const right_tree& want) const {
  expect_parents(want);
  ASSERT_EQ(area_.copied<std::uint32_t>(pixels()), want.area);
  ASSERT_EQ(first_nan(), ~std::uint64_t{0});
}

std::uint64_t device_tree::first_nan() const { return nan_.copied<std::uint64_t>(1)[0]; }

cuda::tree_filter_job device_tree::filter_job(std::uint64_t least, void* output) const {
  cuda::tree_filter_job work;
  work.image = job_.image;
  work.kind = job_.kind;
  work.parent = job_.parent;
  work.area = job_.area;
  work.least_area = least;
  work.output = {output, job_.image.type, job_.image.size};
  return work;
}

void device_tree::expect_image(cuda::tree_filter_job work, const std::vector<std::uint8_t>& want) const {
  const device_bytes output(want.size());
  work.output = {output.data(), work.top_hat && work.image.type == dtype::i16 ? dtype::u16 : work.image.type,
                 work.image.size};
  const std::size_t bytes = cuda::scratch_bytes(work);
  const device_bytes scratch(bytes);
  plan_of(work).enqueue(scratch.data(), nullptr);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  ASSERT_EQ(output.copied<std::uint8_t>(want.size()), want);
}

void device_tree::expect_filtered(const right_tree& want, const std::vector<std::uint8_t>& keep,
                                  const filter_options& how) const {
  const dtype type = how.top_hat && want.tree.type() == dtype::i16 ? dtype::u16 : want.tree.type();
  std::vector<std::uint8_t> right(pixels() * size_of(type)), of_pixels(pixels(), 3);
  engine on = engine::cpu(1);
  filter(on, want.tree, keep, how, {right.data(), type, want.tree.size()});
  for (std::size_t node = 0; node < keep.size(); ++node) of_pixels[want.tree.first_pixel()[node]] = keep[node];
  const device_bytes decisions(of_pixels);
  cuda::tree_filter_job work = filter_job(0, nullptr);
  work.area = nullptr;
  work.keep = decisions.data<std::uint8_t>();
  work.rule = how.rule;
  work.top_hat = how.top_hat;
  expect_image(work, right);
}

void device_tree::expect_area_filtered(const right_tree& want, std::uint64_t least, bool top_hat) const {
  const dtype type = top_hat && want.tree.type() == dtype::i16 ? dtype::u16 : want.tree.type();
  std::vector<std::uint8_t> right(pixels() * size_of(type));
  engine on = engine::cpu(1);
  area_filter(on, want.tree, want.table, least, {right.data(), type, want.tree.size()}, top_hat);
  cuda::tree_filter_job work = filter_job(least, nullptr);
  work.top_hat = top_hat;
  expect_image(work, right);
}

}  // namespace skerry::test
