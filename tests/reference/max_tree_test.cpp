// SPDX-License-Identifier: Apache-2.0
// The reference's tree against what a max-tree is: the components of all threshold sets.
#include "reference/max_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "reference/reference.hpp"
#include "support/compare.hpp"
#include "support/grey.hpp"

namespace skerry::test {
namespace {

using pixel_set = std::vector<std::uint32_t>;  // ascending

// The components of {f >= t}, or of {f <= t}, by the labelling of the reference.
std::vector<pixel_set> components_at(const image_view& image, const tree_options& options, double threshold) {
  const double infinity = std::numeric_limits<double>::infinity();
  const foreground rule = options.kind == tree_kind::max ? foreground::within(threshold, infinity)
                                                         : foreground::within(-infinity, threshold);
  const reference::answer found = reference::analyse(image, with_connectivity(options.connectivity, rule), {});
  std::vector<pixel_set> components(found.count);
  for (std::uint32_t p = 0; p < found.labels.size(); ++p)
    if (found.labels[p] != 0) components[found.labels[p] - 1].push_back(p);
  return components;
}

// The pixels of each node's component.
std::vector<pixel_set> pixels_of_nodes(const max_tree& tree) {
  std::vector<pixel_set> pixels(tree.nodes());
  for (std::uint32_t p = 0; p < tree.node_of_pixel().size(); ++p)
    for (std::uint32_t node = tree.node_of_pixel()[p];; node = tree.parent()[node]) {
      pixels[node].push_back(p);
      if (tree.parent()[node] == node) break;
    }
  return pixels;
}

// Components of the threshold sets of all levels, as often as a threshold has them: each once.
void expect_definition(const image_view& image, const std::vector<double>& values, const tree_options& options) {
  const max_tree tree = max_tree::from_parts(reference::build(image, options));
  const std::vector<pixel_set> nodes = pixels_of_nodes(tree);
  std::map<pixel_set, double> want;  // and the level, the farthest threshold that has the component
  std::set<double> thresholds(values.begin(), values.end());
  std::vector<double> outwards(thresholds.begin(), thresholds.end());
  if (options.kind == tree_kind::min) std::reverse(outwards.begin(), outwards.end());
  for (const double threshold : outwards)
    for (const pixel_set& component : components_at(image, options, threshold)) want[component] = threshold;

  ASSERT_EQ(tree.nodes(), want.size());
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const auto found = want.find(nodes[node]);
    ASSERT_NE(found, want.end()) << "node " << node << " is no component";
    EXPECT_EQ(tree.level()[node], found->second);
    // The first of its pixels that are at its level.
    const auto first = std::find_if(nodes[node].begin(), nodes[node].end(),
                                    [&](std::uint32_t p) { return values[p] == tree.level()[node]; });
    EXPECT_EQ(tree.first_pixel()[node], *first);
    if (node == 0) {
      EXPECT_EQ(tree.parent()[0], 0U);
      continue;
    }
    // The parent is the smallest larger component; numbers follow levels, then first pixels.
    const pixel_set& around = nodes[tree.parent()[node]];
    EXPECT_TRUE(std::includes(around.begin(), around.end(), nodes[node].begin(), nodes[node].end()));
    for (const pixel_set& other : nodes)
      if (other.size() > nodes[node].size() && other.size() < around.size()) {
        EXPECT_FALSE(std::includes(other.begin(), other.end(), nodes[node].begin(), nodes[node].end()));
      }
    const double before = tree.level()[node - 1], here = tree.level()[node];
    EXPECT_TRUE(before == here ? tree.first_pixel()[node - 1] < tree.first_pixel()[node]
                               : (before < here) == (options.kind == tree_kind::max));
  }
}

TEST(reference_max_tree, nodes_are_the_components_of_all_thresholds) {
  std::uint32_t seed = 0;
  for (const extent& size : {extent(1, 1), extent(1, 9), extent(6, 7), extent(9, 4), extent(2, 3, 4), extent(3, 3, 3)})
    for (const int levels : {1, 2, 4, 9, 60})
      for (const int connectivity : tree_connectivities(size))
        for (const tree_kind kind : {tree_kind::max, tree_kind::min})
          for (const dtype type : tree_types) {
            const grey image = random_grey(size, levels, 1, ++seed);
            expect_definition(image.as(type).view(), image.values(type), {connectivity, kind});
            ASSERT_FALSE(HasFailure()) << seed;
          }
}

TEST(reference_max_tree, hard_images) {
  for (const extent& size : {extent(9, 10), extent(3, 4, 5)})
    for (const grey& image : adversarial_greys(size))
      for (const int connectivity : tree_connectivities(size)) {
        expect_definition(image.as(dtype::i16).view(), image.values(dtype::i16), {connectivity, tree_kind::max});
        ASSERT_FALSE(HasFailure()) << image.name;
      }
}

TEST(reference_max_tree, a_tree_that_a_person_can_check) {
  const std::vector<std::uint8_t> pixels = {1, 5, 1, 2,  //
                                            1, 3, 3, 1,  //
                                            7, 1, 3, 2};
  const tree_parts tree = reference::build({pixels.data(), extent(3, 4)}, {.connectivity = 4});
  EXPECT_EQ(tree.level, (std::vector<double>{1, 2, 2, 3, 5, 7}));
  EXPECT_EQ(tree.first_pixel, (std::vector<std::uint32_t>{0, 3, 11, 5, 1, 8}));
  EXPECT_EQ(tree.parent, (std::vector<std::uint32_t>{0, 0, 0, 2, 3, 0}));
  EXPECT_EQ(tree.node_of_pixel, (std::vector<std::uint32_t>{0, 4, 0, 1, 0, 3, 3, 0, 5, 0, 3, 2}));
  const attribute_table table = reference::measure(max_tree::from_parts(tree), {});
  EXPECT_EQ(table.area, (std::vector<std::uint32_t>{12, 1, 5, 4, 1, 1}));
}

}  // namespace
}  // namespace skerry::test
