// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry {

/// Version of the library, as text.
inline constexpr const char* version = "0.1.0";

}  // namespace skerry
