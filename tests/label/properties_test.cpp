// SPDX-License-Identifier: Apache-2.0
// What must hold for every image, on every engine.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "skerry/label.hpp"
#include "skerry/measure.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"

namespace rc {

template <>
struct Arbitrary<skerry::test::mask> {
  static Gen<skerry::test::mask> arbitrary() {
    using skerry::extent;
    const auto side = [](int most) { return gen::inRange<std::int64_t>(0, most); };
    const auto plane = gen::map(gen::pair(side(60), side(150)), [](const std::pair<std::int64_t, std::int64_t>& s) {
      return extent(s.first, s.second);
    });
    const auto volume = gen::map(gen::tuple(side(9), side(12), side(80)),
                                 [](const auto& s) { return extent(std::get<0>(s), std::get<1>(s), std::get<2>(s)); });
    const auto any_size = gen::oneOf(plane, plane, volume);
    const auto parts = gen::tuple(any_size, gen::inRange(1, 5), gen::inRange(0, 101), gen::arbitrary<std::uint32_t>());
    // Images of all sizes from the first on; when one breaks a property, RapidCheck still looks for a smaller one.
    return gen::map(gen::resize(kNominalSize, parts), [](const std::tuple<extent, int, int, std::uint32_t>& t) {
      return skerry::test::random_mask(std::get<0>(t), std::get<1>(t), std::get<2>(t), std::get<3>(t));
    });
  }
};

}  // namespace rc

