// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry {

// Processors on which this process, that is its first thread, may run; at least 1.
int count_processors();

}  // namespace skerry
