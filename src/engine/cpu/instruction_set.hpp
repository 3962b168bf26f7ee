// SPDX-License-Identifier: Apache-2.0
// Which vector instructions the stages run on. They choose at run time; this room can look, and force a choice.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace skerry {

/// Names of the instruction sets that this build has code for and this processor has, best first.
std::vector<std::string> available_instruction_sets();

/// Chooses one for the process, unless that is done. Before it, a function that was looked up to be called many times would ask the
/// processor at every call.
void choose_instruction_set();

/// The one in use.
std::string instruction_set_in_use();

/// Forces one of available_instruction_sets() for the whole process; "" is the best again. Not while calls run.
/// Throws invalid_argument for another name.
void force_instruction_set(std::string_view name);

}  // namespace skerry
