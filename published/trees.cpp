// SPDX-License-Identifier: Apache-2.0
// The list of published methods that build trees, and what each cannot do.
//
// A new method is a function in cuda/tree_task.hpp and its file, a line in cuda/tree_methods.cu, a row in `all_of_trees`, and its
// paper in docs/papers.md.
#include "max_tree/call.hpp"
#include "max_tree/check.hpp"
#include "published/method_list.hpp"
#include "published/on_cuda.hpp"

namespace skerry::published {
namespace {

constexpr engine_kind tree_engines[] = {engine_kind::cuda};
constexpr int tree_connectivities[] = {4};

constexpr method all_of_trees[] = {
    {"blin", "Blin2021", "max-trees: columns, tiles, then their borders", tree_engines, tree_connectivities, false},
    {"blin-border", "Blin2021", "max-trees: the same by border max-trees", tree_engines, tree_connectivities, false},
};

void check(engine_kind on, std::string_view by, const image_view& image, const tree_options& options) {
  const method& which = find_method(all_of_trees, by);
  if (image.size.rank != 2) refuse(which, "builds trees of images of rank 2 only, not of volumes");
  if (image.type != dtype::u8) refuse(which, std::string("builds trees of uint8 only, not of ") + name_of(image.type));
  if (options.kind != tree_kind::max) refuse(which, "builds max-trees only, no min-trees");
  check_connectivity(which, options.connectivity);
  check_engine(which, on);
}

}  // namespace

void build(engine& on, std::string_view by, const image_view& image, const tree_options& options, max_tree& tree) {
  if (by == own_method) return skerry::build(on, image, options, tree);
  check_input(image, options);
  check(on.kind(), by, image, options);
  if (image.size.pixels() == 0) return skerry::build(on, image, options, tree);
  engine::state& state = engine_for_method(on, engine_kind::cuda, {{"image", image}});
  const running_call call(state);
  filled_parts filled(tree_door::parts_of(tree));
  filled.describe(image, options);
  with_memory([&] { build_on_cuda(state, by, image, filled.parts); });  // all of them run there
  filled.done = true;
}

std::span<const method> tree_methods() { return all_of_trees; }

std::string tree_method_names() { return names_of(all_of_trees); }

}  // namespace skerry::published
