// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry {

// Whether the system has yet to provide the page at this address: its first write does, and clears the page in the caches.
// False where the system does not say.
[[nodiscard]] bool is_new_memory(const void* at);

}  // namespace skerry
