// SPDX-License-Identifier: Apache-2.0
// `skerry tree --stream`: the trees of a video, frame by frame.
#pragma once
#include "cli/console.hpp"
#include "cli/picture_trees.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace skerry::cli {

/// To be called when the options of filters and outputs are there.
void add_tree_stream_options(CLI::App& command, tree_job& job);

/// Throws usage_error, io::file_error.
void run_tree_stream(const tree_job& job, const console& to);

}  // namespace skerry::cli
