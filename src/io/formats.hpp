// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace skerry::io {

/// Names of the formats that OpenImageIO reads here, with spaces between them.
[[nodiscard]] std::string readable_formats();

}  // namespace skerry::io