namespace skerry::test {

// How RapidCheck shows an image that breaks a property.
void showValue(const mask& image, std::ostream& out) {
  out << image.size.depth << " x " << image.size.height << " x " << image.size.width << " of rank " << image.size.rank;
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
    out << (i % static_cast<std::size_t>(image.size.width) == 0 ? "\n" : "") << (image.pixels[i] != 0 ? '#' : '.');
  out << "\n";
}

namespace {

struct labelled {
  std::uint64_t count;
  std::vector<std::uint32_t> labels;
};

engine& any_engine() { return each_engine()[*rc::gen::inRange<std::size_t>(0, each_engine().size())].on; }

int any_connectivity(const extent& size) {
  return size.rank == 2 ? *rc::gen::element(4, 8) : *rc::gen::element(6, 18, 26);
}

labelled label_of(engine& on, const mask& image, int connectivity) {
  labelled result = {0, std::vector<std::uint32_t>(image.pixels.size(), 99)};
  result.count = label(on, image.view(), {.connectivity = connectivity}, {result.labels.data(), image.size});
  return result;
}

std::uint64_t count_of(engine& on, const mask& image, int connectivity) {
  return count_components(on, image.view(), {.connectivity = connectivity});
}

// Numbers labels again by their first pixels.
std::vector<std::uint32_t> in_raster_order(std::vector<std::uint32_t> labels) {
  std::map<std::uint32_t, std::uint32_t> number;
  for (std::uint32_t& label : labels)
    if (label != 0) label = number.try_emplace(label, static_cast<std::uint32_t>(number.size() + 1)).first->second;
  return labels;
}

// The image whose pixel (z, y, x) is pixel from(z, y, x) of another; the values of `pixels` move with it.
template <class Value, class From>
std::vector<Value> rearranged(const std::vector<Value>& pixels, const extent& size, From from) {
  std::vector<Value> result;
  result.reserve(pixels.size());
  for (std::int64_t z = 0; z < size.depth; ++z)
    for (std::int64_t y = 0; y < size.height; ++y)
      for (std::int64_t x = 0; x < size.width; ++x) result.push_back(pixels[static_cast<std::size_t>(from(z, y, x))]);
  return result;
}

RC_GTEST_PROP(label_properties, labels_are_consecutive_in_raster_order, (const mask& image)) {
  const labelled found = label_of(any_engine(), image, any_connectivity(image.size));
  std::uint64_t next = 1;
  for (std::size_t i = 0; i < found.labels.size(); ++i) {
    RC_ASSERT((found.labels[i] != 0) == (image.pixels[i] != 0));
    RC_ASSERT(found.labels[i] <= next);
    if (found.labels[i] == next) ++next;
  }
  RC_ASSERT(next == found.count + 1);
}

// What holds for the labels of the library's own method holds for those of the others.
RC_GTEST_PROP(label_properties, published_methods_give_the_same_labels, (const mask& image)) {
  RC_PRE(image.size.rank == 2);
  named_engine& by = each_published_method()[*rc::gen::inRange<std::size_t>(0, each_published_method().size())];
  const int connectivity = *rc::gen::elementOf(by.connectivities);
  std::vector<std::uint32_t> labels(image.pixels.size(), 99);
  const label_request asked = {image.view(), {.connectivity = connectivity}};
  const std::uint64_t count = published::label(by.on, by.method, asked, {.labels = {labels.data(), image.size}});
  const labelled own = label_of(any_engine(), image, connectivity);
  RC_ASSERT(count == own.count);
  RC_ASSERT(labels == own.labels);
}

RC_GTEST_PROP(label_properties, flips_move_the_components, (const mask& image)) {
  engine& on = any_engine();
  const int connectivity = any_connectivity(image.size), axis = *rc::gen::inRange(0, 3);
  const extent& s = image.size;
  const auto flip = [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    if (axis == 0) z = s.depth - 1 - z;
    if (axis == 1) y = s.height - 1 - y;
    if (axis == 2) x = s.width - 1 - x;
    return (z * s.height + y) * s.width + x;
  };
  const labelled found = label_of(on, image, connectivity);
  const labelled flipped = label_of(on, {s, rearranged(image.pixels, s, flip)}, connectivity);
  RC_ASSERT(flipped.labels == in_raster_order(rearranged(found.labels, s, flip)));
}

RC_GTEST_PROP(label_properties, transposing_moves_the_components, (const mask& image)) {
  engine& on = any_engine();
  const int connectivity = any_connectivity(image.size);
  const extent& s = image.size;
  extent turned = s;
  std::swap(turned.height, turned.width);
  const auto transpose = [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    return (z * s.height + x) * s.width + y;
  };
  const labelled found = label_of(on, image, connectivity);
  const labelled other = label_of(on, {turned, rearranged(image.pixels, turned, transpose)}, connectivity);
  RC_ASSERT(other.labels == in_raster_order(rearranged(found.labels, turned, transpose)));
}

RC_GTEST_PROP(label_properties, turning_a_volume_moves_the_components, (const mask& image)) {
  RC_PRE(image.size.rank == 3);
  engine& on = any_engine();
  const int connectivity = any_connectivity(image.size);
  const extent& s = image.size;
  const extent turned(s.width, s.depth, s.height);
  const auto turn = [&](std::int64_t z, std::int64_t y, std::int64_t x) { return (y * s.height + x) * s.width + z; };
  const labelled found = label_of(on, image, connectivity);
  const labelled other = label_of(on, {turned, rearranged(image.pixels, turned, turn)}, connectivity);
  RC_ASSERT(other.labels == in_raster_order(rearranged(found.labels, turned, turn)));
}

RC_GTEST_PROP(label_properties, background_around_the_image_changes_nothing, (const mask& image)) {
  engine& on = any_engine();
  const int connectivity = any_connectivity(image.size);
  const auto left = *rc::gen::inRange<std::int64_t>(0, 70), above = *rc::gen::inRange<std::int64_t>(0, 4);
  const std::int64_t before = image.size.rank == 3 ? 1 : 0;
  extent size = image.size;
  size.depth += 2 * before;
  size.height += above + 1;
  size.width += left + 1;
  mask padded = empty_mask(size);
  mask source = image;
  std::vector<std::uint32_t> want(padded.pixels.size(), 0);
  const labelled found = label_of(on, image, connectivity);
  for (std::int64_t z = 0, i = 0; z < image.size.depth; ++z)
    for (std::int64_t y = 0; y < image.size.height; ++y)
      for (std::int64_t x = 0; x < image.size.width; ++x, ++i) {
        std::uint8_t& pixel = padded.at(z + before, y + above, x + left);
        pixel = source.at(z, y, x);
        want[static_cast<std::size_t>(&pixel - padded.pixels.data())] = found.labels[static_cast<std::size_t>(i)];
      }
  const labelled got = label_of(on, padded, connectivity);
  RC_ASSERT(got.count == found.count);
  RC_ASSERT(got.labels == want);
}

RC_GTEST_PROP(label_properties, images_with_a_gap_between_them_add_up, (const mask& image)) {
  engine& on = any_engine();
  const int connectivity = any_connectivity(image.size);
  const extent& s = image.size;
  const mask other = random_mask(s, 1, *rc::gen::inRange(0, 101), *rc::gen::arbitrary<std::uint32_t>());
  mask both = empty_mask(s.rank == 2 ? extent(s.height, 2 * s.width + 1) : extent(s.depth, s.height, 2 * s.width + 1));
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    const std::size_t width = static_cast<std::size_t>(s.width), row = i / width, x = i % width;
    both.pixels[row * (2 * width + 1) + x] = image.pixels[i];
    both.pixels[row * (2 * width + 1) + width + 1 + x] = other.pixels[i];
  }
  RC_ASSERT(count_of(on, both, connectivity) == count_of(on, image, connectivity) + count_of(on, other, connectivity));
}

RC_GTEST_PROP(label_properties, more_neighbours_make_fewer_components, (const mask& image)) {
  engine& on = any_engine();
  if (image.size.rank == 2) {
    RC_ASSERT(count_of(on, image, 8) <= count_of(on, image, 4));
  } else {
    RC_ASSERT(count_of(on, image, 26) <= count_of(on, image, 18));
    RC_ASSERT(count_of(on, image, 18) <= count_of(on, image, 6));
  }
}

RC_GTEST_PROP(label_properties, one_slice_is_a_plane, (const mask& image)) {
  RC_PRE(image.size.rank == 2);
  engine& on = any_engine();
  const mask slice = {extent(1, image.size.height, image.size.width), image.pixels};
  RC_ASSERT(label_of(on, slice, 6).labels == label_of(on, image, 4).labels);
  RC_ASSERT(label_of(on, slice, 18).labels == label_of(on, image, 8).labels);
  RC_ASSERT(label_of(on, slice, 26).labels == label_of(on, image, 8).labels);
}

RC_GTEST_PROP(label_properties, labelling_labels_gives_the_same_labels, (const mask& image)) {
  engine& on = any_engine();
  const int connectivity = any_connectivity(image.size);
  const labelled once = label_of(on, image, connectivity);
  std::vector<std::uint32_t> twice(once.labels.size());
  label(on, {once.labels.data(), image.size}, {.connectivity = connectivity}, {twice.data(), image.size});
  RC_ASSERT(twice == once.labels);
}

RC_GTEST_PROP(label_properties, each_component_alone_is_one_component, (const mask& image)) {
  engine& on = any_engine();
  const int connectivity = any_connectivity(image.size);
  const labelled found = label_of(on, image, connectivity);
  RC_PRE(found.count > 0);
  const double label = *rc::gen::inRange<int>(1, static_cast<int>(found.count) + 1);
  const image_view labels(found.labels.data(), image.size);
  RC_ASSERT(count_components(on, labels,
                             {.connectivity = connectivity, .foreground = foreground::within(label, label)}) == 1U);
}

RC_GTEST_PROP(label_properties, features_add_up_to_the_foreground, (const mask& image)) {
  engine& on = any_engine();
  feature_table table;
  std::vector<labelled_run> runs;
  label(on, {image.view(), {.connectivity = any_connectivity(image.size)}, {.intensity = image.view()}},
        {.runs = &runs, .table = &table});
  std::uint64_t area = 0, run_pixels = 0, foreground_pixels = 0;
  for (const geometry& g : table.components) {
    area += g.area;
    for (int axis = 0; axis < 3; ++axis) {
      RC_ASSERT(g.min[axis] <= g.max[axis]);
      RC_ASSERT(g.sum[axis] >= g.area * static_cast<std::uint64_t>(g.min[axis]));
      RC_ASSERT(g.sum[axis] <= g.area * static_cast<std::uint64_t>(g.max[axis]));
    }
  }
  for (std::size_t i = 0; i < table.size(); ++i) RC_ASSERT(table.intensities[i].sum.low == table.components[i].area);
  for (const labelled_run& run : runs) run_pixels += static_cast<std::uint64_t>(run.end - run.begin);
  for (const std::uint8_t pixel : image.pixels) foreground_pixels += pixel;
  RC_ASSERT(area == foreground_pixels);
  RC_ASSERT(run_pixels == foreground_pixels);
}

RC_GTEST_PROP(label_properties, keeping_the_largest_keeps_the_largest, (const mask& image)) {
  engine& on = any_engine();
  const int connectivity = any_connectivity(image.size);
  const auto wanted = *rc::gen::inRange<std::uint64_t>(1, 6);
  feature_table all, kept;
  measure(on, image.view(), {.connectivity = connectivity}, {}, all);
  measure(on, image.view(), {.connectivity = connectivity, .selection = {.largest = wanted}}, {}, kept);
  RC_ASSERT(kept.size() == std::min<std::size_t>(wanted, all.size()));
  const auto areas_of = [](const feature_table& table) {
    std::vector<std::uint64_t> areas;
    for (const geometry& g : table.components) areas.push_back(g.area);
    std::sort(areas.rbegin(), areas.rend());
    return areas;
  };
  std::vector<std::uint64_t> areas = areas_of(all);
  areas.resize(kept.size());
  RC_ASSERT(areas_of(kept) == areas);
}

}  // namespace
}  // namespace skerry::test
