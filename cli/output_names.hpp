// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace skerry::cli {

/// The output file of each input.
///   option  "-o", for messages
///   given   what the user wrote: a file for one input; for any number of them a folder, or a name with {name} in it,
///           which stands for the input's name without folder and extension; nothing gives no names
///   ending  of names in a folder: FOLDER/<name><ending>
/// A folder that is missing is made. Throws usage_error when two outputs, or an output and an input, are one file.
[[nodiscard]] std::vector<std::string> name_outputs(const std::string& option, const std::string& given,
                                                    const std::vector<std::string>& inputs, const std::string& ending);

/// Throws usage_error when an output is one of the inputs, or given twice.
void check_distinct(const std::string& option, const std::vector<std::string>& outputs,
                    const std::vector<std::string>& others);

/// "{name}" in `pattern` replaced by the name of `input` without folder and extension.
[[nodiscard]] std::string fill_name(std::string pattern, const std::string& input);

}  // namespace skerry::cli
