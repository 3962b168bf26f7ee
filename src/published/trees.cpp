// SPDX-License-Identifier: Apache-2.0
// The list of published methods that build trees, and what each cannot do.
//
// A new method is a function in cuda/tree_task.hpp and its file, a line in cuda/tree_methods.cu, a row in `tree_methods`, and its
// paper in docs/papers.md.
#include "published/trees.hpp"

#include "published/method_list.hpp"
#include "published/trees_on_cuda.hpp"

namespace skerry::published {
namespace {

constexpr engine_kind tree_engines[] = {engine_kind::cuda};
constexpr int tree_connectivities[] = {4};

constexpr published_method tree_methods[] = {
    {"blin", "Blin2021", "max-trees: columns, tiles, then their borders", tree_engines, tree_connectivities, false},
    {"blin-border", "Blin2021", "max-trees: the same by border max-trees", tree_engines, tree_connectivities, false},
};

}  // namespace

void check(engine_kind on, const image_view& image, const tree_options& options) {
  const published_method& method = find_method(tree_methods, options.method);
  check_engine(method, on);
  if (image.size.rank != 2) refuse(method, "builds trees of images of rank 2 only, not of volumes");
  if (image.type != dtype::u8) refuse(method, std::string("builds trees of uint8 only, not of ") + name_of(image.type));
  if (options.kind != tree_kind::max) refuse(method, "builds max-trees only, no min-trees");
  check_connectivity(method, options.connectivity);
}

void build(engine::state& on, const image_view& image, const tree_options& options, tree_parts& tree) {
  build_on_cuda(on, image, options, tree);  // all of them run there
}

}  // namespace skerry::published

namespace skerry {

std::span<const published_method> published_tree_methods() { return published::tree_methods; }

std::string tree_method_names() { return published::names_of(published::tree_methods); }

}  // namespace skerry
