// SPDX-License-Identifier: Apache-2.0
#include "cuda/device_nodes.hpp"

#include <algorithm>
#include <cstring>

#include "cuda/plans.hpp"
#include "support/grey.hpp"

namespace skerry::test {
namespace {

constexpr int junk = 0xab;
constexpr std::size_t behind = 64;                                       // bytes behind each array
constexpr std::size_t scratch_of_pixel = 300, scratch_of_all = 1 << 20;  // enough for every job of these tests
constexpr std::uint8_t junk_of_scratch = 0x77;

}  // namespace

right_nodes::right_nodes(engine& on, const image_view& image, const tree_options& options) {
  skerry::build(on, image, options, tree);
  measure(on, tree, {.geometry = true, .moments = true, .levels = true}, table);
}

device_nodes::device_nodes(const device_tree& tree, std::size_t capacity)
    : capacity_(capacity), count_(4), first_pixel_(4 * capacity + behind), parent_node_(4 * capacity + behind),
      level_(8 * capacity + behind),
      node_of_pixel_(4 * static_cast<std::size_t>(tree.job().image.size.pixels()) + behind),
      area_(4 * capacity + behind), components_(sizeof(geometry) * capacity + behind),
      moments_(sizeof(second_moments) * capacity + behind), intensities_(sizeof(intensity) * capacity + behind),
      real_intensities_(sizeof(real_intensity) * capacity + behind),
      scratch_(scratch_of_all + scratch_of_pixel * static_cast<std::size_t>(tree.job().image.size.pixels())) {
  job.image = tree.job().image;
  job.kind = tree.job().kind;
  job.parent = tree.job().parent;
  job.first_nan = tree.job().first_nan;
  job.capacity = capacity;
  job.count = count_.data<std::uint32_t>();
  job.first_pixel = first_pixel_.data<std::uint32_t>();
  job.parent_node = parent_node_.data<std::uint32_t>();
  job.level = level_.data<double>();
  job.node_of_pixel = node_of_pixel_.data<std::uint32_t>();
  job.area = area_.data<std::uint32_t>();
  job.components = components_.data<geometry>();
  job.moments = moments_.data<second_moments>();
  if (sums_reals(job.image.type)) job.real_intensities = real_intensities_.data<real_intensity>();
  else job.intensities = intensities_.data<intensity>();
  for (const node_column& column : node_columns)
    job.*column.place = columns_.emplace_back(8 * capacity + behind).data<double>();
}

std::vector<device_nodes::array> device_nodes::arrays() const {
  std::vector<array> all;
  for (const device_bytes* each : {&first_pixel_, &parent_node_, &area_})
    all.push_back({each, 4 * capacity_, 4 * capacity_ + behind});
  const auto rows = [&](const device_bytes& each, std::size_t row) {
    all.push_back({&each, row * capacity_, row * capacity_ + behind});
  };
  rows(level_, sizeof(double));
  for (const device_bytes& column : columns_) rows(column, sizeof(double));
  rows(components_, sizeof(geometry));
  rows(moments_, sizeof(second_moments));
  rows(intensities_, sizeof(intensity));
  rows(real_intensities_, sizeof(real_intensity));
  all.push_back({&node_of_pixel_, 4 * pixels(), 4 * pixels() + behind});
  return all;
}

void device_nodes::spoil() const {
  for (const array& each : arrays()) EXPECT_EQ(cudaMemset(each.bytes->data(), junk, each.all), cudaSuccess);
  EXPECT_EQ(cudaMemset(count_.data(), junk, 4), cudaSuccess);
  EXPECT_EQ(cudaMemset(scratch_.data(), junk_of_scratch, scratch_of_all + scratch_of_pixel * pixels()), cudaSuccess);
}

void device_nodes::enqueue(cudaStream_t stream) const {
  const std::size_t bytes = cuda::scratch_bytes(job);
  ASSERT_LE(bytes, scratch_of_all + scratch_of_pixel * pixels());
  plan_of(job).enqueue(scratch_.data(), stream);
}

void device_nodes::build() const {
  spoil();
  enqueue(nullptr);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  expect_nothing_behind();
}

void device_nodes::expect_nothing_behind() const {
  for (const array& each : arrays()) {
    const std::vector<std::uint8_t> bytes = each.bytes->copied<std::uint8_t>(each.all);
    ASSERT_TRUE(std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(each.used), bytes.end(),
                            [](std::uint8_t byte) { return byte == junk; }));
  }
  const std::size_t used = cuda::scratch_bytes(job), all = scratch_of_all + scratch_of_pixel * pixels();
  std::vector<std::uint8_t> bytes(std::min<std::size_t>(all - used, 1 << 18));
  ASSERT_EQ(cudaMemcpy(bytes.data(), scratch_.data<char>() + used, bytes.size(), cudaMemcpyDeviceToHost), cudaSuccess);
  ASSERT_TRUE(std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == junk_of_scratch; }));
}

void device_nodes::expect(const right_nodes& want) const {
  const std::size_t nodes = want.tree.nodes();
  ASSERT_EQ(count(), nodes);
  ASSERT_LE(nodes, job.capacity);
  ASSERT_EQ(first_pixel_.copied<std::uint32_t>(nodes), parts_of(want.tree).first_pixel);
  ASSERT_EQ(parent_node_.copied<std::uint32_t>(nodes), parts_of(want.tree).parent);
  const auto expect_column = [&](const char* name, const auto* wanted, const device_bytes& got, const auto& right) {
    using row = typename std::decay_t<decltype(right)>::value_type;
    if (wanted == nullptr) return;
    ASSERT_TRUE(got.copied<row>(right.size()) == right) << name;
  };
  expect_column("level", job.level, level_, parts_of(want.tree).level);
  expect_column("node_of_pixel", job.node_of_pixel, node_of_pixel_, parts_of(want.tree).node_of_pixel);
  expect_column("area", job.area, area_, want.table.area);
  expect_column("components", job.components, components_, want.table.components);
  expect_column("moments", job.moments, moments_, want.table.moments);
  expect_column("intensities", job.intensities, intensities_, want.table.intensities);
  expect_column("real_intensities", job.real_intensities, real_intensities_, want.table.real_intensities);
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    if (job.*node_columns[k].place == nullptr) continue;
    const std::vector<double> got = columns_[k].copied<double>(nodes), right = want.column(node_columns[k].name);
    // Bits, since no NaN is equal to another.
    for (std::size_t node = 0; node < nodes; ++node)
      ASSERT_EQ(std::memcmp(&got[node], &right[node], sizeof(double)), 0)
          << node_columns[k].name << " of node " << node << ": " << got[node] << ", not " << right[node];
  }
}

}  // namespace skerry::test
