// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "regions/pair_counts.hpp"
#include "regions/shares.hpp"
#include "skerry/contacts.hpp"

namespace skerry::regions {

// The pairs of pixels of which the later one is in the rows, sorted. With surfaces, the faces to background and outside too.
[[nodiscard]] std::vector<pair_count> count_contacts(const contact_request& asked, const row_range& rows);

}  // namespace skerry::regions
