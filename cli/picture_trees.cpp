// SPDX-License-Identifier: Apache-2.0
#include "cli/picture_trees.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "cli/attribute_columns.hpp"
#include "cli/output_names.hpp"
#include "io/file_error.hpp"
#include "io/pending_file.hpp"
#include "skerry/error.hpp"
#include "skerry/published.hpp"

namespace skerry::cli {
namespace {

std::string name_at(const std::vector<std::string>& names, std::size_t index) {
  return names.empty() ? "" : names[index];
}

// The image of parents that other libraries call the tree: every pixel leads to the first pixel of its node, and that
// to the first pixel of the node below.
void write_parents(const max_tree& tree, std::uint32_t* parents) {
  for (std::size_t pixel = 0; pixel < tree.node_of_pixel().size(); ++pixel) {
    const std::uint32_t node = tree.node_of_pixel()[pixel];
    parents[pixel] = tree.first_pixel()[tree.first_pixel()[node] == pixel ? tree.parent()[node] : node];
  }
}

}  // namespace

tree_files::tree_files(const tree_job& job) : pictures(picture_names(job.input)) {
  std::vector<std::string> taken = job.input.paths;
  const auto take = [&](const std::string& option, const std::vector<std::string>& names) {
    check_distinct(option, names, taken);
    taken.insert(taken.end(), names.begin(), names.end());
    return names;
  };
  outputs = take("-o", name_outputs("-o", job.output, pictures, "-filtered.tif"));
  nodes = take("--nodes", name_outputs("--nodes", job.nodes, pictures, "-nodes.npy"));
  parents = take("--parents", name_outputs("--parents", job.parents, pictures, "-parents.npy"));
  if (job.table.empty()) return;
  tables = std::make_unique<picture_tables>("--table", io::is_standard_output(job.table) ? "" : job.table, job.format,
                                            pictures, job.features.empty());
  take("--table", tables->files());
}

void tree_figures::add(const max_tree& tree) {
  std::vector<std::uint32_t> depth_of(tree.nodes(), 1);
  std::vector<bool> has_children(tree.nodes());
  for (std::size_t node = 1; node < tree.nodes(); ++node) {
    depth_of[node] = depth_of[tree.parent()[node]] + 1;
    has_children[tree.parent()[node]] = true;
  }
  depth = std::max<std::size_t>(depth, *std::max_element(depth_of.begin(), depth_of.end()));
  const auto [low, high] = std::minmax_element(tree.level().begin(), tree.level().end());
  lowest = nodes == 0 ? *low : std::min(lowest, *low);
  highest = nodes == 0 ? *high : std::max(highest, *high);
  nodes += tree.nodes();
  leaves += static_cast<std::size_t>(std::count(has_children.begin(), has_children.end(), false));
}

picture_trees::picture_trees(const tree_job& job, tree_files& files, std::size_t index, const console& to)
    : job_(job), tables_(files.tables.get()), output_(name_at(files.outputs, index)),
      nodes_(name_at(files.nodes, index)), parents_(name_at(files.parents, index)) {
  if (tables_ != nullptr) tables_->open(index, to);
}

void picture_trees::prepare(const picture& from, const tree_filter& filter) {
  const int rank = from.frame(0).size.rank;
  if (rank == 1) throw io::file_error(from.name, "has 1 axis; trees are of images of 2 or 3");
  if (tables_ != nullptr) {
    tables_->check_rank(from);
    columns_ = choose_attributes(job_.features.empty() ? "all" : job_.features, rank);
  }
  filter.check(from.name, rank, from.pixels.type);
  std::vector<std::string> attributes = columns_;
  for (const std::string& name : filter.attributes()) attributes.push_back(name);
  measured_ = !attributes.empty();
  sums_ = sums_for(attributes, rank);
  output_.prepare(from, filter.output_type(from.pixels.type));
  nodes_.prepare(from, dtype::u32);
  parents_.prepare(from, dtype::u32);
}

void picture_trees::make(engine& on, const picture& from, const tree_filter& filter, profile& times) {
  prepare(from, filter);
  try {
    for (std::int64_t frame = 0; frame < from.frames(); ++frame) add_frame(on, from, frame, filter, times);
  } catch (const invalid_argument& error) {
    throw io::file_error(from.name, error.what());
  } catch (const device_error& error) {
    throw usage_error(std::string("--engine: ") + error.what());
  }
}

void picture_trees::add_frame(engine& on, const picture& from, std::int64_t frame, const tree_filter& filter,
                              profile& times) {
  const image_view image = from.frame(frame);
  tree_options options;
  options.connectivity = job_.connectivity != 0 ? job_.connectivity : image.size.rank == 2 ? 8 : 26;
  options.kind = job_.kind == "min" ? tree_kind::min : tree_kind::max;
  const auto begin = profile::clock::now();
  published::build(on, job_.engine.method, image, options, tree_);
  found_.milliseconds += std::chrono::duration<double, std::milli>(profile::clock::now() - begin).count();
  times.add(on, image.size.pixels());
  found_.add(tree_);
  if (measured_) {
    measure(on, tree_, sums_, attributes_);
    times.add(on, 0);
  }
  if (tables_ != nullptr) add_rows(from, frame);
  if (output_.wanted()) {
    filter.apply(on, tree_, attributes_, output_.frame(from, frame));
    times.add(on, 0);
  }
  if (nodes_.wanted())
    std::copy(tree_.node_of_pixel().begin(), tree_.node_of_pixel().end(),
              static_cast<std::uint32_t*>(nodes_.frame(from, frame).data));
  if (parents_.wanted()) write_parents(tree_, static_cast<std::uint32_t*>(parents_.frame(from, frame).data));
}

void picture_trees::add_rows(const picture& from, std::int64_t frame) {
  std::vector<table_column> columns;
  for (const std::string& name : columns_)
    columns.push_back({name, attribute_table::is_integer_column(name), attributes_.column(tree_, name)});
  tables_->add(from, frame, std::move(columns));
}

void picture_trees::write(const console& to) {
  for (frame_output* each : {&output_, &nodes_, &parents_}) each->finish();
  if (tables_ != nullptr) tables_->finish(to);
  if (tables_ != nullptr) tables_->publish();
  for (frame_output* each : {&output_, &nodes_, &parents_}) each->publish();
}

}  // namespace skerry::cli
