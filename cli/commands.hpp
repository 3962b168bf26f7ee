// SPDX-License-Identifier: Apache-2.0
// One function per command; each is in the file of its name.
#pragma once
#include "cli/console.hpp"

namespace CLI {
class App;
}

namespace skerry::cli {

void add_label(CLI::App& program, const console& to);
void add_measure(CLI::App& program, const console& to);
void add_relabel(CLI::App& program, const console& to);
void add_outline(CLI::App& program, const console& to);
void add_contacts(CLI::App& program, const console& to);
void add_tree(CLI::App& program, const console& to);
void add_track(CLI::App& program, const console& to);
void add_info(CLI::App& program, const console& to);
void add_completion(CLI::App& program, const console& to);

}  // namespace skerry::cli
